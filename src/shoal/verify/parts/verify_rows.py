"""Verdicts on what an engine has written, by parts in which every class lies whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial, reduce

import pyarrow as pa

from shoal.engines.memory.rows import whole_table
from shoal.engines.protocol import PART, Rows
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW
from shoal.table.table import Table
from shoal.verify.attackers import Attacker
from shoal.verify.case_variants import SensitiveWords, join_words, sensitive_words, with_case_notes
from shoal.verify.cells.column_traits import FormatsByColumn, batch_traits, column_formats, join_traits
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.counting_unit import with_counting_unit
from shoal.verify.parts.float_runs import FloatRuns
from shoal.verify.parts.part_keys import low_end_runs, part_of_rows
from shoal.verify.verdict import Verdict
from shoal.verify.verifiers import (
    Measures,
    WholeTableStatistics,
    join_measures,
    measure_part,
    part_attackers,
    verdicts_from_measures,
    whole_table_statistics,
)
from shoal.verify.verify import verify_table


@dataclass(frozen=True)
class WholeTable:
    """What has to be known of all rows: for verdicts, for words that differ in capitals alone, and for whom
    aggregates that are floats lie in which runs."""

    statistics: WholeTableStatistics
    words: SensitiveWords
    runs: Mapping[Attacker, FloatRuns]

    @classmethod
    def of(cls, policy: Policy, ways: FormatsByColumn, table: pa.Table) -> "WholeTable":
        """What a batch adds."""
        published = PublishedTable(plain_table(table), ways)
        found = {one: low_end_runs(published, one, policy) for one in part_attackers(policy)}
        return cls(
            whole_table_statistics(published, policy.guarantees, policy),
            sensitive_words(published.table, policy),
            {one: runs for one, runs in found.items() if runs is not None},
        )

    def joined(self, other: "WholeTable") -> "WholeTable":
        return WholeTable(
            self.statistics.joined(other.statistics),
            join_words(self.words, other.words),
            {one: found.joined(other.runs[one]) for one, found in self.runs.items()},
        )


def ways_to_read(published: Rows, policy: Policy) -> FormatsByColumn:
    """How the columns of the whole table are read."""
    readings = published.fold(lambda table: batch_traits(plain_table(table), policy), join_traits)
    assert readings is not None  # noqa: S101 - something was published
    return column_formats(readings)


def verify_rows(published: Rows, policy: Policy, ways: FormatsByColumn, count: int) -> list[Verdict]:
    """One verdict per guarantee, from the published rows alone."""
    if (table := whole_table(published)) is not None:
        return verify_table(table, policy)
    whole = published.fold(partial(WholeTable.of, policy, ways), WholeTable.joined)
    assert whole is not None  # noqa: S101
    parts = 2 * -(-count // published.part_rows)  # twice as many, since classes are not dealt out evenly
    found = [
        _measured(published, policy, ways, attacker, whole, parts) for attacker in part_attackers(policy)
    ]
    verdicts = verdicts_from_measures(policy, reduce(join_measures, found))
    return with_counting_unit(with_case_notes(verdicts, policy, whole.words), policy)


def _measured(
    published: Rows, policy: Policy, ways: FormatsByColumn, attacker: Attacker, whole: WholeTable, parts: int
) -> Measures:
    schema = published.schema.append(pa.field(PART, pa.int64()))
    runs = whole.runs.get(attacker)
    dealt = published.map(partial(_with_part_numbers, policy, ways, attacker, parts, runs), schema).parts(
        PART
    )
    found = dealt.fold(partial(_measure, policy, ways, attacker, whole.statistics), join_measures)
    assert found is not None  # noqa: S101
    return found


def _with_part_numbers(
    policy: Policy,
    ways: FormatsByColumn,
    attacker: Attacker,
    parts: int,
    runs: FloatRuns | None,
    table: pa.Table,
) -> pa.Table:
    numbers = part_of_rows(PublishedTable(plain_table(table), ways), attacker, policy, parts, runs)
    return table.append_column(PART, arrow_from_numpy(numbers))


def _measure(
    policy: Policy,
    ways: FormatsByColumn,
    attacker: Attacker,
    whole: WholeTableStatistics,
    _number: int,
    table: pa.Table,
) -> Measures:
    part = PublishedTable(plain_table(table.drop_columns([PART])), ways)
    return measure_part(part, policy, attacker, whole)


def plain_table(table: pa.Table) -> Table:
    """A batch as a recipient has it."""
    return Table(table.drop_columns([ROW]))
