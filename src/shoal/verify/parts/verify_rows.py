"""Verdicts on what an engine has written, by parts in which every class lies whole."""

from functools import partial, reduce

import pyarrow as pa

from shoal.engines.protocol import PART, Rows
from shoal.policy.model.policy import Policy
from shoal.table.columns.bridge import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW
from shoal.table.table import Table
from shoal.verify.attackers import Attacker
from shoal.verify.capitals import SensitiveWords, join_words, sensitive_words, with_capitals_note
from shoal.verify.cells.column_traits import FormatsByColumn, batch_traits, column_formats, join_traits
from shoal.verify.counting_unit import with_counting_unit
from shoal.verify.parts.part_measures import (
    Measures,
    WholeTableStatistics,
    join_measures,
    measure_part,
    part_attackers,
    part_of_rows,
    verdicts_from_measures,
    whole_table_statistics,
)
from shoal.verify.verdict import Verdict


def ways_to_read(published: Rows, policy: Policy) -> FormatsByColumn:
    """How the columns of the whole table are read."""
    readings = published.fold(lambda table: batch_traits(_plain(table), policy), join_traits)
    assert readings is not None  # noqa: S101 - something was published
    return column_formats(readings)


def verify_rows(published: Rows, policy: Policy, ways: FormatsByColumn, count: int) -> list[Verdict]:
    """One verdict per guarantee, from the published rows alone."""
    seen = published.fold(lambda table: _seen(_plain(table), policy, ways), _joined)
    assert seen is not None  # noqa: S101
    whole, words = seen
    parts = 2 * -(-count // published.part_rows)  # twice as many, since classes are not dealt out evenly
    found = [
        _measured(published, policy, ways, attacker, whole, parts) for attacker in part_attackers(policy)
    ]
    verdicts = verdicts_from_measures(policy, reduce(join_measures, found))
    return with_counting_unit(with_capitals_note(verdicts, policy, words), policy)


def _seen(batch: Table, policy: Policy, ways: FormatsByColumn) -> tuple[WholeTableStatistics, SensitiveWords]:
    """What a batch adds to what has to be known of the whole table, and its sensitive words."""
    return whole_table_statistics(batch, policy, ways), sensitive_words(batch, policy)


def _joined(
    one: tuple[WholeTableStatistics, SensitiveWords], two: tuple[WholeTableStatistics, SensitiveWords]
) -> tuple[WholeTableStatistics, SensitiveWords]:
    return one[0].joined(two[0]), join_words(one[1], two[1])


def _measured(
    published: Rows,
    policy: Policy,
    ways: FormatsByColumn,
    attacker: Attacker,
    whole: WholeTableStatistics,
    parts: int,
) -> Measures:
    schema = published.schema.append(pa.field(PART, pa.int64()))
    dealt = published.map(partial(_dealt, policy, ways, attacker, parts, whole), schema).parts(PART)
    found = dealt.fold(partial(_measure, policy, ways, attacker, whole), join_measures)
    assert found is not None  # noqa: S101
    return found


def _dealt(
    policy: Policy,
    ways: FormatsByColumn,
    attacker: Attacker,
    parts: int,
    whole: WholeTableStatistics,
    table: pa.Table,
) -> pa.Table:
    numbers = part_of_rows(_plain(table), policy, ways, attacker, parts, whole)
    return table.append_column(PART, arrow_from_numpy(numbers))


def _measure(
    policy: Policy,
    ways: FormatsByColumn,
    attacker: Attacker,
    whole: WholeTableStatistics,
    _number: int,
    table: pa.Table,
) -> Measures:
    return measure_part(_plain(table.drop_columns([PART])), policy, ways, attacker, whole)


def _plain(table: pa.Table) -> Table:
    """As a recipient has it."""
    return Table(table.drop_columns([ROW]))
