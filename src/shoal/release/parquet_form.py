"""Does a Parquet file hold its table and nothing else?

Readers skip what they do not ask for: metadata, fields they do not know, entries of a dictionary that no row
refers to, bytes between two columns. None of it is in a file that shoal writes, here or on Spark, so none is
accepted. How rows are dealt out to pages and how these are packed is not compared.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.release.csv_form import OTHER_LETTERS, untidy_columns
from shoal.release.thrift import BadThrift, read_struct
from shoal.table.bridge import numpy_from_arrow
from shoal.table.same_value import fifteen_digits

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

MARK = b"PAR1"
SCHEMA_KEY = b"ARROW:schema"
WRITER = re.compile(rb"parquet-cpp-arrow version \d+\.\d+\.\d+")
DICTIONARY_PAGE, DATA_PAGE = 2, 0
IN_DICTIONARY = (2, 8)  # encodings of pages whose values are places in a dictionary
# Numbers of the fields that Arrow writes, by struct (parquet.thrift).
FILE = {"version": 1, "schema": 2, "rows": 3, "groups": 4, "metadata": 5, "writer": 6, "orders": 7}
ELEMENT = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
GROUP = {1, 2, 3, 5, 6, 7}
CHUNK = {2, 3}
COLUMN = {1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 16}
STATISTICS = {1, 2, 3, 4, 5, 6, 7, 8}
PAGE = {1, 2, 3, 4, 5, 7}
DATA_HEAD = {1, 2, 3, 4, 5}
LIMITS = (1, 2, 5, 6)  # of statistics: the smallest and the largest cell
MORE = "{name} holds more than its table: {what}"


@dataclass(frozen=True)
class Chunk:
    """What the bytes of one column in one row group say: its path, the entries of its dictionary, how many of
    its first values refer to them, and the limits that its pages state."""

    path: tuple[str, ...]
    entries: int
    referring: int
    limits: frozenset[bytes]


class Foreign(Exception):
    """Something that shoal does not write; says in words what."""


def parquet_faults(path: Path) -> list[str]:
    """How a file differs from one that holds a table and nothing else."""
    from pyarrow import parquet

    try:
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
            groups = _groups(content)
        with parquet.ParquetFile(path, pre_buffer=False) as table:
            return [MORE.format(name=path.name, what=what) for what in _table_faults(table, groups)]
    except Foreign as error:
        return [MORE.format(name=path.name, what=error)]
    except (BadThrift, KeyError, TypeError, ValueError, pa.ArrowException):
        return [f"{path.name} is not a Parquet file as shoal writes it"]


def _groups(content: Any) -> list[list[Chunk]]:
    """The columns of every row group; they lie side by side, and nothing lies between them."""
    length = int.from_bytes(content[-8:-4], "little")
    start = len(content) - 8 - length
    if start < 4 or content[:4] != MARK or content[-4:] != MARK:
        raise BadThrift
    footer, end = read_struct(content[start : start + length])
    if end != length:
        raise Foreign("bytes in its footer")
    _only(footer, set(FILE.values()))
    _refuse_metadata(footer.get(FILE["metadata"], []))
    if not WRITER.fullmatch(footer[FILE["writer"]]):
        raise Foreign("the name of another writer")
    for element in footer[FILE["schema"]]:
        _only(element, ELEMENT)
        _refuse_bytes(element.get(10))
    _refuse_bytes(footer.get(FILE["orders"]))
    at, groups = len(MARK), []
    for group in footer[FILE["groups"]]:
        _only(group, GROUP)
        chunks = []
        for chunk in group[1]:
            _only(chunk, CHUNK)
            found, at = _chunk(content, at, chunk[3])
            chunks.append(found)
        groups.append(chunks)
    if at != start:
        raise Foreign("bytes between its columns")
    return groups


def _chunk(content: Any, at: int, column: Mapping[int, Any]) -> tuple[Chunk, int]:
    _only(column, COLUMN)
    end, entries, referring = at + column[7], 0, 0
    limits = set(_limits(column.get(12, {})))
    _refuse_bytes([column.get(13), column.get(16)])
    if column.get(11, column[9]) != at:
        raise Foreign("bytes between its columns")
    while at < end:
        head, at = read_struct(content, at)
        _only(head, PAGE)
        if head[1] == DICTIONARY_PAGE:
            entries += head[7][1]
            _refuse_bytes(head[7])
        elif head[1] == DATA_PAGE:
            _only(head[5], DATA_HEAD)
            limits.update(_limits(head[5].get(5, {})))
            referring += head[5][1] if head[5][2] in IN_DICTIONARY else 0
        else:
            raise Foreign("pages of another kind")
        at += head[3]
    if at != end:
        raise Foreign("bytes between its columns")
    path = tuple(name.decode() for name in column[3])
    return Chunk(path, entries, referring, frozenset(limits)), at


def _limits(statistics: Mapping[int, Any]) -> Iterator[bytes]:
    _only(statistics, STATISTICS)
    return (statistics[place] for place in LIMITS if place in statistics)


def _only(fields: Mapping[int, Any], known: set[int]) -> None:
    if not fields.keys() <= known:
        raise Foreign("fields that shoal does not write")


def _refuse_bytes(value: Any) -> None:
    """What should be numbers and structs of numbers."""
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for one in inside:
        _refuse_bytes(one)
    if isinstance(value, bytes):
        raise Foreign("fields that shoal does not write")


def _refuse_metadata(pairs: list[Mapping[int, Any]]) -> None:
    """The schema as Arrow has it is all that is written there, once, and without metadata of its own."""
    if [(set(pair), pair[1]) for pair in pairs] not in ([], [({1, 2}, SCHEMA_KEY)]):
        raise Foreign("metadata")
    for pair in pairs:
        try:
            schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(pair[2], validate=True)))
        except binascii.Error:
            raise Foreign("metadata") from None
        again = base64.b64encode(schema.remove_metadata().serialize().to_pybytes())
        if schema.metadata or any(map(_has_metadata, schema)) or len(again) != len(pair[2]):
            raise Foreign("metadata of its columns")


def _has_metadata(field: pa.Field) -> bool:
    inside = [field.type.field(at) for at in range(field.type.num_fields)]
    return bool(field.metadata) or any(map(_has_metadata, inside))


def _table_faults(file: "ParquetFile", groups: list[list[Chunk]]) -> list[str]:
    """What only a look at the rows can tell: unused entries, limits that no cell has, odd spellings."""
    unused: dict[str, set[Any]] = {}
    used: dict[str, set[Any]] = {}
    faults: dict[str, None] = {}
    for number, chunks in enumerate(groups):
        for name in dict.fromkeys(chunk.path[0] for chunk in chunks):
            column = file.read_row_group(number, columns=[name])
            faults |= dict.fromkeys(OTHER_LETTERS.format(column=one) for one in untidy_columns(column))
            for chunk in (one for one in chunks if one.path[0] == name):
                leaf = _leaf(column[name], chunk.path[1:])
                if leaf is not None:
                    faults |= dict.fromkeys(_chunk_faults(leaf, chunk, unused, used))
    if any(cells - used[name] for name, cells in unused.items()):
        faults["entries of a dictionary that no row uses"] = None
    return list(faults)


def _leaf(column: pa.ChunkedArray, path: tuple[str, ...]) -> pa.ChunkedArray | None:
    """The values of one column of the file; None of a list, whose values are not those of rows."""
    for name in path:
        if not pa.types.is_struct(column.type):
            return None
        column = column.flatten()[column.type.get_field_index(name)]
    return None if pa.types.is_nested(column.type) else column


def _chunk_faults(
    leaf: pa.ChunkedArray, chunk: Chunk, unused: dict[str, set[Any]], used: dict[str, set[Any]]
) -> Iterator[str]:
    if pa.types.is_dictionary(leaf.type):
        # It is written with every row group, whether all of it is used there or not.
        name = chunk.path[0]
        for piece in leaf.chunks:
            there = set(piece.dictionary_decode().unique().drop_null().to_pylist())
            used.setdefault(name, set()).update(there)
            unused.setdefault(name, set()).update(set(piece.dictionary.to_pylist()) - there)
            if len(piece.dictionary) != len(piece.dictionary.unique()):
                yield "entries of a dictionary that are there twice"
        leaf = leaf.cast(leaf.type.value_type)
    elif chunk.entries != len(leaf.slice(0, chunk.referring).unique().drop_null()):
        yield "entries of a dictionary that no row uses, or that are there twice"
    if pa.types.is_string(leaf.type) and chunk.limits:
        stated = pa.array(sorted(chunk.limits), pa.binary())
        if not pc.all(pc.is_in(stated, value_set=leaf.unique().drop_null().cast(pa.binary()))).as_py():
            yield "limits that no cell has"
    if pa.types.is_floating(leaf.type) and len(chunk.path) > 1 and not _in_one_spelling(leaf):
        yield "ends of ranges with more than fifteen digits"


def _in_one_spelling(ends: pa.ChunkedArray) -> bool:
    values = numpy_from_arrow(ends.drop_null().combine_chunks()).astype(np.float64)
    plain = fifteen_digits(values)
    return bool(np.array_equal(values, plain) and np.array_equal(np.signbit(values), np.signbit(plain)))
