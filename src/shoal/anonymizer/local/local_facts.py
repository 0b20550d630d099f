"""Facts of a table whose quasi columns are published as labels, sets and ranges of every class."""

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal.anonymizer.fit import Fitted, refuse_leaving, size_faults
from shoal.anonymizer.leaf_matrix import leaves_of, unknown_faults, words_of
from shoal.anonymizer.local.local_columns import Local, NumberColumn, WordColumn, shown_as_sets, word_column
from shoal.anonymizer.parts.table_facts import (
    Facts,
    columns_of,
    ends_of,
    faults_of,
    look_again,
    number_notes,
    with_stays,
)
from shoal.anonymizer.sensitive.method_diversity import MOST_VALUES
from shoal.arrays import Ints
from shoal.engines.protocol import STAYS, Rows
from shoal.engines.steps.distinct import as_table, counted
from shoal.engines.steps.value_counts import gathered
from shoal.errors import Fault, ShoalError
from shoal.hierarchy.hierarchy import Hierarchy
from shoal.policy.model.policy import Policy
from shoal.table.columns.categories import Categories
from shoal.table.columns.number_summary import Scaled, Seen
from shoal.table.columns.numbered_rows import ints_of, matrix_of

NOBODY = np.zeros(0, np.int32)


@dataclass(frozen=True)
class LocalFacts:
    """``local`` has the columns of the whole table, and no rows; ``facts`` know words by their places."""

    facts: Facts
    local: Local

    def part(self, table: pa.Table) -> Local:
        """The same with the rows of a staged part."""
        values = matrix_of(table, self.facts.ends.names)
        return replace(self.local, values=values, input_rows=np.arange(len(values)))


@dataclass(frozen=True)
class _Spoken:
    """A column of words: its different values, which of them stay, and the leaf of every word."""

    stays: Ints
    words: Categories
    hierarchy: Hierarchy
    leaf_of: Ints

    def column(self, name: str, policy: Policy) -> tuple[WordColumn, tuple[str | None, ...], Ints]:
        """As it is published, with all words that cells may have and the place of each."""
        leaves = self.leaf_of[self.words.codes[self.stays]].astype(np.int32)
        column, places = word_column(name, self.hierarchy, leaves, shown_as_sets(policy, name))
        of_word = np.zeros(len(self.words.words), np.int64)
        of_word[self.words.codes[self.stays]] = places
        if policy.missing.get(name) != "zero" or "0" not in self.words.words:
            return column, self.words.words, of_word
        return column, (*self.words.words, None), np.append(of_word, of_word[self.words.words.index("0")])


def local_facts_of(rows: Rows, policy: Policy, seen: dict[str, Seen]) -> LocalFacts:
    """Every fault of policy and table at once, else the facts; ``seen`` is what `look_at` found."""
    quasi, count = policy.having("quasi"), next(iter(seen.values())).rows
    spoken = [name for name in quasi if name in policy.hierarchies or not seen[name].mostly_numbers]
    leaving = {name: name in spoken for name in quasi if policy.missing.get(name) == "suppress"}
    odd = any(seen[name].settled().odd for name in leaving if name not in spoken)  # which is a fault below
    marked = with_stays(rows, {} if odd else leaving)
    found = gathered(marked, {name: [name, STAYS] for name in spoken}, most=2 * MOST_VALUES)  # stay, or leave
    read: dict[str, _Spoken] = {}
    faults: list[Fault] = []
    for name in quasi:
        if name not in spoken:
            faults += faults_of(policy, name, seen[name], of_words=False)
        elif (column := _spoken(found[name], policy, name, faults)) is not None:
            read[name] = column
    if faults := faults + size_faults(policy, count):
        raise ShoalError(faults)
    left = look_again(rows, leaving, quasi) if leaving else seen
    refuse_leaving(policy, count, 0 if left is None else next(iter(left.values())).rows)
    assert left is not None  # noqa: S101 - else it was refused
    staying = next(iter(left.values())).rows
    numbers = {name: seen[name].settled().without_leaving(left[name])
               for name in quasi if name not in spoken}  # fmt: skip
    words = {name: column.column(name, policy) for name, column in read.items()}
    columns = [words[name][0] if name in words else _number_column(name, numbers[name]) for name in quasi]
    ends = [ends_of(numbers[name]) if name in numbers else (0, len(words[name][0].leaves) - 1)
            for name in quasi]  # fmt: skip
    categories = {at: Categories(NOBODY, words[name][1]) for at, name in enumerate(quasi) if name in words}
    notes = number_notes(policy, numbers)
    scales = [numbers[name].scale if name in numbers else 0 for name in quasi]
    names = columns_of(rows)
    facts = Facts(
        count,
        staying,
        Fitted(quasi, scales, np.array(ends, np.int64).T.copy(), np.arange(2), categories, notes),
        leaving,
        tuple(name for name in names if policy.publishes(name)),
        tuple(name for name in names if policy.columns[name] in ("sensitive", "other")),
        {name: places for name, (_, _, places) in words.items()},
    )
    nothing = np.zeros((0, len(quasi)), np.int64)
    return LocalFacts(facts, Local(columns, nothing, np.zeros(0, np.int64), notes))


def _number_column(name: str, numbers: Scaled) -> NumberColumn:
    return NumberColumn(name, numbers.scale, *ends_of(numbers))


def _spoken(values: pa.Table, policy: Policy, name: str, faults: list[Fault]) -> _Spoken | None:
    if len(counted([name], values)) > MOST_VALUES:
        what = f"column {name!r} has more than {MOST_VALUES:,} different words, which works in memory only"
        faults.append(Fault(what, "group its values first, or choose a machine with more memory."))
        return None
    stays = np.flatnonzero(ints_of(values, STAYS))
    table = as_table(values.drop_columns([STAYS]))
    words = words_of(table, policy, name)
    found = leaves_of(table, policy, name, words, faults)
    if found is None:
        return None
    faults += unknown_faults(table, name, words, found[1])
    return _Spoken(stays, words, found[0], found[1].astype(np.int64))
