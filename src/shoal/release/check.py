"""Does this table, from any tool, keep a policy's promises?"""

from dataclasses import replace
from os import PathLike

from shoal.errors import ShoalError
from shoal.policy.columns import column_faults
from shoal.policy.people import insist_on_people, stated_rows
from shoal.policy.policy import GROUP, UNPUBLISHED, Policy
from shoal.table.list_column import with_sets_for_lists
from shoal.table.read import Source, read_table
from shoal.verify.cells import Published
from shoal.verify.leaks import find_leaks
from shoal.verify.verdict import Verdict
from shoal.verify.verify import verify_table


def check(source: Source, policy: Policy | str | PathLike[str]) -> list[Verdict]:
    """One verdict per guarantee. Columns that are left out may be absent; present, they are a fault.

    >>> import pyarrow as pa
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> check(pa.table({"age": ["[20, 39]", "[20, 39]", "40"]}), policy)[0].holds
    False
    """
    policy = Policy.of(policy)
    table = with_sets_for_lists(read_table(source, reading=policy.how_to_read))
    names = [name for name in table.names if not (policy.permutes and name == GROUP)]
    faults = column_faults(policy, names, optional=UNPUBLISHED)
    if faults:
        raise ShoalError(faults)
    notes = insist_on_people(table, policy, released=True)
    verdicts = verify_table(table, policy)
    verdicts[0] = replace(verdicts[0], notes=(*verdicts[0].notes, *stated_rows(notes)))
    if leaks := find_leaks(Published(table), policy):
        verdicts.append(leaks)
    published = [name for name in table.names if policy.columns.get(name) in UNPUBLISHED]
    if published:
        sentence = f"The table still has columns that were to be left out: {', '.join(published)}."
        verdicts.append(Verdict("no-identifiers", False, {}, {"columns": len(published)}, sentence))
    return verdicts
