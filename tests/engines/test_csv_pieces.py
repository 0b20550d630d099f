import gzip
from random import Random

import pyarrow as pa
import pytest

from shoal.engines import csv_pieces
from shoal.engines.csv_pieces import blocks_of, dialect_of, in_encoding, look_at_block
from shoal.errors import ShoalError
from shoal.table.columns.numbered_rows import ROW
from shoal.table.files.csv_file import read_csv
from shoal.table.files.limits import Limits
from shoal.table.files.reading import Reading

CELLS = (
    "",
    "a",
    '""',
    '"a,b"',
    '"x\ny"',
    '"x\r\ny"',
    '"q""q"',
    '5" pipe',
    "é",
    '"é,\n"',
    '"a"b',
    "a longer text",
)
NAMES = ("h0", "h1", "h2", "h\n0", "h\n1", "h\n2")
ANY_TEXT = Reading(header=True, multiline=NAMES)


def drawn(random: Random) -> str:
    width, end = random.choice([1, 2, 3]), random.choice(["\n", "\r\n", "\r"])
    blank = ["", "", end]
    rows = [
        random.choice(blank) + ",".join(random.choice(CELLS) for _ in range(width))
        for _ in range(random.randrange(1, 20))
    ]
    head = random.choice(['"h\n{}"', "h{}"]) if width > 1 else "h{}"
    names = ",".join(head.format(place) for place in range(width))
    return random.choice(["", "\n", "\r\n\n"]) + end.join([names, *rows]) + random.choice(["", end])


def read_whole(path):
    table = read_csv(path, Limits.of_machine(), ANY_TEXT)
    return pa.table({name: table.column(name) for name in table.names})


def read_in_pieces(path):
    blocks = blocks_of(path, dialect_of(path, ANY_TEXT))
    found = [look_at_block(block) for block in blocks]
    pieces = csv_pieces.csv_pieces(in_encoding(blocks, found, ANY_TEXT), found, 0)
    tables = [table for piece in pieces for table in piece.tables()]
    assert sum(piece.rows for piece in pieces) == sum(map(len, tables))
    return pa.concat_tables(tables)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 40, 1000])
def test_a_file_cut_anywhere_has_the_rows_that_it_has_as_a_whole(tmp_path, monkeypatch, size):
    monkeypatch.setattr(csv_pieces, "BLOCK_BYTES", size)
    random, path = Random(size), tmp_path / "t.csv"
    for _ in range(40):
        path.write_bytes(drawn(random).encode(random.choice(["utf-8", "utf-8-sig", "cp1252"])))
        whole = read_whole(path)
        got = read_in_pieces(path)
        assert got.drop([ROW]).to_pylist() == whole.to_pylist()
        assert got[ROW].to_pylist() == list(range(len(whole)))


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_what_cannot_be_cut_is_read_from_its_start(tmp_path, name):
    text = drawn(Random(5)).encode("utf-8" if name.endswith("gz") else "utf-16")
    path = tmp_path / name
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    assert read_in_pieces(path).drop([ROW]).to_pylist() == read_whole(path).to_pylist()


def test_a_row_of_another_width_is_refused_without_its_cells(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\nsecret,3,4\n")
    with pytest.raises(ShoalError, match=r"t\.csv cannot be read as CSV") as refused:
        read_in_pieces(path)
    assert "secret" not in str(refused.value)
