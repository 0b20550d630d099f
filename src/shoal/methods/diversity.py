"""Different enough: l-diversity (Machanavajjhala et al., ICDE 2006) and its family, for searches.

- distinct: at least l different sensitive values;
- entropy: their entropy is at least log l;
- recursive (c, l): r1 < c (r_l + ... + r_m) for the counts r1 >= r2 >= ... >= rm;
- pd-recursive: the same for the most frequent value outside a list of values that may be known;
- npd-recursive: and every protected value makes up at least c2 percent;
- alpha: no value makes up more than a share of alpha;
- t-close: the values are spread as in the whole table, up to a distance: by rank, or nested, where two
  values are the further apart the higher the first group that holds both (with one level: all alike).

Each of them survives the union of two classes, so classes can be built by merging; none but the first
survives the addition of a single record. Where other sensitive columns are known, a class is judged block by
block, one for each combination of what is known; then not even the first one does.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled

SLACK = 1e-12  # log l is reached up to rounding: two values, half and half, are entropy 2-diverse
DISTINCT, ENTROPY, RECURSIVE, PD_RECURSIVE, NPD_RECURSIVE, ALPHA = 1.0, 2.0, 3.0, 4.0, 5.0, 6.0  # rules
T_NESTED, T_ORDERED = 7.0, 8.0
# does a union of classes pass that all pass; and one of which only some pass, the others being left out?
# Block by block, where other sensitive columns are known, nothing survives the second: a block of the failing
# class may stand beside those of the passing one and fail as it did
SURVIVES = {
    DISTINCT: (True, True),
    ENTROPY: (True, False),
    RECURSIVE: (True, False),
    PD_RECURSIVE: (True, False),
    NPD_RECURSIVE: (True, False),
    ALPHA: (True, False),
    T_NESTED: (True, False),
    T_ORDERED: (True, False),
}
BLOCK = 4  # where a rule says how many values are judged at a time; 0: all of them
MARKS = 5  # where the marks of the values begin in a rule
ALLOWED, PROTECTED = 1, 2  # marks, which may add up


@dataclass(frozen=True)
class Diversity:
    """What is asked of the sensitive values of every class; nothing if there are no columns.

    ``codes[row, column]`` numbers the sensitive values of a column from 0 on, ``rules[column]`` is a
    rule with its l and c and, where a rule needs them, its c2, a block and a mark for every value.

    t-closeness has t for c. Its marks are how often each value occurs in the whole table; nested values
    stand in the order of their tree of l levels, and a second mark says on how many levels a value is not
    in the group of the one before.
    """

    codes: Ints
    rules: Floats

    @classmethod
    def none(cls, rows: int) -> "Diversity":
        return cls(np.zeros((rows, 0), np.int64), np.zeros((0, 3)))

    def __bool__(self) -> bool:
        return len(self.rules) > 0

    def of(self, rows: Any) -> "Diversity":
        """The same for a part of the rows, in this order."""
        return Diversity(np.ascontiguousarray(self.codes[rows]), self.rules)

    def holds(self, rows: Any, weights: Ints | None = None) -> bool:
        """Would these rows be diverse enough as one class? ``weights`` says for how many records each stands.

        >>> asked = Diversity(np.array([[0], [0], [1]]), np.array([[DISTINCT, 2, 0]]))
        >>> asked.holds([0, 1]), asked.holds([1, 2])
        (False, True)
        """
        return bool(diverse(self.counts(rows, weights), self.rules))

    def counts(self, rows: Any, weights: Ints | None = None) -> Ints:
        """How often each value of each column occurs in these rows."""
        counts = self.counters()
        for at, count in enumerate(counts):
            count += np.bincount(self.codes[rows, at], weights, len(count)).astype(np.int64)
        return counts

    def counters(self) -> Ints:
        """Room to count how often each value of each column occurs."""
        seen = int(self.codes.max()) + 1 if self.codes.size else 1
        marked = (self.rules.shape[1] - MARKS) // 2  # a part of the rows need not have all values
        return np.zeros((len(self.rules), max(seen, marked)), np.int64)


def pruning_rules(rules: Floats, nothing_suppressed: bool) -> Floats:
    """The rules whose failure at a class means that classes inside it fail: at least one of them if nothing
    may be suppressed, else all of them. The others are no rules (0); without any there is nothing.

    >>> pruning_rules(np.array([[ENTROPY, 2, 0], [DISTINCT, 2, 0]]), nothing_suppressed=False).tolist()
    [[0.0, 2.0, 0.0], [1.0, 2.0, 0.0]]
    """
    survive = [_survives(rule, nothing_suppressed) for rule in rules]
    found = rules.copy()
    found[:, 0] *= survive
    return found if any(survive) else rules[:0].copy()


def _survives(rule: Floats, nothing_suppressed: bool) -> bool:
    if nothing_suppressed:
        return SURVIVES.get(rule[0], (False, False))[0]
    by_blocks = len(rule) > BLOCK and rule[BLOCK] > 0
    return not by_blocks and SURVIVES.get(rule[0], (False, False))[1]


@compiled
def diverse(counts: Any, rules: Any) -> bool:
    """Do these counts satisfy every rule?"""
    width = counts.shape[1]
    for at in range(len(rules)):
        block = int(rules[at, BLOCK]) if rules.shape[1] > BLOCK and rules[at, BLOCK] > 0 else width
        for first in range(0, width, block):
            part = counts[at, first : first + block]
            if block < width and part.sum() == 0:
                continue
            if not _keeps(part, rules[at], width):
                return False
    return True


@compiled
def _keeps(counts: Any, asked: Any, width: int) -> bool:
    """Do these counts satisfy one rule?"""
    rule, l, c = asked[0], asked[1], asked[2]
    if rule == 0.0:
        return True
    if rule == DISTINCT:
        return bool((counts > 0).sum() >= l)
    if rule == ENTROPY:
        return bool(_entropy(counts) >= np.log(l) - SLACK)
    if rule == RECURSIVE:
        return _recursive(counts, int(l), c)
    if rule == ALPHA:
        return bool(counts.max() <= c * counts.sum() * (1 + SLACK))
    if rule >= T_NESTED:
        return bool(distance(counts, asked, width) <= c + SLACK)
    marks = asked[MARKS : MARKS + width]
    if not _pd_recursive(counts, marks, int(l), c):
        return False
    return rule == PD_RECURSIVE or _all_there(counts, marks, asked[3])


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


@compiled
def distance(counts: Any, asked: Any, width: int) -> float:
    """The distance of a class from the whole table, as a rule of t-closeness measures it."""
    whole = asked[MARKS : MARKS + width]
    if asked[0] == T_NESTED:
        return _nested_distance(counts, whole, asked[MARKS + width :], int(asked[1]))
    return _ordered_distance(counts, whole, int(asked[1]))


@compiled
def _nested_distance(counts: Any, whole: Any, borders: Any, levels: int) -> float:
    """Level by level, how much of the groups' weight lies elsewhere, and the mean of that."""
    here, all_of_them, moved = float(counts.sum()), whole.sum(), 0.0
    for level in range(levels):
        group = 0.0
        for value in range(len(counts)):
            if borders[value] > level:
                moved += abs(group)
                group = 0.0
            group += counts[value] * all_of_them - whole[value] * here
        moved += abs(group)
    return float(moved / (2.0 * levels * here * all_of_them)) if here > 0 else 0.0


@compiled
def _ordered_distance(counts: Any, whole: Any, declared: int) -> float:
    """How much weight has to cross each step between neighbours, and the mean of that. The first so many
    values are ``declared``, the others are those that occur."""
    here, all_of_them, crossing, moved, values = float(counts.sum()), whole.sum(), 0.0, 0.0, 0
    for value in range(len(counts)):
        if value < declared or whole[value] > 0:
            crossing += counts[value] * all_of_them - whole[value] * here
            moved += abs(crossing)
            values += 1
    return float(moved / ((values - 1) * here * all_of_them)) if values > 1 and here > 0 else 0.0


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
