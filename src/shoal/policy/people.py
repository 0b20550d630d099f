"""Are rows people? Every promise counts rows as people, so an identifier that stands in several rows is a
fault, unless the policy says that each row is a person all the same."""

from collections.abc import Mapping

from shoal.errors import Fault, ShoalError
from shoal.policy.policy import Policy
from shoal.table.repeats import repeating_rows
from shoal.table.table import Table

SAID = 'every row counts as a person, as the policy says (rows = "people")'
Repeats = Mapping[str, int]  # rows that share the value of an identifier column with another row, by column


def repeats_in(table: Table, policy: Policy) -> dict[str, int]:
    """The identifier columns of a table that repeat."""
    names = [name for name in policy.having("identifier") if name in table.names]
    found = {name: repeating_rows(table.column(name)) for name in names}
    return {name: rows for name, rows in found.items() if rows}


def insist_on_people(table: Table, policy: Policy) -> list[str]:
    """What is to be said of the rows of a table; refused where an identifier repeats and nothing is said."""
    repeats = repeats_in(table, policy)
    if faults := people_faults(repeats, policy, len(table)):
        raise ShoalError(faults)
    return people_notes(repeats, policy, len(table))


def people_faults(repeats: Repeats, policy: Policy, rows: int) -> list[Fault]:
    """What is wrong with so many rows, unless the policy says that they are people."""
    if policy.rows == "people":
        return []
    return [
        Fault(
            f"identifier column {name!r} repeats: {shared:,} of {rows:,} rows share its value with another "
            "row, and each of them would count as a person of its own",
            "if they are visits or years of the same people, give one row per person; if every row is a "
            "person all the same, as with surnames or places, keep the role and write "
            'rows = "people" at the top of the policy.',
        )
        for name, shared in repeats.items()
    ]


def people_notes(repeats: Repeats, policy: Policy, rows: int) -> list[str]:
    """What is said of a release in which identifiers repeat."""
    if policy.rows != "people":
        return []
    told = [f"{name!r} repeats in {shared:,} of {rows:,} rows" for name, shared in repeats.items()]
    return ["; ".join([SAID, *told])]
