"""The figures of a release in ranges and sets of words, and what its recipient should know of it."""

import numpy as np

from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.anonymizer.ranges.plan_input import RangesPlanInput
from shoal.anonymizer.ranges.range_loss import range_loss_shares, range_losses
from shoal.engines.steps.part_statistics import PartStatistics
from shoal.policy.model.guarantee import KfAnonymity
from shoal.policy.model.policy import Policy

SIMPLER = {"residual": "a simpler method that was cheaper here", "aligned": "residual, by common ranges"}


def range_figures(
    asked: RangesPlanInput, notes: tuple[str, ...], statistics: PartStatistics | None
) -> ReleaseFigures:
    """The figures of all parts together; ``notes`` say what many of them make different from one."""
    assert statistics is not None  # noqa: S101 - there are rows
    facts, policy, method = asked.facts, asked.policy, asked.choice.method.name
    widths = np.array(statistics.widths)
    loss = range_losses(facts.ends, policy, widths, facts.suppressed, facts.staying)
    if statistics.split is not None and not facts.words:
        split = range_losses(facts.ends, policy, np.array(statistics.split), facts.suppressed, facts.staying)
        loss |= {"ncp_split": split["ncp"], "ncp_range_split": split["ncp_range"]}
    return ReleaseFigures(
        classes=statistics.classes,
        suppressed=facts.suppressed,
        method=method,
        why=asked.choice.why,
        loss=loss,
        exact_cells=statistics.exact / (statistics.rows * len(asked.names)),
        paid=range_loss_shares(facts.ends, policy, widths),
        fallen=statistics.fallen / statistics.rows,
        notes=(*facts.ends.notes, *range_notes(method, policy, statistics.fallen, statistics.rows), *notes),
    )


def range_notes(method: str, policy: Policy, fallen: int, records: int) -> list[str]:
    """What a recipient should know of a release in ranges, in which so many of the records had ``fallen`` to
    a simpler method."""
    notes = []
    if unused := [repr(name) for name in policy.having("quasi") if name in policy.hierarchies]:
        notes.append(f"the hierarchies of {', '.join(unused)} are not used: this method publishes ranges")
    if fallen:
        notes.append(f"{fallen:,} of {records:,} records were served by {SIMPLER[method]}")
    if method == "aligned":
        notes.append(
            "aligned is never chosen by itself: it opens one cell of a record, whose value somebody who "
            "knows the total can compute for every candidate, and where people round, one of them may be "
            "far likelier (posterior_heaped in the verdict)"
        )
        if policy.method.options.get("draw") == "eligible":
            notes.append(
                'with draw = "eligible" some candidates are likelier than others: see the posterior in the '
                "verdict"
            )
    bands = [asked for asked in policy.guarantees if isinstance(asked, KfAnonymity) and asked.within]
    if any(asked.joint for asked in bands) or (bands and len(policy.guarantees) > 1):
        notes.append("within is left aside beside other knowledge or guarantees, which is stricter")
    return notes
