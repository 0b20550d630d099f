"""Do a policy and a table speak of the same columns?"""

from shoal.errors import Fault, nearest
from shoal.policy.policy import Policy
from shoal.policy.toml import toml_key


def column_faults(policy: Policy, names: list[str], optional: tuple[str, ...] = ()) -> list[Fault]:
    """Columns that only one side has, with the nearest name of the other as a hint."""
    free = [name for name in names if name not in policy.columns]
    absent = [
        Fault(
            f"column {name!r} is in the policy but not in the table",
            nearest(name, free or names, "the table"),
        )
        for name, role in policy.columns.items()
        if name not in names and role not in optional
    ]
    roles = '"identifier", "quasi", "sensitive" or "other"'
    unlisted = [
        Fault(
            f"column {name!r} is in the table but not in the policy",
            f"add {toml_key(name)} = {roles} to [columns].",
        )
        for name in free
    ]
    return absent + unlisted
