"""JSON lines: one object per line. Every new key is a column of all rows, so keys are counted first.

The columns are found in the first lines, and the rest is read as more of the same, which costs nothing. Only
a file that brings new keys or kinds later is looked through line by line before it is read.
"""

import json
from collections.abc import Iterable
from io import BytesIO
from itertools import islice
from pathlib import Path

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.table.files.bounded_text import BoundedText, bounded_lines, first_bytes, not_plain
from shoal.table.files.limits import Limits
from shoal.table.files.packed_text import is_packed
from shoal.table.files.reading import Reading
from shoal.table.source_lines import SourceLines
from shoal.table.table import Table

SAMPLE_LINES = 1000
SAMPLE_BYTES = 1 << 12
NOT_JSON = (pa.ArrowException, ValueError, RecursionError)


def read_json_lines(path: Path, limits: Limits, _reading: Reading) -> Table:
    """Read a file with one JSON object per line."""
    _refuse_disguised_or_large(path, limits)
    expected = _first_lines(path, limits).schema
    try:
        return Table(_read(path, expected, limits), SourceLines(1))
    except NOT_JSON:
        raise _not_json(path) from None


def first_rows_of_json(path: Path, limits: Limits, count: int, _reading: Reading) -> pa.Table:
    """The first rows, with the columns that the first lines have."""
    _refuse_disguised_or_large(path, limits)
    return _first_lines(path, limits, max(count, SAMPLE_LINES))


def _first_lines(path: Path, limits: Limits, lines: int = SAMPLE_LINES) -> pa.Table:
    try:
        sample = list(islice(bounded_lines(path, "utf-8", limits), lines))
        _refuse_many_keys(path, sample, limits)
        text = "".join(sample).encode()
        return _parsed(BytesIO(text), _with_dates_as_text(_parsed(BytesIO(text)).schema))
    except NOT_JSON:
        raise _not_json(path) from None


def _not_json(path: Path) -> ShoalError:
    if path.stat().st_size == 0:
        return ShoalError(f"{path.name} is empty", "give one JSON object per line.")
    return ShoalError(
        f"{path.name} cannot be read as JSON lines",
        "give one JSON object per line, each column with values of one kind.",
    )


def _refuse_disguised_or_large(path: Path, limits: Limits) -> None:
    """Refuse a file that is no plain text, or has more bytes than the limits allow."""
    if b"\0" in first_bytes(path, SAMPLE_BYTES):
        raise not_plain(path)
    if not is_packed(path):
        limits.refuse_bytes(path.name, path.stat().st_size)


def _read(path: Path, expected: pa.Schema, limits: Limits) -> pa.Table:
    """The table by the types of its first lines; or, where later ones differ, as all of them together say."""
    try:
        return _parsed(_opened(path, limits, len(expected)), expected, unexpected="error")
    except pa.ArrowException:
        _refuse_many_keys(path, bounded_lines(path, "utf-8", limits), limits)
    arrow = _parsed(_opened(path, limits))
    texts = _with_dates_as_text(arrow.schema)
    if texts.equals(arrow.schema):
        return arrow
    dates = [field for field, was in zip(texts, arrow.schema, strict=True) if field.type != was.type]
    return _parsed(_opened(path, limits), pa.schema(dates)).select(arrow.column_names)


def _opened(path: Path, limits: Limits, columns: int = 1) -> pa.NativeFile:
    return pa.PythonFile(BoundedText(path, limits, columns, plain=True), mode="r")


def _parsed(
    source: BytesIO | pa.NativeFile, schema: pa.Schema | None = None, unexpected: str = "infer"
) -> pa.Table:
    from pyarrow import json as arrow_json

    options = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior=unexpected)
    return arrow_json.read_json(source, parse_options=options)


def _with_dates_as_text(schema: pa.Schema) -> pa.Schema:
    """Text that only looks like a date stays the text it was."""
    return pa.schema(
        pa.field(field.name, pa.string()) if pa.types.is_timestamp(field.type) else field for field in schema
    )


def _refuse_many_keys(path: Path, lines: Iterable[str], limits: Limits) -> None:
    """Keys inside of cells count too; what is nested too deep to be read raises RecursionError."""
    keys: set[str] = set()

    def found(pairs: list[tuple[str, object]]) -> dict[str, object]:
        keys.update(key for key, _ in pairs)
        return {}

    for row, line in enumerate(lines, 1):
        if line.strip() and json.loads(line, object_pairs_hook=found) != {}:
            raise ValueError("a line that is no object")  # Arrow does not survive one that is null
        limits.refuse_cells(path.name, row, len(keys))
