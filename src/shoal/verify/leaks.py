"""Columns published as they are that give an aggregate away, seen from the published table alone.

A column of numbers that lie inside F of every record is most likely f itself: somebody who knows f needs
no ranges then. Few different numbers may lie there by accident.
"""

from fractions import Fraction

import numpy as np

from shoal.policy.guarantee import KfAnonymity
from shoal.policy.policy import Policy
from shoal.verify.cells import BadCells, Published
from shoal.verify.image import Image, aligned, image_of
from shoal.verify.kf_anonymity import aggregate_cells
from shoal.verify.verdict import Verdict

MANY = 20


def find_leaks(published: Published, policy: Policy) -> Verdict | None:
    """A failed verdict that names the columns; None if there are none."""
    told = {
        name: text
        for asked in policy.guarantees
        if isinstance(asked, KfAnonymity)
        for text, image in _images(published, asked, policy)
        for name in [*policy.having("sensitive"), *policy.having("other")]
        if _lies_inside(published, name, image)
    }
    if not told:
        return None
    columns = "; ".join(f"{name} lies inside {text} of every record" for name, text in told.items())
    sentence = f"A column published as it is seems to give an aggregate away: {columns}."
    return Verdict("no-leaks", False, {}, {"columns": len(told)}, sentence)


def _images(published: Published, asked: KfAnonymity, policy: Policy) -> list[tuple[str, Image]]:
    cells, suppressed = aggregate_cells(published, asked, policy)
    if suppressed.any():
        return []
    return [(text, image_of(tree, cells)) for text, tree in zip(asked.knows, asked.trees, strict=True)]


def _lies_inside(published: Published, name: str, image: Image) -> bool:
    try:
        cells = published.cells(name)
    except BadCells:
        return False
    if cells.suppressed.any() or cells.missing.any() or len(np.unique(cells.low)) < MANY:
        return False
    column, f = aligned(Image(cells.low, cells.high, Fraction(1, 10**cells.scale)), image)
    return bool((f.low < f.high).any() and ((f.low <= column.low) & (column.high <= f.high)).all())
