"""``shoal compare``."""

import sys
from pathlib import Path

from shoal.cli.output import DIM, GREEN, RED, painted, say, say_json, steps, table_lines
from shoal.errors import Infeasible, ShoalError
from shoal.policy.policy import Policy
from shoal.report.chart import check_chart, line_chart, loss_name, loss_points, write_chart
from shoal.report.compare import Compared, compare

HEAD = ("policy", "method", "k", "NCP", "NCP by range", "exact cells", "classes",
        "suppressed", "smallest candidate set", "seconds", "holds")  # fmt: skip


PERMUTED_HEAD = ("policy", "method", "k", "sum of error", "max of error", "error of any rows",
                 "error of ranges", "groups", "suppressed", "different values", "largest share",
                 "seconds", "holds")  # fmt: skip
AVERAGED_HEAD = ("policy", "method", "k", "100 SSE / SST", "NCP", "NCP by range", "linked", "classes",
                 "suppressed", "smallest candidate set", "seconds", "holds")  # fmt: skip
PERMUTED = (
    "sum and max of error: of the groups' ranges; error: mean (upper - lower) / truth of sums over a tenth "
    "of the rows, any of them or ranges of quasi columns (without groups, as in rank-swap: how far the sum "
    "is off); largest share: of one value in a group. Answers are better the less they err; which of the "
    "two errors counts depends on what will be asked"
)
NCP = "NCP: mean width of the published ranges as a share of the domain, 0 = nothing is blurred"
AVERAGED = (
    f"{NCP}; of class means: of the values in a class. SSE / SST: squared distances of the records to their "
    "class means, in percent of those to the mean of all. Linked: the records whose nearest published one is "
    "of their own class"
)
ALIGNED = "aligned opens single cells; `shoal run` measures what its choices and people's rounding give away"


def run_compare(
    data: Path,
    policy_files: list[Path],
    ks: str | None,
    methods: str | None,
    chart: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    policies = _load(policy_files)
    asked_ks = None if ks is None else [_whole_number(part) for part in _parts(ks, "--k")]
    asked_methods = None if methods is None else _parts(methods, "--methods")
    if chart is not None:
        check_chart(chart, force)
    with steps(quiet=as_json) as step:
        rows = compare(data, policies, asked_ks, asked_methods, on_step=step)
        _refuse_if_all_are(rows)
        if chart is not None:
            step("drawing")
            write_chart(line_chart(loss_points(rows), "k", loss_name(rows)), chart)
    if as_json:
        say_json({"compared": [row.as_dict() for row in rows], "chart": chart and str(chart)})
    else:
        _tell(rows, chart)
    sys.exit(0 if any(row.holds for row in rows) else 1)


def _load(files: list[Path]) -> dict[str, Policy]:
    """Policies by the stem of their file, or by its path where two stems are the same."""
    stems = [file.stem for file in files]
    return {file.stem if stems.count(file.stem) == 1 else str(file): Policy.load(file) for file in files}


def _parts(text: str, option: str) -> list[str]:
    parts = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not parts:
        raise ShoalError(f"{option} names nothing", f"separate by commas, or leave {option} out.")
    return parts


def _whole_number(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ShoalError(f"--k: {text!r} is not a whole number", "write for example --k 2,5,10.")
    return int(text)


def _refuse_if_all_are(rows: list[Compared]) -> None:
    refused = [row.refused for row in rows if row.refused is not None]
    if len(refused) < len(rows):
        return
    faults = dict.fromkeys(fault for error in refused for fault in error.faults)
    raise Infeasible(faults) if all(row.infeasible for row in rows) else ShoalError(faults)


def _tell(rows: list[Compared], chart: Path | None) -> None:
    first = 0 if _several(rows) else 1
    made = [row.figures for row in rows if row.figures is not None]
    head: tuple[str, ...]
    head, cells_of, legend = HEAD, _cells, NCP
    if any(figures.range_error is not None for figures in made):
        head, cells_of, legend = PERMUTED_HEAD, _permuted_cells, PERMUTED
    elif any(figures.sse_sst is not None for figures in made):
        head, cells_of, legend = AVERAGED_HEAD, _averaged_cells, AVERAGED
    cells = [cells_of(row) for row in rows]
    lines = list(table_lines([head[first:], *(row[first:] for row in cells)]))
    say(lines[0])
    for row, line in zip(rows, lines[1:], strict=True):
        mark = _cells(row)[-1]
        say(line.removesuffix(mark) + painted(mark, GREEN if row.holds else RED))
    say(painted(legend, DIM))
    if any(row.method == "aligned" for row in rows):
        say(painted(ALIGNED, DIM))
    for fault, where in _reasons(rows).items():
        say(f"\n{'; '.join(where)}:\n  {fault}")
    if chart is not None:
        say(f"\nWrote {chart}")


def _cells(row: Compared) -> tuple[str, ...]:
    named = (row.policy, row.method, str(row.k))
    made = row.figures
    if made is None:
        return (*named, "", "", "", "", "", "", "", "infeasible" if row.infeasible else "refused")
    return (
        *named,
        f"{made.ncp:.6f}",
        f"{made.ncp_range:.6f}",
        f"{made.exact_cells:.1%}",
        f"{made.classes:,}",
        f"{made.suppressed:,}",
        "" if made.candidates is None else f"{made.candidates:,}",
        f"{made.seconds:.2f}",
        "yes" if made.holds else "NO",
    )


def _permuted_cells(row: Compared) -> tuple[str, ...]:
    made = row.figures
    if made is None:
        plain = _cells(row)
        return (*plain[:3], *[""] * 9, plain[-1])
    figures = (made.sum_of_error, made.max_of_error)
    errors = (made.arbitrary_error, made.range_error)
    return (
        *_cells(row)[:3],
        *("" if figure is None else _amount(figure) for figure in figures),
        *("" if error is None else f"{error:.4f}" for error in errors),
        *_cells(row)[6:9],
        "" if made.largest_share is None else f"{made.largest_share:.1%}",
        *_cells(row)[9:],
    )


def _averaged_cells(row: Compared) -> tuple[str, ...]:
    plain, made = _cells(row), row.figures
    lost = "" if made is None or made.sse_sst is None else f"{made.sse_sst:.4f}"
    linked = "" if made is None or made.linked is None else f"{made.linked:.1%}"
    return (*plain[:3], lost, *plain[3:5], linked, *plain[6:])


def _amount(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 1000 else f"{figure:.6g}"


def _reasons(rows: list[Compared]) -> dict[str, list[str]]:
    """Every reason for having no release once, with the rows it concerns."""
    reasons: dict[str, list[str]] = {}
    several = _several(rows)
    for row in rows:
        for fault in row.refused.faults if row.refused else ():
            text = str(fault).replace("\n", "\n  ")
            of_policy = f"{row.policy}, " if several else ""
            reasons.setdefault(text, []).append(f"{of_policy}{row.method}, k = {row.k}")
    return reasons


def _several(rows: list[Compared]) -> bool:
    return len({row.policy for row in rows}) > 1
