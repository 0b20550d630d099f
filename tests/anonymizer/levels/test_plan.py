"""Full-domain recoding: what it says about its search, and which searches it refuses."""

import json

import pyarrow as pa
import pytest

import shoal
from shoal.errors import ShoalError
from shoal.table.columns.dictionary_encoding import decode_columns
from shoal.table.files.data_file import read_data, write_data
from shoal.table.table import Table
from shoal.verify.verify import verify_with_link

WORDS = ["north", "north-east", "south", "*", "{a, b}", None, "=1", 'a "b", c', ""]


def table(rows=60, columns=3):
    cells = {f"c{at}": [WORDS[(row * (at + 1) + row // 7) % len(WORDS)] for row in range(rows)]
             for at in range(columns)}  # fmt: skip
    return pa.table({**cells, "ill": [["flu", "cold"][row % 2] for row in range(rows)]})


def policy(columns=3, **method):
    roles = {f"c{at}": "quasi" for at in range(columns)} | {"ill": "sensitive"}
    return shoal.Policy(columns=roles, guarantees=[{"kind": "k-anonymity", "k": 3}], method=method)


def test_a_proved_result_says_so():
    made = shoal.anonymize(table(), policy(name="optimal", suppression=0.3)).result
    assert made.gap == 0
    assert "proved best: no allowed combination of levels loses less" in made.notes


def test_a_result_that_is_not_proved_says_how_far_it_may_be_from_the_best():
    asked = policy(30, name="optimal", suppression=0.3, options={"time_limit": 0.05})
    made = shoal.anonymize(table(columns=30), asked).result
    assert made.gap is None or made.gap >= 0
    assert any("time limit" in note or "proved best" in note for note in made.notes)
    json.dumps(made.gap, allow_nan=False)


def test_other_searches_prove_nothing():
    assert shoal.anonymize(table(), policy(name="datafly", suppression=0.3)).result.gap is None


@pytest.mark.parametrize("method", ["incognito", "samarati"])
def test_a_lattice_that_is_too_large_to_be_listed_is_refused(method):
    with pytest.raises(
        ShoalError, match=r"1,073,741,824 of them[\s\S]*use name = \"optimal\" or \"datafly\""
    ):
        shoal.anonymize(table(columns=30), policy(30, name=method))


@pytest.mark.parametrize("seconds", [0, -1, "long", True])
def test_a_time_limit_is_a_number_above_0(seconds):
    with pytest.raises(ShoalError, match="'time_limit' of 'optimal' must be a number above 0"):
        shoal.anonymize(table(), policy(name="optimal", options={"time_limit": seconds}))


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_encoded_columns_are_written_as_others_are(tmp_path, format):
    release = shoal.anonymize(table(), policy(name="optimal", suppression=0.5), seed=1)
    encoded, plain = tmp_path / f"encoded.{format}", tmp_path / f"plain.{format}"
    names = release.result.table.column_names
    made = release.result.table
    write_data(pa.table([column.dictionary_encode() for column in made.columns], names), encoded)
    write_data(made, plain)
    assert read_data(encoded).arrow.to_pylist() == read_data(plain).arrow.to_pylist()
    assert encoded.read_bytes() == plain.read_bytes() or format == "parquet"
    assert release.table.to_pylist() == made.to_pylist()
    assert [column.type for column in release.table.columns] == [pa.string()] * len(names)


@pytest.mark.parametrize("method", ["optimal", "mondrian"])
@pytest.mark.parametrize("broken", [False, True])
def test_verdicts_are_the_same_whether_cells_are_looked_at_once_or_each(method, broken, monkeypatch):
    original = Table(table(300))
    release = shoal.anonymize(original.arrow, policy(name=method, suppression=0.5), seed=1)
    rows = release.result.input_rows
    published = decode_columns(release.result.table, release.result.table.column_names)
    if broken:
        published = published.take([*range(1, len(rows)), 0])

    def verdicts():
        found = verify_with_link(Table(published), Table(original.arrow), release.policy, rows)
        return [(verdict.holds, verdict.achieved) for verdict in found]

    each = verdicts()
    monkeypatch.setattr("shoal.table.columns.dictionary_encoding.LONG", 1)
    assert verdicts() == each
    assert all(holds for holds, _ in each) is not broken


@pytest.mark.parametrize("method", ["optimal", "datafly", "suppress-cells"])
def test_blanks_around_words_do_not_tell_records_apart(method, tmp_path):
    policy = shoal.Policy(
        columns={"town": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 4}], method={"name": method}
    )
    table = pa.table({"town": ["Ulm ", "Ulm", " Ulm", "Ulm"]})
    release = shoal.anonymize(table, policy, seed=1)
    release.write(tmp_path / "release")
    assert release.table["town"].to_pylist() == ["Ulm"] * 4
    assert all(verdict.holds for verdict in shoal.open_release(tmp_path / "release").verify(against=table))
