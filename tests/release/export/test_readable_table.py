import datetime
from decimal import Decimal

import pyarrow as pa

from shoal.release.export.readable_table import readable_table, typed_columns


def test_every_kind_of_column_is_text_that_people_read() -> None:
    table = pa.table(
        {
            "range": [{"lo": Decimal("1.50"), "hi": Decimal("2.00")}, {"lo": 3, "hi": 3}, None],
            "few": pa.array(["a", "b", "a"]).dictionary_encode(),
            "whole": [1, None, 3],
            "real": [0.5, 1e-9, None],
            "exact": [Decimal("0.00000005"), Decimal("1.10000000"), None],
            "yes": [True, False, None],
            "day": [datetime.date(2020, 2, 29), None, None],
            "list": [["a"], None, []],
        }
    )
    assert readable_table(table).to_pydict() == {
        "range": ["[1.50, 2.00]", "3.00", None],
        "few": ["a", "b", "a"],
        "whole": ["1", None, "3"],
        "real": ["0.5", "1e-9", None],
        "exact": ["0.00000005", "1.10000000", None],
        "yes": ["true", "false", None],
        "day": ["2020-02-29", None, None],
        "list": ["['a']", None, "[]"],
    }


def test_one_word_among_numbers_leaves_them_text() -> None:
    table = pa.table({"pay": ["1.5", "*"], "zip": ["0123", "4"], "age": ["7", None]})
    assert [str(kind) for kind in typed_columns(table).schema.types] == ["string", "string", "int64"]
