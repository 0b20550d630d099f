"""Answers to look at and to compute with."""

import json
from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest

from shoal.query.answer import Answer, Bounds
from tests.query.releases import ask

ANSWER = Answer(
    ("gender", "pay", "n"),
    (
        {"gender": "<F>", "pay": Bounds(1000, 1500.5, 2000, 12.25, 3), "n": Bounds(3, 3, 3, 0.0, 3)},
        {"gender": None, "pay": Bounds(None, None, None, None, 0), "n": Bounds(0, 0, 0, 0.0, 0)},
    ),
    ("Bounds hold one by one.",),
)


def test_lines_show_ranges_with_what_to_expect() -> None:
    assert str(ANSWER).splitlines() == [
        "gender  pay                                        n  hits",
        "<F>     1,000 to 2,000 (expect 1,500.5, sd 12.25)  3  3",
        "NULL    nothing                                    0  0",
        "Bounds hold one by one.",
    ]


def test_a_notebook_gets_a_table_without_markup_from_cells() -> None:
    html = ANSWER._repr_html_()
    assert html.startswith("<table>")
    assert "&lt;F&gt;" in html
    assert "<F>" not in html
    assert "Bounds hold one by one." in html


def test_every_frame_has_five_columns_per_aggregate() -> None:
    names = [
        f"{name} {figure}" for name in ("pay", "n") for figure in ("lower", "expected", "upper", "sd", "hits")
    ]
    arrow = ANSWER.to_arrow()
    assert arrow.column_names == ["gender", *names]
    assert arrow["pay lower"].to_pylist() == [1000, None]
    assert list(ANSWER.to_pandas().columns) == ["gender", *names]
    assert ANSWER.to_polars().columns == ["gender", *names]


def test_whole_numbers_beyond_64_bits_become_real_ones() -> None:
    answer = Answer(("x",), ({"x": Bounds(2**70, None, 2**71, None, 1)},))
    assert answer.to_arrow()["x lower"].to_pylist() == [float(2**70)]


@pytest.mark.parametrize(
    ("bounds", "shown"),
    [
        (Bounds(5, 5, 5, 0.0, 1), "5"),
        (Bounds(0.25, None, 1234567.891, None, 1), "0.25 to 1,234,567.89"),
        (Bounds(date(2024, 1, 2), None, date(2024, 3, 4), None, 1), "2024-01-02 to 2024-03-04"),
        (Bounds(None, None, 7, None, 1), "NULL to 7"),
    ],
)
def test_one_range(bounds: Bounds, shown: str) -> None:
    assert shown in str(Answer(("x",), ({"x": bounds},)))


def test_no_rows_are_no_lines() -> None:
    empty = Answer(("x",), ())
    assert str(empty) == "x"
    assert empty.to_arrow().equals(pa.table({"x": pa.array([], pa.null())}))


def test_decimals_keep_all_digits_in_values_json_and_arrow() -> None:
    pay = [Decimal("90071992547409.93"), Decimal("0.10"), Decimal("0.20")]
    table = pa.table({"pay": pa.array(pay, pa.decimal128(18, 2)), "shoal_group": [1, 1, 1]})
    found = ask("select max(pay) as m, sum(pay) as s from data", table, ("pay",))
    assert found.rows[0]["m"].lower == pay[0]
    assert json.loads(found.to_json(), parse_float=Decimal)["rows"][0]["m"]["upper"] == pay[0]
    assert '"lower": 90071992547410.23' in found.to_json(indent=2)
    assert found.to_arrow()["m lower"].to_pylist() == [pay[0]]
