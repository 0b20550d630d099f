"""Candidates of original people against a count over every range and every perfect matching."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.table.table import Table
from shoal.verify.truth.coverage import assignment, coverage, global_candidates
from shoal.verify.verify import verify_against
from tests.draws import draws
from tests.verify.brute_force import Range, all_perfect_matchings, ranges

VALUES = st.integers(-4, 4)


SIX = st.lists(st.tuples(VALUES, ranges(-4, 4)), min_size=1, max_size=6)
SIX_WITH_A_WAY = st.lists(st.tuples(VALUES, st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6)


def admits(people: list[int], found: list[Range]) -> list[list[bool]]:
    return [[low <= value <= high for low, high in found] for value in people]


def ends(found: list[Range]) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.array(found).T
    return low, high


@given(st.lists(VALUES, min_size=1, max_size=8), st.lists(ranges(-4, 4), min_size=1, max_size=8))
@draws(200)
def test_coverage_counts_the_ranges_that_contain_a_value(people: list[int], found: list[Range]) -> None:
    counted = coverage(np.array(people), *ends(found)).tolist()
    assert counted == [sum(row) for row in admits(people, found)]


@given(SIX)
@draws(200)
def test_an_assignment_is_found_exactly_when_there_is_one(pairs: list[tuple[int, Range]]) -> None:
    people, found = sorted(value for value, _ in pairs), [one for _, one in pairs]
    chosen = assignment(np.array(people), *ends(found))
    ways = all_perfect_matchings(admits(people, found))
    assert (chosen is None) == (not ways)
    assert chosen is None or tuple(chosen.tolist()) in ways


@given(SIX_WITH_A_WAY)
@draws(200)
def test_global_candidates_are_the_links_of_some_perfect_matching(grown: list[tuple[int, int, int]]) -> None:
    people = sorted(value for value, _, _ in grown)
    found = [(value - down, value + up) for value, down, up in grown]
    ways = all_perfect_matchings(admits(people, found))
    surviving = [len({way[person] for way in ways}) for person in range(len(people))]
    assert global_candidates(np.array(people), *ends(found)).tolist() == surviving


def test_without_a_perfect_matching_nobody_is_linked() -> None:
    """Two people share the only range that admits them."""
    assert global_candidates(np.array([1, 1]), np.array([0, 2]), np.array([1, 9])) is None


def test_a_link_can_be_admitted_and_still_be_impossible() -> None:
    """Whoever has 1 fits both ranges, but the exact 1 is needed by nobody else, and 2 needs the range."""
    low, high = np.array([1, 1]), np.array([1, 2])
    assert coverage(np.array([1, 2]), low, high).tolist() == [2, 1]
    assert global_candidates(np.array([1, 2]), low, high).tolist() == [1, 1]


def test_links_beyond_64_bits_are_counted_exactly() -> None:
    huge = 10**30
    people = np.array([huge, huge + 1], object)
    low, high = np.array([huge, huge], object), np.array([huge + 1, huge + 1], object)
    assert coverage(people, low, high).tolist() == [2, 2]
    assert global_candidates(people, low, high).tolist() == [2, 2]


@st.composite
def true_releases(draw: st.DrawFn) -> tuple[dict[str, list[int]], dict[str, list[Range]]]:
    """Two columns of people; each group of them shares the ranges of the columns it opens."""
    groups = sorted(draw(st.lists(st.integers(0, 2), min_size=2, max_size=6)))
    names = ("a", "b")
    people = {name: [draw(VALUES) for _ in groups] for name in names}
    opened = {(group, name): draw(st.booleans()) for group in groups for name in names}
    published = {name: [(value, value) for value in people[name]] for name in names}
    for group, name in [key for key, is_open in opened.items() if is_open]:
        members = [row for row, own in enumerate(groups) if own == group]
        values = [people[name][row] for row in members]
        for row in members:
            published[name][row] = (min(values), max(values))
    return people, published


@given(true_releases())
@draws(200)
def test_structural_implies_global_implies_coverage(
    case: tuple[dict[str, list[int]], dict[str, list[Range]]],
) -> None:
    people, published = case
    cells = {name: [{"lo": low, "hi": high} for low, high in column] for name, column in published.items()}
    policy = shoal.Policy(
        columns={"a": "quasi", "b": "quasi"}, guarantees=[shoal.KfAnonymity(k=2, knows=["a - b"])]
    )
    verdict, truth = verify_against(Table(pa.table(cells)), Table(pa.table(people)), policy)
    found = verdict.achieved
    assert truth.holds
    assert found["k"] <= found["global"] <= found["coverage"]


@pytest.mark.parametrize(("within", "expected"), [("0.05", 2), ("0.04", 1)])
def test_coverage_of_an_attacker_who_knows_the_total_roughly(within: str, expected: int) -> None:
    policy = shoal.Policy(
        columns={"a": "quasi"}, guarantees=[shoal.KfAnonymity(k=2, knows=["a"], within=within)]
    )
    table = Table(pa.table({"a": [100, 105]}))
    assert verify_against(table, table, policy)[0].achieved["coverage"] == expected


def test_people_who_left_for_a_missing_cell_are_not_looked_for() -> None:
    policy = shoal.Policy(
        columns={"a": "quasi"},
        guarantees=[shoal.KfAnonymity(k=2, knows=["a"])],
        missing={"a": "suppress"},
    )
    original, published = Table(pa.table({"a": [3, None, 4]})), Table(pa.table({"a": ["[3, 4]", "[3, 4]"]}))
    verdict, truth = verify_against(published, original, policy)
    assert {"k": 2, "records_below": 0, "coverage": 2, "global": 2}.items() <= verdict.achieved.items()
    assert truth.holds
