"""Let methods run once on a small table in many parts, so that nothing is compiled while others are measured.

``python scale_warm.py aggranon mondrian`` works in memory and on the disk.
"""

import sys
import tempfile
from pathlib import Path

import shoal
from scale_tables import TABLE_OF, policy_for, write_table
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.release.large_release import release_large
from shoal.startup import start_kernels

ROWS, PART_ROWS = 5_000, 600


def warm(method: str, folder: Path) -> None:
    table, policy = folder / f"{method}.parquet", folder / f"{method}.toml"
    write_table(TABLE_OF[method], ROWS, table)
    policy.write_text(policy_for(method), encoding="utf-8")
    shoal.anonymize(table, policy, seed=1).write(folder / f"{method}-memory", "parquet")
    disk = DiskEngine(1 << 30, folder, RowProgress(), most=PART_ROWS)
    release_large(disk, table, policy, folder / f"{method}-disk", seed=1)


def main(methods: list[str]) -> None:
    start_kernels()
    with tempfile.TemporaryDirectory() as folder:
        for method in methods:
            warm(method, Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
