"""Published values that name people: a fault, unless the policy allows the column by name.

Whatever is blurred besides, an e-mail address or a name in a column that is published as it is finds its
person. So all published cells that are words or long numbers are looked at before a release is kept.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import pyarrow as pa

from shoal.engines.protocol import Rows
from shoal.errors import Fault, refuse_faults
from shoal.policy.model.policy import Policy
from shoal.policy.toml import toml_text
from shoal.table.identifying.column_scan import Finding, Tallies, findings_in, join_tallies, tallies_of
from shoal.verify.verdict import Verdict

NAMES_PREFIX = "names: "  # how a note in a manifest begins that is a reason to think first
NAMING_VALUES = "naming-values"  # the kind of a verdict
ALLOWED = " (allowed by the policy)"
Findings = Mapping[str, Sequence[Finding]]  # by column


def naming_values(rows: Rows, policy: Policy) -> dict[str, tuple[Finding, ...]]:
    """The published columns of these rows whose values look as if they named people."""
    names = [name for name in policy.published if name in rows.schema.names]
    tallies = rows.fold(partial(_tallies, names, policy, not rows.whole), _joined) or {}
    found = {name: findings_in(tallies[name]) for name in tallies}
    return {name: one for name, one in found.items() if one}


def _tallies(names: list[str], policy: Policy, hashed: bool, table: pa.Table) -> dict[str, Tallies]:
    quasi = policy.having("quasi")
    return {name: tallies_of(table.column(name), hashed, name in quasi) for name in names}


def _joined(one: dict[str, Tallies], other: dict[str, Tallies]) -> dict[str, Tallies]:
    return {name: join_tallies(tallies, other[name]) for name, tallies in one.items()}


def refuse_naming_values(rows: Rows, policy: Policy) -> list[str]:
    """What is to be said of published rows that name people where the policy allows it; refused where it does
    not."""
    found = naming_values(rows, policy)
    refuse_faults([_fault(name, found[name]) for name in found if name not in policy.publish.allow])
    return [f"{NAMES_PREFIX}{_sentence(name, found[name])}{ALLOWED}" for name in found]


def naming_warnings(notes: Sequence[str]) -> tuple[str, ...]:
    """What notes say of published values that name people."""
    return tuple(note.removeprefix(NAMES_PREFIX) for note in notes if note.startswith(NAMES_PREFIX))


def verify_naming_values(rows: Rows, policy: Policy) -> Verdict | None:
    """A verdict that names the columns, and fails unless the policy allows all of them; None if there are
    none."""
    found = naming_values(rows, policy)
    if not found:
        return None
    sentences = "; ".join(_sentence(name, one) for name, one in found.items())
    notes = tuple(f"{name} is allowed by the policy" for name in found if name in policy.publish.allow)
    holds = set(policy.publish.allow).issuperset(found)
    sentence = f"Published values look as if they named people: {sentences}."
    return Verdict(NAMING_VALUES, holds, {}, {"columns": len(found)}, sentence, notes=notes)


def _sentence(name: str, found: Sequence[Finding]) -> str:
    return f"column {name!r} is published, and {', '.join(map(str, found))}"


def _fault(name: str, found: Sequence[Finding]) -> Fault:
    allow = toml_text(name)
    return Fault(
        _sentence(name, found),
        f'leave the column out (role "identifier" or "drop"), or, if these name nobody, allow it: '
        f"allow = [{allow}] in [publish].",
    )
