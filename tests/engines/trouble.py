"""What goes wrong in a task, once."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from shoal.engines.spark.engine import SparkEngine

LONG = 600.0  # seconds: whoever sleeps so long is never waited for


def trouble_of(kind: str, marks: Path) -> Callable[[pa.Table], pa.Table]:
    """A change that changes nothing; the first task that comes to it leaves a mark, then it fails or sleeps.

    The mark is the number of the process that all workers of one machine descend from.
    """

    def first() -> bool:
        try:
            mark = os.open(marks / "new", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            return False
        with open(f"/proc/{os.getppid()}/stat") as of_parent, os.fdopen(mark, "w") as file:
            file.write(of_parent.read().rpartition(") ")[2].split()[1])
        os.link(marks / "new", marks / "first")
        return True

    def change(batch: pa.Table) -> pa.Table:
        if first():
            if kind == "fails":
                raise OSError("the worker is gone")
            time.sleep(LONG)
        return batch

    return change


class Troubled(SparkEngine):
    """Something goes wrong while published rows are written."""

    def __init__(self, session, work, part_rows, trouble):
        super().__init__(session, work, part_rows)
        self.trouble = trouble

    def write(self, rows, path):
        return super().write(rows.map(self.trouble, rows.schema), path)
