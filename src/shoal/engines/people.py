"""Identifiers that repeat in a table beyond memory.

Of a large table some values are looked at (`value_hashes`), so one person with two rows among many millions
may be overlooked; visits or years are not.
"""

from functools import partial

import pyarrow as pa

from shoal.engines.rows import Rows
from shoal.engines.value_hashes import ValueHashes
from shoal.policy.people import Repeats
from shoal.policy.policy import Policy
from shoal.table.repeats import cells_there


def repeats_beyond(rows: Rows, policy: Policy) -> Repeats:
    """The identifier columns that repeat."""
    names = [name for name in policy.having("identifier") if name in rows.schema.names]
    found = rows.fold(partial(_hashes, names), _joined) if names else None
    return {name: one.repeating for name, one in (found or {}).items() if one.repeating}


def _hashes(names: list[str], table: pa.Table) -> dict[str, ValueHashes]:
    return {name: ValueHashes.of(cells_there(table.column(name))) for name in names}


def _joined(one: dict[str, ValueHashes], other: dict[str, ValueHashes]) -> dict[str, ValueHashes]:
    return {name: found.joined(other[name]) for name, found in one.items()}
