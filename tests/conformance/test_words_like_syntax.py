"""Words that look like a set, a star or a range are published, checked and asked as the words they are."""

import csv
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.hierarchy import build
from shoal.table.columns.word_set import cell_of, words_in
from shoal.table.files.data_file import read_data, write_data
from tests.draws import draws

WORDS = ["1,5", "A, B", "[a, b]", "*x", 'a"b', "*", "[1, 2]", "{x}", "{x, y}", "'q", "x"]


def slow_members(cell: str) -> list[str]:
    """The members of a set by a CSV reader, which knows quotes and commas but not this project."""
    (members,) = csv.reader([cell[1:-1]], skipinitialspace=True)
    return members


def policy_of(method: str, **more: object) -> shoal.Policy:
    return shoal.Policy(
        columns={"word": "quasi", "age": "quasi", "pay": "sensitive"},
        guarantees=[{"kind": "k-anonymity", "k": 3}],
        method={"name": method, **({"suppression": 0.5} if method in ("optimal", "suppress-cells") else {})},
        **more,
    )


TABLE = pa.table(
    {
        "word": [word for word in WORDS for _ in range(3)],
        "age": [30 + row // 3 for row in range(3 * len(WORDS))],
        "pay": list(range(3 * len(WORDS))),
    }
)
HIERARCHIES = [{}, {"word": {"groups": [2]}}, {"word": {"frequency": [0.01]}}]


@pytest.mark.parametrize("hierarchies", HIERARCHIES, ids=["none", "groups", "frequency"])
@pytest.mark.parametrize(("method", "format"), [("mondrian", "csv"), ("optimal", "parquet")])
def test_every_word_is_found_again_by_verify_and_query(tmp_path: Path, method, format, hierarchies):
    release = shoal.anonymize(TABLE, policy_of(method, hierarchies=hierarchies), secret=b"1" * 32)
    release.write(tmp_path / "out", format)
    opened = shoal.open_release(tmp_path / "out")
    assert all(verdict.holds for verdict in opened.verify(TABLE))
    for word in WORDS:
        literal = word.replace("'", "''")
        (answer,) = opened.query(f"select count(*) as n from data where word = '{literal}'").rows
        assert answer["n"].lower <= 3 <= answer["n"].upper, word


def test_groups_write_their_members_so_that_they_can_be_told_apart():
    words = ["1,5", "A", 'a"b', "B, C"]
    found = build.order_groups(words, [2])
    labels = found.levels[1].labels
    assert sorted(member for label in labels for member in slow_members(label)) == sorted(words)
    assert {word for label in labels for word in words_in(label)} == set(words)


PRINTABLE = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1, max_size=5)
AWKWARD = st.text(st.sampled_from('ab1 ,"{}[]*\n\t\u00a0;=-.'), min_size=1, max_size=6)


@draws(40)
@given(sets=st.lists(st.lists(AWKWARD | PRINTABLE, min_size=1, max_size=4), min_size=1))
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_sets_of_any_words_are_read_back_from_files(tmp_path_factory, format, sets):
    sets = [set(words) for words in sets]
    cells = [cell_of(sorted(words)) for words in sets]
    path = tmp_path_factory.mktemp("sets") / f"data.{format}"
    write_data(pa.table({"row": list(range(len(cells))), "word": pa.array(cells, pa.string())}), path)
    back = read_data(path).arrow.column("word").to_pylist()
    assert [set(words_in(cell) or [cell]) for cell in back] == sets


def half_open(*ends: tuple[int | None, int | None]) -> pa.Table:
    return pa.table({"age": pa.array([{"lo": low, "hi": high} for low, high in ends])})


def test_ranges_without_an_end_are_cells_of_their_own():
    policy = shoal.Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    (verdict,) = shoal.check(half_open((20, None), (90, None)), policy)
    assert (verdict.holds, verdict.achieved["k"]) == (False, 1)
    (verdict,) = shoal.check(half_open((20, None), (20, None), (None, 20), (None, 20)), policy)
    assert verdict.achieved["k"] == 2
    (verdict,) = shoal.check(half_open((None, None), (None, None), (20, None), (20, None)), policy)
    assert verdict.achieved["k"] == 2


def test_a_sum_over_a_range_without_an_end_is_refused():
    policy = shoal.Policy(
        columns={"age": "quasi"}, guarantees=[{"kind": "kf-anonymity", "k": 2, "knows": ["age"]}]
    )
    with pytest.raises(shoal.ShoalError, match="ranges without an end"):
        shoal.check(half_open((20, None), (90, None)), policy)


@pytest.mark.parametrize(("second", "k"), [("5", 2), ("7", 1)])
def test_a_star_is_the_declared_domain_to_somebody_who_knows_a_total(second: str, k: int):
    """a is 0 to 10: the totals lie from 5 to 15, and from 5 to 15 or from 7 to 17."""
    table = pa.table({"a": ["*", "*"], "b": ["5", second]})
    asked = {"kind": "kf-anonymity", "k": 2, "knows": ["a + b"]}
    columns = {"a": "quasi", "b": "quasi"}
    (limited,) = shoal.check(table, shoal.Policy(columns=columns, guarantees=[asked], domains={"a": [0, 10]}))
    assert limited.achieved["k"] == k
    (unlimited,) = shoal.check(table, shoal.Policy(columns=columns, guarantees=[asked]))
    assert unlimited.achieved["k"] == 2
