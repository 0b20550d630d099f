"""Does one policy promise no less than another? Field by field: of some a larger value promises more, of some
a smaller one; everything else has to be the same."""

from typing import Any

from shoal.policy.model.guarantee import Guarantee
from shoal.policy.model.policy import Policy

LARGER = ("k", "l", "p", "q", "r", "e", "gap", "c2")
SMALLER = ("t", "c", "alpha", "within")  # without `within` the attacker knows exactly
STRICTEST = {"stars": "own", "band": "any", "alone": False}


def promises_no_less(made: Policy, written: Policy) -> bool:
    """
    >>> def asking(k: int) -> Policy:
    ...     return Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": k}])
    >>> promises_no_less(asking(5), asking(4)), promises_no_less(asking(3), asking(4))
    (True, False)
    """
    if made.columns != written.columns or len(made.guarantees) != len(written.guarantees):
        return False
    return all(map(_no_less, made.guarantees, written.guarantees))


def differ_in_degree(one: Policy, other: Policy) -> bool:
    """Do both promise the same to the same people, only more or less of it?

    >>> def asking(k: int, **method: str) -> Policy:
    ...     asked = [{"kind": "k-anonymity", "k": k}]
    ...     return Policy(columns={"age": "quasi"}, guarantees=asked, method=method)
    >>> differ_in_degree(asking(5), asking(4, name="mondrian"))
    True
    """
    same = all(getattr(one, name) == getattr(other, name) for name in ("columns", "missing", "domains"))
    return same and list(map(_kind_of_promise, one.guarantees)) == list(
        map(_kind_of_promise, other.guarantees)
    )


def differ_in_k_alone(one: Policy, other: Policy) -> bool:
    """Do both ask the same of the same table, but for k, and for the method and what it may leave out?

    >>> def asking(k: int, column: str = "age") -> Policy:
    ...     return Policy(columns={column: "quasi"}, guarantees=[{"kind": "k-anonymity", "k": k}])
    >>> differ_in_k_alone(asking(5), asking(4)), differ_in_k_alone(asking(5), asking(5, "born"))
    (True, False)
    """
    return _without_k(one) == _without_k(other)


def _without_k(policy: Policy) -> dict[str, Any]:
    asked = [
        guarantee.model_dump(exclude={"k"}) | {"kind": guarantee.kind} for guarantee in policy.guarantees
    ]
    return policy.model_dump(exclude={"method", "guarantees"}) | {"guarantees": asked}


def _kind_of_promise(asked: Guarantee) -> dict[str, Any]:
    return asked.model_dump(exclude={*LARGER, *SMALLER, *STRICTEST}) | {"kind": asked.kind}


def _no_less(made: Guarantee, written: Guarantee) -> bool:
    if made.kind != written.kind:
        return False
    fields = type(made).model_fields
    return all(_field_no_less(name, getattr(made, name), getattr(written, name)) for name in fields)


def _field_no_less(name: str, made: Any, written: Any) -> bool:
    """
    >>> _field_no_less("t", 0.1, 0.2), _field_no_less("within", None, 0.05), _field_no_less("gap", None, 1)
    (True, True, False)
    """
    if made == written:
        return True
    if name in LARGER:
        return bool((made or 0) >= (written or 0))
    if name in SMALLER:
        return bool((made or 0) <= (written or 0))
    return name in STRICTEST and made == STRICTEST[name]
