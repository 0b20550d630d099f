"""Words in one form."""

import pyarrow as pa

from shoal.table.rules.prepared_words import TextForm


def test_words_get_capitals_small_letters_or_single_blanks():
    cells = pa.array(["\u00a0Zürich\tWest ", None])
    assert TextForm("upper").read(pa.array(["Zürich"])).cells.to_pylist() == ["ZÜRICH"]
    assert TextForm("lower").read(pa.array(["Zürich"])).cells.to_pylist() == ["zürich"]
    assert TextForm("trim").read(cells).cells.to_pylist() == ["Zürich West", None]
