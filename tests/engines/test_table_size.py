"""How large a table is in memory, and how little memory is refused."""

import gzip
import re
from pathlib import Path

import pytest

from shoal.engines.disk.engine import DiskEngine
from shoal.engines.table_size import IMPORTED, bytes_needed, fits_in_memory, parse_bytes
from shoal.errors import ShoalError


def test_a_packed_file_is_counted_as_what_it_holds(tmp_path):
    text = b"age,pay\n" + b"30,1250\n" * 20_000
    (tmp_path / "t.csv").write_bytes(text)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text))
    packed, plain = bytes_needed(tmp_path / "t.csv.gz"), bytes_needed(tmp_path / "t.csv")
    size = (tmp_path / "t.csv.gz").stat().st_size
    assert packed - IMPORTED == 10 * size * (plain - IMPORTED) // len(text)
    assert not fits_in_memory(tmp_path / "t.csv.gz", IMPORTED + 16 * size)


def test_a_folder_is_counted_as_its_files(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_bytes(b"age,pay\n" + b"30,1250\n" * 20_000)
    one = bytes_needed(tmp_path / "a.csv") - IMPORTED
    assert bytes_needed(tmp_path) == IMPORTED + 2 * one
    assert fits_in_memory(tmp_path, IMPORTED + 2 * one)
    assert not fits_in_memory(tmp_path, IMPORTED + one)


def test_the_least_memory_is_one_number_in_the_message_the_docs_and_what_is_taken():
    with pytest.raises(ShoalError, match="799 MB of memory are too little") as refused:
        DiskEngine.with_memory(parse_bytes("799MB"))
    (least,) = re.findall(r"\d+ MB", str(refused.value.faults[0].hint))
    assert DiskEngine.with_memory(parse_bytes(least)).memory == parse_bytes("800 MB")
    docs = Path(__file__).parents[2] / "docs" / "scale.md"
    assert f"Below {least} it is refused" in docs.read_text(encoding="utf-8")
