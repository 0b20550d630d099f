"""A CSV file in pieces that begin and end with a row, however large the file is and whatever its cells hold.

It is read twice. The first look at each block finds where rows begin, which depends on the blocks before it
(``table/files/csv_blocks.py``); then every piece is read by Arrow just as a whole file is.
"""

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
from pyarrow import csv as arrow_csv

from shoal.engines.file_pieces import BATCH_ROWS, with_row_numbers
from shoal.errors import ShoalError
from shoal.table.files.bounded_text import first_bytes, not_plain
from shoal.table.files.csv_blocks import QUOTED, ROW_START, BlockRows, end_of_first_row, rows_of_block
from shoal.table.files.csv_file import (
    SAMPLE_BYTES,
    Dialect,
    convert_options,
    in_fitting_encoding,
    parse_options,
    quote_check,
    refuse_quotes,
    sniff,
    text_of,
)
from shoal.table.files.limits import UNLIMITED
from shoal.table.files.packed_text import is_packed
from shoal.table.files.reading import AS_IT_LOOKS, Reading

BLOCK_BYTES = 1 << 24
RAGGED = (
    "every row needs as many cells as the header; quote cells that contain the delimiter, "
    "and close every quote."
)


@dataclass(frozen=True)
class CsvBlock:
    """Some bytes of a file after its header; ``stop`` is None where it can only be read from its start."""

    path: Path
    dialect: Dialect
    start: int
    stop: int | None


@dataclass(frozen=True)
class BlockFindings:
    """Where rows may begin in a block of a file, and whether the block is UTF-8."""

    rows: BlockRows
    is_utf8: bool = True


@dataclass(frozen=True)
class CsvPiece:
    """Whole rows of a CSV file, which can be read without the rest of it."""

    block: CsvBlock
    rows: int
    first: int

    def tables(self) -> Iterator[pa.Table]:
        number = self.first
        for table in _streamed(self.block) if self.block.stop is None else [self._parsed()]:
            yield with_row_numbers(table, number)
            number += len(table)
        if number != self.first + self.rows:
            raise self._unreadable()

    def _parsed(self) -> pa.Table:
        dialect, text = self.block.dialect, _bytes_of(self.block)
        try:
            if dialect.encoding != "utf-8":
                text = text.decode(dialect.encoding).encode()
            self._refuse_quotes(text)
            # In one block: between two, Arrow loses a line feed that follows a return inside a cell.
            table = arrow_csv.read_csv(
                pa.BufferReader(text),
                arrow_csv.ReadOptions(
                    use_threads=False, block_size=len(text) + 1, column_names=dialect.names
                ),
                parse_options(dialect, dialect.quote.encode() in text),
                convert_options(dialect.names),
            )
        except (pa.ArrowInvalid, UnicodeDecodeError):
            raise self._unreadable() from None
        return table.rename_columns(dialect.columns)

    def _refuse_quotes(self, text: bytes) -> None:
        dialect = self.block.dialect
        if dialect.quote.encode() not in text:
            return
        cells = quote_check(self.block.path, dialect)
        try:
            cells.look(text)
            cells.end()
        except ShoalError:  # its line is that of the piece
            raise quote_fault(self.block) from None

    def _unreadable(self) -> ShoalError:
        what = f"{self.block.path.name} cannot be read as CSV from byte {self.block.start:,} on"
        return ShoalError(what, RAGGED)


def blocks_of(path: Path, dialect: Dialect) -> list[CsvBlock]:
    """Blocks in which a file is looked at; a single one if it is packed or in UTF-16."""
    if is_packed(path) or dialect.encoding == "utf-16":
        return [CsvBlock(path, dialect, 0, None)]
    start, size = _first_row(path, dialect), path.stat().st_size
    return [
        CsvBlock(path, dialect, place, min(place + BLOCK_BYTES, size))
        for place in range(start, size, BLOCK_BYTES)
    ]


def dialect_of(path: Path, reading: Reading = AS_IT_LOOKS, kinds: Iterable[str] = ()) -> Dialect:
    """How a CSV file is written, in the first encoding that can read its beginning."""
    return in_fitting_encoding(path, lambda encoding: sniff(path, encoding, reading), kinds)


def _first_row(path: Path, dialect: Dialect) -> int:
    """Where the first row below the names begins."""
    sample = first_bytes(path, SAMPLE_BYTES)
    text = sample.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
    names = end_of_first_row(text, dialect.quote, dialect.delimiter) if dialect.header else 0
    return len(sample) - len(text) + names


def look_at_block(block: CsvBlock) -> BlockFindings:
    """What a worker finds in a block on its own."""
    if block.stop is None:
        rows = sum(len(table) for table in _streamed(block))
        return BlockFindings(BlockRows((ROW_START,), (rows,), (0 if rows else -1,)))
    text, dialect = _bytes_of(block), block.dialect
    if b"\0" in text:
        raise not_plain(block.path)
    found = rows_of_block(text, dialect.quote, dialect.delimiter, len(dialect.names) == 1)
    return BlockFindings(found, text.isascii() or _is_utf8(block))


def csv_pieces(blocks: list[CsvBlock], found: list[BlockFindings], first: int) -> list[CsvPiece]:
    """The pieces of one file; a row belongs to the block in which it begins."""
    state, begun = ROW_START, list[tuple[CsvBlock, int, int]]()
    for block, seen in zip(blocks, found, strict=True):
        if seen.rows.firsts[state] >= 0:
            begun.append((block, block.start + seen.rows.firsts[state], seen.rows.rows[state]))
        state = seen.rows.ends[state]
    if state == QUOTED:
        raise quote_fault(blocks[0])
    stops = [start for _, start, _ in begun[1:]] + [blocks[-1].stop if blocks else None]
    pieces = list[CsvPiece]()
    for (block, start, rows), stop in zip(begun, stops, strict=True):
        if rows:
            pieces.append(CsvPiece(replace(block, start=start, stop=stop), rows, first))
        first += rows
    return pieces


def in_encoding(
    blocks: list[CsvBlock], found: list[BlockFindings], reading: Reading = AS_IT_LOOKS
) -> list[CsvBlock]:
    """A file that is not UTF-8 anywhere is Windows-1252 everywhere, as in memory."""
    if all(seen.is_utf8 for seen in found) or blocks[0].dialect.as_written:
        return blocks
    dialect = dialect_of(blocks[0].path, reading, ["cp1252"])
    return [replace(block, dialect=dialect) for block in blocks]


def quote_fault(block: CsvBlock) -> ShoalError:
    """What is wrong with the quotes of a file; all of it is read, for the number of the line."""
    try:
        refuse_quotes(block.path, block.dialect, UNLIMITED)
    except ShoalError as found:
        return found
    except UnicodeDecodeError:
        pass
    return ShoalError(f"{block.path.name} cannot be read as CSV", RAGGED)


def _bytes_of(block: CsvBlock, beyond: int = 0) -> bytes:
    with block.path.open("rb") as file:
        file.seek(block.start)
        return file.read((block.stop or 0) - block.start + beyond)


def _is_utf8(block: CsvBlock) -> bool:
    """A character may be cut at either end: the block in which it begins looks at all of it."""
    text = _bytes_of(block, beyond=3)
    cut = next((place for place in range(min(3, len(text))) if text[place] & 0xC0 != 0x80), 3)
    at_end = len(text) < (block.stop or 0) - block.start + 3
    try:
        codecs.getincrementaldecoder("utf-8")().decode(text[cut:], final=at_end)
    except UnicodeDecodeError:
        return False
    return True


def _streamed(block: CsvBlock) -> Iterator[pa.Table]:
    path, dialect = block.path, block.dialect
    try:
        with arrow_csv.open_csv(
            text_of(path, dialect, UNLIMITED),
            arrow_csv.ReadOptions(
                use_threads=False,
                skip_rows=dialect.blank_lines,
                block_size=1 << 23,
                column_names=None if dialect.header else dialect.names,
            ),
            parse_options(dialect, newlines_in_cells=True),
            convert_options(dialect.names),
        ) as reader:
            for batch in reader:
                if batch.num_rows:
                    table = pa.Table.from_batches([batch]).rename_columns(dialect.columns)
                    yield from (table.slice(at, BATCH_ROWS) for at in range(0, len(table), BATCH_ROWS))
    except (pa.ArrowInvalid, UnicodeDecodeError):
        raise ShoalError(f"{path.name} cannot be read as CSV", RAGGED) from None
