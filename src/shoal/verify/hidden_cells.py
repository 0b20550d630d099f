"""Columns published as they are that give a protected one away, seen from the published table alone.

A column of numbers that lie inside F of every record is most likely f itself: somebody who knows f needs
no ranges then. A column that lies inside the ranges of a quasi column, in nearly all rows and far more
often than in another order of the rows, is most likely that column. Few different numbers may lie there by
accident.
"""

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction

import numpy as np

from shoal.arrays import Bools
from shoal.policy.model.guarantee import KfAnonymity
from shoal.policy.model.policy import Policy
from shoal.verify.aggregate.image import Image, image_of, on_common_unit
from shoal.verify.cells.published_table import BadCells, Cells, PublishedTable
from shoal.verify.guarantees.kf_anonymity import aggregate_cells
from shoal.verify.verdict import Verdict

HIDDEN_CELLS = "hidden-cells"  # the kind of a verdict: it holds if no column fills them unaccepted
MANY = 20  # different numbers, and hidden cells
NEARLY_ALL = 0.9  # of the hidden cells: slips do not disarm
BY_CHANCE = 0.5  # of them, at most, in another order of the rows
ORDERS = 8


def verify_hidden_cells(published: PublishedTable, policy: Policy) -> Verdict | None:
    """A verdict that names the columns, and fails unless the policy accepts all of them; None if there are
    none."""
    told = {
        name: text
        for text, image, hidden, whole in _protected(published, policy)
        for name in [*policy.having("sensitive"), *policy.having("other")]
        if _lies_inside(published, name, image, hidden, whole)
    }
    if not told:
        return None
    accepted = set(policy.leaks.accept)
    columns = "; ".join(f"{name} lies inside {text}" for name, text in told.items())
    sentence = f"A column published as it is seems to give a protected one away: {columns}."
    notes = tuple(f"{name} is accepted by the policy" for name in told if name in accepted)
    holds = accepted.issuperset(told)
    return Verdict(HIDDEN_CELLS, holds, {}, {"columns": len(told)}, sentence, notes=notes)


def _protected(published: PublishedTable, policy: Policy) -> Iterator[tuple[str, Image, Bools, bool]]:
    """What is protected, in words; its range in every record; the records that count; and whether lying
    inside of all of them is enough."""
    for asked in policy.guarantees:
        if isinstance(asked, KfAnonymity):
            cells, suppressed = aggregate_cells(published, asked, policy)
            for text, tree in zip(asked.knows, asked.trees, strict=True):
                with suppress(ZeroDivisionError):  # a star as divisor leaves everything open
                    yield f"{text} of every record", image_of(tree, cells), ~suppressed, True
    for name in policy.having("quasi"):
        if (column := _numbers(published, name)) is not None:
            hidden = ~column.suppressed & ~column.missing & (column.low < column.high)
            yield f"the ranges of {name}", _image(column), hidden, False


def _numbers(published: PublishedTable, name: str) -> Cells | None:
    try:
        return published.cells(name)
    except BadCells:
        return None


def _image(cells: Cells) -> Image:
    return Image(cells.low, cells.high, Fraction(1, 10**cells.scale))


def _lies_inside(published: PublishedTable, name: str, image: Image, hidden: Bools, whole: bool) -> bool:
    cells = _numbers(published, name)
    if cells is None:
        return False
    rows = np.flatnonzero(hidden & ~cells.suppressed & ~cells.missing)
    if len(np.unique(cells.low[rows])) < MANY:
        return False
    column, ranges = on_common_unit(_image(cells), image)
    low, high = column.low[rows], column.high[rows]
    ends = ranges.low[rows], ranges.high[rows]
    inside = (ends[0] <= low) & (high <= ends[1])
    if whole and len(rows) == len(published) and inside.all():
        return bool((ends[0] < ends[1]).any())
    draw = np.random.default_rng(0)
    orders = [draw.permutation(len(rows)) for _ in range(ORDERS)]
    by_chance = np.mean([((ends[0] <= low[order]) & (high[order] <= ends[1])).mean() for order in orders])
    return bool(inside.mean() >= NEARLY_ALL and by_chance <= BY_CHANCE)
