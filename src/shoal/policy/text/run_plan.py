"""What a run under a policy will do, in plain sentences."""

from shoal.policy.model.policy import Policy, Role
from shoal.policy.model.sensitive_without_guarantee import kinds_about

TREATED: dict[Role, str] = {
    "identifier": "left out",
    "drop": "left out",
    "quasi": "changed as far as the promises need it",
    "sensitive": "published as they are",
    "other": "published as they are",
}
PERMUTED: dict[Role, str] = {
    "quasi": "published as they are",
    "sensitive": "exchanged inside groups of records",
}
NO_PROMISE = "NO promise is about it"


def run_plan(policy: Policy, rows: int) -> list[str]:
    """
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 5}])
    >>> run_plan(policy, 1200)[1]
    'No record may be left out: all 1,200 are published.'
    """
    told = [_method(policy), _left_out(policy, rows), _columns(policy), *_sensitive(policy)]
    return [*told, _checked(policy)]


def _method(policy: Policy) -> str:
    if policy.method.name == "auto":
        return "shoal chooses the method that fits what is promised, and says why."
    return f"The method is {policy.method.name}, as the policy says."


def _left_out(policy: Policy, rows: int) -> str:
    most = policy.method.most_suppressed(rows)
    if not most:
        return f"No record may be left out: all {rows:,} are published."
    return f"At most {most:,} of {rows:,} records may be left out ({policy.method.suppression * 100:.4g} %)."


def _columns(policy: Policy) -> str:
    treated = TREATED | (PERMUTED if policy.permutes else {})
    counts = {role: len(policy.having(role)) for role in treated}
    told = [f"{count:,} {role} ({treated[role]})" for role, count in counts.items() if count]
    return f"Columns: {', '.join(told)}."


def _sensitive(policy: Policy) -> list[str]:
    """The promises about each sensitive column."""
    names = policy.having("sensitive")
    told = [f"{name}: {', '.join(kinds_about(policy, name)) or NO_PROMISE}" for name in names]
    return [f"Promises about sensitive columns: {'; '.join(told)}."] if told else []


def _checked(policy: Policy) -> str:
    promises = "The promise is" if len(policy.guarantees) == 1 else "All promises are"
    return f"{promises} checked on the written file itself. If one does not hold, nothing is kept."
