"""The first run of every method beside its second one: does anything compile at the user's?

    make wheel && python -m venv /tmp/empty && /tmp/empty/bin/pip install dist/*.whl
    python benchmarks/first_runs.py /tmp/empty/bin/shoal               # as an account that cannot write there
    python benchmarks/first_runs.py /tmp/empty/bin/shoal --home DIR    # with a home folder; else none is set

Runs are processes of their own on a table of 2,000 rows and four columns. Told are CPU seconds; a first run
may cost twice the second one and a second more. A baseline without a guarantee ends with 1.
"""

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from shoal.anonymizer.method_facts import FACTS
from shoal.policy.model.policy import Policy
from shoal.policy.text.policy_text import policy_text

ROWS = 2_000
ASKED: dict[str, dict[str, object]] = {
    "kf-anonymity": {"k": 5, "knows": ["a + b"]},
    "ke-anonymity": {"k": 5, "e": 2, "sensitive": "s"},
    "kpqr-anonymity": {"k": 5, "p": 3, "q": "0.1", "r": "0.5", "sensitive": "s"},
    "k-anonymity": {"k": 5},
}


def table() -> pa.Table:
    """Two columns of numbers, one of words and a sensitive one."""
    draw = np.random.default_rng(3)
    return pa.table(
        {
            "a": draw.integers(0, 400, ROWS) * 10,
            "b": draw.integers(0, 90, ROWS),
            "c": [("north", "east", "south", "west")[one] for one in draw.integers(0, 4, ROWS)],
            "s": draw.integers(0, 12, ROWS),
        }
    )


def policy_of(method: str, kind: str) -> str:
    """A policy that the method serves."""
    words = "other" if kind in ("kf-anonymity", "ke-anonymity") else "quasi"
    levels = {"a": {"intervals": [100, 1000]}, "b": {"intervals": [10, 30]}, "c": {"groups": [2]}}
    return policy_text(
        Policy(
            columns={"a": "quasi", "b": "quasi", "c": words, "s": "sensitive"},
            guarantees=[{"kind": kind, **ASKED[kind]}],
            hierarchies=levels if kind == "k-anonymity" else {},
            method={"name": method, "suppression": 0.1},
        )
    )


def seconds(command: list[str], environment: dict[str, str], ended: tuple[int, ...]) -> float:
    """CPU seconds of a process and those it started."""
    before = os.times()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    after = os.times()
    if done.returncode not in ended:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    """Tell a line for each method and whether all keep the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("shoal", type=Path, help="the command of the installation that is looked at")
    parser.add_argument("--home", help="the home folder of the runs; without it they have none")
    given = parser.parse_args()
    environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    if given.home:
        environment["HOME"] = given.home
    beyond = []
    print(f"{'':16}{'first s':>9}{'second s':>9}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        csv.write_csv(table(), folder / "table.csv")
        for facts in FACTS:
            kind = next(kind for kind in ASKED if kind in facts.serves)
            (folder / "policy.toml").write_text(policy_of(facts.name, kind))
            command = [str(given.shoal), "run", str(folder / "table.csv"), str(folder / "policy.toml")]
            command += ["-o", str(folder / "release"), "--force"]
            ended = (0, 1) if facts.baseline else (0,)
            first, second = (seconds(command, environment, ended) for _ in range(2))
            late = first > 2 * second + 1
            beyond += [facts.name] * late
            print(f"{facts.name:16}{first:9.2f}{second:9.2f}{'  beyond the limit' * late}", flush=True)
    raise SystemExit(f"beyond the limit: {', '.join(beyond)}" if beyond else 0)


if __name__ == "__main__":
    main()
