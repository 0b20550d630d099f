"""Which classes leave where they are compared with all that stay, against every choice there is."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods import diversity as rules
from shoal.methods.diversity import Diversity
from shoal.methods.levels.class_choice import choose_classes
from shoal.methods.levels.incognito import incognito
from shoal.methods.levels.lattice import Lattice, Scale
from shoal.methods.levels.optimal import optimal
from shoal.methods.levels.samarati import samarati
from tests.draws import draws

VALUES = 3


def distance(counts: np.ndarray, whole: np.ndarray, ordered: bool) -> Fraction:
    shares = [Fraction(int(one), int(counts.sum())) - Fraction(int(all_), int(whole.sum()))
              for one, all_ in zip(counts, whole, strict=True) if all_]  # fmt: skip
    if ordered:
        return sum((abs(sum(shares[: at + 1])) for at in range(len(shares))), Fraction(0)) / max(
            len(shares) - 1, 1
        )
    return sum(map(abs, shares), Fraction(0)) / 2


def allowed_choices(
    hist: np.ndarray, k: int, t: Fraction, ordered: bool, limit: int
) -> list[tuple[bool, ...]]:
    """Every choice of classes to keep that holds and leaves out no more than the limit."""
    found = []
    for choice in product([True, False], repeat=len(hist)):
        kept = hist[list(choice)]
        if len(kept) and hist.sum() - kept.sum() <= limit:
            close = all(distance(one, kept.sum(axis=0), ordered) <= t for one in kept)
            if close and kept.sum(axis=1).min() >= k:
                found.append(choice)
    return found


def asked_of(ordered: bool, t: Fraction) -> np.ndarray:
    rule = rules.T_ORDERED if ordered else rules.T_NESTED
    return np.array([[rule, 1, float(t), 0, 0, *[0.0] * VALUES, *[1.0] * VALUES]])


@st.composite
def tables(draw):
    """Counts of values by class, and what leaving costs."""
    hist = draw(
        st.lists(st.lists(st.integers(0, 4), min_size=VALUES, max_size=VALUES), min_size=1, max_size=7)
    )
    hist = [one for one in hist if sum(one)] or [[1, 1, 0]]
    costs = draw(st.lists(st.integers(0, 5), min_size=len(hist), max_size=len(hist)))
    return np.array(hist, np.int32), np.array(costs, float)


@draws(400)
@given(
    table=tables(),
    ordered=st.booleans(),
    t=st.sampled_from([Fraction(1, 10), Fraction(1, 4), Fraction(2, 5)]),
    k=st.integers(1, 3),
    share=st.sampled_from([0, 0.2, 0.5, 0.9]),
)
def test_the_cheapest_choice_is_the_cheapest_of_all(table, ordered, t, k, share):
    hist, costs = table
    counts = hist.sum(axis=1).astype(np.int64)
    limit = int(share * counts.sum())
    choices = allowed_choices(hist, k, t, ordered, limit)
    stays, lost, least, proved = choose_classes(
        counts, hist, len(hist), k, asked_of(ordered, t), limit, costs, np.inf
    )
    assert proved
    assert (lost <= limit) == bool(choices)
    if choices:
        assert tuple(stays.tolist()) in choices
        assert lost == counts[~stays].sum()
        cheapest = min(costs[~np.array(choice)].sum() for choice in choices)
        assert costs[~stays].sum() == pytest.approx(cheapest) == least


def test_what_must_leave_is_known_without_trying():
    """One in a hundred may leave, so nothing moves by more than 1/99: half of the classes are far beyond."""
    draw = np.random.default_rng(3)
    near = draw.multinomial(50, [0.4, 0.3, 0.3], 200)
    hist = np.vstack([near, [[10, 0, 0]] * 9]).astype(np.int32)
    counts, costs = hist.sum(axis=1).astype(np.int64), np.ones(209)
    stays, lost, least, proved = choose_classes(
        counts, hist, 209, 1, asked_of(False, Fraction(2, 5)), 100, costs, np.inf
    )
    assert (stays[:200].all(), stays[200:].any()) == (True, False)
    assert (lost, least, proved) == (90, 9.0, True)


FEW = Scale((np.arange(4), np.array([0, 0, 1, 1]), np.zeros(4, np.int64)),
            (np.zeros(4), np.full(2, 1 / 3), np.ones(1)),
            (np.ones(4), np.full(2, 2 / 3), np.zeros(1)))  # fmt: skip


def many_groups(rows: int = 400) -> Lattice:
    """Towns of ten people, about half of whose values are too far from those of all."""
    draw = np.random.default_rng(5)
    towns = Scale(
        (np.arange(40), np.arange(40) // 2, np.zeros(40, np.int64)),
        (np.zeros(40), np.full(20, 1 / 39), np.ones(1)),
        (np.ones(40), np.full(20, 38 / 39), np.zeros(1)),
    )
    values = draw.integers(0, VALUES, rows)[:, np.newaxis]
    asked = asked_of(False, Fraction(1, 5))
    asked[0, rules.MARKS : rules.MARKS + VALUES] = np.bincount(values[:, 0], minlength=VALUES)
    return Lattice((np.arange(rows) % 40)[:, np.newaxis], [towns], 2, Diversity(values, asked))


def test_what_was_not_searched_to_the_end_is_not_called_best():
    lattice = many_groups()
    limit = 120
    found = optimal(lattice, limit)
    assert found.undecided
    assert not found.proved
    assert 0 <= found.bound < found.node.loss
    assert found.gap > 0
    assert incognito(lattice, limit)[1] > 0
    assert samarati(lattice, limit)[1] > 0
    kept, _ = lattice.classes(found.node)
    assert int((~kept).sum()) == found.node.suppressed <= limit


def test_a_search_without_time_does_not_say_that_there_is_nothing():
    """The top is not allowed: its block of one value fails. Nothing else was looked at."""
    values = np.array([[0], [1], [0], [1], [3]])
    asked = Diversity(values, np.array([[rules.DISTINCT, 2, 0, 0, 3, *[0.0] * 6, *[1.0] * 6]]))
    lattice = Lattice(np.array([[0], [0], [0], [0], [2]]), [FEW], 2, asked)
    stopped = optimal(lattice, 1, time_limit=1e-9)
    assert stopped.node is None
    assert not stopped.proved
    assert optimal(lattice, 1).node is not None
    none = optimal(lattice, 0)
    assert none.node is None
    assert none.proved
