"""The ends of ranges in columns of their own, so that other programs can compute with them.

Both are the value itself where it is exact, and empty where a cell is a star, a set or a label.
"""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import Fault, refuse_faults
from shoal.query.permuted.column_types import typed_column
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import encode

NUMBER = r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?"
POINT = rf"(?:{NUMBER}|\d{{4}}-\d\d-\d\d)"
RANGE = rf"^\[(?P<lo>{POINT}), (?P<hi>{POINT})\]$"
EXACT = rf"^{POINT}$"
ENDS = ("lo", "hi")


def with_range_ends(readable: pa.Table) -> pa.Table:
    """The table with ``x_lo`` and ``x_hi`` beside every column ``x`` that holds ranges.

    >>> ages = pa.table({"age": ["[10, 15]", "7", "*"], "town": ["Bern", "Basel", None]})
    >>> with_range_ends(ages).to_pylist()[0]
    {'age': '[10, 15]', 'age_lo': 10, 'age_hi': 15, 'town': 'Bern'}
    """
    columns = [pair for name in readable.column_names for pair in _with_ends(name, readable[name])]
    names = [name for name, _ in columns]
    refuse_faults(_clashes(names, set(readable.column_names)))
    return pa.table([column for _, column in columns], names=names)


def _with_ends(name: str, column: pa.ChunkedArray) -> Iterator[tuple[str, pa.ChunkedArray]]:
    yield name, column
    few = encode(column)
    ends = pc.extract_regex(few.cells, RANGE)
    if not ends.is_valid().true_count:
        return
    exact = pc.match_substring_regex(few.cells, EXACT)
    for end in ENDS:
        values = pc.if_else(exact, few.cells, ends.field(end))
        values = pc.if_else(pc.or_(exact, ends.is_valid()), values, pa.scalar(None, pa.string()))
        typed = typed_column(pa.chunked_array([values])).combine_chunks()
        yield f"{name}_{end}", pa.chunked_array([typed.take(arrow_from_numpy(few.numbers))])


def _clashes(names: list[str], own: set[str]) -> Iterator[Fault]:
    for name in sorted(own):
        if names.count(name) > 1:
            yield Fault(
                f"the release has a column {name!r} of its own, which would be the end of a range",
                "leave --ends out, or publish that column under another name.",
            )
