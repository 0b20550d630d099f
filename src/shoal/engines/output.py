"""What an engine has written of a release, and the owner's link between input and output rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.engines.protocol import Rows
from shoal.engines.steps.part_statistics import CLASS, STATISTICS, PartStatistics
from shoal.errors import ShoalError
from shoal.table.columns.numbered_rows import ROW

INPUT = "shoal:input"
INTERNAL = (ROW, CLASS, STATISTICS)
LINK = pa.schema([(ROW, pa.int64()), (INPUT, pa.int64()), (CLASS, pa.int64())])


@dataclass(frozen=True)
class EngineOutput:
    """``data`` is a file, or a folder of files, with these names in the release. ``link`` has the number of
    every published row in the order of the files as ROW, with its INPUT row and its CLASS;
    ``with_input_rows`` adds the INPUT row to rows that are read from these files."""

    data: Path
    files: tuple[str, ...]
    records: int
    statistics: PartStatistics | None
    link: Callable[[], Iterator[pa.Table]] = field(repr=False)
    with_input_rows: Callable[[Any], Rows] = field(repr=False)


def public_columns(table: pa.Table) -> pa.Table:
    """What everybody may see."""
    return table.drop_columns(list(INTERNAL))


def public_schema(schema: pa.Schema) -> pa.Schema:
    """The columns that leave the engine, without those that it keeps for itself."""
    return pa.schema([kind for kind in schema if kind.name not in INTERNAL])


def another_link() -> ShoalError:
    """The error for an owner's link that is not of this release and table."""
    return ShoalError(
        "the audit file does not belong to this release and table",
        "give the audit file that was written together with the release.",
    )
