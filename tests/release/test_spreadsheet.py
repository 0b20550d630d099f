"""Formula cells get an apostrophe, and taking one away gives every text back."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.release.spreadsheet import escape, escape_name, unescape, unescape_name

ESCAPED = {
    "=1+1": "'=1+1",
    "+x": "'+x",
    "-x": "'-x",
    "@x": "'@x",
    "\tx": "'\tx",
    "\rx": "'\rx",
    "-": "'-",
    "--5": "'--5",
    "-5 EUR": "'-5 EUR",
    "+49 30 1234": "'+49 30 1234",
    "'=1+1": "''=1+1",  # what already looks escaped gets one more
    "''-5": "'''-5",
}
UNTOUCHED = ["", "plain", "'tis", "'", "a=b", "5", "-5", "+5", "-0.5", "-.5", "+1e9", "[-10, 15]", "*", None]


@pytest.mark.parametrize(("text", "written"), ESCAPED.items())
def test_what_a_spreadsheet_would_run_is_escaped(text: str, written: str) -> None:
    assert escape(pa.chunked_array([[text]])).to_pylist() == [written]
    assert unescape(pa.chunked_array([[written]])).to_pylist() == [text]
    assert escape_name(text) == written
    assert unescape_name(written) == text


def test_everything_else_is_left_alone() -> None:
    column = pa.chunked_array([pa.array(UNTOUCHED, pa.string())])
    assert escape(column).to_pylist() == UNTOUCHED
    assert unescape(column).to_pylist() == UNTOUCHED
    assert all(escape_name(name) == unescape_name(name) == name for name in UNTOUCHED if name)


@given(st.lists(st.text(alphabet="'=+-@\t\r5.e x\n") | st.none(), min_size=1, max_size=5))
def test_escaping_can_always_be_undone(texts: list[str | None]) -> None:
    column = pa.chunked_array([pa.array(texts, pa.string())])
    assert unescape(escape(column)).to_pylist() == texts
