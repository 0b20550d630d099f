"""Every kind of Spark master publishes the rows that memory publishes, whatever happens to its workers.

``SHOAL_ROWS=10000000 pytest -m slow tests/engines/test_masters.py`` shows it with more rows.
"""

import os
import signal
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.engines.incomes import assert_as_in_memory, incomes, policy_for
from tests.engines.masters import assert_finished, published_on, said, stand_alone, started_on

pytestmark = pytest.mark.slow
ROWS = int(os.environ.get("SHOAL_ROWS", "20000"))


@pytest.fixture
def table_file(tmp_path):
    parquet.write_table(incomes(ROWS), tmp_path / "t.parquet", row_group_size=ROWS // 5)
    return tmp_path / "t.parquet"


def assert_published(folder):
    assert_as_in_memory(folder / "release", folder / "audit.csv", incomes(ROWS), policy_for("aggranon"))
    left = {path.name for path in folder.iterdir()} - {"t.parquet", "log", "marks", "spark", "cluster"}
    assert left == {"release", "audit.csv"}


@pytest.mark.parametrize("master", ["local[2]", "local-cluster[2,1,1024]"])
def test_workers_of_one_machine_publish_what_memory_does(master, table_file, tmp_path):
    published_on(master, table_file, tmp_path)
    assert_published(tmp_path)


def test_a_stand_alone_master_with_two_workers_publishes_what_memory_does(table_file, tmp_path):
    with stand_alone(tmp_path / "cluster") as master:
        published_on(master, table_file, tmp_path)
    assert_published(tmp_path)


def test_a_task_that_takes_too_long_is_run_twice_and_published_once(table_file, tmp_path):
    """No master of the kind ``local`` does that."""
    with stand_alone(tmp_path / "cluster") as master:
        published_on(master, table_file, tmp_path, "sleeps and is given up")
    assert (tmp_path / "marks" / "first").exists()
    assert_published(tmp_path)


def command_of(process):
    return Path(f"/proc/{process}/cmdline").read_text()


def killed_in_the_middle(master, table_file, folder):
    """The process in which a task sleeps, and where workers are processes too the one that started it."""
    with started_on(master, table_file, folder, "sleeps") as process:
        executor = int(said(folder / "marks" / "first", r"(\d+)", process))
        assert "CoarseGrainedExecutorBackend" in command_of(executor)
        worker = int(Path(f"/proc/{executor}/stat").read_text().rpartition(") ")[2].split()[1])
        if "worker.Worker" in command_of(worker):
            os.kill(worker, signal.SIGKILL)
        os.kill(executor, signal.SIGKILL)
        assert_finished(process, folder)


def test_a_worker_killed_in_the_middle_changes_nothing(table_file, tmp_path):
    killed_in_the_middle("local-cluster[2,1,1024]", table_file, tmp_path)
    assert_published(tmp_path)


def test_a_worker_of_a_stand_alone_master_killed_in_the_middle_changes_nothing(table_file, tmp_path):
    with stand_alone(tmp_path / "cluster") as master:
        killed_in_the_middle(master, table_file, tmp_path)
    assert_published(tmp_path)
