"""Sensitive values of a table beyond memory: what is asked of them, and the code of every record's value.

The different values, with how many records have each, are all that the rules of a policy need; they meet in
one place. Every record then finds its codes by itself.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.anonymizer.parts.table_facts import mark_staying_rows
from shoal.anonymizer.sensitive.method_diversity import (
    MOST_VALUES,
    CodedDemand,
    coded_demand,
    demand_rules,
    sensitive_demands,
)
from shoal.arrays import Floats, Ints
from shoal.engines.protocol import STAYS, Rows
from shoal.engines.steps.class_numbers import ClassNumbers
from shoal.engines.steps.distinct import counted_table, distinct_in_batch
from shoal.engines.steps.value_counts import value_counts
from shoal.errors import ShoalError
from shoal.methods.diversity import Diversity
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.numbered_rows import ints_of, matrix_of

CODE = "shoal:code:"

Columns = tuple[str, ...]


@dataclass(frozen=True)
class CombinationCodes:
    """The code of every combination of words that some columns have."""

    names: Columns
    words: tuple[pa.Array, ...]
    combinations: ClassNumbers
    codes: Ints

    @classmethod
    def over(cls, names: Columns, table: pa.Table, codes: Ints) -> "CombinationCodes":
        """Codes of the combinations in a table in which every combination occurs."""
        words = tuple(_texts(table, name).unique() for name in names)
        places = _places(names, words, table)
        combinations = ClassNumbers.over(places, [len(known) for known in words])
        numbers = combinations.of(places)
        of_number = np.empty(int(numbers.max()) + 1, np.int64)
        of_number[numbers] = codes
        return cls(names, words, combinations, of_number)

    def of(self, table: pa.Table) -> Ints:
        return self.codes[self.combinations.of(_places(self.names, self.words, table))]


@dataclass(frozen=True)
class SensitiveCodes:
    """A rule for every column of codes, as `Diversity` has them."""

    rules: Floats
    columns: tuple[CombinationCodes, ...] = ()

    @classmethod
    def nothing(cls) -> "SensitiveCodes":
        return cls(Diversity.none(0).rules)

    def __bool__(self) -> bool:
        return bool(self.columns)

    @property
    def names(self) -> list[str]:
        """Names of the columns of codes in staged rows."""
        return [f"{CODE}{at}" for at in range(len(self.columns))]

    def coded(self, table: pa.Table) -> dict[str, pa.Array]:
        """The columns of codes of a batch."""
        found = zip(self.names, self.columns, strict=True)
        return {name: arrow_from_numpy(column.of(table)) for name, column in found}

    def diversity(self, staged: pa.Table) -> Diversity:
        """What is asked of these staged rows."""
        return Diversity(matrix_of(staged, self.names), self.rules)


def sensitive_codes(rows: Rows, policy: Policy, leaving: dict[str, bool]) -> SensitiveCodes:
    """What the policy asks of sensitive columns; infeasible if even the whole table falls short.

    Records with a missing cell in columns that are ``leaving`` are not published, and do not count.
    """
    demands = sensitive_demands(policy)
    if not demands:
        return SensitiveCodes.nothing()
    together = list(dict.fromkeys(demand.columns for demand in demands))
    wanted = {names: [*names, STAYS] for names in together}
    found = value_counts(
        mark_staying_rows(rows, leaving), wanted, most=2 * MOST_VALUES
    )  # they stay, or leave
    coded: list[CodedDemand] = []
    columns = []
    for demand in demands:
        alike = found[demand.columns]
        if not rows.whole:
            _refuse_many(demand.columns, len(distinct_in_batch([*demand.columns], alike)))
        stays = np.flatnonzero(ints_of(alike, STAYS))
        table = counted_table(alike.drop_columns([STAYS]), rows)
        words = {name: table.words(name) for name in demand.columns}
        assert table.counts is not None  # noqa: S101 - rows that are alike are counted
        coded.append(coded_demand(demand, words, policy, stays, table.counts[stays]))
        left = table.arrow.take(arrow_from_numpy(stays))
        columns.append(CombinationCodes.over(demand.columns, left, coded[-1].codes))
    return SensitiveCodes(demand_rules(coded), tuple(columns))


def _refuse_many(names: Columns, count: int) -> None:
    if count <= MOST_VALUES:
        return
    what = " and ".join(repr(name) for name in names)
    raise ShoalError(
        f"the sensitive {what} has more than {MOST_VALUES:,} different values, which works in memory only",
        "group its values first, or choose a machine with more memory.",
    )


def _texts(table: pa.Table, name: str) -> pa.Array:
    return pc.cast(table.column(name), pa.string()).combine_chunks()


def _places(names: Columns, words: tuple[pa.Array, ...], table: pa.Table) -> list[Ints]:
    found = [pc.index_in(_texts(table, name), value_set=known)
             for name, known in zip(names, words, strict=True)]  # fmt: skip
    return [numpy_from_arrow(places).astype(np.int64) for places in found]
