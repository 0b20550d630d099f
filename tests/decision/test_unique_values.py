"""Columns that are published as they are: which of them single people out, and what is said to whom."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.decision.unique_values import (
    FINDS,
    MANY,
    MOST_TOLD,
    UniqueValues,
    unique_value_sentences,
    unique_values,
)
from shoal.policy.model.policy import Policy
from shoal.report.measurements import measure
from shoal.report.report import Report, report_on
from shoal.table.table import Table
from tests.draws import draws
from tests.report.reported import people, policy, released

ROWS = 40


def asked(**columns: str) -> Policy:
    return Policy(columns={"age": "quasi", **columns}, guarantees=[{"kind": "k-anonymity", "k": 2}])


@draws(100)
@given(st.lists(st.one_of(st.none(), st.integers(-3, 30)), min_size=1, max_size=30))
def test_unique_values_are_counted_as_by_hand(cells: list[int | None]) -> None:
    table = Table(pa.table({"age": pa.array([1] * len(cells)), "cost": pa.array(cells, pa.int64())}))
    counts = Counter(cell for cell in cells if cell is not None)
    unique = sum(count == 1 for count in counts.values())
    expected = [("cost", unique, len(cells))] if unique and unique >= MANY * len(cells) else []
    found = unique_values(table, asked(cost="other"))
    assert [(one.column, one.unique, one.records) for one in found] == expected


def test_quasi_columns_permuted_ones_and_lists_are_not_among_them() -> None:
    numbers = list(range(ROWS))
    table = Table(pa.table({"age": numbers, "pay": numbers, "tags": [[one] for one in numbers]}))
    assert [one.column for one in unique_values(table, asked(pay="sensitive", tags="other"))] == ["pay"]
    permuted = Policy(
        columns={"age": "quasi", "pay": "sensitive"},
        guarantees=[{"kind": "ke-anonymity", "k": 2, "e": 1, "sensitive": "pay"}],
    )
    assert unique_values(table, permuted) == ()


def test_of_very_many_columns_the_first_are_told() -> None:
    found = [UniqueValues(f"c{at}", 9, 9) for at in range(MOST_TOLD + 2)]
    told = [one.text for one in unique_value_sentences(found, public=False)]
    assert len(told) == MOST_TOLD + 1
    assert told[-1] == "So it is with 2 more columns."
    assert all(one.level == "watch" for one in unique_value_sentences(found, public=True))


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    folder: Path = tmp_path_factory.mktemp("exactly")
    unrelated = np.random.default_rng(1).permutation(ROWS)  # unique, and no copy of another column
    table = people().append_column("cost", pa.array(1_000 + unrelated))
    roles = policy()
    with_cost = roles.model_copy(update={"columns": {**roles.columns, "cost": "other"}})
    found = measure(released(folder, table, with_cost))
    return {"owner": report_on(found, "owner"), "public": report_on(found, "public")}


@pytest.mark.parametrize(("audience", "figures"), [("owner", "40 of 40"), ("public", "many")])
def test_the_light_is_not_green_and_only_the_owner_sees_figures(
    reports: dict[str, Report], audience: str, figures: str
) -> None:
    report = reports[audience]
    sentence = f"cost is published exactly and {figures} values are unique: {FINDS}"
    assert report.light == "watch"
    assert sentence in [one.text for one in report.why]
    assert sentence in report.to_html()
    assert ("40 of 40" in report.to_html()) is (audience == "owner")
