"""Derived columns are what exact arithmetic makes of each row, whatever the type of the cells."""

from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.errors import ShoalError
from shoal.table.rules.derived_columns import DerivedColumn, DerivedColumns
from shoal.table.rules.unreadable_cells import UnreadableCells
from tests.draws import draws

NUMBERS = st.decimals(-(10**6), 10**6, allow_nan=False, places=2)
TEXTS = st.recursive(
    st.sampled_from(["a", "b", "c", "2", "0.5"]),
    lambda parts: st.tuples(parts, st.sampled_from("+-*/"), parts).map(
        lambda of: f"({of[0]} {of[1]} {of[2]})"
    ),
    max_leaves=6,
)


def derived(text, columns, decimals=None):
    rows = pa.table(columns)
    return DerivedColumns((DerivedColumn("new", text, decimals),))(rows).column("new")


def reference(text, row):
    """Python's own arithmetic of fractions, rounded to three decimals, halves away from zero."""
    names = {name: Fraction(value) for name, value in row.items()}
    wrapped = text.replace("0.5", "half").replace("2", "two")
    exact = eval(wrapped, {}, {**names, "half": Fraction(1, 2), "two": Fraction(2)})  # noqa: S307
    sign = -1 if exact < 0 else 1
    return sign * Fraction(int(abs(exact) * 1000 + Fraction(1, 2)), 1000)


@draws(200)
@given(TEXTS, NUMBERS, NUMBERS, NUMBERS)
def test_it_is_arithmetic_of_fractions(text, a, b, c):
    assume(set(text) & set("abc"))
    row = {"a": a, "b": b, "c": c}
    try:
        expected = reference(text, row)
    except ZeroDivisionError:
        with pytest.raises(UnreadableCells):
            derived(text, {name: [str(value)] for name, value in row.items()}, 3)
        return
    assume(abs(expected) < 10**18)
    (found,) = derived(text, {name: [str(value)] for name, value in row.items()}, 3).to_pylist()
    assert Fraction(found) == expected


@pytest.mark.parametrize(
    ("columns", "kind", "value"),
    [
        ({"a": ["1.10"], "b": ["2.2"]}, pa.string(), "2.42"),
        ({"a": [3], "b": [4]}, pa.int64(), 12),
        ({"a": [1.1], "b": [2]}, pa.float64(), 2.2),
        ({"a": [Decimal("1.10")], "b": [Decimal("2.2")]}, pa.decimal128(38, 3), Decimal("2.420")),
    ],
)
def test_the_type_of_the_result_follows_from_the_types_of_its_columns(columns, kind, value):
    found = derived("a * b", columns)
    assert found.type == kind
    assert found.to_pylist() == [value]
    assert (
        derived("a * b", {name: pa.array([], pa.array(cells).type) for name, cells in columns.items()}).type
        == kind
    )


def test_what_is_missing_stays_missing_and_chains_are_computed_in_order():
    rule = DerivedColumns((DerivedColumn("c", "a + 1"), DerivedColumn("d", "c * c")))
    assert rule(pa.table({"a": ["1", None, "NaN"]})).column("d").to_pylist() == ["4", None, None]


def test_cells_that_are_no_numbers_and_divisors_of_zero_are_named_by_their_rows():
    with pytest.raises(UnreadableCells) as refused:
        derived("a + 1", {"a": ["1", "x", "007"]})
    assert refused.value.found[0].rows.tolist() == [1, 2]
    with pytest.raises(UnreadableCells) as refused:
        derived("1 / a", {"a": ["1", "0", None]}, 1)
    assert refused.value.found[0].rows.tolist() == [1]


def test_an_absent_column_is_left_to_those_who_ask_for_it_and_a_name_is_never_taken_twice():
    rows = pa.table({"a": [1]})
    assert DerivedColumns((DerivedColumn("new", "a + b"),))(rows).column_names == ["a"]
    with pytest.raises(ShoalError, match="has one of that name"):
        DerivedColumns((DerivedColumn("a", "a + 1"),))(rows)


def test_a_literal_with_an_exponent_has_its_decimals():
    assert derived("a * 1e-3", {"a": [5, None]}).to_pylist() == [Decimal("0.005"), None]
    assert derived("a * 1.50", {"a": [5]}).type == pa.decimal128(38, 1)


@pytest.mark.parametrize("text", ["a * a", "a + 1e-30"])
def test_a_result_that_its_type_cannot_hold_is_named_by_its_row(text):
    with pytest.raises(UnreadableCells) as refused:
        derived(text, {"a": pa.array([None, Decimal("9" * 12), 0], pa.decimal128(38, 8))})
    assert refused.value.found[0].rows.tolist() == [1]
