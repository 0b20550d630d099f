"""Are the rows of a table beyond memory people? Identifiers that repeat, and columns that number people.

Of a large table some values are looked at (`value_hashes`), so one person with two rows among many millions
may be overlooked; visits or years are not.
"""

from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from shoal.engines.protocol import Rows
from shoal.policy.model.people import possible_keys, said_of_rows
from shoal.policy.model.policy import Policy
from shoal.table.columns.repeats import present_cells
from shoal.table.columns.value_hashes import ValueHashes
from shoal.table.profile.key_columns import is_code
from shoal.table.profile.key_samples import Samples, join_samples, key_samples, keys_in_samples


@dataclass(frozen=True)
class RepeatedRows:
    """What was seen of identifiers and of possible keys in so many rows."""

    rows: int
    identifiers: dict[str, ValueHashes]
    keys: Samples

    def joined(self, other: "RepeatedRows") -> "RepeatedRows":
        identifiers = {name: one.joined(other.identifiers[name]) for name, one in self.identifiers.items()}
        return RepeatedRows(self.rows + other.rows, identifiers, join_samples(self.keys, other.keys))


def insist_on_people_in_rows(rows: Rows, policy: Policy) -> list[str]:
    """What is to be said of the rows of a table; refused where an identifier or a key repeats, unless the
    policy says that rows are people."""
    table = [name for name in rows.schema.names if name in policy.columns]
    identifiers = [name for name in policy.having("identifier") if name in table]
    names = [name for name in possible_keys(policy, table) if not is_code(name)]
    found = rows.fold(partial(_repeats_of_batch, identifiers, names, table), RepeatedRows.joined)
    if found is None:
        return said_of_rows({}, [], policy, 0)
    repeats = {name: one.repeating for name, one in found.identifiers.items() if one.repeating}
    return said_of_rows(repeats, list(keys_in_samples(found.keys, table)), policy, found.rows)


def _repeats_of_batch(
    identifiers: list[str], names: list[str], table: list[str], batch: pa.Table
) -> RepeatedRows:
    hashes = {name: ValueHashes.of(present_cells(batch.column(name))) for name in identifiers}
    return RepeatedRows(len(batch), hashes, key_samples(names, table, batch) if names else {})
