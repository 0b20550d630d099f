"""Do a policy and a table speak of the same columns?"""

from difflib import get_close_matches

from shoal.errors import Fault, nearest
from shoal.policy.model.policy import Policy
from shoal.policy.toml import toml_key

SHOWN_NAMES = 12


def column_faults(policy: Policy, names: list[str], optional: tuple[str, ...] = ()) -> list[Fault]:
    """Columns that only one side has, with the nearest name of the other as a hint."""
    free = [name for name in names if name not in policy.columns]
    if len(free) == len(names) and not any(get_close_matches(name, policy.columns) for name in names):
        return [_nothing_in_common(policy)]
    absent = [
        Fault(
            f"column {name!r} is in the policy but not in the table",
            nearest(name, free or names, "the table"),
        )
        for name, role in policy.columns.items()
        if name not in names and role not in optional
    ]
    roles = '"identifier", "drop", "quasi", "sensitive" or "other"'
    unlisted = [
        Fault(
            f"column {name!r} is in the table but not in the policy",
            f"add {toml_key(name)} = {roles} to [columns].",
        )
        for name in free
    ]
    return absent + unlisted


def _nothing_in_common(policy: Policy) -> Fault:
    """The names are not told: in a file without a header they are the first person."""
    shown = ", ".join(map(repr, list(policy.columns)[:SHOWN_NAMES]))
    return Fault(
        "no column of the policy is in the table",
        f"give the table with {shown}; if its file has no line of names, say what the columns are called: "
        'names = ["age", "pay"] in [reading].',
    )
