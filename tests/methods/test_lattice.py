"""The lattice search against every node, counted record by record."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.methods.datafly import datafly
from shoal.methods.diversity import DISTINCT, ENTROPY, RECURSIVE, Diversity
from shoal.methods.incognito import incognito
from shoal.methods.lattice import Lattice, Scale
from shoal.methods.optimal import optimal
from shoal.methods.roll_up import AVERAGE_CLASS, DISCERNIBILITY, SEPARABLE
from shoal.methods.samarati import samarati


def scale(*levels: list[int]) -> Scale:
    """Leaves in groups, level by level; a label costs as much as it has leaves too many."""
    leaves = len(levels[0])
    groups = tuple(np.array(level) for level in levels)
    losses = tuple((np.bincount(group) - 1) / max(leaves - 1, 1) for group in groups)
    return Scale(groups, losses, tuple(1 - loss for loss in losses))


SCALES = [
    scale([0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]),
    scale([0, 1, 2], [0, 0, 0]),
    scale([0, 1, 2], [0, 1, 1], [0, 0, 0]),
]
RULES = [None, (DISTINCT, 2, 0), (ENTROPY, 1.8, 0), (RECURSIVE, 2, 1.5)]


@st.composite
def lattices(draw):
    rows, columns = draw(st.integers(2, 14)), draw(st.integers(1, 3))
    scales = [draw(st.sampled_from(SCALES)) for _ in range(columns)]
    codes = [[draw(st.integers(0, len(one.losses[0]) - 1)) for one in scales] for _ in range(rows)]
    rule = draw(st.sampled_from(RULES))
    values = np.array([[draw(st.integers(0, 2))] for _ in range(rows)])
    asked = Diversity(values, np.array([rule], float)) if rule else None
    objective = draw(st.sampled_from([SEPARABLE, DISCERNIBILITY, AVERAGE_CLASS]))
    return Lattice(np.array(codes), scales, draw(st.integers(1, 3)), asked, objective)


def labels_of(lattice, levels):
    """What every record shows at a node."""
    columns = list(zip(lattice.scales, levels, strict=True))
    return [
        tuple(int(one.groups[level][code]) for (one, level), code in zip(columns, row, strict=True))
        for row in lattice.codes
    ]


def slow_node(lattice, levels):
    """Suppressed records and loss of a node, from the definition."""
    shown = labels_of(lattice, levels)
    sizes = Counter(shown)
    members = {label: [at for at, other in enumerate(shown) if other == label] for label in sizes}
    passing = {label: size >= lattice.k and lattice.diversity.holds(members[label])
               for label, size in sizes.items()}  # fmt: skip
    lost = sum(size for label, size in sizes.items() if not passing[label])
    kept = [size for label, size in sizes.items() if passing[label]]
    if lattice.objective == DISCERNIBILITY:
        return lost, sum(size**2 for size in kept) + lost * len(shown)
    if lattice.objective == AVERAGE_CLASS:
        return lost, sum(kept) / len(kept) if kept else np.inf
    cells = [
        one.losses[level][group] if passing[label] else 1.0
        for label in shown
        for one, level, group in zip(lattice.scales, levels, label, strict=True)
    ]
    return lost, sum(cells)


def all_nodes(lattice):
    levels = product(*(range(one.height + 1) for one in lattice.scales))
    return {level: slow_node(lattice, level) for level in levels}


@settings(max_examples=200, deadline=None)
@given(lattice=lattices(), share=st.sampled_from([0, 0.2, 0.5, 1]))
def test_the_best_node_is_the_best_of_all_and_all_allowed_ones_are_listed(lattice, share):
    limit = int(share * len(lattice.codes))
    allowed = {levels: found for levels, found in all_nodes(lattice).items() if found[0] <= limit}
    listed = {node.levels: (node.suppressed, node.loss) for node in lattice.all(limit)}
    assert set(listed) == set(allowed)
    for levels, (lost, loss) in listed.items():
        assert (lost, pytest.approx(loss)) == allowed[levels]
    best = optimal(lattice, limit).node
    finite = [loss for _, loss in allowed.values() if loss < np.inf]
    if not finite:
        assert best is None
        return
    assert best.loss == pytest.approx(min(finite))
    assert allowed[best.levels][0] == best.suppressed


@settings(max_examples=100, deadline=None)
@given(lattice=lattices(), share=st.sampled_from([0, 0.3]))
def test_minimal_nodes_are_those_without_a_less_general_one(lattice, share):
    limit = int(share * len(lattice.codes))
    allowed = [levels for levels, found in all_nodes(lattice).items() if found[0] <= limit]
    expected = {
        levels
        for levels in allowed
        if not any(other != levels and all(np.array(other) <= levels) for other in allowed)
    }
    assert {node.levels for node in incognito(lattice, limit)} == expected
    lowest = samarati(lattice, limit)
    assert (lowest is None) == (not allowed)
    if lowest is not None:
        assert sum(lowest.levels) == min(map(sum, allowed))


@settings(max_examples=100, deadline=None)
@given(lattice=lattices(), share=st.sampled_from([0, 0.3]))
def test_datafly_ends_at_an_allowed_node_or_at_none(lattice, share):
    limit = int(share * len(lattice.codes))
    found = datafly(lattice, limit)
    if found is None:
        assert slow_node(lattice, tuple(one.height for one in lattice.scales))[0] > limit
    else:
        assert slow_node(lattice, found.levels)[0] == found.suppressed <= limit


@settings(max_examples=50, deadline=None)
@given(lattice=lattices())
def test_classes_are_what_the_labels_separate(lattice):
    for levels in all_nodes(lattice):
        kept, classes = lattice.classes(levels)
        node = lattice.at(levels)
        assert int((~kept).sum()) == node.suppressed
        assert len(np.unique(classes)) == len(set(labels_of(lattice, levels)))


def test_keys_of_many_columns_take_several_words():
    draw = np.random.default_rng(1)
    wide = scale(list(range(40)), [0] * 40)
    codes = np.repeat(draw.integers(0, 40, (30, 24)), 2, axis=0)
    lattice = Lattice(codes, [wide] * 24, 2)
    assert lattice.table[0].shape[1] > 1
    assert optimal(lattice, 0).node.levels == (0,) * 24
