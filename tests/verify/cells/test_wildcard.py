"""The reading in which hidden cells match anything, against comparing every pair."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.verify.cells import wildcard
from shoal.verify.cells.wildcard import compatible_counts, fewest_compatible
from tests.draws import draws

CELLS = st.lists(st.tuples(*[st.tuples(st.integers(0, 2), st.booleans())] * 3), min_size=1, max_size=9)


@draws(200)
@given(CELLS)
def test_it_is_the_fewest_records_that_agree_wherever_both_are_shown(rows):
    codes = np.array([[code for code, _ in row] for row in rows])
    hidden = np.array([[star for _, star in row] for row in rows])
    pairs = (hidden[:, None] | hidden | (codes[:, None] == codes)).all(axis=2)
    assert fewest_compatible(codes, hidden) == pairs.sum(axis=1).min()


@draws(200)
@given(CELLS)
def test_rows_are_counted_alike_one_by_one_and_by_what_they_hide(rows):
    codes = np.array([[code for code, _ in row] for row in rows])
    hidden = np.array([[star for _, star in row] for row in rows])
    shown = np.unique(np.where(hidden, 0, codes + 1), axis=0)
    counts = np.arange(1, len(shown) + 1)
    patterns, of_row = np.unique(shown == 0, axis=0, return_inverse=True)
    one_by_one = wildcard._one_by_one(shown, counts)
    assert wildcard._by_pattern(shown, counts, patterns, of_row.ravel()).tolist() == one_by_one.tolist()
    pairs = ((shown == 0)[:, None] | (shown == 0) | (shown[:, None] == shown)).all(axis=2)
    assert one_by_one.tolist() == (pairs * counts).sum(axis=1).tolist()


def test_many_columns_are_counted_without_a_common_number(monkeypatch):
    random = np.random.default_rng(1)
    codes, hidden = random.integers(0, 2, (30, 5)), random.random((30, 5)) < 0.3
    expected = compatible_counts(codes, hidden)
    monkeypatch.setattr(wildcard, "WORD", 1)
    monkeypatch.setattr(wildcard, "PER_PAIR", 0)
    monkeypatch.setattr(wildcard, "PER_ROW", 0)
    assert compatible_counts(codes, hidden).tolist() == expected.tolist()


def verdict_where_stars_match(k, **columns):
    asked = shoal.KAnonymity(k=k, stars="any")
    policy = shoal.Policy(columns=dict.fromkeys(columns, "quasi"), guarantees=[asked])
    return shoal.check(pa.table(columns), policy)[0]


def test_a_policy_may_rely_on_it():
    columns = {"age": ["30", "31", "*"], "town": ["Ulm", "Ulm", "*"]}
    verdict = verdict_where_stars_match(2, **columns)
    assert verdict.holds
    assert verdict.asked == {"k": 2, "stars": "any"}
    assert verdict.achieved == {"k": 1, "classes": 3, "records_below": 0, "k_wildcard": 2, "k_any": 2}
    assert not verdict_where_stars_match(3, **columns).holds
    assert verdict_where_stars_match(3, **columns).achieved["records_below"] == 2


def test_a_missing_cell_matches_only_its_like_even_then():
    verdict = verdict_where_stars_match(2, age=["30", "30", None], town=["Ulm", "*", "Ulm"])
    assert not verdict.holds
    assert verdict.achieved["k_any"] == 1


def test_what_cannot_be_decided_does_not_hold(monkeypatch):
    monkeypatch.setattr(wildcard, "MOST_STEPS", 0)
    verdict = verdict_where_stars_match(2, age=["30", "*", "30"])
    assert not verdict.holds
    assert verdict.achieved["k_any"] is None
    assert "too costly to decide" in verdict.sentence


def test_it_is_reported_and_never_relied_on():
    policy = shoal.Policy(columns={"zip": "quasi"}, guarantees=[shoal.KAnonymity(k=2)])
    (verdict,) = shoal.check(pa.table({"zip": ["13*", "13*", "*", None]}), policy)
    assert not verdict.holds
    assert verdict.achieved["k"] == 1
    assert verdict.achieved["k_wildcard"] == 4
