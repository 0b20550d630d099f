"""What a method has made of a table, before anybody has checked it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.arrays import Ints

if TYPE_CHECKING:
    from shoal.anonymizer.recoding import Recoding
    from shoal.leaks.leak import Leak


@dataclass(frozen=True, kw_only=True)
class ReleaseFigures:
    """How a published table came about, without the table."""

    classes: int
    suppressed: int
    method: str
    why: str
    loss: dict[str, float]
    exact_cells: float  # share of quasi cells published as they are
    paid: dict[str, float]  # share of the loss that each quasi column carries
    fallen: float = 0.0  # share of records that a simpler method had to serve
    starred: int = 0  # cells replaced by stars, one by one
    nodes: tuple["NodeReport", ...] = ()  # of a full-domain search: the one taken first
    gap: float | None = None  # by which share the loss may lie above the least possible, if that is known
    notes: tuple[str, ...] = ()
    leaks: tuple["Leak", ...] = ()  # of protected columns, by columns that are published as they are


@dataclass(frozen=True, kw_only=True)
class AnonymizedTable(ReleaseFigures):
    """A published table that nobody has checked yet.

    ``input_rows`` and ``class_of`` belong to the published rows; they are the owner's secret. ``linkage``, of
    class means, tells how often the published record nearest to an original one is of its own class, and how
    often one of them picked at random is its own.
    """

    table: pa.Table = field(repr=False)
    input_rows: Ints = field(repr=False)
    class_of: Ints = field(repr=False)
    linkage: Callable[[], tuple[float, float]] | None = field(default=None, repr=False)
    recoding: Callable[[], "Recoding"] | None = field(default=None, repr=False)  # for other rows, if it can


@dataclass(frozen=True)
class NodeReport:
    """One full-domain generalization: the level of every column, and what it costs."""

    levels: dict[str, int]
    suppressed: int
    loss: dict[str, float]
