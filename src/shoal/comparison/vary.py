"""Policies with other parameters: every combination of the values that are to be tried.

A parameter is a field of a guarantee (``k``, ``l``, ``t``, ``within``, ...), ``suppression``, ``objective``,
or an option of the method (``options.rule``). Where a policy or its method does not have it, it stays out.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from shoal.anonymizer.choose import choose
from shoal.anonymizer.method_facts import PERMUTE
from shoal.anonymizer.registry import METHODS
from shoal.errors import Fault, nearest
from shoal.policy.model.guarantee import Guarantee
from shoal.policy.model.policy import Policy

Vary = Mapping[str, Sequence[Any]]
OPTION = "options."
OF_METHODS = ("suppression", "objective")
UNUSED = ("c", "c2")  # without a value, the variant of l-diversity has no such field


def policy_with_parameters(policy: Policy, parameters: Mapping[str, Any]) -> Policy:
    """The policy with these values, checked as a whole.

    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 5}])
    >>> other = policy_with_parameters(policy, {"k": 3, "suppression": 0.02})
    >>> other.guarantees[0].k, other.method.suppression
    (3, 0.02)
    """
    if not parameters:
        return policy
    options = {name.removeprefix(OPTION): value for name, value in parameters.items() if OPTION in name}
    method = policy.method.model_dump() | {
        name: parameters[name] for name in OF_METHODS if name in parameters
    }
    whole = {name: getattr(policy, name) for name in Policy.model_fields} | {
        "guarantees": [_changed(asked, parameters) for asked in policy.guarantees],
        "method": method | {"options": policy.method.options | options},
    }
    return Policy(**whole)


def combinations(policy: Policy, vary: Vary) -> Iterable[dict[str, Any]]:
    """Every value of a parameter with every value of the others, of those that the policy has.

    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 5}])
    >>> list(combinations(policy, {"k": [2, 3], "t": [0.1], "suppression": [0.0]}))
    [{'k': 2, 'suppression': 0.0}, {'k': 3, 'suppression': 0.0}]
    """
    names = [name for name in vary if name in parameters_of(policy)]
    return (dict(zip(names, values, strict=True)) for values in product(*(vary[name] for name in names)))


def number_of_combinations(policy: Policy, vary: Vary) -> int:
    """How many runs varying these parameters of a policy takes."""
    return prod(len(vary[name]) for name in vary if name in parameters_of(policy))


def parameters_of(policy: Policy) -> list[str]:
    """What can be varied in a policy with its method."""
    fields = [name for asked in policy.guarantees for name in _fields(asked)]
    name = choose(policy).method.name if policy.method.name == "auto" else policy.method.name
    options = [option for row in METHODS if row.name == name for option in row.options]
    if policy.permutes:
        options.extend(PERMUTE)
    return list(dict.fromkeys([*fields, *OF_METHODS, *(f"{OPTION}{option}" for option in options)]))


def name_faults(policies: Iterable[Policy], vary: Vary) -> list[Fault]:
    """Parameters that none of the policies has."""
    known = list(dict.fromkeys(name for policy in policies for name in parameters_of(policy)))
    return [_unknown(name, known) for name in vary if name not in known]


def value_faults(vary: Vary) -> list[Fault]:
    """Values that make no sense in any policy."""
    return [
        *(Fault(f"{name!r} is to be varied, but has no values") for name in vary if not len(vary[name])),
        *(
            Fault(f"k = {k} protects nobody", "ask for a k of at least 2.")
            for k in vary.get("k", ())
            if isinstance(k, int) and k < 2
        ),
    ]


def _unknown(name: str, known: list[str]) -> Fault:
    what = f"no guarantee and no method here has a parameter {name!r}"
    if OPTION + name in known:
        return Fault(what, f"it is an option of the method: write {OPTION + name}.")
    return Fault(what, nearest(name, known, "this comparison"))


def _fields(asked: Guarantee) -> list[str]:
    return [
        name
        for name in type(asked).model_fields
        if name != "kind" and not (name in UNUSED and getattr(asked, name) is None)
    ]


def _changed(asked: Guarantee, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The guarantee with new values; one word for a list of words is a list of its own."""
    changes = {name: parameters[name] for name in _fields(asked) if name in parameters}
    for name, value in changes.items():
        if isinstance(value, str) and isinstance(getattr(asked, name), tuple):
            changes[name] = (value,)
    return asked.model_dump() | changes
