"""What a plan knows of the whole table before it works on parts of it: one look at every row, or two."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.anonymizer.fit import QuasiMatrix, missing_cell_fault, refuse_leaving, size_faults
from shoal.arrays import Bools, Ints
from shoal.engines.protocol import STAYS, Rows
from shoal.engines.steps.cell_faults import missing_number_fault, missing_word_fault, odd_number_fault
from shoal.engines.steps.gather_rows import gather_rows
from shoal.engines.steps.value_counts import most_values, refuse_many_values
from shoal.errors import Fault, ShoalError
from shoal.policy.model.guarantee import KfAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.categories import Categories, categories_from_arrow
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.number_summary import (
    NumberSummary,
    ScaledNumbers,
    missing_numbers,
    summarize_numbers,
)
from shoal.table.columns.numbered_rows import ROW
from shoal.table.columns.spelling import same_values
from shoal.table.files.header import no_rows
from shoal.table.table import Table

Words = tuple[str | None, ...]
LARGEST = 2**63 - 1
NOBODY = np.zeros(0, np.int32)


@dataclass(frozen=True)
class TableFacts:
    """``ends`` is fitted to two rows only: the smallest and the largest value of every quasi column."""

    rows: int
    staying: int  # that no missing cell makes leave
    ends: QuasiMatrix
    leaving: dict[str, bool]  # columns whose missing cells make a record leave, and whether they hold words
    names: tuple[str, ...]  # of the columns that are published, in their order
    carried: tuple[str, ...]  # those that are published as they are
    places: dict[str, Ints] = field(default_factory=dict)  # what stands for each word, where not its number

    @classmethod
    def of(
        cls,
        rows: Rows,
        policy: Policy,
        staying: "StayingRows",
        words: dict[str, Words],
        places: dict[str, Ints] | None = None,
    ) -> "TableFacts":
        """Quasi columns are those of numbers that stay and of ``words``, which ``places`` may stand for."""
        names, quasi, numbers = table_columns(rows), policy.having("quasi"), staying.numbers
        placed = {name: np.arange(len(words[name])) for name in words} | (places or {})
        ends = [number_ends(numbers[name]) if name in numbers else (0, int(placed[name].max()))
                for name in quasi]  # fmt: skip
        ends_matrix = QuasiMatrix(
            quasi,
            [numbers[name].scale if name in numbers else 0 for name in quasi],
            np.array(ends, np.int64).T.copy(),
            np.arange(2),
            {at: Categories(NOBODY, words[name]) for at, name in enumerate(quasi) if name in words},
            number_notes(policy, numbers),
        )
        return cls(
            staying.rows,
            staying.count,
            ends_matrix,
            staying.leaving,
            tuple(name for name in names if policy.publishes(name)),
            tuple(name for name in names if policy.columns[name] in ("sensitive", "other")),
            places or {},
        )

    @property
    def words(self) -> dict[str, Words]:
        return {self.ends.names[at]: found.words for at, found in self.ends.categories.items()}

    @property
    def suppressed(self) -> int:
        return self.rows - self.staying


def table_columns(rows: Rows) -> list[str]:
    """The columns of the table itself."""
    return [name for name in rows.schema.names if not name.startswith("shoal:")]


def table_and_staying_rows(rows: Rows, leaving: dict[str, bool]) -> tuple[Table, Ints]:
    """All rows of a table in memory, and which of them stay."""
    table = gather_rows(rows)
    stays = np.flatnonzero(_staying(leaving, table))
    return Table(table.drop_columns([ROW]), rows.lines), stays


def summarize_columns(rows: Rows, policy: Policy, others: Iterable[str] = ()) -> dict[str, NumberSummary]:
    """What the quasi columns hold, and others whose missing cells may make a record leave."""
    seen = summarize_rows(rows, list(dict.fromkeys([*policy.having("quasi"), *others])))
    if seen is None:
        raise no_rows("the table")
    return {name: one.as_words() if policy.of_words(name) else one for name, one in seen.items()}


def summarize_rows(rows: Rows, names: list[str]) -> dict[str, NumberSummary] | None:
    """What these columns hold; None if there are no rows."""
    return rows.fold(partial(_summaries_of_batch, names), _joined)


@dataclass(frozen=True)
class StayingRows:
    """Of so many ``rows`` those without a missing cell in columns that are ``leaving``: how many there are,
    and their ``numbers``, by column."""

    rows: int
    count: int
    leaving: dict[str, bool]
    numbers: dict[str, ScaledNumbers]

    @classmethod
    def of(
        cls,
        rows: Rows,
        policy: Policy,
        summaries: dict[str, NumberSummary],
        leaving: dict[str, bool],
        spoken: list[str],
    ) -> "StayingRows":
        """Quasi columns that are not ``spoken`` hold numbers; ``summaries`` as of `summarize_columns`.
        Refused where too many rows leave."""
        quasi, every = policy.having("quasi"), next(iter(summaries.values())).rows
        left: dict[str, NumberSummary] | None = summaries
        if leaving:
            staying = rows.map(partial(drop_leaving_rows, leaving), rows.schema)
            left = summarize_rows(staying, quasi)
        count = 0 if left is None else next(iter(left.values())).rows
        refuse_leaving(policy, every, count)
        assert left is not None  # noqa: S101 - else it was refused
        numbers = {name: summaries[name].scaled_numbers().without_leaving(left[name])
                   for name in quasi if name not in spoken}  # fmt: skip
        return cls(every, count, leaving, numbers)


def table_facts(
    rows: Rows, policy: Policy, summaries: dict[str, NumberSummary], judge_words: bool = True
) -> TableFacts:
    """Every fault of policy and table at once, else the facts; ``summaries`` as of `summarize_columns`.
    Who does not have columns of words judged does so with a closer look."""
    quasi = policy.having("quasi")
    summed = {name for asked in policy.guarantees if isinstance(asked, KfAnonymity) for name in asked.columns}
    spoken = [name for name in quasi if name not in summed and not summaries[name].mostly_numbers]
    faults = [
        fault
        for name in quasi
        if judge_words or name not in spoken
        for fault in cell_faults(rows, policy, name, summaries[name], name in spoken)
    ]
    faults += size_faults(policy, next(iter(summaries.values())).rows)
    if faults:
        raise ShoalError(faults)
    leaving = {
        name: name in spoken or (name not in quasi and not summaries[name].mostly_numbers)
        for name in summaries
        if policy.missing_counts.get(name) == "suppress"
    }
    staying = StayingRows.of(rows, policy, summaries, leaving, spoken)
    if leaving:
        rows = rows.map(partial(drop_leaving_rows, leaving), rows.schema)
    return TableFacts.of(rows, policy, staying, _words_of(rows, policy, spoken))


def number_ends(numbers: ScaledNumbers) -> tuple[int, int]:
    """The smallest and the largest number; missing ones count as 0."""
    low, high = numbers.low or 0, numbers.high or 0
    return (min(low, 0), max(high, 0)) if numbers.missing.count else (low, high)


def _summaries_of_batch(quasi: list[str], table: pa.Table) -> dict[str, NumberSummary]:
    return {name: summarize_numbers(table, name) for name in quasi}


def _joined(one: dict[str, NumberSummary], other: dict[str, NumberSummary]) -> dict[str, NumberSummary]:
    return {name: found.joined(other[name]) for name, found in one.items()}


def drop_leaving_rows(leaving: dict[str, bool], table: pa.Table) -> pa.Table:
    """The rows without a missing cell in these columns, each of which holds words or does not."""
    return table.filter(arrow_from_numpy(_staying(leaving, table))) if leaving else table


def mark_staying_rows(rows: Rows, leaving: dict[str, bool]) -> Rows:
    """All rows, each with STAYS: has it no missing cell in these columns?"""
    return rows.map(partial(_with_stays, leaving), rows.schema.append(pa.field(STAYS, pa.bool_())))


def _with_stays(leaving: dict[str, bool], table: pa.Table) -> pa.Table:
    return table.append_column(STAYS, arrow_from_numpy(_staying(leaving, table)))


def _staying(leaving: dict[str, bool], table: pa.Table) -> Bools:
    kept = np.ones(len(table), bool)
    for name, of_words in leaving.items():
        column = table.column(name)
        gone = numpy_from_arrow(column.is_null().combine_chunks()) if of_words else missing_numbers(column)
        kept &= ~gone
    return kept


def cell_faults(rows: Rows, policy: Policy, name: str, found: NumberSummary, of_words: bool) -> list[Fault]:
    """What is wrong with a column of words or of numbers."""
    seen = found.scaled_numbers()
    if not of_words and seen.odd:
        return [odd_number_fault(rows, name, reason) for reason in seen.odd]
    wrong = missing_cell_fault(policy, name, of_words) if seen.missing.count else None
    if wrong is not None:
        located = missing_word_fault if of_words else missing_number_fault
        return [located(rows, name, *wrong)]
    return [] if of_words else magnitude_faults(name, seen)


def magnitude_faults(name: str, numbers: ScaledNumbers) -> list[Fault]:
    """The fault of numbers that, on the scale of their column, do not fit 64 bits."""
    if (numbers.low or 0) >= -LARGEST - 1 and (numbers.high or 0) <= LARGEST:
        return []
    what = f"the numbers of column {name!r}, all on one scale, do not fit 64-bit arithmetic"
    return [Fault(what, "publish the column in larger units, for example thousands.")]


def number_notes(policy: Policy, numbers: dict[str, ScaledNumbers]) -> tuple[str, ...]:
    """What a recipient should know of columns of numbers."""
    grids = [
        f"column {name!r} holds real numbers and is published on a grid of 1e-{seen.scale}"
        for name, seen in numbers.items()
        if seen.on_grid
    ]
    zeros = [
        f"{seen.missing.count:,} empty cells of column {name!r} count as 0"
        for name, seen in numbers.items()
        if policy.missing_counts.get(name) == "zero" and seen.missing.count
    ]
    return (*grids, *zeros)


def _words_of(rows: Rows, policy: Policy, names: list[str]) -> dict[str, Words]:
    """The different words of each column, in their order, missing last."""
    if not names:
        return {}
    most = most_values(rows)
    found = rows.fold(partial(_look_for_words, names), partial(_with_more_words, most)) or {}
    refuse_many_values(found, most)
    return {name: _in_order(words, policy.order_of(name)) for name, words in found.items()}


def _look_for_words(names: list[str], table: pa.Table) -> dict[str, pa.Array]:
    return {name: same_values(encode(table.column(name)).cells).unique() for name in names}


def _with_more_words(most: int, one: dict[str, pa.Array], other: dict[str, pa.Array]) -> dict[str, pa.Array]:
    return {
        name: pa.concat_arrays([words, other[name]]).unique().slice(0, most + 1)
        for name, words in one.items()
    }


def _in_order(words: pa.Array, order: tuple[str, ...]) -> Words:
    return categories_from_arrow(pa.chunked_array([words])).in_order(order).words
