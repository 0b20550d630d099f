"""Different enough: l-diversity (Machanavajjhala et al., ICDE 2006) as a predicate for searches.

- distinct: at least l different sensitive values;
- entropy: their entropy is at least log l;
- recursive (c, l): r1 < c (r_l + ... + r_m) for the counts r1 >= r2 >= ... >= rm;
- pd-recursive: the same for the most frequent value outside a list of values that may be known;
- npd-recursive: and every protected value makes up at least c2 percent;
- alpha: no value makes up more than a share of alpha.

Each of them survives the union of two classes, so classes can be built by merging; none but the first
survives the addition of a single record.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.methods.compiled import compiled

Ints = NDArray[np.int64]
SLACK = 1e-12  # log l is reached up to rounding: two values, half and half, are entropy 2-diverse
DISTINCT, ENTROPY, RECURSIVE, PD_RECURSIVE, NPD_RECURSIVE, ALPHA = 1.0, 2.0, 3.0, 4.0, 5.0, 6.0  # rules
# does a union of classes pass that all pass; and if only some of them do, so that the others are left out
SURVIVES = {
    DISTINCT: (True, True),
    ENTROPY: (True, False),
    RECURSIVE: (True, False),
    PD_RECURSIVE: (True, False),
    NPD_RECURSIVE: (True, False),
    ALPHA: (True, False),
}
MARKS = 4  # where the marks of the values begin in a rule
ALLOWED, PROTECTED = 1, 2  # marks, which may add up


@dataclass(frozen=True)
class Diversity:
    """What is asked of the sensitive values of every class; nothing if there are no columns.

    ``codes[row, column]`` numbers the sensitive values of a column from 0 on, ``rules[column]`` is a
    rule with its l and c and, where a rule needs them, its c2 and a mark for every value.
    """

    codes: Ints
    rules: NDArray[np.float64]

    @classmethod
    def none(cls, rows: int) -> "Diversity":
        return cls(np.zeros((rows, 0), np.int64), np.zeros((0, 3)))

    def __bool__(self) -> bool:
        return len(self.rules) > 0

    def of(self, rows: Any) -> "Diversity":
        """The same for a part of the rows, in this order."""
        return Diversity(np.ascontiguousarray(self.codes[rows]), self.rules)

    def holds(self, rows: Any) -> bool:
        """Would these rows be diverse enough as one class?

        >>> asked = Diversity(np.array([[0], [0], [1]]), np.array([[DISTINCT, 2, 0]]))
        >>> asked.holds([0, 1]), asked.holds([1, 2])
        (False, True)
        """
        counts = self.counters()
        for at, count in enumerate(counts):
            count += np.bincount(self.codes[rows, at], minlength=len(count))
        return bool(diverse(counts, self.rules))

    def counters(self) -> Ints:
        """Room to count how often each value of each column occurs."""
        most = int(self.codes.max()) + 1 if self.codes.size else 1
        return np.zeros((len(self.rules), most), np.int64)


def pruning_rules(rules: NDArray[np.float64], nothing_suppressed: bool) -> NDArray[np.float64]:
    """The rules whose failure at a class means that classes inside it fail: at least one of them if nothing
    may be suppressed, else all of them. The others are no rules (0); without any there is nothing.

    >>> pruning_rules(np.array([[ENTROPY, 2, 0], [DISTINCT, 2, 0]]), nothing_suppressed=False).tolist()
    [[0.0, 2.0, 0.0], [1.0, 2.0, 0.0]]
    """
    survive = [SURVIVES.get(rule, (False, False))[0 if nothing_suppressed else 1] for rule in rules[:, 0]]
    found = rules.copy()
    found[:, 0] *= survive
    return found if any(survive) else rules[:0].copy()


@compiled
def diverse(counts: Any, rules: Any) -> bool:
    """Do these counts satisfy every rule?"""
    for at in range(len(rules)):
        rule, l, c = rules[at, 0], rules[at, 1], rules[at, 2]
        if rule == DISTINCT and (counts[at] > 0).sum() < l:
            return False
        if rule == ENTROPY and _entropy(counts[at]) < np.log(l) - SLACK:
            return False
        if rule == RECURSIVE and not _recursive(counts[at], int(l), c):
            return False
        if rule == ALPHA and counts[at].max() > c * counts[at].sum() * (1 + SLACK):
            return False
        if rule == PD_RECURSIVE or rule == NPD_RECURSIVE:
            marks = rules[at, MARKS:]
            if not _pd_recursive(counts[at], marks, int(l), c):
                return False
            if rule == NPD_RECURSIVE and not _all_there(counts[at], marks, rules[at, 3]):
                return False
    return True


@compiled
def _entropy(counts: Any) -> float:
    total, entropy = counts.sum(), 0.0
    for count in counts:
        if count > 0:
            entropy -= count / total * np.log(count / total)
    return entropy


@compiled
def _recursive(counts: Any, l: int, c: float) -> bool:
    if l == 1:
        return True
    ranked = np.sort(counts)[::-1]
    return bool(ranked[0] < c * ranked[l - 1 :].sum())


@compiled
def _pd_recursive(counts: Any, marks: Any, l: int, c: float) -> bool:
    """With y the rank of the most frequent value that must not be known, all others from the l-th on
    weigh against it; if it is rarer than those, also the one before them."""
    ranked = np.argsort(-counts)
    y = 0
    while y < len(ranked) and (counts[ranked[y]] == 0 or int(marks[ranked[y]]) & ALLOWED):
        y += 1
    if y == len(ranked):
        return True
    others = 0.0
    for rank in range(len(ranked)):
        if rank != y and rank >= (l - 1 if y < l - 1 else l - 2):
            others += counts[ranked[rank]]
    return bool(counts[ranked[y]] < c * others)


@compiled
def _all_there(counts: Any, marks: Any, percent: float) -> bool:
    total = counts.sum()
    for value in range(len(counts)):
        if int(marks[value]) & PROTECTED and counts[value] * 100.0 < percent * total * (1 - SLACK):
            return False
    return True


def diverse_blocks(order: Ints, k: int, diversity: Diversity) -> Ints:
    """Starts of blocks of at least k rows, closed as soon as they are diverse; what is left at the end
    joins the block before it, and that one the one before, until they are.

    >>> asked = Diversity(np.array([[0], [1], [0], [0], [1]]), np.array([[DISTINCT, 2, 0]]))
    >>> diverse_blocks(np.arange(5), 2, asked).tolist()
    [0, 2, 5]
    """
    starts = _close_blocks(order, k, diversity.codes, diversity.rules, diversity.counters())
    while len(starts) > 2 and (
        starts[-1] - starts[-2] < k or not diversity.holds(order[starts[-2] : starts[-1]])
    ):
        starts = np.delete(starts, -2)
    return np.asarray(starts)


@compiled
def _close_blocks(order: Any, k: int, codes: Any, rules: Any, counts: Any) -> Any:
    starts, size = [0], 0
    for i in range(len(order)):
        size += 1
        for at in range(len(rules)):
            counts[at, codes[order[i], at]] += 1
        if size >= k and diverse(counts, rules):
            starts.append(i + 1)
            counts[:] = 0
            size = 0
    if starts[-1] < len(order):
        starts.append(len(order))
    return np.array(starts)
