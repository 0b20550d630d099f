"""A hierarchy to look at: every record counted once, in natural order, no more than fits a page."""

from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchy import build
from shoal.hierarchy.hierarchy import Hierarchy
from shoal.hierarchy.hierarchy_tree import HierarchyNode, hierarchy_tree
from tests.draws import draws

EVERYTHING = {"most_children": 10**6, "deepest": 99}


def labels(node):
    return [child.label for child in node.children]


def slow_tree(paths, counts, height=None):
    """Everything, without an order: a label with its records and the set of what lies below."""
    height = len(paths[0]) - 1 if height is None else height
    label, count = paths[0][height], sum(counts.get(path[0], 0) for path in paths)
    if height == 0:
        return label, count, frozenset()
    below = {}
    for path in paths:
        below.setdefault(path[height - 1], []).append(path)
    if list(below) == [label]:
        return slow_tree(paths, counts, height - 1)
    return label, count, frozenset(slow_tree(inside, counts, height - 1) for inside in below.values())


def unordered(node):
    return node.label, node.count, frozenset(map(unordered, node.children))


words = st.lists(st.none() | st.integers(-99, 99).map(str), min_size=1, max_size=30)
rules = st.sampled_from(
    [
        lambda counts: build.flat(list(counts)),
        lambda counts: build.intervals(list(counts), [Decimal(5), Decimal(10), Decimal(50)]),
        lambda counts: build.order_groups(list(counts), [2, 3]),
        lambda counts: build.mask(list(counts)),
        lambda counts: build.mask(list(counts), "left"),
        lambda counts: build.frequency(list(counts), list(counts.values()), [0.1, 0.3]),
    ]
)


@draws(200)
@given(words, rules)
def test_a_tree_is_what_the_paths_say(cells, rule):
    counts = Counter(cells)
    hierarchy = rule(counts)
    whole = hierarchy_tree(hierarchy, counts, **EVERYTHING)
    assert unordered(whole) == slow_tree(hierarchy.paths(), counts)
    assert whole.count == len(cells)
    assert_fits(hierarchy_tree(hierarchy, counts, 2, 2), whole, 2, 2)


def assert_fits(shown, whole, most, deepest):
    """The first children of each label, and the number of the others."""
    assert (shown.label, shown.count) == (whole.label, whole.count)
    fit = min(most, len(whole.children)) if deepest else 0
    assert (len(shown.children), shown.hidden) == (fit, len(whole.children) - fit)
    for child, other in zip(shown.children, whole.children[:fit], strict=True):
        assert_fits(child, other, most, deepest - 1)


@pytest.mark.parametrize(
    ("ordered", "counts"),
    [
        (["-10", "-9.5", "0", "2", "10", "1000"], {}),
        (["[-5, -1]", "[0, 4]", "[10, 14]", "[100, 104]"], {}),
        (["[0.0, 0.5)", "[0.5, 1.0)"], {}),
        (["[5, 10[", "[10, 20["], {}),
        (["5-9", "10-19", "90"], {}),
        (["2009-12", "2010-01", "2010-02"], {"2010-02": 9}),
        (["1990s", "2000s"], {"2000s": 9}),
        (["1900 to 1999", "2000 to 2099"], {"2000 to 2099": 9}),
        (["2011-05-17", "2011-05-18 10:00:00"], {"2011-05-18 10:00:00": 9}),
        (["b", "a", "c"], {"b": 3, "a": 2, "c": 2}),
        (["7", "12", "z", "(rare)", None], {None: 9, "z": 2, "(rare)": 1}),
    ],
)
def test_children_are_in_natural_order(ordered, counts):
    flat = build.flat(sorted(ordered, key=str))
    assert labels(hierarchy_tree(flat, counts)) == ordered


def test_values_that_no_record_has_are_shown_with_none():
    towns = Hierarchy.from_paths([("Ulm", "south"), ("Kiel", "north"), ("Bremen", "north")])
    assert hierarchy_tree(towns, {"Ulm": 4, "Rome": 1}) == HierarchyNode("*", 4, (
        HierarchyNode("south", 4, (HierarchyNode("Ulm", 4),)),
        HierarchyNode("north", 0, (HierarchyNode("Bremen", 0), HierarchyNode("Kiel", 0))),
    ))  # fmt: skip


def test_a_label_that_repeats_the_one_above_is_left_out():
    rare = build.frequency(["a", "b", None], [9, 1, 2], [0.2])
    assert hierarchy_tree(rare, {"a": 9, "b": 1, None: 2}) == HierarchyNode(
        "*",
        12,
        (HierarchyNode("a", 9), HierarchyNode("(rare)", 1, (HierarchyNode("b", 1),)), HierarchyNode(None, 2)),
    )


def test_what_is_too_deep_is_hidden():
    ages = build.intervals([str(age) for age in range(40)], [Decimal(5), Decimal(20)])
    top = hierarchy_tree(ages, {}, deepest=1)
    assert top == HierarchyNode(
        "*", 0, (HierarchyNode("[0, 19]", 0, hidden=4), HierarchyNode("[20, 39]", 0, hidden=4))
    )
