"""Whole commands, side by side: `shoal run` against a bare process that reads, sorts and writes."""

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

from pyarrow import csv

from shoal.anonymizer.registry import METHODS
from shoal.demo.tax_table import INCOMES, tax_table
from shoal.policy.draft.draft_policy import expression_name
from shoal.policy.model.policy import Policy
from shoal.policy.toml import toml_key
from shoal.release.release import anonymize_in_memory
from shoal.table.read import read_table
from steps import K

SHOAL = Path(sys.executable).parent / "shoal"
DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[1] / "../shared/data")).resolve()
IPUMS = DATA / "ipums" / "ipums_income7_ftotinc_rawcodes.csv.gz"
ROWS = 233_584
KF_METHODS = [row.name for row in METHODS if "kf-anonymity" in row.serves]
HELP, BARE = "shoal --help", "duckdb: read, sort, write"
DUCKDB = """
import duckdb, sys
source, target, total = sys.argv[1:]
duckdb.execute(f"copy (select * from read_csv('{source}') order by {total}) to '{target}' (header)")
"""


def amounts_csv(folder: Path) -> Path:
    """The real table where it is at hand, else a generated one of the same size, as plain CSV."""
    path = folder / "amounts.csv"
    if IPUMS.is_file():
        with gzip.open(IPUMS) as packed, path.open("wb") as plain:
            shutil.copyfileobj(packed, plain)
    else:
        csv.write_csv(tax_table(ROWS).select(list(INCOMES)), path)
    return path


def policy_text(names: list[str], method: str) -> str:
    columns = "".join(f'{toml_key(name)} = "quasi"\n' for name in names)
    return (
        f"[columns]\n{columns}\n[[guarantees]]\nkind = 'kf-anonymity'\nk = {K}\n"
        f"knows = ['{total(names)}']\n\n[method]\nname = '{method}'\n"
    )


def total(names: list[str]) -> str:
    return " + ".join(map(expression_name, names))


def whole_commands(folder: Path, rounds: int) -> dict[str, float]:
    """Median seconds of each command; every round runs all of them."""
    source = amounts_csv(folder)
    names = read_table(source).names
    duck = [sys.executable, "-c", DUCKDB, str(source), str(folder / "sorted.csv"), total(names)]
    commands = {HELP: [str(SHOAL), "--help"], BARE: duck}
    for method in ("auto", *KF_METHODS):
        policy, target = folder / f"{method}.toml", folder / f"release-{method}"
        policy.write_text(policy_text(names, method))
        commands[f"shoal run ({method})"] = [
            str(SHOAL), "run", str(source), str(policy), "-o", str(target)
        ]  # fmt: skip
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(1 + rounds):  # the first round compiles what has not been compiled before
        for name, command in commands.items():
            taken[name].append(_seconds(command))
        for release in folder.glob("release-*"):
            shutil.rmtree(release)
    return {name: median(spent[1:]) for name, spent in taken.items()}


def _seconds(command: list[str]) -> float:
    started = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - started


def real_losses() -> dict[str, dict[str, float]]:
    """NCP on the table of paper 000; the common domain is its own, 1,010,000."""
    if not IPUMS.is_file():
        return {}
    table = read_table(IPUMS)
    methods: dict[str, dict[str, object]] = {name: {"name": name} for name in KF_METHODS}
    methods["mondrian textbook"] = {"name": "mondrian", "options": {"textbook": True}}
    guarantee = {"kind": "kf-anonymity", "k": K, "knows": [total(table.names)]}
    columns = dict.fromkeys(table.names, "quasi")
    return {
        name: anonymize_in_memory(
            table.arrow, Policy(columns=columns, guarantees=[guarantee], method=method)
        ).loss
        for name, method in methods.items()
    }
