"""Rows before and after: those of the table and those of the release, class by class."""

from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from shoal.policy.model.policy import GROUP, Policy
from shoal.release.release import Release, anonymize_in_memory
from shoal.release.side_by_side import SideBySide, release_side_by_side, side_by_side, typical_classes
from shoal.table.table import Table

from .conftest import POLICY, ROWS, SECRET, people


@pytest.fixture(scope="module")
def release() -> Release:
    return anonymize_in_memory(people(), POLICY, secret=SECRET)


def slow_text(cell: object) -> str:
    if isinstance(cell, dict):
        low, high = cell["lo"], cell["hi"]
        return str(low) if low == high else f"[{low}, {high}]"
    return "" if cell is None else str(cell)


def test_rows_are_those_of_the_table_and_the_release(release: Release) -> None:
    seen = release_side_by_side(release)
    assert seen.columns == tuple(people().column_names)
    befores = Counter(tuple(map(slow_text, row.values())) for row in people().to_pylist())
    afters = Counter(
        tuple(slow_text(row[name]) if name in row else None for name in seen.columns)
        for row in release.table.to_pylist()
    )
    assert Counter(seen.before) <= befores
    assert Counter(seen.after) <= afters


def test_each_row_is_beside_its_own(release: Release) -> None:
    seen = release_side_by_side(release, rows=ROWS)
    link = dict(zip(release.result.input_rows.tolist(), (release.result.class_of + 1).tolist(), strict=True))
    names = people()["name"].to_pylist()
    assert [link[names.index(row[2])] for row in seen.before] == list(seen.classes)
    for before, after in zip(seen.before, seen.after, strict=True):
        low, _, high = after[1].strip("[]").partition(", ")
        assert Decimal(low) <= Decimal(before[1]) <= Decimal(high or low)


def test_cells_say_whether_they_were_changed(release: Release) -> None:
    seen = release_side_by_side(release)
    for before, after, changed in zip(seen.before, seen.after, seen.changed, strict=True):
        assert changed[0] is changed[4] is False
        assert changed[1] == (before[1] != after[1])
        assert (after[2], changed[2]) == (None, True)
    assert any(changed[1] for changed in seen.changed)


def test_classes_are_whole_and_few(release: Release) -> None:
    sizes = np.bincount(release.result.class_of)
    seen = release_side_by_side(release, rows=13)
    assert len(seen.classes) <= 13
    assert seen.whole
    assert all(sizes[number - 1] == count for number, count in Counter(seen.classes).items())
    assert list(seen.classes) == sorted(seen.classes)


def test_another_choice_shows_other_classes(release: Release) -> None:
    first, second = (set(release_side_by_side(release, 10, choice).classes) for choice in (0, 1))
    assert first
    assert not first & second


@pytest.mark.parametrize("rows", [1, 3, 10, 100])
def test_every_class_comes_up_by_some_choice(rows: int) -> None:
    sizes = np.array([4, 0, 7, 4, 5, 4, 4, 90])
    seen = {int(one) for choice in range(20) for one in typical_classes(sizes, rows, choice)}
    assert seen <= {0, 2, 3, 4, 5, 6, 7}
    assert {0, 3} <= seen


def averaged(classes: list[int], **columns: list[object]) -> SideBySide:
    table = pa.table(columns)
    policy = Policy(columns=dict.fromkeys(columns, "quasi"), guarantees=[{"kind": "k-anonymity", "k": 2}])
    rows = np.arange(len(classes))
    return side_by_side(Table(table), Table(table), rows, np.array(classes), policy, rows=5)


def test_a_class_larger_than_the_room_is_cut() -> None:
    seen = averaged([0] * 30, a=list(range(30)))
    assert len(seen.before) == 5
    assert not seen.whole


def test_missing_cells_lists_and_formulas_are_shown_as_the_file_shows_them() -> None:
    seen = averaged([0, 0], a=[None, "=1"], b=[[1, 2], None], c=['say\n"x"', ""])
    assert seen.after == (("", "[1, 2]", 'say\n"x"'), ("'=1", "", ""))
    assert not any(map(any, seen.changed))


def test_one_column_of_missing_cells_keeps_its_rows() -> None:
    assert averaged([0, 0, 0], a=[None, "x", None]).before == (("",), ("x",), ("",))


def test_a_permutation_shows_its_groups_and_what_is_left_out_is_counted() -> None:
    table = pa.table({"age": list(range(40)), "pay": [100 * (row * 17 % 40) for row in range(40)]})
    policy = Policy(
        columns={"age": "quasi", "pay": "sensitive"},
        guarantees=[{"kind": "ke-anonymity", "k": 3, "e": 10, "sensitive": "pay"}],
        method={"name": "min-sum"},
    )
    release = anonymize_in_memory(table, policy, secret=SECRET)
    seen = release_side_by_side(release)
    assert seen.columns == ("age", "pay", GROUP)
    assert all(row[2] is None for row in seen.before)
    assert all(before[0] == after[0] for before, after in zip(seen.before, seen.after, strict=True))
    assert seen.left_out == release.result.suppressed == 0
    without = side_by_side(
        Table(pa.concat_tables([table, table])), Table(release.result.table), release.result.input_rows,
        release.result.class_of, policy,
    )  # fmt: skip
    assert without.left_out == 40
