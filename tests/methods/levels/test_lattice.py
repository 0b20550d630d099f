"""The lattice search against every node, counted record by record."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods import diversity as rules
from shoal.methods.diversity import Diversity
from shoal.methods.levels import optimal as search
from shoal.methods.levels.datafly import datafly
from shoal.methods.levels.incognito import incognito
from shoal.methods.levels.lattice import Lattice, Scale
from shoal.methods.levels.optimal import optimal
from shoal.methods.levels.roll_up import AVERAGE_CLASS, DISCERNIBILITY, SEPARABLE
from shoal.methods.levels.samarati import samarati
from tests.draws import draws


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
MARKED = [rules.ALLOWED, 0, rules.PROTECTED, 0, 0, 0]  # of three sensitive values, known with one of two
RULES = {
    rules.DISTINCT: (2, 0, 0),
    rules.ENTROPY: (1.8, 0, 0),
    rules.RECURSIVE: (2, 1.5, 0),
    rules.PD_RECURSIVE: (2, 1.5, 0),
    rules.NPD_RECURSIVE: (2, 2.5, 20),
    rules.ALPHA: (0, 0.6, 0),
    rules.T_NESTED: (1, 0.3, 0),
    rules.T_ORDERED: (1, 0.2, 0),
}
CLOSE = (rules.T_NESTED, rules.T_ORDERED)
ALONE = sorted(set(RULES) - set(CLOSE))  # about a class alone; test_class_choice has the others


FEW_RULES = st.lists(st.sampled_from(ALONE), max_size=2)


@st.composite
def diversities(draw, rows, some=FEW_RULES):
    """Up to two rules, each on a column of its own, of which another one may be known: then values are
    judged block by block."""
    chosen = draw(some)
    blocks = [3 if rule in ALONE and draw(st.booleans()) else 0 for rule in chosen]
    values = [[draw(st.integers(0, 5 if block else 2)) for block in blocks] for _ in range(rows)]
    if not chosen:
        return None
    codes = np.array(values, np.int64)
    asked = [
        (rule, *RULES[rule], block, *MARKED, *[1] * 6) for rule, block in zip(chosen, blocks, strict=True)
    ]
    return against(Diversity(codes, np.array(asked, float)), range(rows))


def against(asked, rows):
    """With these rows as the table that others are to be close to."""
    told = asked.rules.copy()
    for at in np.flatnonzero(np.isin(told[:, 0], CLOSE)):
        told[at, rules.MARKS : rules.MARKS + 6] = np.bincount(asked.codes[list(rows), at], minlength=6)
    return Diversity(asked.codes, told)


def slow_staying(lattice, members):
    """Labels whose classes stay: large enough and diverse."""
    return {
        label for label, rows in members.items() if len(rows) >= lattice.k and lattice.diversity.holds(rows)
    }


@st.composite
def lattices(draw):
    rows, columns = draw(st.integers(2, 14)), draw(st.integers(1, 3))
    scales = [draw(st.sampled_from(SCALES)) for _ in range(columns)]
    codes = [[draw(st.integers(0, len(one.losses[0]) - 1)) for one in scales] for _ in range(rows)]
    asked = draw(diversities(rows))
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
    passing = slow_staying(lattice, members)
    lost = sum(size for label, size in sizes.items() if label not in passing)
    kept = [size for label, size in sizes.items() if label in passing]
    if lattice.objective == DISCERNIBILITY:
        return lost, sum(size**2 for size in kept) + lost * len(shown)
    if lattice.objective == AVERAGE_CLASS:
        return lost, sum(kept) / len(kept) if kept else np.inf
    cells = [
        one.losses[level][group] if label in passing else 1.0
        for label in shown
        for one, level, group in zip(lattice.scales, levels, label, strict=True)
    ]
    return lost, sum(cells)


def all_nodes(lattice):
    levels = product(*(range(one.height + 1) for one in lattice.scales))
    return {level: slow_node(lattice, level) for level in levels}


@draws(200)
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


def test_a_class_that_fails_by_a_block_is_left_out_below_the_top():
    """Four records of a town, and one of another whose known value nobody shares: in one class its block has
    one value, so everybody would have to leave. In a class of its own, it leaves alone."""
    town = scale([0, 1], [0, 0])
    values = np.array([[0], [1], [0], [1], [3]])  # the last one is in the second block of three
    asked = Diversity(values, np.array([[rules.DISTINCT, 2, 0, 0, 3, *[0.0] * 6, *[1.0] * 6]]))
    lattice = Lattice(np.array([[0], [0], [0], [0], [1]]), [town], 2, asked)
    assert lattice.at((1,), 1).suppressed > 1
    assert not lattice.prunes(1)
    assert lattice.prunes(0)
    found = optimal(lattice, 1)
    assert (found.node.levels, found.node.suppressed, found.proved) == ((0,), 1, True)
    assert [node.levels for node in incognito(lattice, 1)[0]] == [(0,)]
    assert [node.levels for node in samarati(lattice, 1)[0]] == [(0,)]


def test_every_rule_says_when_it_survives_merging():
    named = {value for name, value in vars(rules).items() if name.isupper() and isinstance(value, float)}
    assert set(rules.SURVIVES) == named - {rules.SLACK} == set(RULES)


@pytest.mark.parametrize("rule", sorted(RULES))
@pytest.mark.parametrize("share", [0, 0.3, 1])
@draws(60)
@given(data=st.data())
def test_no_rule_is_pruned_where_it_must_not_be(rule, share, data):
    rows = data.draw(st.integers(4, 8 if rule in CLOSE else 20))  # few enough to try all choices of classes
    scales = [data.draw(st.sampled_from(SCALES)) for _ in range(3)]
    codes = [[data.draw(st.integers(0, len(one.losses[0]) - 1)) for one in scales] for _ in range(rows)]
    asked = data.draw(diversities(rows, some=st.just([rule])))
    lattice = Lattice(np.array(codes), scales, data.draw(st.integers(1, 3)), asked)
    limit = int(share * rows)
    nodes = [lattice.at(levels, limit) for levels in product(*(range(one.height + 1) for one in scales))]
    allowed = [node.loss for node in nodes if node.suppressed <= limit]
    found = optimal(lattice, limit)
    assert found.proved
    assert (found.node.loss if found.node else None) == (pytest.approx(min(allowed)) if allowed else None)


@draws(150)
@given(lattice=lattices(), share=st.sampled_from([0, 0.2, 0.5, 1]), spare=st.sampled_from([0, 2**40]))
def test_a_large_lattice_is_searched_to_the_same_end_whatever_it_may_keep(lattice, share, spare):
    limit = int(share * len(lattice.codes))
    expected = optimal(lattice, limit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "SMALL", 4)
        patch.setattr("shoal.methods.levels.lattice.MEMORY", spare)
        found = optimal(lattice, limit)
    assert found.proved
    assert (found.node is None) == (expected.node is None)
    if found.node is not None:
        assert found.node.loss == pytest.approx(expected.node.loss)


@draws(100)
@given(lattice=lattices(), share=st.sampled_from([0, 0.2, 1]), small=st.sampled_from([1, 20_000]))
def test_a_search_that_is_stopped_gives_an_allowed_node_and_a_bound_that_holds(lattice, share, small):
    limit = int(share * len(lattice.codes))
    least = optimal(lattice, limit).node
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "SMALL", small)
        found = optimal(lattice, limit, time_limit=1e-9)
    if found.node is not None:
        assert found.node.suppressed <= limit
        assert found.bound <= least.loss * (1 + 1e-9) <= found.node.loss * (1 + 2e-9)
        assert found.gap >= 0
    elif least is not None:
        assert found.bound <= least.loss * (1 + 1e-9)


def test_sixty_columns_are_searched_for_as_long_as_allowed():
    draw = np.random.default_rng(2)
    tall = scale(list(range(8)), [0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 0, 0, 1, 1, 1, 1], [0] * 8)
    codes = draw.integers(0, 8, (300, 1)) ^ (draw.random((300, 60)) < 0.1)
    lattice = Lattice(codes.astype(np.int32), [tall] * 60, 3)
    seen = []
    found = optimal(lattice, 6, 2.0, lambda *told: seen.append(told))
    assert found.node.suppressed <= 6
    assert 0 <= found.bound <= found.node.loss <= datafly(lattice, 6).loss
    assert seen
    assert all(bound <= loss for _, loss, bound in seen)


@draws(100)
@given(lattice=lattices(), share=st.sampled_from([0, 0.3]))
def test_minimal_nodes_are_those_without_a_less_general_one(lattice, share):
    limit = int(share * len(lattice.codes))
    allowed = [levels for levels, found in all_nodes(lattice).items() if found[0] <= limit]
    expected = {
        levels
        for levels in allowed
        if not any(other != levels and all(np.array(other) <= levels) for other in allowed)
    }
    found, doubtful = incognito(lattice, limit)
    assert ({node.levels for node in found}, doubtful) == (expected, 0)
    lowest, doubtful = samarati(lattice, limit)
    assert (len(lowest), doubtful) == (bool(allowed), 0)
    assert [sum(node.levels) for node in lowest] == [min(map(sum, allowed)) for _ in lowest]


@draws(100)
@given(lattice=lattices(), share=st.sampled_from([0, 0.3]))
def test_datafly_ends_at_an_allowed_node_or_at_none(lattice, share):
    limit = int(share * len(lattice.codes))
    found = datafly(lattice, limit)
    if found is None:
        assert slow_node(lattice, tuple(one.height for one in lattice.scales))[0] > limit
    else:
        assert slow_node(lattice, found.levels)[0] == found.suppressed <= limit


@draws(50)
@given(lattice=lattices())
def test_classes_are_what_the_labels_separate(lattice):
    for levels in all_nodes(lattice):
        node = lattice.at(levels)
        kept, classes = lattice.classes(node)
        assert int((~kept).sum()) == node.suppressed
        assert len(np.unique(classes)) == len(set(labels_of(lattice, levels)))


def test_keys_of_many_columns_take_several_words():
    draw = np.random.default_rng(1)
    wide = scale(list(range(40)), [0] * 40)
    codes = np.repeat(draw.integers(0, 40, (30, 24)), 2, axis=0)
    lattice = Lattice(codes, [wide] * 24, 2)
    assert lattice.table[0].shape[1] > 1
    assert optimal(lattice, 0).node.levels == (0,) * 24


@draws(60)
@given(lattice=lattices(), times=st.integers(1, 2), share=st.sampled_from([0, 0.3, 1]))
def test_rows_that_stand_for_several_records_count_as_many(lattice, times, share):
    assert_the_same_counted(lattice, times, int(share * len(lattice.codes)))


@pytest.mark.slow
@draws(60)
@given(lattice=lattices(), share=st.sampled_from([0, 0.3, 1]))
def test_they_may_be_more_than_32_bits_count(lattice, share):
    assert_the_same_counted(lattice, 2**31, int(share * len(lattice.codes)))


def assert_the_same_counted(lattice, times, limit):
    """Different rows once, each so many times as often, ask for so many times more."""
    asked, columns = lattice.diversity, lattice.codes.shape[1]
    rows, counts = np.unique(np.hstack([lattice.codes, asked.codes]), axis=0, return_counts=True)
    values = Diversity(np.ascontiguousarray(rows[:, columns:]), asked.rules) if asked else None
    counts, k = counts * times, lattice.k * times
    few = Lattice(rows[:, :columns], lattice.scales, k, values, lattice.objective, counts)
    scale = times**2 if lattice.objective == DISCERNIBILITY else times
    found, expected = few.all(limit * times), lattice.all(limit)
    assert [node.levels for node in found] == [node.levels for node in expected]
    assert [node.suppressed for node in found] == [node.suppressed * times for node in expected]
    assert [node.loss for node in found] == pytest.approx([node.loss * scale for node in expected])
    best, one = optimal(few, limit * times).node, optimal(lattice, limit).node
    assert (best is None) == (one is None)
    assert best is None or best.loss == pytest.approx(one.loss * scale)


def test_a_scale_above_a_level_has_its_groups_as_leaves():
    scale = max(SCALES, key=lambda one: one.height)
    above = scale.above(1)
    assert above.height == scale.height - 1
    assert above.groups[0].tolist() == list(range(len(scale.losses[1])))
    for level in range(above.height + 1):
        assert above.groups[level][scale.groups[1]].tolist() == scale.groups[level + 1].tolist()
