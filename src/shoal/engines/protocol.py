"""A table that need not fit into memory: rows in batches, and parts of it that do.

A plan says what happens to a batch or a part, an engine where and when: on the disk of one machine or on
Spark. What a plan hands over must depend on its arguments alone, since an engine may call it twice for the
same rows, when a worker was lost, and in any order.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import pyarrow as pa

from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.source_lines import SourceLines

if TYPE_CHECKING:
    from shoal.engines.output import EngineOutput

FEWEST_GATHERED = 100_000  # rows that fit anywhere
PART = "shoal:part"  # its number, in rows that are dealt out to parts
STAYS = "shoal:stays"  # is it published, or does a missing cell make it leave?
Look = TypeVar("Look")

Change = Callable[[pa.Table], pa.Table]
PartChange = Callable[[int, pa.Table], pa.Table]
PairChange = Callable[[int, pa.Table, pa.Table], pa.Table]


class Rows(Protocol):
    """Rows in batches, which are never empty and come in no order that matters. A part of them should have at
    most ``part_rows``."""

    @property
    def schema(self) -> pa.Schema: ...

    @property
    def whole(self) -> bool:
        """Are all of them one batch, and may all be one part?"""
        ...

    @property
    def lines(self) -> SourceLines | None:
        """Where rows stand in their source, if it has lines; known of rows that were read."""
        ...

    @property
    def part_rows(self) -> int: ...

    @property
    def most_gathered(self) -> int:
        """How many rows, or what is as large, may meet in one place."""
        ...

    def map(self, change: Change, schema: pa.Schema) -> "Rows":
        """Every batch changed on its own; ``schema`` is that of the result, which may have other rows."""
        ...

    def fold(self, look: Callable[[pa.Table], Look], join: Callable[[Look, Look], Look]) -> Look | None:
        """What was seen in all batches together; None if there are no rows.

        ``join`` puts two findings together, in any order. They meet in one place and must be small.
        """
        ...

    def union(self, other: Any) -> "Rows":
        """These rows and those of another table of the same engine with the same schema."""
        ...

    def parts(self, by: str) -> "Parts":
        """Rows with the same whole number in a column are one part."""
        ...

    def kept(self) -> "Rows":
        """The same rows, computed once and stored until the engine is closed."""
        ...


class Parts(Protocol):
    """Rows in numbered parts, each of which fits into memory; inside a part in no order that matters."""

    @property
    def schema(self) -> pa.Schema: ...

    def map(self, change: PartChange, schema: pa.Schema) -> Rows:
        """Every part changed on its own, given its number; what it becomes keeps its order."""
        ...

    def fold(self, look: Callable[[int, pa.Table], Look], join: Callable[[Look, Look], Look]) -> Look | None:
        """What was seen in all parts together, as in ``Rows.fold``."""
        ...

    def kept(self) -> "Parts":
        """The same parts, for whoever uses them more than once."""
        ...

    def cogroup(self, other: Any, change: PairChange, schema: pa.Schema) -> Rows:
        """Parts of two tables with the same number changed together, given both; a side may be empty."""
        ...


class Engine(Protocol):
    """Where the rows are."""

    def read(self, source: Any, as_written: bool = False, reading: Reading = AS_IT_LOOKS) -> Rows:
        """The rows of a file, a folder of files or a frame, each with its number as ``ROW``, an int64. CSV
        that shoal wrote itself is read ``as_written``; ``reading`` is what the owner says of other CSV."""
        ...

    def write(self, rows: Any, path: Path) -> "EngineOutput":
        """Published rows into a file, or a folder of files, without what is the owner's."""
        ...


@runtime_checkable
class LinkingEngine(Engine, Protocol):
    """An engine that can read the owner's link."""

    def linked_by(self, link: Callable[[], Iterator[pa.Table]], published: Any) -> Rows:
        """Published rows with their INPUT rows, which the link has in the order of the rows."""
        ...
