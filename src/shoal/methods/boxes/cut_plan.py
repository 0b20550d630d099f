"""The first cuts of Mondrian in a table that does not fit into memory.

Every part that is too large looks for its cut by the rule of ``mondrian``, but from small answers about its
rows (``cut_questions``): the ends of its columns; the median, from counts in bins that become finer; the
values on both sides. All parts ask together, so that one pass over the rows answers all of them. Parts
that are small enough are left to ``mondrian``, and so are their classes exactly those of the whole table.

A column in which no value leaves k rows on both sides needs no counts of its own: its median is then one of
its ends, and no cut there leaves k rows.
"""

from collections.abc import Generator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.methods.boxes.common_cell import FIELDS, LABEL, Costs, cell_cost, label_cost
from shoal.methods.boxes.cut_questions import (
    BinsQuestion,
    CutCounts,
    CutQuestion,
    EndsQuestion,
    QuestionBatch,
    SidesQuestion,
)
from shoal.methods.boxes.cut_tree import ALL, LOWEST, Cut, CutTree
from shoal.methods.boxes.mondrian import column_shapes
from shoal.methods.diversity import MARKS, diverse

Answer = Any  # counts, or the two ends of all columns
Option = tuple[Cut, int]  # a cut, and how many rows it leaves on its left
Search = Generator[CutQuestion, Answer, Option | None]


@dataclass(frozen=True)
class CutRule:
    """What ``mondrian`` is asked for."""

    k: int
    relaxed: bool = False
    textbook: bool = False
    rules: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    costs: Costs | None = None

    @property
    def sensitive(self) -> tuple[int, int]:
        """Columns, and different values in any of them."""
        return len(self.rules), max((self.rules.shape[1] - MARKS) // 2, 1)


class CutPlan:
    """Asks ``questions`` and hears what was found until no part is both too large and can be cut."""

    def __init__(self, tree: CutTree, rule: CutRule, part_rows: int) -> None:
        self.tree = tree
        self._rule = rule
        self._part_rows = max(part_rows, 2 * rule.k - 1)
        self._shapes = column_shapes(tree.spans, rule.costs)
        self._searches: dict[int, Search] = {}
        self._asked: dict[int, CutQuestion] = {}
        self._open(0)
        if self._asked:  # the ends of the whole table are known
            self._answer(0, (tree.parts[0].bottom, tree.parts[0].top))

    def questions(self) -> QuestionBatch | None:
        """What is to be found next, None at the end."""
        return QuestionBatch(self.tree, dict(self._asked), self._rule.sensitive) if self._asked else None

    def hear(self, found: CutCounts) -> None:
        """Take in the answers of all rows, and cut what can be cut."""
        asked = QuestionBatch(self.tree, self._asked, self._rule.sensitive)
        starts = asked.offsets()
        for at, (number, question) in enumerate(list(self._asked.items())):
            if isinstance(question, EndsQuestion):
                self._answer(number, (found.low[at], found.high[at]))
            else:
                self._answer(number, found.counts[starts[at] : starts[at + 1]])

    def _open(self, number: int) -> None:
        count = self.tree.parts[number].count
        if count <= self._part_rows:
            return
        self._searches[number] = _search(self._rule, *self._shapes, count)
        self._answer(number, None)

    def _answer(self, number: int, answer: Answer) -> None:
        try:
            self._asked[number] = self._searches[number].send(answer)
        except StopIteration as end:
            del self._searches[number]
            del self._asked[number]
            self._cut(number, end.value)

    def _cut(self, number: int, found: Option | None) -> None:
        if found is None:  # one class, however large
            return
        self.tree = self.tree.split(number, *found)
        for half in list(self.tree.parts)[-2:]:
            self._open(half)


def _search(rule: CutRule, spans: Any, layout: Ints, losses: Any, count: int) -> Search:
    """The cut that ``mondrian`` would make, as a dialogue."""
    low, high = yield EndsQuestion()
    for column in _widest_first(low, high, spans, layout, losses):
        ends = int(low[column]), int(high[column])
        if layout[FIELDS * column] == LABEL:
            counts = yield BinsQuestion(column, *ends, shift=0)
            cuts = _branches(rule.k, column, ends[0], counts, layout, losses)
        else:
            cuts = yield from _median_cuts(rule, column, *ends, count)
        for cut, left in cuts:
            if not len(rule.rules) or (yield from _both_diverse(rule, cut)):
                return cut, left
    return None


def _widest_first(low: Ints, high: Ints, spans: Any, layout: Ints, losses: Any) -> list[int]:
    """Columns that vary, by their width as a share of the whole column's."""
    widths = np.array([
        cell_cost(layout, losses, column, low[column], high[column])
        if layout[FIELDS * column] == LABEL
        else (float(high[column]) - float(low[column])) / spans[column]
        for column in range(len(low))
    ])  # fmt: skip
    return [int(column) for column in np.argsort(-widths, kind="stable") if widths[column] > 0]


def _both_diverse(rule: CutRule, cut: Cut) -> Generator[CutQuestion, Answer, bool]:
    counts = yield SidesQuestion(cut)
    return all(diverse(side, rule.rules) for side in counts.reshape(2, *rule.sensitive))


def _median_cuts(
    rule: CutRule, column: int, low: int, high: int, count: int
) -> Generator[CutQuestion, Answer, list[Option]]:
    """The cuts of a column of numbers that leave k rows on both sides, the best first."""
    bins, number, less, equal = yield from _narrowed(
        BinsQuestion.between(column, low, high), (count - 1) // 2
    )
    median = bins.low_of(number)
    if rule.relaxed:
        half = count // 2
        limit = ALL
        if half - less < equal:
            limit = yield from _hash_limit(column, median, half - less)
        return [(Cut(column, LOWEST, median, limit, median), half)]
    found = []
    if less + equal >= rule.k and count - less - equal >= rule.k:
        found.append((Cut(column, LOWEST, median, at=median), less + equal))
    if less >= rule.k and not rule.textbook:
        found.append((Cut(column, LOWEST, median - 1, at=median), less))
    return found


def _hash_limit(column: int, tied: int, rank: int) -> Generator[CutQuestion, Answer, int]:
    """A hash below which lie so many of the rows with this value."""
    bins, number, _, _ = yield from _narrowed(
        BinsQuestion.between(column, 0, ALL, tied), rank, any_between=True
    )
    return bins.low_of(number)


def _narrowed(
    bins: BinsQuestion, rank: int, any_between: bool = False
) -> Generator[CutQuestion, Answer, tuple[BinsQuestion, int, int, int]]:
    """The bin of one value that holds the one of this rank, how many are smaller and how many in it. Where
    ``any_between`` that value and the one before will do, a wider bin that begins between them."""
    less = 0
    while True:
        counts = yield bins
        sums = np.cumsum(counts)
        number = int(np.searchsorted(sums, rank - less, side="right"))
        inside = int(counts[number])
        less += int(sums[number]) - inside
        if bins.shift == 0 or (any_between and less == rank):
            return bins, number, less, inside
        bins = bins.inside(number)


def _branches(k: int, column: int, low: int, counts: Ints, layout: Ints, losses: Any) -> list[Option]:
    """Each branch below the common label against the others, the largest first."""
    leaves = np.flatnonzero(counts) + low
    top = label_cost(layout, losses, column, leaves[0], leaves[-1])
    apart = [label_cost(layout, losses, column, a, b) == top for a, b in pairwise(leaves)]
    starts = np.append(0, np.flatnonzero(apart) + 1)
    sizes = np.add.reduceat(counts[leaves - low], starts)
    lasts = np.append(starts[1:], len(leaves)) - 1
    largest_first = [at for at in np.argsort(-sizes, kind="stable") if k <= sizes[at] <= counts.sum() - k]
    return [
        (Cut(column, int(leaves[starts[at]]), int(leaves[lasts[at]])), int(sizes[at])) for at in largest_first
    ]
