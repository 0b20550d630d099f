"""Means, variances and correlations against NumPy's, and those of releases against their tables."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from shoal.anonymizer.anonymized_table import AnonymizedTable
from shoal.kernels.keyed_hash import seeded_key
from shoal.policy.model.policy import Policy
from shoal.release.release import Release, anonymize_in_memory
from shoal.table.table import Table
from shoal.utility.column_pairs import ColumnPairs
from shoal.utility.moments import Moments, moments, release_moments, table_moments

RNG = np.random.default_rng(0)
WIDE = RNG.normal(size=(500, 4)) @ RNG.normal(size=(4, 4))


def by_name(table: Any) -> dict[str, Any]:
    return {f"column {at}": column for at, column in enumerate(np.transpose(table))}


@pytest.mark.parametrize("shift", [0.0, 1e9])
def test_figures_are_those_of_numpy(shift: float) -> None:
    before, after = WIDE + shift, np.round(WIDE, 1) + shift
    found = moments(by_name(before), by_name(after))
    assert found.columns == ("column 0", "column 1", "column 2", "column 3")
    for table, summary in ((before, found.before), (after, found.after)):
        np.testing.assert_allclose(summary.means, table.mean(axis=0), rtol=1e-13)
        np.testing.assert_allclose(summary.variances, np.diag(np.cov(table.T, ddof=0)), rtol=1e-12)
        correlations = np.array(summary.correlations)
        np.testing.assert_allclose(correlations, np.corrcoef(table.T), atol=1e-12)
        np.testing.assert_allclose(np.diag(correlations), 1, rtol=1e-15)
        assert (correlations == correlations.T).all()
    expected = np.abs(np.corrcoef(before.T) - np.corrcoef(after.T)).max()
    assert found.largest_change == pytest.approx(expected, abs=1e-12)


def test_columns_far_from_zero_lose_nothing() -> None:
    small = np.arange(1000) % 7
    found = moments({"a": small + 2.0**50, "b": -2.0 * small}, {"a": small + 2.0**50, "b": 2.0 * small})
    assert found.before.variances[0] == pytest.approx(small.var(), rel=1e-12)
    assert found.before.correlations[0][1] == pytest.approx(-1.0, abs=1e-12)
    assert found.largest_change == pytest.approx(2.0, abs=1e-12)


def test_a_constant_column_has_no_correlation() -> None:
    one = {"a": np.full(3, 0.1), "b": np.array([1.0, 2.0, 4.0])}
    found = moments(one, one)
    assert found.before.variances[0] == 0.0
    assert found.before.means[0] == 0.1
    assert found.before.correlations == ((None, None), (None, 1.0))
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False)) == found.as_dict()


def test_one_column_has_no_change_of_a_correlation() -> None:
    found = moments({"a": np.array([1.0, 2.0])}, {"a": np.array([1.5, 1.5])})
    assert found.largest_change is None
    assert found.as_dict()["variance"] == {"before": [0.25], "after": [0.0]}


def test_figures_as_plain_values() -> None:
    before = {"a": np.array([1.0, 3.0]), "b": np.array([2.0, 0.0])}
    after = {"b": np.array([0.0, 2.0]), "a": np.array([1.0, 3.0])}
    assert moments(before, after).as_dict() == {
        "columns": ["a", "b"],
        "mean": {"before": [2.0, 1.0], "after": [2.0, 1.0]},
        "variance": {"before": [1.0, 1.0], "after": [1.0, 1.0]},
        "correlation": {
            "before": [[1.0, -1.0], [-1.0, 1.0]],
            "after": [[1.0, 1.0], [1.0, 1.0]],
        },
        "largest_change": 2.0,
    }


ORIGINAL = pa.table(
    {
        "name": ["a", "b", "c", "d", "e"],
        "age": [20, 90, 40, 30, 50],
        "town": ["x", "y", "x", "y", "x"],
        "pay": [Decimal("1.50"), Decimal("9.00"), Decimal("2.50"), None, Decimal("4.00")],
        "debt": ["7", "1", "3", "", "8"],
        "visits": [3, 1, 2, None, None],
    }
)
POLICY = Policy(
    columns={
        "name": "identifier",
        "age": "quasi",
        "town": "quasi",
        "pay": "quasi",
        "debt": "sensitive",
        "visits": "other",
    },
    missing={"pay": "zero"},
    guarantees=[{"kind": "k-anonymity", "k": 2}],
    method={"name": "mdav"},
)
ROWS = np.array([4, 0, 2, 3])  # the second record was left out
PUBLISHED = pa.table(
    {
        "age": [45.0, 25.0, 45.0, 25.0],
        "town": ["x", "y", "x", "y"],
        "pay": [Decimal("3.25"), Decimal("0.75"), Decimal("3.25"), Decimal("0.75")],
        "debt": ["8", "7", "3", ""],
        "visits": [None, 3, 2, None],
    }
)


def made(published: pa.Table, policy: Policy = POLICY) -> Release:
    anonymized = AnonymizedTable(
        table=published,
        input_rows=ROWS,
        class_of=np.array([1, 0, 1, 0]),
        classes=2,
        suppressed=1,
        method="mdav",
        why="",
        loss={},
        exact_cells=0.0,
        paid={},
        fallen=0.0,
    )
    return Release(
        original=Table(ORIGINAL),
        policy=policy,
        result=anonymized,
        key=seeded_key(0),
        rows=len(ORIGINAL),
        seeded=True,
        restore=lambda table: table,
    )


def found_of(release: Release) -> Moments:
    found = release_moments(release)
    assert found is not None
    return found


def test_a_release_is_compared_with_its_own_records() -> None:
    found = found_of(made(PUBLISHED))
    assert found.columns == ("age", "pay")  # the others are words, or have missing cells that are not zeros
    ages, pays = [50, 20, 40, 30], [4.0, 1.5, 2.5, 0.0]
    assert found.before.means == (35.0, 2.0)
    assert found.after.means == (35.0, 2.0)
    assert found.before.variances == pytest.approx((np.var(ages), np.var(pays)))
    assert found.before.correlations[0][1] == pytest.approx(np.corrcoef(ages, pays)[0, 1])
    assert found.after.correlations[0][1] == pytest.approx(1.0)


def test_class_means_keep_means_and_lower_variances() -> None:
    draw = np.random.default_rng(1)
    age = draw.integers(18, 90, 200)
    table = pa.table({"age": age, "pay": 500 * age + draw.integers(0, 9_000, 200), "debt": age[::-1]})
    policy = Policy(
        columns={"age": "quasi", "pay": "quasi", "debt": "sensitive"},
        guarantees=[{"kind": "k-anonymity", "k": 5}],
        method={"name": "mdav", "options": {"totals": True}},
    )
    found = found_of(anonymize_in_memory(table, policy, seed=1))
    assert found.before.means == pytest.approx(found.after.means, rel=1e-12)
    assert found.after.variances[0] < found.before.variances[0]
    assert found.after.variances[2] == pytest.approx(found.before.variances[2], rel=1e-12)
    assert found.largest_change is not None
    assert found.largest_change < 0.1


def test_columns_published_as_they_are_count_too() -> None:
    whole = POLICY.model_copy(update={"missing": {"pay": "zero", "debt": "zero"}})
    found = found_of(made(PUBLISHED, whole))
    assert found.columns == ("age", "pay", "debt")
    assert found.before.variances[2] == found.after.variances[2] == pytest.approx(np.var([8, 7, 3, 0]))
    assert found.before.correlations[2][2] == 1.0


def test_a_release_without_numbers_has_no_moments() -> None:
    assert release_moments(made(PUBLISHED.select(["town", "visits"]))) is None


def test_a_release_without_class_means_has_no_moments() -> None:
    ranges = POLICY.model_copy(update={"method": POLICY.method.model_copy(update={"name": "mondrian"})})
    assert release_moments(replace(made(PUBLISHED), policy=ranges)) is None


def of_tables(before: dict[str, Any], after: dict[str, Any], **more: Any) -> Moments | None:
    policy = Policy(
        columns=dict.fromkeys(before, "quasi"), guarantees=[{"kind": "k-anonymity", "k": 2}], **more
    )
    return table_moments(ColumnPairs.of(Table(pa.table(before)), Table(pa.table(after)), policy))


def test_ranges_count_as_their_middles_and_stars_as_that_of_the_domain() -> None:
    before = {"a": [1, 2, 3, 8], "b": [2.5, 0.5, 1.5, 3.5]}
    after = {"a": ["[1, 2]", "[1, 2]", "3", "*"], "b": ["[0.5, 2.5]", "[0.5, 2.5]", "1.5", "3.5"]}
    found = of_tables(before, after)
    assert found is not None
    a, b = [1.5, 1.5, 3, 4.5], [1.5, 1.5, 1.5, 3.5]
    assert found.after.means == pytest.approx((np.mean(a), np.mean(b)))
    assert found.after.variances == pytest.approx((np.var(a), np.var(b)))
    assert found.after.correlations[0][1] == pytest.approx(np.corrcoef(a, b)[0, 1])
    assert found.before.correlations[0][1] == pytest.approx(np.corrcoef(before["a"], before["b"])[0, 1])


def test_missing_cells_are_left_out_pair_by_pair() -> None:
    draw = np.random.default_rng(3)
    wide = draw.integers(-50, 50, (40, 3)).astype(float) + 1e6
    wide[draw.random(wide.shape) < 0.2] = np.nan
    table = {name: [None if np.isnan(x) else x for x in wide[:, at]] for at, name in enumerate("abc")}
    found = of_tables(table, table)
    assert found is not None
    assert found.before == found.after
    assert found.before.means == pytest.approx(np.nanmean(wide, axis=0))
    assert found.before.variances == pytest.approx(np.nanvar(wide, axis=0))
    for one in range(3):
        for other in range(3):
            both = ~np.isnan(wide[:, one]) & ~np.isnan(wide[:, other])
            expected = np.corrcoef(wide[both, one], wide[both, other])[0, 1]
            assert found.before.correlations[one][other] == pytest.approx(expected, abs=1e-9)


def test_columns_with_no_row_in_common_have_no_correlation() -> None:
    table = {"a": [1, 2, None, None], "b": [None, None, 3, 5]}
    found = of_tables(table, table)
    assert found is not None
    assert found.before.correlations == ((1.0, None), (None, 1.0))


def test_words_and_dates_have_no_moments() -> None:
    table = {"w": ["a", "b"], "d": ["2001-01-01", "2001-01-02"]}
    assert of_tables(table, table) is None


def test_public_changes_have_no_units() -> None:
    found = of_tables({"a": [0, 4], "b": [3, 3]}, {"a": [1, 3], "b": [3, 3]})
    assert found is not None
    assert found.public() == {
        "columns": [
            {"column": "a", "mean_shift": 0.0, "variance_ratio": 0.25},
            {"column": "b", "mean_shift": None, "variance_ratio": None},
        ],
        "largest_change": 0.0,
    }
