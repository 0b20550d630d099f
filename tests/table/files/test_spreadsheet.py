"""Formula cells get an apostrophe, and taking one away gives every text back."""

import csv
import unicodedata
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.engines.disk.engine import DiskEngine
from shoal.release.large_release import release_large
from shoal.table.files.spreadsheet import escape, escape_name, unescape, unescape_name

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
    " =1+1": "' =1+1",
    "\u00a0=1": "'\u00a0=1",  # a blank that does not break
    "\u3000+x": "'\u3000+x",  # one in full width
    "\n=1": "'\n=1",
    "\r\n=1": "'\r\n=1",
    "\n": "'\n",
    "\u2028@x": "'\u2028@x",
    "\u200b=1": "'\u200b=1",  # no width at all
    "\ufeff-x": "'\ufeff-x",
    "\u202e=1": "'\u202e=1",
    "\x00=1": "'\x00=1",
    "＝1": "'＝1",
    "＋x": "'＋x",
    "－x": "'－x",
    "＠x": "'＠x",
    "−x": "'−x",
    "' ＝1": "'' ＝1",
    " -5 EUR": "' -5 EUR",
}
UNTOUCHED = [
    "",
    " ",
    "\u200b",
    " -5",
    "-5 ",
    " plain",
    "plain",
    "'tis",
    "'",
    "a=b",
    "5",
    "-5",
    "+5",
    "-0.5",
    "-.5",
    "+1e9",
    "[-10, 15]",
    "*",
    None,
]


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


def reference(text: str) -> str:
    """The guard character by character, from Unicode's own tables."""
    behind = text.lstrip("'")
    seen = 0
    while seen < len(behind) and unicodedata.category(behind[seen]) in ("Zs", "Zl", "Zp", "Cc", "Cf"):
        seen += 1
    sign = unicodedata.normalize("NFKC", behind[seen : seen + 1]) in ("=", "+", "-", "@", "\u2212")
    try:
        number = not behind.strip(" ").startswith(("\t", "\r", "\n")) and float(text.strip(" ")) is not None
    except ValueError:
        number = False
    number = number and text.isascii() and "_" not in text and not set(text) & set("\t\r\n\v\f")
    return f"'{text}" if (sign or behind[:1] in ("\t", "\r", "\n")) and not number else text


ODD = "'=+-@＝＋－＠−⁺\t\r\n\v\u00a0\u200b\u200d\ufeff\u202e\u2028\u3000 5.eé"


@given(st.lists(st.text(alphabet=ODD, max_size=8), min_size=1, max_size=5))
def test_the_guard_is_that_of_the_reference(texts: list[str]) -> None:
    column = pa.chunked_array([pa.array(texts, pa.string())])
    assert escape(column).to_pylist() == [reference(text) for text in texts]
    assert unescape(escape(column)).to_pylist() == texts


@given(st.text(max_size=12))
def test_every_name_comes_back(name: str) -> None:
    if not any(unicodedata.category(letter) == "Cs" for letter in name):
        assert unescape_name(escape_name(name)) == name


CELLS = ["＝1+1", "\u00a0=1", "\u200d@x", "\u202e=2", "line\n=1", "\n+1", "-7.5", "'=1", "plain"]
# Published without blanks around them; other unseen characters stay, and are guarded.
SHOWN = ["＝1+1", "=1", "\u200d@x", "\u202e=2", "line\n=1", "+1", "-7.5", "'=1", "plain"]
NAMES = ("＝name", " +word", "\u200b=sum")


def words() -> pa.Table:
    return pa.table(
        {NAMES[0]: CELLS * 2, NAMES[1]: [word for word in CELLS for _ in "ab"], NAMES[2]: [1, 2] * 9}
    )


WORDS_POLICY = shoal.Policy(
    columns={NAMES[0]: "other", NAMES[1]: "quasi", NAMES[2]: "other"}, guarantees=[shoal.KAnonymity(k=2)]
)


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_no_cell_or_name_of_a_release_runs_and_all_come_back(tmp_path: Path, engine: str) -> None:
    folder = tmp_path / "release"
    if engine == "memory":
        shoal.anonymize(words(), WORDS_POLICY).write(folder)
    else:
        release_large(DiskEngine.with_memory(10**9), words(), WORDS_POLICY, folder, "csv")
    with (folder / "data.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert not [cell for row in rows for cell in row if reference(cell) != cell and not cell.startswith("'")]
    opened = shoal.open_release(folder)
    assert all(verdict.holds for verdict in opened.verify(against=words()))
    assert opened.read().names == list(NAMES)
    assert sorted(opened.read().arrow[NAMES[0]].to_pylist()) == sorted(SHOWN * 2)


def test_the_names_of_a_help_table_do_not_run(tmp_path: Path) -> None:
    table = pa.table({"town": ["Ulm", "Rom"] * 3, "=pay": [5, 3, 9, 4, 6, 8]})
    policy = shoal.Policy(
        columns={"town": "quasi", "=pay": "sensitive"},
        guarantees=[shoal.KeAnonymity(k=2, e=1, sensitive="=pay")],
    )
    shoal.anonymize(table, policy).write(tmp_path / "release")
    with (tmp_path / "release" / "help.csv").open(newline="", encoding="utf-8") as file:
        head = next(csv.reader(file))
    assert "'=pay_sum_lower" in head
    assert not [name for name in head if reference(name) != name and not name.startswith("'")]
    assert all(verdict.holds for verdict in shoal.open_release(tmp_path / "release").verify(against=table))
