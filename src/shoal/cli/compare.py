"""``shoal compare``."""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import Any

from shoal.cli.terminal.output import BOLD, DIM, GREEN, RED, paint, say, say_json, steps, table_lines
from shoal.cli.terminal.standard_output import note_done
from shoal.comparison.compare import ComparisonFigures, ComparisonResult, compare
from shoal.comparison.recommend import Recommendation, families, frontier, recommend
from shoal.errors import Infeasible, ShoalError
from shoal.policy.model.policy import Policy
from shoal.report.charts.loss_charts import (
    check_chart,
    frontier_charts,
    line_chart,
    loss_name,
    loss_points,
    write_chart,
)
from shoal.table.source import Source

Text = Callable[[ComparisonFigures], str]
PERMUTED = (
    "Sum and max of error: of the groups' ranges; error: mean (upper - lower) / truth of sums over a tenth "
    "of the rows, any of them or ranges of quasi columns (without groups, as in rank-swap: how far the sum "
    "is off); largest share: of one value in a group. Answers are better the less they err; which of the "
    "two errors counts depends on what will be asked"
)
NCP = "NCP: mean width of the published ranges as a share of the domain, 0 = nothing is blurred"
AVERAGED = (
    "Of class means, NCP is that of the values in a class. SSE / SST: squared distances of the records to "
    "their class means, in percent of those to the mean of all. Linked: the records whose nearest published "
    "one is of their own class"
)
RISK = (
    "Risk: the chance of an attacker as the policy states to find {targets}, on average over all records "
    "(left-out ones are safe) and for the record most at risk. Frontier: nothing else that holds has less "
    "of risk or of loss ({losses}) without having more of the other"
)
ALIGNED = "aligned opens single cells; its risk is that of somebody who knows how it chooses them"
DIFFERENT = (
    "These policies promise different things: which promise is needed is for people to say, no figure does"
)


def run_compare(
    data: Source,
    policy_files: list[Path],
    ks: str | None,
    methods: str | None,
    vary: list[str],
    chart: Path | None,
    frontier_file: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Try policies, methods and parameters on a table, and tell and draw what each risks and loses."""
    policies = _load(policy_files)
    asked_ks = None if ks is None else [_whole_number(part) for part in _parts(ks, "--k")]
    asked_methods = None if methods is None else _parts(methods, "--methods")
    asked_values = _values(vary)
    _check_charts(chart, frontier_file, force)
    with steps(quiet=as_json) as step:
        rows = compare(data, policies, asked_ks, asked_methods, on_step=step, vary=asked_values)
        _refuse_if_all_are(rows)
        step("drawing")
        if chart is not None:
            write_chart(line_chart(loss_points(rows), "k", loss_name(rows)), chart)
        if frontier_file is not None:
            write_chart(frontier_charts(rows), frontier_file)
    files = [file for file in (chart, frontier_file) if file is not None]
    if files:
        note_done(f"{' and '.join(repr(str(file)) for file in files)} drawn")
    marks, chosen = frontier(rows), recommend(rows, policies)
    if as_json:
        say_json(_as_dict(rows, marks, chosen, chart, frontier_file))
    else:
        _tell(rows, marks, chosen, files)
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


def _values(vary: list[str]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for text in vary:
        name, is_there, values = text.partition("=")
        name = name.strip()
        if not is_there or not name:
            hint = "write for example --vary suppression=0,0.02."
            raise ShoalError(f"--vary {text!r} names no parameter and its values", hint)
        if name in found:
            raise ShoalError(f"--vary names {name!r} twice", "give all its values at once.")
        found[name] = [_value(part) for part in _parts(values, f"--vary {name}")]
    return found


def _value(text: str) -> Any:
    """A number, true or false, or the word itself.

    >>> _value("5"), _value("0.02"), _value("true"), _value("one-group"), _value("nan")
    (5, 0.02, True, 'one-group', 'nan')
    """
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        return float(text) if isfinite(float(text)) else text
    return {"true": True, "false": False}.get(text, text)


def _check_charts(chart: Path | None, frontier_file: Path | None, force: bool) -> None:
    for file in (chart, frontier_file):
        if file is not None:
            check_chart(file, force)
    if chart is not None and frontier_file is not None and chart.resolve() == frontier_file.resolve():
        raise ShoalError("both charts would be one file", "choose another name for one of them.")


def _refuse_if_all_are(rows: list[ComparisonResult]) -> None:
    refused = [row.refused for row in rows if row.refused is not None]
    if len(refused) < len(rows):
        return
    faults = dict.fromkeys(fault for error in refused for fault in error.faults)
    raise Infeasible(faults) if all(row.infeasible for row in rows) else ShoalError(faults)


def _as_dict(
    rows: list[ComparisonResult],
    marks: list[bool],
    chosen: list[Recommendation],
    chart: Path | None,
    frontier_file: Path | None,
) -> dict[str, Any]:
    losses = {at: family.loss for family in families(rows) for at in family.places}
    return {
        "compared": [
            {**row.as_dict(), "frontier": mark, "loss": losses.get(at)}
            for at, (row, mark) in enumerate(zip(rows, marks, strict=True))
        ],
        "recommended": [one.as_dict() for one in chosen],
        "chart": chart and str(chart),
        "frontier_chart": frontier_file and str(frontier_file),
    }


def _tell(
    rows: list[ComparisonResult], marks: list[bool], chosen: list[Recommendation], files: list[Path]
) -> None:
    lines = list(table_lines(_table(rows, marks)))
    say(lines[0])
    for row, line in zip(rows, lines[1:], strict=True):
        mark = _outcome(row)
        say(line.removesuffix(mark) + paint(mark, GREEN if row.holds else RED))
    for legend in _legends(rows):
        say(paint(legend, DIM))
    for fault, where in _reasons(rows).items():
        say(f"\n{'; '.join(where)}:")
        for line in f"  {fault}".split("\n"):
            say(line)
    _tell_choices(rows, chosen)
    for number, file in enumerate(files):
        say(f"{'' if number else chr(10)}Wrote {file}")


def _tell_choices(rows: list[ComparisonResult], chosen: list[Recommendation]) -> None:
    say()
    for one in chosen:
        of_policy = f" for {', '.join(one.policies)}" if len(chosen) > 1 else ""
        name = "nothing" if one.place is None else rows[one.place].label
        say(paint(f"Recommended{of_policy}: {name}", BOLD))
        say(f"  {one.reason}")
    if len(chosen) > 1:
        say(paint(DIFFERENT, DIM))


def _table(rows: list[ComparisonResult], marks: list[bool]) -> list[tuple[str, ...]]:
    """Names, what was varied, and the figures that some row has."""
    varied = dict.fromkeys(name for row in rows for name in row.parameters if name != "k")
    made = [row.figures for row in rows if row.figures is not None]
    columns: list[tuple[str, list[str]]] = [
        *([("policy", [row.policy for row in rows])] if _several(rows) else []),
        ("method", [row.method for row in rows]),
        ("k", [str(row.k) for row in rows]),
        *((name, [str(row.parameters.get(name, "")) for row in rows]) for name in varied),
    ]
    for head, text in _figures(all(figures.permuted for figures in made)):
        cells = ["" if row.figures is None else text(row.figures) for row in rows]
        columns += [(head, cells)] if any(cells) else []
    columns += [
        ("frontier", ["yes" if mark else "" for mark in marks]),
        ("holds", [_outcome(row) for row in rows]),
    ]
    return [tuple(head for head, _ in columns), *zip(*(cells for _, cells in columns), strict=True)]


def _figures(all_permuted: bool) -> Sequence[tuple[str, Text]]:
    """The head of a column, and what a release has to say there."""
    return (
        ("sum of error", lambda made: _amount(made.sum_of_error)),
        ("max of error", lambda made: _amount(made.max_of_error)),
        ("error of any rows", lambda made: _number(made.arbitrary_error, ".4f")),
        ("error of ranges", lambda made: _number(made.range_error, ".4f")),
        ("100 SSE / SST", lambda made: _number(made.sse_sst, ".4f")),
        ("NCP", lambda made: "" if made.permuted else f"{made.ncp:.6f}"),
        ("NCP by range", lambda made: "" if made.permuted else f"{made.ncp_range:.6f}"),
        ("exact cells", lambda made: "" if _blurs_no_cell(made) else f"{made.exact_cells:.1%}"),
        ("linked", lambda made: _number(made.linked, ".1%")),
        ("groups" if all_permuted else "classes", lambda made: f"{made.classes:,}"),
        ("suppressed", lambda made: f"{made.suppressed:,}"),
        (
            "different values" if all_permuted else "smallest candidate set",
            lambda made: _number(made.candidates, ","),
        ),
        ("largest share", lambda made: _number(made.largest_share, ".1%")),
        ("risk", lambda made: f"{made.risk:.4f}"),
        ("largest risk", lambda made: f"{made.largest_risk:.4f}"),
        ("seconds", lambda made: f"{made.seconds:.2f}"),
    )


def _blurs_no_cell(made: ComparisonFigures) -> bool:
    return made.permuted or made.sse_sst is not None


def _number(figure: float | None, form: str) -> str:
    return "" if figure is None else format(figure, form)


def _amount(figure: float | None) -> str:
    if figure is None:
        return ""
    return f"{figure:,.0f}" if figure >= 1000 else f"{figure:.6g}"


def _outcome(row: ComparisonResult) -> str:
    if row.figures is None:
        return "infeasible" if row.infeasible else "refused"
    return "yes" if row.holds else "NO"


def _legends(rows: list[ComparisonResult]) -> list[str]:
    made = [row.figures for row in rows if row.figures is not None]
    found = families(rows)
    targets = " or ".join(
        f"{one.target} (in permuted ones)" if one.permuted and len(found) > 1 else one.target for one in found
    )
    told = {
        NCP: not all(figures.permuted for figures in made),
        AVERAGED: any(figures.sse_sst is not None for figures in made),
        PERMUTED: any(figures.permuted for figures in made),
        RISK.format(targets=targets, losses=", ".join(one.loss_name for one in found)): bool(found),
        ALIGNED: any(row.method == "aligned" for row in rows),
    }
    return [legend for legend, applies in told.items() if applies]


def _reasons(rows: list[ComparisonResult]) -> dict[str, list[str]]:
    """Every reason for having no release once, with the rows it concerns."""
    reasons: dict[str, list[str]] = {}
    several = _several(rows)
    for row in rows:
        for fault in row.refused.faults if row.refused else ():
            text = str(fault).replace("\n", "\n  ")
            of_policy = f"{row.policy}, " if several else ""
            reasons.setdefault(text, []).append(f"{of_policy}{row.label}")
    return reasons


def _several(rows: list[ComparisonResult]) -> bool:
    return len({row.policy for row in rows}) > 1
