"""How far shoal goes: whole runs of `shoal run` on generated tables, in memory, on the disk and on Spark.

`make bench-scale`, or with --rows 1000000,10000000 --methods aggranon,mondrian --engines disk. Every
run is a process of its own, whose release is removed when it was measured. --same compares the engines row
by row instead, --queries asks permuted releases (`large_queries.py`). Figures go to a file with --json FILE,
which `cost_model.py` reads.
"""

import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from scale_process import run_watched
from scale_tables import TABLE_OF, policy_for
from shoal.display import sized
from shoal.engines.table_size import fits_in_memory

HERE = Path(__file__).parent
SHOAL = Path(sys.executable).parent / "shoal"
SIZES = "1000000,10000000,50000000"
ENGINES = ("memory", "disk", "spark")
SEED = 7
BUSY = 0.5


@dataclass(frozen=True)
class Asked:
    """What all runs have in common."""

    folder: Path
    memory: str
    master: str
    limit: float
    keep: bool


@dataclass(frozen=True)
class Run:
    """One run; ``failed`` says why there are no figures."""

    rows: int
    method: str
    engine: str
    columns: int = 0
    input_bytes: int = 0
    output_bytes: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    spilled_bytes: int = 0
    steps: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    failed: str = ""

    @property
    def microseconds_per_row(self) -> float:
        return self.seconds / self.rows * 1e6


def measure(asked: Asked, rows: int, method: str, engine: str) -> Run:
    table = table_of(asked, rows, TABLE_OF[method])
    if engine == "memory" and not fits_in_memory(table):
        return Run(rows, method, engine, failed="does not fit")
    target = asked.folder / f"release-{rows}-{method}-{engine}"
    spent = run_watched(command_of(asked, table, method, engine, target), asked.limit)
    if not spent.in_time:
        return Run(rows, method, engine, failed=f"above {asked.limit:,.0f} s")
    if spent.exit_code:
        print(spent.output or spent.errors, file=sys.stderr)
        return Run(rows, method, engine, failed=f"exit code {spent.exit_code}")
    told = json.loads(spent.output)
    written = sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
    if not asked.keep:
        shutil.rmtree(target)
    return Run(
        rows,
        method,
        engine,
        columns=6 if TABLE_OF[method] == "people" else 7,
        input_bytes=table.stat().st_size,
        output_bytes=written,
        seconds=spent.seconds,
        cpu_seconds=spent.cpu_seconds,
        peak_bytes=spent.peak_bytes,
        spilled_bytes=told.get("engine", {}).get("bytes_spilled", 0),
        steps=told["seconds"],
        notes=told["notes"],
    )


def table_of(asked: Asked, rows: int, name: str) -> Path:
    """Made by another process, since a process begins with the memory of the one that starts it."""
    path = asked.folder / f"{name}-{rows}.parquet"
    if not path.exists():
        unready = path.with_suffix(".unready")
        subprocess.run([sys.executable, HERE / "scale_tables.py", name, str(rows), unready], check=True)
        unready.rename(path)
    return path


def command_of(asked: Asked, table: Path, method: str, engine: str, target: Path) -> list[str]:
    policy = asked.folder / f"{method}.toml"
    policy.write_text(policy_for(method), encoding="utf-8")
    command = [str(SHOAL), "run", str(table), str(policy), "-o", str(target), "--format", "parquet"]
    command += ["--seed", str(SEED), "--force", "--json", "--engine", engine, "--temp", str(asked.folder)]
    more = {"disk": ["--memory", asked.memory], "spark": ["--master", asked.master]}
    return command + more.get(engine, [])


def measure_all(
    asked: Asked, sizes: Sequence[int], methods: Sequence[str], engines: Sequence[str]
) -> Iterator[Run]:
    """Smaller tables first; what took too long there is not tried on larger ones."""
    hopeless = set()
    for rows in sizes:
        for method in methods:
            for engine in engines:
                if (method, engine) in hopeless:
                    continue
                run = measure(asked, rows, method, engine)
                if run.failed:
                    hopeless.add((method, engine))
                yield run


def rows_of(runs: list[Run]) -> list[tuple[str, ...]]:
    head = ("rows", "method", "engine", "seconds", "us/row", "CPU s", "memory", "spilled", "growth", "steps")
    return [head, *(_row(run, growth(run, runs)) for run in runs)]


def _row(run: Run, grown: float | None) -> tuple[str, ...]:
    names = (f"{run.rows:,}", run.method, run.engine)
    if run.failed:
        return (*names, run.failed, "", "", "", "", "", "")
    return (
        *names,
        f"{run.seconds:8.1f}",
        f"{run.microseconds_per_row:6.2f}",
        f"{run.cpu_seconds:7.1f}",
        sized(run.peak_bytes),
        sized(run.spilled_bytes) if run.spilled_bytes else "",
        "" if grown is None else f"{grown:.2f}",
        " ".join(f"{name} {seconds:.1f}" for name, seconds in run.steps.items() if name != "total"),
    )


def growth(run: Run, runs: list[Run]) -> float | None:
    """The time of a row beside that in the next smaller table: 1 if ten times the rows take ten times as
    long."""
    smaller = [
        other
        for other in runs
        if (other.method, other.engine) == (run.method, run.engine)
        and other.rows < run.rows
        and not other.failed
    ]
    if run.failed or not smaller:
        return None
    return run.microseconds_per_row / max(smaller, key=lambda other: other.rows).microseconds_per_row


def same_rows(asked: Asked, rows: int, method: str, engines: Sequence[str]) -> list[tuple[str, ...]]:
    """Every other engine beside the first one, by the audit files of both."""
    table = table_of(asked, rows, TABLE_OF[method])
    made = {}
    for engine in engines:
        target = asked.folder / f"same-{engine}"
        made[engine] = (target, asked.folder / f"same-{engine}.csv")
        command = [*command_of(asked, table, method, engine, target), "--audit", str(made[engine][1])]
        spent = run_watched(command, asked.limit)
        if spent.exit_code:
            raise SystemExit(spent.output or spent.errors or f"{engine}: above {asked.limit:,.0f} s")
    first, *others = engines
    found: list[tuple[str, ...]] = [("rows", "method", "engines", "differing rows", "same order")]
    for other in others:
        told = _compared(*made[first], *made[other])
        order = "yes" if told["same order"] else "no"
        found.append((f"{told['rows']:,}", method, f"{first}, {other}", f"{told['differing']:,}", order))
    for target, audit in made.values():
        shutil.rmtree(target)
        audit.unlink()
    return found


def _compared(*paths: Path) -> dict[str, int]:
    command = [sys.executable, str(HERE / "scale_same.py"), *map(str, paths)]
    told: dict[str, int] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return told


def question_rows(rows: int) -> list[tuple[str, ...]]:
    """What questions to a permuted release of so many rows cost beside the plain ones."""
    command = [sys.executable, str(HERE / "large_queries.py"), str(rows)]
    told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    head = ("question", "plain ms", "with bounds ms", "times")
    return [head] + [
        (name, *(f"{1e3 * seconds[kind]:10,.1f}" for kind in ("plain", "bounds")), f"{seconds['ratio']:.1f}")
        for name, seconds in told["questions"].items()
    ]


def show(title: str, rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    print(f"\n{title}")
    for row in rows:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Whole runs on large tables, in memory, on disk, on Spark.")
    parser.add_argument("--rows", default=SIZES, type=_numbers, help=f"sizes of tables, by default {SIZES}")
    parser.add_argument("--methods", default=list(TABLE_OF), type=_among(TABLE_OF), help="some of them only")
    parser.add_argument("--engines", default=list(ENGINES), type=_among(ENGINES), help="some of them only")
    parser.add_argument("--memory", default="1.5GB", help="for the engine on disk")
    parser.add_argument("--master", default="local[2]", help="where Spark runs")
    parser.add_argument("--folder", type=Path, help="for tables and temporary files; tables stay there")
    parser.add_argument("--keep", action="store_true", help="keep the releases, in --folder")
    parser.add_argument("--limit", default=3600.0, type=float, help="seconds that a run may take")
    parser.add_argument("--same", action="store_true", help="compare the engines row by row instead")
    parser.add_argument("--queries", action="store_true", help="ask permuted releases instead")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return sorted(int(number) for number in text.split(","))


def _among(known: Collection[str]) -> Callable[[str], list[str]]:
    def names(text: str) -> list[str]:
        given = text.split(",")
        if unknown := [name for name in given if name not in known]:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(known)}")
        return given

    return names


@contextmanager
def folder_for(given: Path | None) -> Iterator[Path]:
    if given is None:
        with tempfile.TemporaryDirectory(prefix="shoal-scale-") as folder:
            yield Path(folder)
        return
    given.mkdir(parents=True, exist_ok=True)
    yield given.absolute()


def main() -> int:
    given = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the run under way is ended as well
    if (load := os.getloadavg()[0]) > BUSY:
        print(f"Others use this machine (load {load:.1f}): on an idle one all times are shorter.")
    if given.queries:
        for rows in given.rows:
            show(f"Questions to {rows:,} permuted rows", question_rows(rows))
        return 0
    subprocess.run([sys.executable, HERE / "scale_warm.py", *given.methods], check=True)
    with folder_for(given.folder) as folder:
        asked = Asked(folder, given.memory, given.master, given.limit, given.keep)
        if given.same:
            for method in given.methods:
                show("The same rows?", same_rows(asked, given.rows[0], method, given.engines))
            return 0
        runs = []
        for run in measure_all(asked, given.rows, given.methods, given.engines):
            runs.append(run)
            print("  ".join(cell for cell in _row(run, growth(run, runs)) if cell), flush=True)
            _write(given.json, load, runs)
    show("Whole runs; growth is the time of a row beside that in the next smaller table", rows_of(runs))
    return 1 if any(run.failed.startswith("exit code") for run in runs) else 0


def _write(path: Path | None, load: float, runs: list[Run]) -> None:
    """After every run, so that a long measurement is not lost."""
    if path is None:
        return
    found = {
        "python": platform.python_version(),
        "machine": platform.platform(),
        "cores": os.cpu_count(),
        "load": load,
        "runs": [asdict(run) for run in runs],
    }
    path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
