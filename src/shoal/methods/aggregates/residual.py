"""residual: the least loss we know how to reach against somebody who knows additive aggregates.

A class opens a set S of columns to common ranges and keeps the others exact. All its members have the
same F exactly when their *residual*, f over the exact columns, is the same. So records whose f is
shared by k or more cost nothing, and for the others every S is tried: records with equal residual form
a bucket, neighbours in a bucket are candidate classes, and cheap candidates become classes first.

1. Records whose f occurs at least k times are published as they are.
2. For every S, the records that are left are put into buckets of equal residual, and each bucket is
   ordered so that neighbours are close in the columns of S. Every k consecutive records are a candidate;
   each record remembers the cheapest candidate it is in, over all S.
3. Candidates are taken from the cheapest on, as long as none of their records is taken. The cheap part of
   them becomes classes; then step 2 starts again with what is left.
4. The last few records, fewer than k, join the classes that they make least more expensive.

Somebody who knows several aggregates at once is served by the same classes: common ranges on the same
columns, and every aggregate has one residual of its own. Columns that are known besides (``also``) are
in every S, so that all members show the same range there. If the classes must be diverse, candidates are
runs of more than k records where it takes them, and what is left is cut by Mondrian.

The rows are put into a random order under the key first, and every row draws among equally cheap sets of
columns, so every tie is broken at random. A table with very many of them left after step 1 is cut into random
parts that stand alone, so it does not matter where each part is worked on. S runs over
single columns and pairs (larger sets on request: ``subsets``), those of the columns that vary most first
and at most 127 of them, and over the set of all columns, which makes any k records a class. Larger sets
gain little: 8 % of the loss for four times the time on real tax data. The result, part by part, is compared
with aggranon's (one aggregate) and Mondrian's (several, or diversity), and the cheapest is published.
"""

from dataclasses import replace

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.kernels.codes import one_code
from shoal.kernels.keyed_hash import Key
from shoal.kernels.order import hash_order
from shoal.methods.aggregates.aggranon import aggranon
from shoal.methods.aggregates.band_counts import has_enough_nearby
from shoal.methods.aggregates.knowledge import Knowledge, Tolerance
from shoal.methods.aggregates.residual_classes import ResidualClasses
from shoal.methods.aggregates.residual_parts import NO_PART, part_numbers
from shoal.methods.aggregates.shared_rows import shared_rows
from shoal.methods.boxes.mondrian import mondrian
from shoal.methods.diversity import Diversity
from shoal.methods.ranges import Ranges, join_ranges


def residual(
    values: Ints,
    known: Knowledge,
    k: int,
    key: Key,
    costs: Floats | None = None,
    within: Tolerance | None = None,
    diversity: Diversity | None = None,
    subsets: int = 2,
    ids: Ints | None = None,
) -> Ranges:
    """Ranges under which every class of at least k rows admits the same; ``costs`` weigh the widths.

    ``within`` counts for one aggregate without diversity; elsewhere the attacker is taken to know
    exactly, which is safe. Of aggregates that do not add up, equal values cost nothing and the rest gets
    boxes. ``ids`` are the rows' numbers, where they are not 0, 1 and so on.

    >>> from shoal.methods.aggregates.aggregate import WeightedSum
    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> table = np.array([[10, 20, 100], [15, 15, 105], [30, 40, 200], [40, 30, 210]])
    >>> total = Knowledge((WeightedSum(np.array([1, 1, 1])),))
    >>> published = residual(table, total, 2, seeded_key(0))
    >>> int((published.high - published.low).sum())
    30
    """
    ids = np.arange(len(values)) if ids is None else ids
    asked = diversity or Diversity.none(len(values))
    within = None if known.one_aggregate is None or asked else within
    alone = near_rows(values, known, k, within)
    part_of = part_numbers(values, ids, known, k, key, alone, asked)
    made = [exact_ranges(values, np.flatnonzero(part_of == NO_PART), known, k)]
    for number in range(int(part_of.max(initial=NO_PART)) + 1):
        rows = np.flatnonzero(part_of == number)
        part = residual_part(
            values[rows], ids[rows], known, k, key, costs, within, asked.of(rows), subsets, alone[rows]
        )
        made.append(replace(part, order=rows[part.order]))
    return join_ranges(made)


def near_rows(values: Ints, known: Knowledge, k: int, within: Tolerance | None) -> Bools:
    """Which rows have k rows near enough to be published as they are, if totals are known ``within`` a share.
    It takes all rows to say so."""
    near = np.zeros(len(values), bool)
    if within is None or known.sums() is None:
        return near
    (totals,) = known.values(values)
    order = np.argsort(totals, kind="stable")
    near[order] = has_enough_nearby(totals[order], k, within)
    return near


def exact_ranges(values: Ints, rows: Ints, known: Knowledge, k: int) -> Ranges:
    """Rows that need no part: those that share what is known are a class, others stand k to a block."""
    code = one_code(known.values(values[rows]))
    order = np.argsort(code, kind="stable")
    safe, classes = shared_rows(code[order], k, Diversity.none(len(rows)))
    classes = np.append(classes, classes.max(initial=-1) + 1 + np.arange((~safe).sum()) // k)
    order = rows[np.append(order[safe], order[~safe])]
    starts = np.append(0, np.cumsum(np.bincount(classes))).astype(np.int64)
    return Ranges(order, starts, values[order], values[order])


def residual_part(
    values: Ints,
    ids: Ints,
    known: Knowledge,
    k: int,
    key: Key,
    costs: Floats | None = None,
    within: Tolerance | None = None,
    diversity: Diversity | None = None,
    subsets: int = 2,
    alone: Bools | None = None,
) -> Ranges:
    """The same for one part, of at least k rows that are diverse enough together. Their order does not
    matter. Those ``alone`` need no class, since they have company in the table.

    >>> from shoal.methods.aggregates.aggregate import WeightedSum
    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> part, ids = np.array([[7, 0], [9, 0]]), np.array([12, 5])
    >>> residual_part(part, ids, Knowledge((WeightedSum(np.array([1, 1])),)), 2, seeded_key(0)).high.tolist()
    [[9, 0], [9, 0]]
    """
    weighing = np.ones(values.shape[1]) if costs is None else costs
    asked = diversity or Diversity.none(len(values))
    f, sums = known.one_aggregate, known.sums()
    if sums is None:
        ours = _of_any(values, ids, known, k, key, asked)
    else:
        order = hash_order(ids, key)
        free = np.zeros(len(values), bool) if alone is None else alone
        search = ResidualClasses(
            values[order], ids[order], known, sums, weighing, k, subsets, asked.of(order), key
        )
        ours = search.run(free[order])
        ours = replace(ours, order=order[ours.order])
    others = [] if f is None else [aggranon(values, f, k, key, within, asked, ids)]
    if f is None or asked:
        others.append(_boxes(values, ids, k, key, asked))
    cheapest = min([ours, *others], key=lambda made: _loss(made, weighing))
    return ours if cheapest is ours else replace(cheapest, fallen=len(values))


def _boxes(values: Ints, ids: Ints, k: int, key: Key, diversity: Diversity) -> Ranges:
    boxes = mondrian(values, k, key, diversity=diversity, ids=ids)
    return Ranges(boxes.order, boxes.starts, boxes.low, boxes.high)


def _loss(ranges: Ranges, costs: Floats) -> float:
    return float(ranges.summary()[0] @ costs)


def _of_any(values: Ints, ids: Ints, known: Knowledge, k: int, key: Key, diversity: Diversity) -> Ranges:
    """Rows that share all that is known cost nothing; the others get boxes, which admit the same
    whatever is known."""
    order = hash_order(ids, key)
    code = one_code(known.values(values[order]))
    safe, classes = shared_rows(code, k, diversity.of(order))
    shared, alone = order[safe], order[~safe]
    shared = shared[np.argsort(classes, kind="stable")]
    if len(alone) and not (len(alone) >= k and diversity.holds(alone)):
        shared, classes, alone = order[:0], classes[:0], order
    starts = np.append(0, np.cumsum(np.bincount(classes))).astype(np.int64)
    exact = Ranges(shared, starts, values[shared], values[shared])
    if not len(alone):
        return exact
    boxes = _boxes(values[alone], ids[alone], k, key, diversity.of(alone))
    return join_ranges([exact, replace(boxes, order=alone[boxes.order])])
