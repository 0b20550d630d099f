"""Does this table, from any tool, keep a policy's promises?"""

from os import PathLike

from shoal.anonymizer.fit import smallest_class
from shoal.errors import ShoalError
from shoal.policy.columns import column_faults
from shoal.policy.guarantee import KAnonymity
from shoal.policy.people import insist_on_people
from shoal.policy.policy import GROUP, Policy
from shoal.table.list_column import with_sets_for_lists
from shoal.table.read import Source, read_table
from shoal.table.table import Table
from shoal.verify.attackers import attackers
from shoal.verify.cells import Published
from shoal.verify.leaks import find_leaks
from shoal.verify.spellings import smallest_spelled_class, spare_spellings
from shoal.verify.verdict import Verdict
from shoal.verify.verify import verify_table


def check(source: Source, policy: Policy | str | PathLike[str]) -> list[Verdict]:
    """One verdict per guarantee. Identifier columns may be absent; present, they are a fault.

    >>> import pyarrow as pa
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> check(pa.table({"age": ["[20, 39]", "[20, 39]", "40"]}), policy)[0].holds
    False
    """
    policy = Policy.of(policy)
    table = with_sets_for_lists(read_table(source, reading=policy.how_to_read))
    names = [name for name in table.names if not (policy.permutes and name == GROUP)]
    faults = column_faults(policy, names, optional=("identifier",))
    if faults:
        raise ShoalError(faults)
    insist_on_people(table, policy)
    verdicts = verify_table(table, policy)
    verdicts += _spelling(table, policy)
    if leaks := find_leaks(Published(table), policy):
        verdicts.append(leaks)
    published = [name for name in policy.having("identifier") if name in table.names]
    if published:
        sentence = f"The table still has identifier columns: {', '.join(published)}."
        verdicts.append(Verdict("no-identifiers", False, {}, {"columns": len(published)}, sentence))
    return verdicts


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
