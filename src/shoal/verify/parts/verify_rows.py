"""Verdicts on what an engine has written, by parts in which every class lies whole."""

from functools import partial, reduce

import pyarrow as pa

from shoal.engines.protocol import PART, Rows
from shoal.policy.model.policy import Policy
from shoal.table.columns.bridge import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW
from shoal.table.table import Table
from shoal.verify.attackers import Attacker
from shoal.verify.capitals import Words, joined_words, said_of_capitals, words_of
from shoal.verify.cells.column_traits import Ways, joined_readings, readings_of, ways_of
from shoal.verify.counting_unit import said_of_rows
from shoal.verify.parts.part_measures import (
    Measured,
    Whole,
    attackers_of,
    joined_measures,
    measured,
    numbers_of_parts,
    verdicts_of,
    whole_of,
)
from shoal.verify.verdict import Verdict


def ways_to_read(published: Rows, policy: Policy) -> Ways:
    """How the columns of the whole table are read."""
    readings = published.fold(lambda table: readings_of(_plain(table), policy), joined_readings)
    assert readings is not None  # noqa: S101 - something was published
    return ways_of(readings)


def promises_kept(published: Rows, policy: Policy, ways: Ways, count: int) -> list[Verdict]:
    """One verdict per guarantee, from the published rows alone."""
    seen = published.fold(lambda table: _seen(_plain(table), policy, ways), _joined)
    assert seen is not None  # noqa: S101
    whole, words = seen
    parts = 2 * -(-count // published.part_rows)  # twice as many, since classes are not dealt out evenly
    found = [_measured(published, policy, ways, attacker, whole, parts) for attacker in attackers_of(policy)]
    verdicts = verdicts_of(policy, reduce(joined_measures, found))
    return said_of_rows(said_of_capitals(verdicts, policy, words), policy)


def _seen(batch: Table, policy: Policy, ways: Ways) -> tuple[Whole, Words]:
    """What a batch adds to what has to be known of the whole table, and its sensitive words."""
    return whole_of(batch, policy, ways), words_of(batch, policy)


def _joined(one: tuple[Whole, Words], two: tuple[Whole, Words]) -> tuple[Whole, Words]:
    return one[0].joined(two[0]), joined_words(one[1], two[1])


def _measured(
    published: Rows, policy: Policy, ways: Ways, attacker: Attacker, whole: Whole, parts: int
) -> Measured:
    schema = published.schema.append(pa.field(PART, pa.int64()))
    dealt = published.map(partial(_dealt, policy, ways, attacker, parts, whole), schema).parts(PART)
    found = dealt.fold(partial(_measure, policy, ways, attacker, whole), joined_measures)
    assert found is not None  # noqa: S101
    return found


def _dealt(
    policy: Policy, ways: Ways, attacker: Attacker, parts: int, whole: Whole, table: pa.Table
) -> pa.Table:
    numbers = numbers_of_parts(_plain(table), policy, ways, attacker, parts, whole)
    return table.append_column(PART, arrow_from_numpy(numbers))


def _measure(
    policy: Policy, ways: Ways, attacker: Attacker, whole: Whole, _number: int, table: pa.Table
) -> Measured:
    return measured(_plain(table.drop_columns([PART])), policy, ways, attacker, whole)


def _plain(table: pa.Table) -> Table:
    """As a recipient has it."""
    return Table(table.drop_columns([ROW]))
