"""What published cells show exactly: words, numbers, the ends of ranges and the members of sets.

These are values of the table as it was prepared. Labels of a hierarchy and class means are not.
"""

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Bools
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import encode, value_type
from shoal.table.columns.numbers import is_text
from shoal.verify.cells.published_table import BRACKETED, ends_of
from shoal.verify.cells.word_cells import words_of_cell


@dataclass(frozen=True)
class SingleValues:
    """One value per row, and which rows show one; a missing cell shows that it is missing."""

    values: pa.Array
    exact: Bools


def is_exact(policy: Policy, name: str) -> bool:
    """Are what the cells of a column show values of the table? Means and labels need not be."""
    blurred = policy.columns[name] == "quasi" and not policy.permutes
    return not blurred or not (policy.averages or name in policy.hierarchies)


def shown_values(column: pa.ChunkedArray, policy: Policy, name: str) -> pa.Array:
    """The different values that the cells of a column show.

    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> shown_values(pa.chunked_array([["[20, 35]", "*", "7", None]]), policy, "age").to_pylist()
    ['20', '35', '7']
    """
    if _holds_ranges(column):
        low, high = ends_of(column.combine_chunks())
        both = [low, high] if _shows_ends(policy) else [low.filter(pc.equal(low, high))]
        return pa.concat_arrays(both).drop_null().unique()
    cells = encode(column).cells.drop_null()
    if not _may_be_blurred(column, policy, name):
        return cells
    return pa.array([word for cell in cells.to_pylist() for word in _words(policy, name, cell)], pa.string())


def exact_cells(column: pa.ChunkedArray, policy: Policy, name: str) -> SingleValues:
    """The value of every row that shows one alone."""
    if _holds_ranges(column):
        low, high = ends_of(column.combine_chunks())
        return SingleValues(low, np.asarray(pc.equal(low, high).fill_null(True)))
    if not _may_be_blurred(column, policy, name):
        return SingleValues(column.combine_chunks(), np.ones(len(column), bool))
    few = encode(column)
    found = [None if cell is None else _words(policy, name, cell) for cell in few.cells.to_pylist()]
    values = pa.array([words[0] if words else None for words in found], pa.string())
    exact = np.array([words is None or len(words) == 1 for words in found], bool)
    return SingleValues(values.take(arrow_from_numpy(few.numbers)), exact[few.numbers])


def _holds_ranges(column: pa.ChunkedArray) -> bool:
    return pa.types.is_struct(column.type) and set(column.type.names) == {"lo", "hi"}


def _shows_ends(policy: Policy) -> bool:
    """Are the ends of ranges values? ``aligned`` shifts them until records agree in F; it is never chosen by
    itself."""
    return policy.method.name != "aligned"


def _may_be_blurred(column: pa.ChunkedArray, policy: Policy, name: str) -> bool:
    return policy.columns[name] == "quasi" and not policy.permutes and is_text(value_type(column))


def _words(policy: Policy, name: str, cell: str) -> list[str]:
    """
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> [sorted(_words(policy, "age", cell)) for cell in ("{b, a}", "[1, 1]", "*", "x")]
    [['a', 'b'], ['1'], [], ['x']]
    """
    ends = None if policy.of_words(name) else re.match(BRACKETED, cell)
    found = set(ends.groups()) if ends else words_of_cell(cell) or set()
    if ends and len(found) > 1 and not _shows_ends(policy):
        return []
    return [word for word in sorted(found, key=str) if word is not None]
