"""A line end inside a cell stays whole wherever a reader cuts the file."""

import gzip
from io import BytesIO
from itertools import pairwise

import pytest

from shoal.table.batches import batches_of
from shoal.table.files import csv_file
from shoal.table.files.utf8_stream import Utf8Stream
from shoal.table.read import read_table

ARROW_BLOCK = 1 << 20


@pytest.mark.parametrize(("name", "encoding"), [("t.csv", "utf-8"), ("t.csv", "cp1252"), ("t.csv", "utf-16"),
                                                ("t.csv.gz", "utf-8")])  # fmt: skip
def test_a_line_end_on_the_border_of_two_blocks_is_kept(tmp_path, name, encoding):
    head, cell = "a,b\r\n" + "ä,2\r\n" * 140_000, '"x\r\ny"\r\n'
    rest = ARROW_BLOCK - len(head.encode()) - len("1,") - 2 - 1
    text = head + "z" * (rest - 4) + ",2\r\n" + "1," + cell
    assert text.encode()[ARROW_BLOCK - 1 : ARROW_BLOCK + 1] == b"\r\n"
    content = text.encode(encoding)
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    table = read_table(tmp_path / name).arrow
    assert len(table) == 140_002
    assert table.slice(len(table) - 1).to_pylist() == [{"a": "1", "b": "x\r\ny"}]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
@pytest.mark.parametrize("block", range(20, 40))
def test_a_line_end_is_kept_in_batches(tmp_path, monkeypatch, block, encoding):
    monkeypatch.setattr(csv_file, "BLOCK_BYTES", block)
    (tmp_path / "t.csv").write_bytes(("a,b\r\n" + '1,"x\r\nä"\r\n' * 30).encode(encoding))
    cells = [row for table in batches_of(tmp_path / "t.csv").read(10) for row in table.to_pylist()]
    assert cells == [{"a": "1", "b": "x\r\nä"}] * 30


@pytest.mark.parametrize("size", range(2, 9))
def test_no_read_ends_between_return_and_line_feed(size):
    content = b"a\r\n\r\n\r\nbc\r\rd\r\n\xc3\xa4\r"
    text, reads = Utf8Stream(BytesIO(content), "utf-8"), list[bytes]()
    while got := text.read(size):
        reads.append(got)
    assert b"".join(reads) == content
    assert all(0 < len(read) <= size for read in reads)
    pairs = pairwise(reads)
    assert not any(one.endswith(b"\r") and two.startswith(b"\n") for one, two in pairs)
