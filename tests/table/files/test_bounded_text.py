"""Small files that stand for huge tables: refused in words, whatever they are."""

import gzip
import os
import random
import tracemalloc
from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.table.files.bounded_text import LONGEST_LINE, BoundedText
from shoal.table.files.limits import Limits
from shoal.table.profile.preview import preview
from shoal.table.read import read_table

MEGABYTE = 1_000_000
SMALL = Limits(bytes=MEGABYTE, cells=100_000, columns=1000)
ROOMY = Limits(bytes=100 * MEGABYTE, cells=100 * MEGABYTE)


def refusal(path: Path, limits: Limits = SMALL) -> str:
    with pytest.raises(ShoalError) as refused:
        read_table(path, limits)
    return str(refused.value)


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv"])
def test_content_beyond_the_limit_is_refused(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / name, b"a,b\n" + b"1234567890,\n" * 100_000)
    assert "holds more than 1 MB" in refusal(path, Limits(MEGABYTE, 10 * MEGABYTE))


def test_a_packed_file_within_the_limit_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv.gz", b"a,b\n" + b"1,2\n" * 1000)
    assert len(read_table(path, SMALL)) == 1000


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv"])
def test_many_short_cells_are_refused(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / name, b"a,b,c,d\n" + b",,,\n" * 100_000)
    assert "has more than 100,000 cells" in refusal(path)


@pytest.mark.parametrize("name", ["t.jsonl.gz", "t.jsonl"])
def test_json_lines_beyond_the_limit_are_refused(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / name, b'{"a": "1234567890"}\n' * 90_000)
    assert "holds more than 1 MB" in refusal(path)


@pytest.mark.parametrize("name", ["t.csv.gz", "t.jsonl.gz"])
@pytest.mark.parametrize("filler", [b"\0", b"x"])
def test_one_endless_line_is_refused_and_not_unpacked(name: str, filler: bytes, tmp_path: Path) -> None:
    path = written(tmp_path / name, b'{"a":"' + filler * (10 * MEGABYTE))
    assert path.stat().st_size < 20_000
    tracemalloc.start()
    message = refusal(path, ROOMY)
    assert tracemalloc.get_traced_memory()[1] < 8 * MEGABYTE
    tracemalloc.stop()
    assert any(word in message for word in ("longer than", "NUL"))
    with pytest.raises(ShoalError):
        preview(path, limits=ROOMY)


@pytest.mark.parametrize("quote", [b"", b'"'])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_one_endless_cell_is_refused(quote: bytes, name: str, tmp_path: Path) -> None:
    path = written(tmp_path / name, b"a,b\n1,2\n3," + quote + b"x" * (3 * LONGEST_LINE) + quote + b"\n")
    message = refusal(path, ROOMY)
    assert message.startswith(f"line 3 of {name} is longer than")
    assert "xxx" not in message


def test_a_quote_that_is_never_closed_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", b"a,b\n" + b"1,2\n" * 99_999 + b'1,"' + b"x\n" * MEGABYTE)
    assert refusal(path, ROOMY).startswith("the quote that opens in line 100,001 of t.csv is never closed")


def test_a_quote_that_is_never_closed_in_the_header_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", b'"a,' + b"x\n" * 200_000)
    assert refusal(path, ROOMY).startswith("the first line of t.csv cannot be read")


def test_a_million_columns_are_refused(tmp_path: Path) -> None:
    header = ",".join(f"c{place}" for place in range(1_000_000)).encode()
    path = written(tmp_path / "t.csv", header + b"\n" + b"," * 999_999 + b"\n")
    assert refusal(path, ROOMY).startswith("the first line of t.csv is longer than")


def test_too_many_columns_with_short_names_are_refused(tmp_path: Path) -> None:
    header = ",".join(f"c{place:x}" for place in range(30_000)).encode()
    path = written(tmp_path / "t.csv", header + b"\n" + b"," * 29_999 + b"\n")
    assert refusal(path, ROOMY).startswith("t.csv has more than 10,000 columns")


@pytest.mark.parametrize("place", [0, 2 * MEGABYTE])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_nul_bytes_are_refused_wherever_they_are(name: str, place: int, tmp_path: Path) -> None:
    content = b"a,b\n" + b"1,2\n" * (place // 4) + b"3,\0\n"
    assert refusal(written(tmp_path / name, content), ROOMY).startswith(f"{name} holds NUL bytes")


def test_utf_16_without_its_mark_is_refused_with_a_hint(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", "a,b\n1,2\n".encode("utf-16-le"))
    assert "UTF-16 needs its mark" in refusal(path)


def test_half_a_character_of_utf_16_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", "a,b\n1,2\n".encode("utf-16")[:-1])
    assert refusal(path)


@pytest.mark.parametrize("damage", ["cut", "flipped"])
@pytest.mark.parametrize("name", ["t.csv.gz", "t.jsonl.gz"])
def test_a_packed_file_that_is_damaged_far_inside_is_refused(name: str, damage: str, tmp_path: Path) -> None:
    draw = random.Random(7)
    row = '{{"a": {}}}\n' if "json" in name else "{},1\n"
    text = ("" if "json" in name else "a,b\n") + "".join(row.format(draw.random()) for _ in range(60_000))
    packed = bytearray(gzip.compress(text.encode(), mtime=0))
    if damage == "cut":
        del packed[-5000:]
    else:
        packed[-5000] ^= 255
    (tmp_path / name).write_bytes(packed)
    assert refusal(tmp_path / name, ROOMY).startswith(f"{name} is cut off or damaged")


def test_a_name_that_is_no_text_is_refused_in_words(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv.gz"))
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert "\\udcff.csv.gz' is no text in UTF-8" in refusal(path)


def test_the_stream_gives_the_content_as_it_is(tmp_path: Path) -> None:
    content = bytes(range(256)) * 10_000
    path = written(tmp_path / "t.csv.gz", content)
    with BoundedText(path, ROOMY) as stream:
        pieces = [*iter(lambda: stream.read(70_000), b"")]
    assert b"".join(pieces) == content
