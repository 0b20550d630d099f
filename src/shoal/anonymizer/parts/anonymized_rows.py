"""What a plan has made of rows: the published ones, and what will be told of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.ranges.plan_input import RangesPlanInput
from shoal.anonymizer.ranges.range_loss import range_loss_shares, range_losses
from shoal.anonymizer.ranges.whole_plan import range_notes
from shoal.arrays import Ints
from shoal.engines.protocol import Rows
from shoal.engines.steps.part_statistics import PartStatistics

if TYPE_CHECKING:
    from shoal.anonymizer.recoding import Recoding


@dataclass(frozen=True)
class AnonymizedRows:
    """``rows`` are published columns with ROW, CLASS and TOLD beside them, computed when somebody asks for
    them; ``figures`` turns what their parts have told into figures. ``linkage`` is given the class of every
    record that is published, in the order of the table."""

    rows: Rows
    rows_in: int  # of the table
    records: int  # that are published
    figures: Callable[[PartStatistics | None], ReleaseFigures]
    linkage: Callable[[Ints], tuple[float, float]] | None = None  # of class means, see `AnonymizedTable`
    recoding: Callable[[], "Recoding"] | None = None  # for other rows, if it can be applied to them


def range_figures(
    asked: RangesPlanInput, choice: Choice, notes: tuple[str, ...], told: PartStatistics | None
) -> ReleaseFigures:
    """Of a release in ranges and sets, as in memory; ``notes`` say what is different here."""
    assert told is not None  # noqa: S101 - there are rows
    facts, policy = asked.facts, asked.policy
    widths = np.array(told.widths)
    loss = range_losses(facts.ends, policy, widths, facts.suppressed, facts.staying)
    if told.split is not None and not facts.words:
        split = range_losses(facts.ends, policy, np.array(told.split), facts.suppressed, facts.staying)
        loss |= {"ncp_split": split["ncp"], "ncp_range_split": split["ncp_range"]}
    return ReleaseFigures(
        classes=told.classes,
        suppressed=facts.suppressed,
        method=choice.method.name,
        why=choice.why,
        loss=loss,
        exact_cells=told.exact / (told.rows * len(asked.names)),
        paid=range_loss_shares(facts.ends, policy, widths),
        fallen=told.fallen / told.rows,
        notes=(*facts.ends.notes, *range_notes(choice.method.name, policy, told.fallen, told.rows), *notes),
    )
