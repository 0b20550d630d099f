"""Publish a table on a Spark master, in several parts and, if asked for, trouble in a task."""

import sys
from pathlib import Path

from pyarrow import parquet

from shoal.engines.spark.session import session
from shoal.release.large_release import release_large

from .incomes import SEED, policy_for
from .trouble import Troubled, trouble_of

PARTS = 7
SETTINGS = {"spark.executor.memory": "1g", "spark.speculation.interval": "50ms"}


def publish(master: str, table: str, folder: str, kind: str) -> None:
    place = Path(folder)
    for name in ("marks", "spark"):
        (place / name).mkdir(exist_ok=True)
    own = {"spark.speculation": "true"} if kind == "sleeps and is given up" else {}
    running = session(master, place / "spark", SETTINGS | own)
    trouble = trouble_of(kind, place / "marks") if kind != "none" else lambda batch: batch
    part_rows = parquet.read_metadata(table).num_rows // PARTS
    with Troubled(running, place / "spark", part_rows, trouble) as engine:
        audit = place / "audit.csv"
        release_large(engine, table, policy_for("aggranon"), place / "release", audit=audit, seed=SEED)
    running.stop()


if __name__ == "__main__":
    publish(*sys.argv[1:])
