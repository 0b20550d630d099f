"""Published cells of every spelling as ranges on the original's grid."""

import pyarrow as pa
import pytest

from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.utility.numeric_pair import NumericPair, numeric_pair
from shoal.verify.cells.published_table import PublishedTable


def policy(role: str = "quasi", **more: object) -> Policy:
    columns = {"x": role} if role == "quasi" else {"x": role, "q": "quasi"}
    return Policy(columns=columns, guarantees=[{"kind": "k-anonymity", "k": 2}], **more)


def pair_of(before: list, after: list, asked: Policy | None = None) -> NumericPair | None:
    table, shown = Table(pa.table({"x": before})), PublishedTable(Table(pa.table({"x": after})))
    return numeric_pair(table, shown, asked or policy(), "x")


def ranges(before: list, after: list, asked: Policy | None = None) -> list[tuple[float, float]]:
    pair = pair_of(before, after, asked)
    assert pair is not None
    return list(zip((pair.low / pair.unit).tolist(), (pair.high / pair.unit).tolist(), strict=True))


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("7", (7, 7)),
        ("[5, 9]", (5, 9)),
        ("5-9", (5, 9)),
        ("*", (1, 20)),
        ("[5, 7.5)", (5, 7.5)),
        ("{5, 9}", (5, 9)),
    ],
)
def test_a_cell_is_the_range_between_its_ends(cell: str, expected: tuple[float, float]) -> None:
    assert ranges([1, 20], ["3", cell])[1] == expected


def test_a_struct_is_a_range() -> None:
    assert ranges([1, 2], [{"lo": 1, "hi": 2}, {"lo": 2, "hi": 2}]) == [(1, 2), (2, 2)]


def test_a_star_is_the_declared_domain() -> None:
    assert ranges([1, 20], ["*", "1"], policy(domains={"x": [0, 100]})) == [(0, 100), (1, 1)]


def test_a_label_reaches_from_the_least_to_the_largest_value_below_it() -> None:
    tree = policy(hierarchies={"x": {"tree": {"1": ["3", "4"], "old": ["50", "70"]}}})
    assert ranges([3, 4, 50], ["1", "1", "old"], tree) == [(3, 4), (3, 4), (50, 70)]


def test_masks_of_numbers_are_read_by_the_values_under_them() -> None:
    mask = policy(hierarchies={"x": {"mask": "right"}})
    assert ranges([130, 139, 248], ["13*", "13*", "248"], mask) == [(130, 139), (130, 139), (248, 248)]


def test_dates_are_days_and_parts_of_dates_their_days() -> None:
    asked = policy(hierarchies={"x": {"dates": ["month", "year"]}})
    found = ranges(["1970-01-01", "1970-03-05"], ["1970-01", "1970"], asked)
    assert found == [(0, 30), (0, 364)]


def test_scales_of_both_sides_meet() -> None:
    pair = pair_of(["1.5", "2"], ["1.75", "1.75"])
    assert pair is not None
    assert (pair.scale, pair.values.tolist(), pair.low.tolist()) == (2, [150, 200], [175, 175])


def test_missing_cells_are_marked_unless_they_count_as_zero() -> None:
    pair = pair_of([1, None], ["", "1"])
    assert pair is not None
    assert (pair.values_missing.tolist(), pair.missing.tolist()) == ([False, True], [True, False])
    zero = pair_of([1, None], ["", "1"], policy(missing={"x": "zero"}))
    assert zero is not None
    assert not zero.values_missing.any()
    assert not zero.missing.any()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["a", "b"], ["a", "b"]),
        ([None, None], [None, None]),
        ([1, 2], ["young", "2"]),
        (["01", "02"], ["*", "02"]),
    ],
)
def test_what_is_no_number_gives_none(before: list, after: list) -> None:
    assert pair_of(before, after) is None


def test_columns_that_are_not_quasi_are_read_as_they_are() -> None:
    assert ranges(["1", "2"], ["2", "1"], policy("sensitive")) == [(2, 2), (1, 1)]
    assert pair_of(["1", "2"], ["*", "1"], policy("sensitive")) is None
