"""Identifiers that repeat in a table beyond memory.

Of a large table some values are looked at (`value_hashes`), so one person with two rows among many millions
may be overlooked; visits or years are not.
"""

from functools import partial
from operator import add

import pyarrow as pa

from shoal.engines.key_samples import keys_beyond
from shoal.engines.rows import Rows
from shoal.engines.value_hashes import ValueHashes
from shoal.errors import ShoalError
from shoal.policy.people import Repeats, people_faults
from shoal.policy.policy import Policy
from shoal.table.repeats import cells_there


def repeats_beyond(rows: Rows, policy: Policy) -> Repeats:
    """The identifier columns that repeat."""
    names = [name for name in policy.having("identifier") if name in rows.schema.names]
    found = rows.fold(partial(_hashes, names), _joined) if names else None
    return {name: one.repeating for name, one in (found or {}).items() if one.repeating}


def insist_on_people_beyond(rows: Rows, policy: Policy) -> None:
    """Refuse a table in which an identifier or a key repeats, unless the policy says that rows are people."""
    repeats, keys = repeats_beyond(rows, policy), keys_beyond(rows, policy)
    if (repeats or keys) and (faults := people_faults(repeats, keys, policy, rows.fold(len, add) or 0)):
        raise ShoalError(faults)


def _hashes(names: list[str], table: pa.Table) -> dict[str, ValueHashes]:
    return {name: ValueHashes.of(cells_there(table.column(name))) for name in names}


def _joined(one: dict[str, ValueHashes], other: dict[str, ValueHashes]) -> dict[str, ValueHashes]:
    return {name: found.joined(other[name]) for name, found in one.items()}
