"""An old checkout against this one: CPU seconds and peak memory of whole commands, in turns.

    git worktree add /tmp/old v1
    python benchmarks/side_by_side.py /tmp/old/src --data ../shared/data

Every command runs once in both to compile kernels, then ``--runs`` times, old and new in turns. Told is the
median of each, and new through old. Without ``--data`` the tables of Adult are left out.
"""

import argparse
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
from pyarrow import csv

from scale_tables import HIERARCHIES, chunks

HERE = Path(__file__).parent.parent / "src"
MARK = "side by side: "
# A command ends its process at once, so what it used is told where it does.
TELLING = f"""
import os, resource, sys

def tell(code):
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(one.ru_utime + one.ru_stime for one in used)
    status = open("/proc/self/status").read().partition("VmHWM:")[2].split()
    sys.stdout.flush()
    print(f"\\n{MARK}{{seconds}} {{status[0]}}", file=sys.stderr, flush=True)
    leave(code)

leave, os._exit = os._exit, tell
sys.argv[0] = "shoal"
from shoal.cli.main import main
try:
    main()
except SystemExit as ended:
    tell(ended.code or 0)
tell(0)
"""
AMOUNTS = ("wage", "business", "farm", "security", "welfare", "interest", "other")
ADULT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
ADULT_PLACES = {"sex": 9, "age": 0, "race": 8, "marital-status": 5, "education": 3, "native-country": 13,
                "workclass": 1, "occupation": 6}  # fmt: skip


@dataclass(frozen=True)
class Spent:
    """By one process and what it started."""

    seconds: float
    megabytes: float


def run(source: Path, arguments: list[str]) -> Spent:
    """A command of the package in this folder; it tells its peak itself, since what the system tells of a
    child begins with that of its parent."""
    environment = os.environ | {"PYTHONPATH": str(source), "NO_COLOR": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as after installing: modules are compiled once
    process = subprocess.Popen(
        [sys.executable, "-c", TELLING, *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    _, told = process.communicate()
    before, peak = told.rpartition(MARK)[::2]
    if process.returncode or not peak:
        raise SystemExit(f"shoal {' '.join(arguments)}: {before or told}")
    seconds, kilobytes = peak.split()
    return Spent(float(seconds), int(kilobytes) / 1024)


def amounts(rows: int, path: Path) -> Path:
    """Incomes: many zeros, long tails, few different values."""
    draw = np.random.default_rng(7)
    columns = {
        name: (draw.lognormal(9, 1, rows).round(-2) * (draw.random(rows) < 0.7 / (1 + place))).astype(
            np.int64
        )
        for place, name in enumerate(AMOUNTS)
    }
    csv.write_csv(pa.table(columns), path)
    return path


def adult(data: Path, path: Path) -> Path:
    """The rows of Adult without a missing cell."""
    lines = [line.split(", ") for line in (data / "adult/adult.data").read_text().splitlines() if line]
    rows = [line for line in lines if "?" not in line]
    csv.write_csv(pa.table({name: [row[at] for row in rows] for name, at in ADULT_PLACES.items()}), path)
    return path


def people(rows: int, path: Path) -> Path:
    """Ten columns: everyday facts, an income, and four more that are published as they are."""
    facts = next(chunks("people", rows))
    draw = np.random.default_rng(9)
    more = {f"more{most}": draw.integers(0, most, rows) for most in (5, 50, 1_000, 100_000)}
    csv.write_csv(pa.table({name: facts[name] for name in facts.column_names} | more), path)
    return path


def people_policy(path: Path, method: str) -> Path:
    """Four columns that somebody may know, by levels of hierarchies or in ranges."""
    roles = dict.fromkeys(("age", "sex", "code", "education"), "quasi") | {"occupation": "sensitive"}
    roles |= dict.fromkeys(("income", "more5", "more50", "more1000", "more100000"), "other")
    lines = ["[columns]", *(f'{name} = "{role}"' for name, role in roles.items())]
    by_levels = [HIERARCHIES, "[method]", "suppression = 0.02"] if method == "optimal" else ["[method]"]
    lines += [*by_levels, f'name = "{method}"', "[[guarantees]]", 'kind = "k-anonymity"', "k = 10", ""]
    path.write_text("\n".join(lines))
    return path


def policy(path: Path, method: str, data: Path | None = None) -> Path:
    """One that the method serves."""
    if data is not None:
        tables = {name: data / f"adult/hierarchies/adult_hierarchy_{name}.csv" for name in ADULT}
        lines = ["[columns]", *(f'{name} = "quasi"' for name in ADULT), 'occupation = "sensitive"']
        lines += ["[hierarchies]", *(f'{name} = "{table.resolve()}"' for name, table in tables.items())]
        asked = ['kind = "k-anonymity"', "k = 5"]
    elif method == "min-sum":
        lines = ["[columns]", 'wage = "sensitive"', *(f'{name} = "quasi"' for name in AMOUNTS[1:])]
        asked = ['kind = "ke-anonymity"', "k = 10", "e = 1000", 'sensitive = "wage"']
    else:
        lines = ["[columns]", *(f'{name} = "quasi"' for name in AMOUNTS)]
        asked = ['kind = "kf-anonymity"', "k = 10", f'knows = ["{" + ".join(AMOUNTS)}"]']
    path.write_text("\n".join([*lines, "[[guarantees]]", *asked, "[method]", f'name = "{method}"', ""]))
    return path


def commands(folder: Path, data: Path | None, large: bool) -> Iterator[tuple[str, list[str]]]:
    """What is compared, by name."""
    incomes, million = amounts(233_584, folder / "incomes.csv"), amounts(1_000_000, folder / "million.csv")
    if data is not None:
        with gzip.open(data / "ipums/ipums_income7_ftotinc_rawcodes.csv.gz") as packed:
            lines = packed.read().decode().splitlines()
        incomes.write_text("\n".join([",".join(AMOUNTS), *lines[1:]]) + "\n")
    asked = [("233,584 x 7", incomes, "residual"), ("233,584 x 7", incomes, "aggranon")]
    asked += [("1M x 7", million, "aggranon"), ("1M x 7", million, "min-sum")]
    for what, table, method in asked:
        yield f"{method}, {what}", made(folder, table, method)
    if data is not None:
        for method in ("optimal", "cluster"):
            yield f"{method}, Adult", made(folder, adult(data, folder / "adult.csv"), method, data)
    ten = people(1_000_000, folder / "ten.csv")
    for method in ("optimal", "mondrian"):
        yield (
            f"{method}, 1M x 10",
            run_arguments(ten, people_policy(folder / f"{method}.toml", method), folder),
        )
    yield "help", ["--help"]
    release = folder / "asked"
    small = amounts(20_000, folder / "small.csv")
    asked_policy = policy(folder / "small.toml", "min-sum")
    run(HERE, ["run", str(small), str(asked_policy), "-o", str(release)])
    yield "query", ["query", str(release), "select sum(wage), count(*) from data where farm > 0"]
    if large:
        table = amounts(10_000_000, folder / "large.csv")
        yield "aggranon, 10M on disk", [*made(folder, table, "aggranon"), "--engine", "disk"]


def made(folder: Path, table: Path, method: str, data: Path | None = None) -> list[str]:
    """A run that replaces its release."""
    path = policy(folder / f"{table.stem}-{method}.toml", method, data)
    return run_arguments(table, path, folder)


def run_arguments(table: Path, policy_file: Path, folder: Path) -> list[str]:
    """One seed, so that old and new have the same to do."""
    release = str(folder / "release")
    return ["run", str(table), str(policy_file), "-o", release, "--force", "--seed", "1"]


def main() -> None:
    """Compare, and tell a line for each command as it is done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("old", type=Path, help="the folder src of an old checkout")
    parser.add_argument("--data", type=Path, help="a folder with the tables adult and ipums")
    parser.add_argument("--large", action="store_true", help="ten million rows beyond memory, too")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="", help="commands with this in their name")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="shoal-bench-"))
    try:
        print(f"{'':24}{'old s':>9}{'new s':>9}{'ratio':>8}{'old MB':>9}{'new MB':>9}{'ratio':>8}")
        for name, arguments in commands(folder, given.data, given.large):
            if given.only in name:
                tell(name, arguments, given.old, given.runs)
    finally:
        shutil.rmtree(folder)


def tell(name: str, arguments: list[str], old: Path, runs: int) -> None:
    """Medians of runs in turns."""
    sources = (old, HERE)
    for source in sources:
        run(source, arguments)
    found = [[run(source, arguments) for source in sources] for _ in range(runs)]
    seconds = [median(pair[at].seconds for pair in found) for at in (0, 1)]
    memory = [median(pair[at].megabytes for pair in found) for at in (0, 1)]
    cells = [*(f"{one:9.2f}" for one in seconds), f"{seconds[1] / seconds[0]:8.2f}"]
    cells += [*(f"{one:9.0f}" for one in memory), f"{memory[1] / memory[0]:8.2f}"]
    print(f"{name:24}{''.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
