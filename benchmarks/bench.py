"""How fast shoal is beside what memory allows. `make bench`, or with --rows 100000,1000000 or --quick.

Every ratio compares with a floor that was measured in the same run; the limits beside the ratios are
those the project has set itself. The same figures go to bench-results.json, which is not kept in git.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from attackers import ORDER
from attackers import SORT as SORT_TOTALS
from commands import BARE, HELP, IPUMS, real_losses, whole_commands
from partitions import EXACT, PERMUTE, SORT
from queries import SHAPES
from shoal.demo.tax_table import tax_incomes
from steps import FLOOR, MILLION, K, methods_for

Rows = Sequence[tuple[str, ...]]

RESULTS = Path(__file__).parents[1] / "bench-results.json"
STEPS = Path(__file__).with_name("steps.py")
PARTITIONS = Path(__file__).with_name("partitions.py")
QUERIES = Path(__file__).with_name("queries.py")
CLASS_MEANS = Path(__file__).with_name("class_means.py")
ATTACKERS = Path(__file__).with_name("attackers.py")
PAGE = Path(__file__).with_name("page.py")
QUERY_ROUNDS = 20
QUERY_SIZES: tuple[int, ...] = (10_000, MILLION, 10 * MILLION)
SIZES: tuple[int, ...] = (100_000, MILLION, 10 * MILLION)

MOST_TO_SORT_AND_GATHER = {("aggranon", MILLION): 2.0, ("aggranon", 10 * MILLION): 2.0}
MOST_TO_SORT = {("mondrian", MILLION): 6.0}
MOST_MEMORY_GB = {10 * MILLION: 5.0}
MOST_TO_AGGRANON = {"residual": 40.0}
MOST_GROWTH = {"residual": 15.0}  # in time, from 100,000 to 1,000,000 rows
MOST_TO_DUCKDB = {"shoal run (aggranon)": 4.0}
MOST_TO_PLAIN, MOST_TO_PLAIN_IN_THE_MEDIAN = 4.0, 2.5  # of questions to a permuted release
MOST_TO_BUILD_GB = 2.0
BUSY = 0.5
MOST_SECONDS = {HELP: 0.4, EXACT: 60.0, PERMUTE: 5.0}
MOST_MDAV_TO_BRUTE_FORCE = {"50,000 x 7, k = 3": 1 / 4, "100,000 x 7, k = 10": 1 / 5}
MOST_MILLION_SECONDS, MOST_MILLION_GB = 300.0, 2.0
MOST_ATTACK_TO_SORT = {"aggregate, raw": 10.0, "aggregate, release": 10.0}
MOST_FIRST_PAGE_SECONDS, MOST_FIRST_PAGE_TO_BARE = 1.0, 2.0
MOST_PAGE_SECONDS, MOST_PAGE_KB = 0.3, 400.0
MOST_PARTITION_TO_SORT = {"min-sum": 2.0, "max-groups": 2.0, "min-max": 30.0}


@dataclass(frozen=True)
class Limit:
    """A figure beside what it may be at most."""

    value: float
    most: float | None = None

    def __str__(self) -> str:
        if self.most is None:
            return f"{self.value:.2f}"
        return f"{self.value:.2f} (limit {self.most:g}: {'ok' if self.value <= self.most else 'OVER'})"


@dataclass(frozen=True)
class Step:
    """One step on one size; ratios only for methods."""

    rows: int
    step: str
    ms: float
    cores: float
    to_sort_and_gather: Limit | None = None
    to_sort: Limit | None = None
    to_aggranon: Limit | None = None
    peak_gb: Limit | None = None


@dataclass(frozen=True)
class Command:
    """One command as a user types it."""

    name: str
    seconds: Limit
    to_duckdb: Limit | None


@dataclass(frozen=True)
class Queries:
    """Questions to a permuted release of one size beside the plain ones."""

    rows: int
    build_seconds: float
    build_peak_gb: Limit
    file_gb: float
    plain_ms: dict[str, float]
    to_plain: dict[str, Limit]
    in_the_median: Limit


def measure_size(rows: int, rounds: int, folder: Path) -> list[Step]:
    """All steps on a generated tax table of this size."""
    file = folder / f"{rows}.npy"
    np.save(file, tax_incomes(rows, seed=rows))
    found = _child("times", file, str(rounds))
    sort = found["stable argsort"]["ms"]
    both = sort + found["gather"]["ms"]
    steps = [Step(rows, name, **found[name]) for name in FLOOR]
    for name in methods_for(rows):
        ms = found[name]["ms"]
        steps.append(
            Step(
                rows,
                name,
                **found[name],
                to_sort_and_gather=Limit(ms / both, MOST_TO_SORT_AND_GATHER.get((name, rows))),
                to_sort=Limit(ms / sort, MOST_TO_SORT.get((name, rows))),
                to_aggranon=Limit(ms / found["aggranon"]["ms"], MOST_TO_AGGRANON.get(name)),
                peak_gb=Limit(_child("peak", file, name)["peak_gb"], MOST_MEMORY_GB.get(rows)),
            )
        )
    file.unlink()
    return steps


def _child(task: str, file: Path, argument: str) -> Any:
    return _run(STEPS, task, str(file), argument)


def _run(script: Path, *arguments: str) -> Any:
    """Run a part in a process of its own, whose memory is its own."""
    command = [sys.executable, str(script), *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure_queries(rows: int, rounds: int) -> Queries:
    found = _run(QUERIES, str(rows), str(rounds))
    ratios = {
        name: Limit(times["ratio"], MOST_TO_PLAIN if name in SHAPES else None)
        for name, times in found["shapes"].items()
    }
    middle = median(ratios[name].value for name in SHAPES)
    return Queries(
        rows,
        found["build_seconds"],
        Limit(found["build_peak_gb"], MOST_TO_BUILD_GB),
        found["file_gb"],
        {name: times["plain"] for name, times in found["shapes"].items()},
        ratios,
        Limit(middle, MOST_TO_PLAIN_IN_THE_MEDIAN),
    )


def measure_commands(rounds: int, folder: Path) -> list[Command]:
    seconds = whole_commands(folder, rounds)
    floor = seconds[BARE]
    return [
        Command(
            name,
            Limit(spent, MOST_SECONDS.get(name)),
            Limit(spent / floor, MOST_TO_DUCKDB.get(name)) if name.startswith("shoal run") else None,
        )
        for name, spent in seconds.items()
    ]


def partition_rows(times: dict[str, dict[str, float]]) -> Rows:
    """Each method beside a sort of the same values."""
    return [("values", "sort ms", *MOST_PARTITION_TO_SORT)] + [
        (
            shape,
            f"{ms[SORT]:7.1f}",
            *(str(Limit(ms[name] / ms[SORT], most)) for name, most in MOST_PARTITION_TO_SORT.items()),
        )
        for shape, ms in times.items()
    ]


def attack_rows(times: dict[str, float]) -> Rows:
    """Beside both floors: the sorted totals, and the order of the records."""
    return [
        ("attack on 1,000,000 x 7", "ms", "times a sort", "times an argsort"),
        *(
            (
                name,
                f"{time:,.0f}",
                str(Limit(round(time / times[SORT_TOTALS], 1), MOST_ATTACK_TO_SORT.get(name))),
                f"{time / times[ORDER]:.1f}",
            )
            for name, time in times.items()
        ),
    ]


def page_rows(found: dict[str, Any]) -> Rows:
    """The start beside that of its libraries alone; the slowest answer of each page while a job runs."""
    start, answers = found["start"], found["answers"]
    return [
        ("page", "figure"),
        ("seconds to load its libraries", f"{start['bare']:.2f}"),
        ("seconds to the first page", str(Limit(start["first page"], MOST_FIRST_PAGE_SECONDS))),
        ("times its libraries", str(Limit(start["first page"] / start["bare"], MOST_FIRST_PAGE_TO_BARE))),
        *(
            (f"seconds of {name}", str(Limit(seconds, MOST_PAGE_SECONDS)))
            for name, seconds in answers["pages"].items()
        ),
        ("the heaviest page with its scripts, KB", str(Limit(_weight(answers), MOST_PAGE_KB))),
        *((f"seconds of the job: {name}", f"{spent:.1f}") for name, spent in answers["job_seconds"].items()),
    ]


def _weight(answers: dict[str, Any]) -> float:
    return float(answers["heaviest_kb"] + answers["static_kb"])


def mdav_rows(means: dict[str, Any], million: dict[str, Any]) -> Rows:
    """The time of all cores beside that of brute force, which forms the same groups."""
    return [("table", "mdav s", "to plain brute force", "to brute force in blocks")] + [
        (
            size,
            f"{means[size]['pruned']['cpu']:6.2f}",
            str(_share(means[size], "plain brute force", most)),
            str(_share(means[size], "brute force in blocks", None)),
        )
        for size, most in MOST_MDAV_TO_BRUTE_FORCE.items()
    ] + [
        (size, str(Limit(found["mdav"]["wall"], MOST_MILLION_SECONDS)), "", "")
        for size, found in million.items()
    ] + [
        ("its memory, GB", str(Limit(found["peak MB"] / 1e3, MOST_MILLION_GB)), "", "")
        for found in million.values()
    ]  # fmt: skip


def _share(times: dict[str, Any], of: str, most: float | None) -> Limit:
    return Limit(times["pruned"]["cpu"] / times[of]["cpu"], most)


def single_rows(times: dict[str, float]) -> Rows:
    return [("step", "seconds")] + [
        (name, str(Limit(ms / 1e3, MOST_SECONDS[name]))) for name, ms in times.items()
    ]


def cell(limit: Limit | None) -> str:
    return "" if limit is None else str(limit)


def step_rows(steps: list[Step]) -> Rows:
    head = ("step", "        ms", "cores", "to sort + gather", "to sort", "to aggranon", "peak GB")
    return [head] + [
        (
            step.step,
            f"{step.ms:10,.1f}",
            f"{step.cores:5.1f}",
            cell(step.to_sort_and_gather),
            cell(step.to_sort),
            cell(step.to_aggranon),
            cell(step.peak_gb),
        )
        for step in steps
    ]


def growth(steps: list[Step], smaller: int = 100_000, larger: int = MILLION) -> dict[str, Limit]:
    """How much longer each method takes for ten times the rows."""
    ms = {(step.step, step.rows): step.ms for step in steps if step.peak_gb is not None}
    return {
        name: Limit(ms[name, larger] / ms[name, smaller], MOST_GROWTH.get(name))
        for name, rows in ms
        if rows == larger and (name, smaller) in ms
    }


def command_rows(commands: list[Command]) -> Rows:
    head = ("command", "seconds", "to duckdb")
    return [head] + [(command.name, str(command.seconds), cell(command.to_duckdb)) for command in commands]


def query_rows(queries: Queries) -> Rows:
    head = ("question", "  plain ms", "times the plain one")
    return [head] + [
        (name, f"{queries.plain_ms[name]:10,.2f}", str(limit)) for name, limit in queries.to_plain.items()
    ] + [("median of the first five", "", str(queries.in_the_median))]  # fmt: skip


def loss_rows(losses: dict[str, dict[str, float]]) -> Rows:
    figures = ("ncp", "ncp_range", "ncp_split")
    return [("method", *figures)] + [
        (name, *(f"{loss[figure]:.4e}" if figure in loss else "" for figure in figures))
        for name, loss in losses.items()
    ]


def show(title: str, rows: Rows) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    print(f"\n{title}")
    for row in rows:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def arguments() -> tuple[list[int], list[int], int, int]:
    """Sizes of tables, sizes for questions, rounds per step and rounds per command."""
    parser = argparse.ArgumentParser(description="How fast shoal is beside what memory allows.")
    parser.add_argument("--rows", help="sizes to measure, for example 100000,1000000")
    parser.add_argument("--quick", action="store_true", help="one round, on 100,000 rows")
    asked = parser.parse_args()
    sizes, query_sizes = (SIZES[:1], QUERY_SIZES[:1]) if asked.quick else (SIZES, QUERY_SIZES)
    if asked.rows:
        sizes = query_sizes = tuple(int(size) for size in asked.rows.split(","))
    return list(sizes), list(query_sizes), *((1, 1) if asked.quick else (3, 5))


def main() -> None:
    sizes, query_sizes, rounds, command_rounds = arguments()
    if (load := os.getloadavg()[0]) > BUSY:
        print(f"Others use this machine (load {load:.1f}): on an idle one the ratios are lower.")
    steps: list[Step] = []
    with tempfile.TemporaryDirectory() as folder:
        for rows in sizes:
            steps += (found := measure_size(rows, rounds, Path(folder)))
            show(f"{rows:,} rows x 7, k = {K}, median of {rounds}", step_rows(found))
        if grown := growth(steps):
            show("Ten times the rows, times the time", [("method", "growth"),
                 *((name, str(limit)) for name, limit in grown.items())])  # fmt: skip
        groups = _run(PARTITIONS)
        show("Partitions of 1,000,000 values, times a sort of them", partition_rows(groups["partitions"]))
        show("Single steps", single_rows(groups["single"]))
        means, million = _run(CLASS_MEANS), {} if rounds == 1 else _run(CLASS_MEANS, "million")
        show("Microaggregation by mdav, seconds", mdav_rows(means, million))
        attacks = _run(ATTACKERS)
        show("Attacks on 1,000,000 records", attack_rows(attacks))
        page = _run(PAGE, str(min(MILLION, max(sizes))), str(command_rounds))
        show(f"The page, while a job works on {page['answers']['rows']:,} x 10", page_rows(page))
        commands = measure_commands(command_rounds, Path(folder))
    questions = [measure_queries(rows, QUERY_ROUNDS if rounds > 1 else 3) for rows in query_sizes]
    for asked in questions:
        title = (
            f"Questions to {asked.rows:,} permuted rows; database built in "
            f"{asked.build_seconds:.1f} s, {asked.file_gb:.2f} GB, memory {asked.build_peak_gb} GB"
        )
        show(title, query_rows(asked))
    source = "the real IPUMS table" if IPUMS.is_file() else "a generated table"
    show(
        f"Whole commands on 233,584 x 7 CSV rows of {source}, median of {command_rounds}",
        command_rows(commands),
    )
    losses = real_losses()
    if losses:
        show(f"Loss on {IPUMS.name}, k = {K} (expected: aggranon about 3.46e-3)", loss_rows(losses))
    else:
        print(f"\nNo real tables: {IPUMS} is missing (SHOAL_DATA may name their folder).")
    results = {
        "python": platform.python_version(),
        "machine": platform.platform(),
        "load": load,
        "steps": [asdict(step) for step in steps],
        "partitions": groups,
        "class_means": means | million,
        "attacks": attacks,
        "page": page,
        "commands": [asdict(command) for command in commands],
        "losses": losses,
        "queries": [asdict(found) for found in questions],
    }
    RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(f"\nThe same as JSON: {RESULTS.name}")


if __name__ == "__main__":
    main()
