"""Facts of a table whose quasi columns are published as labels, sets and ranges of every class."""

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal.anonymizer.fit import QuasiMatrix, refuse_leaving, size_faults
from shoal.anonymizer.leaf_matrix import column_words, leaves_of, unknown_faults
from shoal.anonymizer.local.local_columns import (
    LocalColumns,
    LocalNumbers,
    LocalWords,
    local_words,
    shown_as_sets,
)
from shoal.anonymizer.parts.table_facts import (
    TableFacts,
    cell_faults,
    mark_staying_rows,
    number_ends,
    number_notes,
    summarize_staying_rows,
    table_columns,
)
from shoal.anonymizer.sensitive.method_diversity import MOST_VALUES
from shoal.arrays import Ints
from shoal.engines.protocol import STAYS, Rows
from shoal.engines.steps.distinct import counted_table, distinct_in_batch
from shoal.engines.steps.value_counts import value_counts
from shoal.errors import Fault, ShoalError
from shoal.hierarchy.hierarchy import Hierarchy
from shoal.policy.model.policy import Policy
from shoal.table.columns.categories import Categories
from shoal.table.columns.number_summary import NumberSummary, ScaledNumbers
from shoal.table.columns.numbered_rows import ints_of, matrix_of

NOBODY = np.zeros(0, np.int32)


@dataclass(frozen=True)
class LocalFacts:
    """``local`` has the columns of the whole table, and no rows; ``facts`` know words by their places."""

    facts: TableFacts
    local: LocalColumns

    def part(self, table: pa.Table) -> LocalColumns:
        """The same with the rows of a staged part."""
        return replace(self.local, values=matrix_of(table, self.facts.ends.names))


@dataclass(frozen=True)
class _Spoken:
    """A column of words: its different values, which of them stay, and the leaf of every word."""

    stays: Ints
    words: Categories
    hierarchy: Hierarchy
    leaf_of: Ints

    def column(self, name: str, policy: Policy) -> tuple[LocalWords, tuple[str | None, ...], Ints]:
        """As it is published, with all words that cells may have and the place of each."""
        leaves = self.leaf_of[self.words.codes[self.stays]].astype(np.int32)
        column, places = local_words(name, self.hierarchy, leaves, shown_as_sets(policy, name))
        of_word = np.zeros(len(self.words.words), np.int64)
        of_word[self.words.codes[self.stays]] = places
        if policy.missing.get(name) != "zero" or "0" not in self.words.words:
            return column, self.words.words, of_word
        return column, (*self.words.words, None), np.append(of_word, of_word[self.words.words.index("0")])


def local_facts(rows: Rows, policy: Policy, seen: dict[str, NumberSummary]) -> LocalFacts:
    """Every fault of policy and table at once, else the facts; ``seen`` is what `look_at` found."""
    quasi, count = policy.having("quasi"), next(iter(seen.values())).rows
    spoken = [name for name in quasi if name in policy.hierarchies or not seen[name].mostly_numbers]
    leaving = {name: name in spoken for name in quasi if policy.missing.get(name) == "suppress"}
    odd = any(seen[name].settled().odd for name in leaving if name not in spoken)  # which is a fault below
    marked = mark_staying_rows(rows, {} if odd else leaving)
    found = value_counts(
        marked, {name: [name, STAYS] for name in spoken}, most=2 * MOST_VALUES
    )  # stay, or leave
    read: dict[str, _Spoken] = {}
    faults: list[Fault] = []
    for name in quasi:
        if name not in spoken:
            faults += cell_faults(rows, policy, name, seen[name], of_words=False)
        elif (column := _spoken(rows, found[name], policy, name, faults)) is not None:
            read[name] = column
    if faults := faults + size_faults(policy, count):
        raise ShoalError(faults)
    left = summarize_staying_rows(rows, leaving, quasi) if leaving else seen
    refuse_leaving(policy, count, 0 if left is None else next(iter(left.values())).rows)
    assert left is not None  # noqa: S101 - else it was refused
    staying = next(iter(left.values())).rows
    numbers = {name: seen[name].settled().without_leaving(left[name])
               for name in quasi if name not in spoken}  # fmt: skip
    words = {name: column.column(name, policy) for name, column in read.items()}
    columns = [words[name][0] if name in words else _number_column(name, numbers[name]) for name in quasi]
    ends = [number_ends(numbers[name]) if name in numbers else (0, len(words[name][0].leaves) - 1)
            for name in quasi]  # fmt: skip
    categories = {at: Categories(NOBODY, words[name][1]) for at, name in enumerate(quasi) if name in words}
    notes = number_notes(policy, numbers)
    scales = [numbers[name].scale if name in numbers else 0 for name in quasi]
    names = table_columns(rows)
    facts = TableFacts(
        count,
        staying,
        QuasiMatrix(quasi, scales, np.array(ends, np.int64).T.copy(), np.arange(2), categories, notes),
        leaving,
        tuple(name for name in names if policy.publishes(name)),
        tuple(name for name in names if policy.columns[name] in ("sensitive", "other")),
        {name: places for name, (_, _, places) in words.items()},
    )
    nothing = np.zeros((0, len(quasi)), np.int64)
    return LocalFacts(facts, LocalColumns(columns, nothing, notes))


def _number_column(name: str, numbers: ScaledNumbers) -> LocalNumbers:
    return LocalNumbers(name, numbers.scale, *number_ends(numbers))


def _spoken(rows: Rows, values: pa.Table, policy: Policy, name: str, faults: list[Fault]) -> _Spoken | None:
    if not rows.whole and len(distinct_in_batch([name], values)) > MOST_VALUES:
        what = f"column {name!r} has more than {MOST_VALUES:,} different words, which works in memory only"
        faults.append(Fault(what, "group its values first, or choose a machine with more memory."))
        return None
    stays = np.flatnonzero(ints_of(values, STAYS))
    table = counted_table(values.drop_columns([STAYS]), rows)
    words = column_words(table, policy, name)
    found = leaves_of(table, policy, name, words, faults)
    if found is None:
        return None
    faults += unknown_faults(table, name, words, found[1])
    return _Spoken(stays, words, found[0], found[1].astype(np.int64))
