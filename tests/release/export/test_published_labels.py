from decimal import Decimal

import pyarrow as pa

from shoal.release.export.published_labels import published_labels
from shoal.table.files.labels import ColumnLabels

LABELS = ColumnLabels("Title", {1: "one", 2: "two", 2.5: "half", "a": "letter"}, ((-9, -9), ("x", "x")))


def test_no_label_of_a_value_that_is_not_shown_comes_out() -> None:
    found = published_labels({"n": LABELS, "gone": LABELS}, pa.table({"n": [2, 3, None]}))
    assert found == {"n": ColumnLabels("Title", {2: "two"}, ((-9, -9),))}


def test_numbers_are_compared_by_value() -> None:
    for column in ([2.5, 1.0], [Decimal("2.50"), Decimal(1)]):
        assert published_labels({"n": LABELS}, pa.table({"n": column}))["n"].values == {1: "one", 2.5: "half"}


def test_a_code_in_a_column_of_text_is_its_spelling() -> None:
    found = published_labels({"n": LABELS}, pa.table({"n": ["1", "{1, 2}", "[2, 3]", "a", "*", None]}))
    assert found["n"] == ColumnLabels("Title", {"1": "one", "a": "letter"}, (("x", "x"),))
