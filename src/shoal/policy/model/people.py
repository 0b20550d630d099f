"""Are rows people? Every promise counts rows as people.

So an identifier that stands in several rows is a fault, and so is another column that is named like a key
and repeats as one, unless the policy says that each row is a person all the same. A key that only its rows
tell is stated, and so is one that is published as it is.
"""

from collections.abc import Mapping, Sequence

from shoal.errors import Fault, refuse_faults
from shoal.policy.model.policy import Policy
from shoal.table.columns.repeats import repeating_rows
from shoal.table.profile.key_columns import KeyColumn, key_columns
from shoal.table.table import Table

EVERY_ROW_A_PERSON = 'every row counts as a person, as the policy says (rows = "people")'
ROWS_PREFIX = "rows: "  # how a note in a manifest begins that is a reason to think first
ONE_ROW = "if they are visits or years of the same people, give one row per person"
Repeats = Mapping[str, int]  # rows that share the value of an identifier column with another row, by column


def _repeats_in(table: Table, policy: Policy) -> dict[str, int]:
    """The identifier columns of a table that repeat."""
    names = [name for name in policy.having("identifier") if name in table.names]
    found = {name: repeating_rows(table.column(name)) for name in names}
    return {name: rows for name, rows in found.items() if rows}


def possible_keys(policy: Policy, names: Sequence[str]) -> list[str]:
    """The columns of an original table that may be keys although they are no identifiers."""
    return [name for name in names if policy.columns.get(name) not in (None, "identifier")]


def insist_on_people(table: Table, policy: Policy, released: bool = False) -> list[str]:
    """What is to be said of the rows of a table; refused where an identifier or a key repeats and nothing is
    said. Of a table that is ``released``, only cells that are shown unchanged can tell who belongs together.
    """
    shown = [name for name in policy.unchanged if name in table.names]
    keys = key_columns(table, shown if released else possible_keys(policy, table.names))
    return said_of_rows(_repeats_in(table, policy), keys, policy, len(table))


def said_of_rows(repeats: Repeats, keys: Sequence[KeyColumn], policy: Policy, rows: int) -> list[str]:
    """What is to be said of so many rows in which these identifiers and keys repeat; refused where that is a
    fault."""
    refuse_faults(_faults(repeats, keys, policy, rows))
    return _notes(repeats, keys, policy, rows)


def _faults(repeats: Repeats, keys: Sequence[KeyColumn], policy: Policy, rows: int) -> list[Fault]:
    """What is wrong with so many rows, unless the policy says that they are people."""
    if policy.rows == "people":
        return []
    identifiers = [
        Fault(
            f"identifier column {name!r} repeats: {shared:,} of {rows:,} rows share its value with another "
            "row, and each of them would count as a person of its own",
            f"{ONE_ROW}; if every row is a person all the same, as with surnames or places, keep the role "
            'and write rows = "people" at the top of the policy.',
        )
        for name, shared in repeats.items()
    ]
    return identifiers + [
        Fault(
            f"column {key.name!r} is named like the number of a person or household, and its values repeat "
            f"({key.rows_per_value:.3g} rows each on average): each row would count as a person of its own",
            f"{ONE_ROW}; if every row is another person all the same, as the members of a household are, "
            'write rows = "people" at the top of the policy.',
        )
        for key in keys
        if key.certain
    ]


def row_warnings(notes: Sequence[str]) -> tuple[str, ...]:
    """What notes say against taking every row for a person."""
    return tuple(note.removeprefix(ROWS_PREFIX) for note in notes if note.startswith(ROWS_PREFIX))


def _notes(repeats: Repeats, keys: Sequence[KeyColumn], policy: Policy, rows: int) -> list[str]:
    """What is said of a release in which identifiers or keys repeat."""
    shown = policy.unchanged
    stated = [
        f"{ROWS_PREFIX}column {key.name!r} is published as it is and seems to show which rows belong to one "
        "person or household"
        for key in keys
        if key.name in shown
    ]
    if policy.rows != "people":
        return stated + [
            f"{ROWS_PREFIX}column {key.name!r} seems to number people or households, "
            "and every row counts as a "
            "person of its own"
            for key in keys
            if key.name not in shown
        ]
    told = [f"{name!r} repeats in {shared:,} of {rows:,} rows" for name, shared in repeats.items()]
    told += [f"{key.name!r} seems to number people or households" for key in keys]
    return [*stated, ROWS_PREFIX * bool(told) + "; ".join([EVERY_ROW_A_PERSON, *told])]
