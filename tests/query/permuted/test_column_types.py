"""Text columns become what all of their cells are."""

from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest

from shoal.query.permuted.column_types import typed_table


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["40", "-7", None, "0"], [40, -7, None, 0]),
        (["1.50", "2", None], [Decimal("1.5"), Decimal("2.0"), None]),
        (["1e-3", "2"], [Decimal("0.001"), Decimal("2.000")]),
        (["1980-01-31", None], [date(1980, 1, 31), None]),
        (["01234", "9"], ["01234", "9"]),
        (["-0", "9"], ["-0", "9"]),
        (["+5", "9"], ["+5", "9"]),
        ([" 5", "9"], [" 5", "9"]),
        (["5", "five"], ["5", "five"]),
        (["5", ""], ["5", ""]),
        (["1980-02-31", "1980-01-31"], ["1980-02-31", "1980-01-31"]),
        (["99999999999999999999", "1"], ["99999999999999999999", "1"]),
        ([None, None], [None, None]),
    ],
)
def test_text_is_typed_when_every_cell_is_canonical(cells: list, found: list) -> None:
    assert typed_table(pa.table({"x": pa.array(cells, pa.string())}))["x"].to_pylist() == found


def test_what_has_a_type_keeps_it() -> None:
    table = pa.table({"a": [1.5, None], "b": [True, False], "c": [date(2000, 1, 1), None]})
    assert typed_table(table).schema == table.schema


def test_a_dictionary_of_numbers_is_numbers() -> None:
    cells = pa.array(["5", "7", "5"]).dictionary_encode()
    assert typed_table(pa.table({"x": cells}))["x"].to_pylist() == [5, 7, 5]
