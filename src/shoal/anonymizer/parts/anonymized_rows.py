"""What a plan has made of rows: the published ones, and the figures about them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.arrays import Ints
from shoal.engines.protocol import Rows
from shoal.engines.steps.part_statistics import PartStatistics

if TYPE_CHECKING:
    from shoal.anonymizer.recoding import Recoding


@dataclass(frozen=True)
class AnonymizedRows:
    """``rows`` are published columns with ROW, CLASS and STATISTICS beside them, computed when somebody asks
    for them; ``figures`` turns the statistics of their parts into figures. ``linkage`` is given the class of
    every record that is published, in the order of the table."""

    rows: Rows
    rows_in: int  # of the table
    records: int  # that are published
    figures: Callable[[PartStatistics | None], ReleaseFigures]
    linkage: Callable[[Ints], tuple[float, float]] | None = None  # of class means, see `AnonymizedTable`
    recoding: Callable[[], "Recoding"] | None = None  # for other rows, if it can be applied to them
