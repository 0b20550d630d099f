"""Whatever happens to a task or a run, what is published is whole and the same."""

import os
import signal
import subprocess
import sys
import time

import pytest
from pyarrow import parquet

from shoal.release.large_release import release_large
from tests.engines.incomes import SEED, assert_as_in_memory, incomes, policy_for
from tests.engines.trouble import Troubled, trouble_of

ROWS = 600
POLICY = """
columns = { pay = "quasi", rent = "quasi", gain = "quasi", note = "other" }
guarantees = [{ kind = "kf-anonymity", k = 3, knows = ["pay + rent + gain"] }]
method = { name = "aggranon" }
"""


def test_a_task_that_fails_once_changes_nothing(spark, tmp_path):
    for name in ("work", "marks"):
        (tmp_path / name).mkdir()
    parquet.write_table(incomes(ROWS), tmp_path / "t.parquet")
    policy, folder, audit = policy_for("aggranon"), tmp_path / "release", tmp_path / "audit.csv"
    with Troubled(spark, tmp_path / "work", 200, trouble_of("fails", tmp_path / "marks")) as engine:
        release_large(engine, tmp_path / "t.parquet", policy, folder, audit=audit, seed=SEED)
    assert (tmp_path / "marks" / "first").exists()
    assert_as_in_memory(folder, audit, incomes(ROWS), policy)
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".")]


def run(tmp_path, *more):
    command = [sys.executable, "-m", "shoal", "run", "t.parquet", "policy.toml", "-o", "release"]
    command += ["--format", "parquet", "--engine", "spark", "--master", "local[2]", "--seed", str(SEED)]
    told = subprocess.PIPE
    return subprocess.Popen([*command, *more], cwd=tmp_path, stdout=told, stderr=subprocess.STDOUT, text=True)


@pytest.mark.slow
def test_a_killed_driver_publishes_nothing_and_the_next_run_sweeps_up(tmp_path):
    parquet.write_table(incomes(ROWS), tmp_path / "t.parquet")
    policy = policy_for("aggranon")
    (tmp_path / "policy.toml").write_text(POLICY)
    with run(tmp_path) as process:
        until = time.monotonic() + 300
        while not list(tmp_path.glob(".release.*/data.parquet")) and time.monotonic() < until:
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
    left = [path for path in tmp_path.iterdir() if path.name not in ("t.parquet", "policy.toml")]
    assert left
    assert all(path.name.startswith(".release.") and path.stat().st_mode & 0o077 == 0 for path in left)
    with run(tmp_path, "--audit", "audit.csv") as process:
        told = process.communicate()[0]
    assert process.returncode == 0, told
    assert {path.name for path in tmp_path.iterdir()} == {"t.parquet", "policy.toml", "release", "audit.csv"}
    assert_as_in_memory(tmp_path / "release", tmp_path / "audit.csv", incomes(ROWS), policy)
