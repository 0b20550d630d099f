"""Columns that are published as they are, and of which many values are unique: they need no attack.

The guarantees speak of quasi columns. A cost to the cent that nobody else has leads to its record all the
same, if somebody happens to know it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from shoal.decision.sentence import Sentence
from shoal.policy.model.policy import Policy
from shoal.query.askable import askable
from shoal.table.table import Table

MANY = 0.05  # of the records with a value that no other has
MOST_TOLD = 5
FINDS = "whoever knows it finds the record."


@dataclass(frozen=True)
class UniqueValues:
    """A column, and how many of its values are there once only, or about how many where some of a large
    table were looked at."""

    column: str
    unique: int
    records: int
    about: bool = False

    def sentence(self, public: bool) -> str:
        """
        >>> UniqueValues("cost", 1982, 2000).sentence(public=False)
        'cost is published exactly and 1,982 of 2,000 values are unique: whoever knows it finds the record.'
        """
        about = "about " if self.about else ""
        many = "many" if public else f"{about}{self.unique:,} of {self.records:,}"
        return f"{self.column} is published exactly and {many} values are unique: {FINDS}"


def unique_values(table: Table, policy: Policy) -> tuple[UniqueValues, ...]:
    """Columns of a published table that single out many records, though nobody is thought to know them.

    >>> roles = {"age": "quasi", "cost": "other"}
    >>> policy = Policy(columns=roles, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> unique_values(Table(pa.table({"age": ["3*", "3*"], "cost": [9.5, 7.25]})), policy)
    (UniqueValues(column='cost', unique=2, records=2, about=False),)
    """
    names = exact_columns(policy)
    return with_many_unique(UniqueValues(name, _unique(table.column(name)), len(table)) for name in names)


def exact_columns(policy: Policy) -> list[str]:
    """Columns that are published as they are, though nobody is thought to know them."""
    return [name for name in askable(policy).exact if policy.columns[name] != "quasi"]


def with_many_unique(found: Iterable[UniqueValues]) -> tuple[UniqueValues, ...]:
    """Columns of which many values are unique."""
    return tuple(one for one in found if one.unique and one.unique >= MANY * one.records)


def unique_value_sentences(found: Sequence[UniqueValues], public: bool) -> list[Sentence]:
    """Something to watch, column by column; of very many columns the first."""
    told = [Sentence(one.sentence(public), "watch") for one in found[:MOST_TOLD]]
    if (more := len(found) - MOST_TOLD) > 0:
        told.append(Sentence(f"So it is with {more:,} more column{'s' if more > 1 else ''}.", "watch"))
    return told


def _unique(column: pa.ChunkedArray) -> int:
    """Values that are there once; lists and structs are not compared."""
    try:
        counts = pc.value_counts(column.drop_null()).field("counts")
    except pa.ArrowNotImplementedError:
        return 0
    return pc.sum(pc.equal(counts, 1)).as_py() or 0
