"""The Bayes-optimal posterior against its formula, record by record."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.truth.bayes_optimal import bayes_optimal
from tests.draws import draws

ILL = st.sampled_from(["flu", "cold", "ulcer"])
POLICY = shoal.Policy(
    columns={"q": "quasi", "ill": "sensitive"},
    guarantees=[{"kind": "l-diversity", "l": 1, "sensitive": "ill"}],
)


def published_of(columns: dict[str, list[str]]) -> PublishedTable:
    return PublishedTable(Table(pa.table(columns)))


def slow_posteriors(rows, people) -> list[dict[str, float]]:
    """For every record with its q, label and value: the formula, with shares from the population."""
    share: dict[str, Counter[str]] = {}
    for q, s in people:
        share.setdefault(q, Counter())[s] += 1
    f = {q: {s: counts[s] / counts.total() for s in counts} for q, counts in share.items()}
    found = []
    for q, label, _ in rows:
        members = [(other, s) for other, there, s in rows if there == label]
        weights = {}
        for s, n in Counter(s for _, s in members).items():
            in_class = sum(f[other].get(s, 0) for other, _ in members) / len(members)
            weights[s] = n * f[q].get(s, 0) / in_class
        found.append({s: weight / sum(weights.values()) for s, weight in weights.items()})
    return found


@draws(150)
@given(
    rows=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), ILL), min_size=1, max_size=9),
    more=st.lists(st.tuples(st.sampled_from("abc"), ILL), max_size=9),
)
def test_beliefs_follow_the_formula_where_the_population_is_given(rows, more) -> None:
    people = [(q, s) for q, _, s in rows] + more  # everybody in the table is one of the population
    population = Table(pa.table({"q": [q for q, _ in people], "ill": [s for _, s in people]}))
    original = published_of({"q": [q for q, _, _ in rows], "ill": [s for _, _, s in rows]})
    published = published_of({"q": [label for _, label, _ in rows], "ill": [s for _, _, s in rows]})
    found = bayes_optimal(published, original, POLICY, np.arange(len(rows)), "ill", population)
    expected = slow_posteriors(rows, people)
    assert found.largest == pytest.approx(max(max(one.values()) for one in expected))
    assert found.positive == sum(max(one.values()) > 0.95 for one in expected)
    values = {s for _, _, s in rows}
    assert found.negative == sum(any(one.get(s, 0) < 0.01 for s in values) for one in expected)
    right = [one[s] for one, (_, _, s) in zip(expected, rows, strict=True)]
    assert found.mean == pytest.approx(sum(right) / len(right))


def test_rows_of_a_population_may_stand_for_many() -> None:
    few = Table(pa.table({"q": ["a", "a"], "ill": ["flu", "cold"], "count": [3, 1]}))
    original = published_of({"q": ["a", "b"], "ill": ["flu", "cold"]})
    published = published_of({"q": ["*", "*"], "ill": ["flu", "cold"]})
    found = bayes_optimal(published, original, POLICY, np.arange(2), "ill", few)
    # of b nothing is known: half and half; f(flu|class) = 5/8, f(cold|class) = 3/8
    assert found.largest == pytest.approx((3 / 4 / (5 / 8)) / (3 / 4 / (5 / 8) + 1 / 4 / (3 / 8)))


def test_a_column_that_tells_the_illness_makes_sure_and_one_that_does_not_changes_nothing() -> None:
    ill = ["flu"] * 50 + ["cold"] * 50
    published = published_of({"q": ["*"] * 100, "ill": ill})
    telling, silent = (
        bayes_optimal(published, published_of({"q": q, "ill": ill}), POLICY, np.arange(100), "ill")
        for q in (["m"] * 50 + ["w"] * 50, ["m", "w"] * 50)
    )
    assert telling.mean > 0.95
    assert telling.positive == 100
    assert silent.largest == pytest.approx(0.5)


def test_a_population_without_a_column_is_refused() -> None:
    published = published_of({"q": ["a"], "ill": ["flu"]})
    with pytest.raises(shoal.ShoalError, match="no column 'ill'"):
        bayes_optimal(published, published, POLICY, np.arange(1), "ill", Table(pa.table({"q": ["a"]})))


def test_the_owner_sees_beliefs_beside_the_verdict(tmp_path) -> None:
    table = pa.table({"q": [str(at % 4) for at in range(40)], "ill": ["flu", "cold"] * 20})
    release = shoal.anonymize(table, POLICY)
    release.write(tmp_path / "release", audit=tmp_path / "audit.json")
    verdicts = shoal.open_release(tmp_path / "release").verify(table, tmp_path / "audit.json")
    (asked,) = [verdict for verdict in verdicts if verdict.kind == "l-diversity"]
    assert set(asked.achieved["beliefs"]) == {"ill"}
    assert 0.5 <= asked.achieved["beliefs"]["ill"]["posterior"] <= 1
