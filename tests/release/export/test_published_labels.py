from decimal import Decimal

import pyarrow as pa
import pytest

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


@pytest.mark.parametrize(("shown", "declared"), [(98, ((-9, -9),)), (97.5, ((-9, -9),)), (-9, ((97, 99),))])
def test_codes_that_a_release_shows_are_no_longer_declared_missing(shown, declared) -> None:
    labels = ColumnLabels("Age", {}, ((97, 99), (-9, -9)))
    for cell in (shown, Decimal(str(shown))):
        assert (
            published_labels({"age": labels}, pa.table({"age": [cell, None, type(cell)(20)]}))["age"].missing
            == declared
        )


def test_a_word_that_a_release_shows_is_no_longer_declared_missing() -> None:
    labels = ColumnLabels("Town", {}, (("NA", "NA"), ("x", "x")))
    table = pa.table({"town": ["NA", "Ulm", None]})
    assert published_labels({"town": labels}, table)["town"].missing == (("x", "x"),)
