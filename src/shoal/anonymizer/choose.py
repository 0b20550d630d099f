"""Pick the method for a policy, and say why."""

from dataclasses import dataclass

from shoal.anonymizer.registry import METHODS, MethodRow
from shoal.anonymizer.suitability import method_faults_among, pick_method
from shoal.errors import Fault
from shoal.policy.model.policy import Policy


@dataclass(frozen=True)
class Choice:
    """A method for a policy, and the reason why it was taken."""

    method: MethodRow
    why: str


def choose(policy: Policy) -> Choice:
    """The method that the policy names, or the one that fits its guarantees best.

    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 5}])
    >>> choose(policy).method.name
    'mondrian'
    """
    name, why = pick_method(policy)
    return Choice({row.name: row for row in METHODS}[name], why)


def method_faults(policy: Policy) -> list[Fault]:
    """What is wrong with the method a policy asks for."""
    return method_faults_among(policy, METHODS)


def recoding_faults(policy: Policy) -> list[Fault]:
    """Why what the policy's method finds cannot be saved for other rows."""
    if faults := method_faults(policy):
        return faults
    name = choose(policy).method.name
    able = [row.name for row in METHODS if row.recodes]
    if name in able:
        return []
    return [
        Fault(
            "a recoding is saved only by methods that give whole columns a level or whole classes the same "
            f"cells, which {name!r} does not",
            f"name one of {', '.join(able)} in [method], or save no recoding.",
        )
    ]
