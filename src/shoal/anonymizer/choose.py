"""Pick the method for a policy, and say why."""

from dataclasses import dataclass

from shoal.anonymizer.registry import METHODS, MethodRow
from shoal.errors import Fault, nearest
from shoal.policy.policy import Policy


@dataclass(frozen=True)
class Choice:
    method: MethodRow
    why: str


def choose(policy: Policy) -> Choice:
    """The method that the policy names, or the one that fits its guarantees best.

    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 5}])
    >>> choose(policy).method.name
    'mondrian'
    """
    rows = {row.name: row for row in METHODS}
    if policy.method.name != "auto":
        return Choice(rows[policy.method.name], "the policy names it")
    kinds = [guarantee.kind for guarantee in policy.guarantees]
    if kinds == ["kf-anonymity"]:
        return Choice(
            rows["aggranon"],
            "the attacker knows one aggregate; residual would blur far less and take longer",
        )
    return Choice(rows["mondrian"], "the quasi values themselves must be shared by k records")


def method_faults(policy: Policy) -> list[Fault]:
    """What is wrong with the method a policy asks for."""
    name = policy.method.name
    row = next((row for row in METHODS if row.name == name), None)
    if name == "auto":
        row = choose(policy).method
    if row is None:
        known = [row.name for row in METHODS]
        return [Fault(f"[method] name: there is no method {name!r}", nearest(name, known, "shoal"))]
    return [*_unserved(policy, row), *_option_faults(policy, row)]


def _unserved(policy: Policy, row: MethodRow) -> list[Fault]:
    faults = [
        Fault(
            f"method {row.name!r} cannot give {guarantee.kind}",
            _servers(guarantee.kind),
        )
        for guarantee in policy.guarantees
        if guarantee.kind not in row.serves
    ]
    if not faults and len(policy.guarantees) > row.at_most:
        faults.append(Fault(f"method {row.name!r} gives one guarantee at a time", 'use name = "mondrian".'))
    return faults


def _servers(kind: str) -> str:
    names = [row.name for row in METHODS if kind in row.serves]
    return f'{kind} is given by {", ".join(names)}, or let name = "auto" choose.'


def _option_faults(policy: Policy, row: MethodRow) -> list[Fault]:
    faults = []
    for name, value in policy.method.options.items():
        if name not in row.options:
            hint = nearest(name, row.options, row.name) if row.options else "leave it out."
            faults.append(Fault(f"method {row.name!r} has no option {name!r}", hint))
        elif not isinstance(value, row.options[name]):
            wanted = row.options[name].__name__
            faults.append(Fault(f"option {name!r} of {row.name!r} must be a {wanted}"))
    return faults
