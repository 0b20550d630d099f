"""Facts of a table whose quasi columns are published as labels, sets and ranges of every class."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal.anonymizer.fit import size_faults
from shoal.anonymizer.leaf_matrix import column_words, leaves_of
from shoal.anonymizer.local.local_columns import (
    LocalColumns,
    LocalNumbers,
    LocalWords,
    local_words,
    shown_as_sets,
)
from shoal.anonymizer.parts.table_facts import (
    StayingRows,
    TableFacts,
    Words,
    cell_faults,
    mark_staying_rows,
    number_ends,
)
from shoal.anonymizer.sensitive.method_diversity import MOST_VALUES
from shoal.arrays import Ints, SmallInts
from shoal.engines.protocol import STAYS, Rows
from shoal.engines.steps.distinct import counted_table, distinct_in_batch
from shoal.engines.steps.value_counts import value_counts
from shoal.errors import Fault, ShoalError
from shoal.hierarchy.hierarchy import Hierarchy
from shoal.policy.model.policy import Policy
from shoal.policy.model.saved_hierarchy import SavedHierarchy
from shoal.table.columns.categories import Categories
from shoal.table.columns.number_summary import NumberSummary
from shoal.table.columns.numbered_rows import ints_of, matrix_of

Saved = Mapping[str, SavedHierarchy]


@dataclass(frozen=True)
class LocalFacts:
    """``local`` has the columns of the whole table, and no rows; ``facts`` know words by their places."""

    facts: TableFacts
    local: LocalColumns

    def part(self, table: pa.Table) -> LocalColumns:
        """The same with the rows of a staged part."""
        return replace(self.local, values=matrix_of(table, self.facts.ends.names))


@dataclass(frozen=True)
class _WordFacts:
    """A column of words: its different values, which of them stay, and the leaf of every word, -1 without
    one."""

    stays: Ints
    words: Categories
    hierarchy: Hierarchy
    leaf_of: SmallInts

    def column(self, name: str, policy: Policy, as_sets: bool) -> tuple[LocalWords, Words, Ints]:
        """The column as it is published, with all words that cells may have and the place of each."""
        codes = self.words.codes[self.stays]
        codes = codes[self.leaf_of[codes] >= 0]
        spec, height = policy.hierarchies.get(name), self.hierarchy.height
        lowest = 0 if spec is None else spec.window(height)[0]
        column, places = local_words(name, self.hierarchy, self.leaf_of[codes], as_sets, lowest)
        of_word = np.where(self.leaf_of < 0, -1, 0)
        of_word[codes] = places
        if policy.missing_counts.get(name) != "zero" or "0" not in self.words.words:
            return column, self.words.words, of_word
        return column, (*self.words.words, None), np.append(of_word, of_word[self.words.words.index("0")])


def local_facts(
    rows: Rows, policy: Policy, summaries: dict[str, NumberSummary], saved: Saved | None = None
) -> LocalFacts:
    """Every fault of policy and table at once, else the facts; ``summaries`` as of `summarize_columns`.

    ``saved`` are the hierarchies of the columns that were no numbers in an earlier table, in place of the
    policy's; values that such a hierarchy has no label for have no place.
    """
    quasi, count = policy.having("quasi"), next(iter(summaries.values())).rows
    spoken = [name for name in quasi if name in policy.hierarchies or not summaries[name].mostly_numbers]
    as_sets = {name: shown_as_sets(policy, name) for name in spoken}
    if saved is not None:
        spoken, as_sets = [*saved], {name: one.rule is None for name, one in saved.items()}
    leaving = {name: name in spoken for name in quasi if policy.missing_counts.get(name) == "suppress"}
    odd = any(
        summaries[name].scaled_numbers().odd for name in leaving if name not in spoken
    )  # which is a fault below
    marked = mark_staying_rows(rows, {} if odd else leaving)
    found = value_counts(
        marked, {name: [name, STAYS] for name in spoken}, most=2 * MOST_VALUES
    )  # stay, or leave
    read: dict[str, _WordFacts] = {}
    faults: list[Fault] = []
    for name in quasi:
        if name not in spoken:
            faults += cell_faults(rows, policy, name, summaries[name], of_words=False)
        elif (column := _word_facts(rows, found[name], policy, name, faults, saved)) is not None:
            read[name] = column
    if faults := faults + size_faults(policy, count):
        raise ShoalError(faults)
    staying = StayingRows.of(rows, policy, summaries, leaving, spoken)
    words = {name: column.column(name, policy, as_sets[name]) for name, column in read.items()}
    columns = [
        words[name][0]
        if name in words
        else LocalNumbers(name, staying.numbers[name].scale, *number_ends(staying.numbers[name]))
        for name in quasi
    ]
    places = {name: places for name, (_, _, places) in words.items()}
    facts = TableFacts.of(rows, policy, staying, {name: own for name, (_, own, _) in words.items()}, places)
    return LocalFacts(facts, LocalColumns(columns, np.zeros((0, len(quasi)), np.int64), facts.ends.notes))


def _word_facts(
    rows: Rows, values: pa.Table, policy: Policy, name: str, faults: list[Fault], saved: Saved | None
) -> _WordFacts | None:
    if not rows.whole and len(distinct_in_batch([name], values)) > MOST_VALUES:
        what = f"column {name!r} has more than {MOST_VALUES:,} different words, which works in memory only"
        faults.append(Fault(what, "group its values first, or choose a machine with more memory."))
        return None
    stays = np.flatnonzero(ints_of(values, STAYS))
    table = counted_table(values.drop_columns([STAYS]), rows)
    words = column_words(table, policy, name)
    found = leaves_of(table, policy, name, words, faults, saved)
    return None if found is None else _WordFacts(stays, words, *found)
