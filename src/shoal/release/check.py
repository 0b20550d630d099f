"""Does this table, from any tool, keep a policy's promises?"""

from collections.abc import Iterable
from dataclasses import replace
from os import PathLike

import pyarrow as pa

from shoal.anonymizer.fit import smallest_class
from shoal.engines.memory.rows import MemoryRows
from shoal.errors import ShoalError
from shoal.policy.model.column_faults import column_faults
from shoal.policy.model.guarantee import KAnonymity
from shoal.policy.model.people import insist_on_people, row_warnings
from shoal.policy.model.policy import GROUP, UNPUBLISHED, Policy
from shoal.policy.model.reading_rules import published_value_rules
from shoal.release.integrity.measurement_limits import check_measurement_limits
from shoal.release.integrity.protection_limits import protection_limits
from shoal.release.naming_values import verify_naming_values
from shoal.table.files.list_column import with_sets_for_lists
from shoal.table.read import Source, read_table
from shoal.table.table import Table
from shoal.verify.attackers import attackers
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.cells.spellings import smallest_spelled_class, spare_spellings
from shoal.verify.hidden_cells import verify_hidden_cells
from shoal.verify.verdict import Verdict
from shoal.verify.verify import verify_table


class CheckResult(list[Verdict]):
    """The verdicts; beside them what the guarantees do not protect against, and what no verdict is about."""

    def __init__(self, verdicts: Iterable[Verdict], policy: Policy) -> None:
        super().__init__(verdicts)
        self.limits = tuple(protection_limits(policy))
        self.not_measured = check_measurement_limits()


def check(source: Source, policy: Policy | str | PathLike[str]) -> CheckResult:
    """One verdict per guarantee. Columns that are left out may be absent; present, they are a fault. Cells
    are read as they are written, as recipients read them: rules about the original's cells could make one of
    what a recipient tells apart. Only of sensitive columns they do (``sensitive_by_value``).

    >>> import pyarrow as pa
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> found = check(pa.table({"age": ["[20, 39]", "[20, 39]", "40"]}), policy)
    >>> found[0].holds
    False
    >>> found.limits[-2]
    'Someone who knows the method may rule out a candidate for whom it would have blurred less.'
    """
    policy = Policy.of(policy)
    table = with_sets_for_lists(read_table(source, reading=policy.how_to_read.as_written))
    names = [name for name in table.names if not (policy.permutes and name == GROUP)]
    faults = column_faults(policy, names, optional=UNPUBLISHED)
    if faults:
        raise ShoalError(faults)
    notes = insist_on_people(table, policy, released=True)
    verdicts = verify_table(sensitive_by_value(table, policy), policy)
    verdicts[0] = replace(verdicts[0], notes=(*verdicts[0].notes, *row_warnings(notes)))
    verdicts += _spelling(table, policy)
    if leaks := verify_hidden_cells(PublishedTable(table), policy):
        verdicts.append(leaks)
    if named := verify_naming_values(MemoryRows(table.arrow), policy):
        verdicts.append(named)
    published = [name for name in table.names if policy.columns.get(name) in UNPUBLISHED]
    if published:
        sentence = f"The table still has columns that were to be left out: {', '.join(published)}."
        verdicts.append(Verdict("no-identifiers", False, {}, {"columns": len(published)}, sentence))
    return CheckResult(verdicts, policy)


def sensitive_by_value(table: Table, policy: Policy) -> Table:
    """The table with the codes and types of the policy applied to its sensitive columns: several ways to
    write one value, or that nothing is known, are no several values."""
    schema = table.arrow.schema
    names = [name for name in policy.having("sensitive") if not pa.types.is_nested(schema.field(name).type)]
    rows = table.arrow
    for rule in published_value_rules(policy, names):
        rows = rule(rows)
    return table if rows is table.arrow else Table(rows, table.lines)


def _spelling(table: Table, policy: Policy) -> list[Verdict]:
    """A verdict on quasi values that are spelled in several ways: whoever reads the table tells these records
    apart. It fails where fewer records are spelled alike than a class must have; none where all are."""
    quasi = policy.having("quasi")
    spare = spare_spellings(table, quasi)
    if not spare:
        return []
    smallest, needed = smallest_spelled_class(table, quasi), smallest_class(policy)
    by_cells = any(isinstance(one, KAnonymity) for one in attackers(policy))
    named = ", ".join(f"{name} ({count:,} more spellings than values)" for name, count in spare.items())
    sentence = f"Values of quasi columns are spelled in several ways, which tells records apart: {named}."
    figures = {"columns": len(spare), "smallest": smallest}
    note = f"the smallest class of records that are spelled alike has {smallest:,}"
    return [Verdict("spelling", not by_cells or smallest >= needed, {}, figures, sentence, notes=(note,))]
