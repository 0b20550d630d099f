"""Which methods suit a policy, and why others do not: decided from their facts, no method is loaded."""

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from sys import float_info
from typing import Any

from shoal.anonymizer.method_facts import FACTS, PERMUTE, MethodFacts
from shoal.errors import Fault, ShoalError, nearest
from shoal.policy.model.expression import linear_form
from shoal.policy.model.guarantee import ON_SENSITIVE, KfAnonymity
from shoal.policy.model.policy import Policy

Rows = Sequence[MethodFacts]
LABELS = ("mondrian", "cluster")  # show the lowest labels over classes


def pick_method(policy: Policy) -> tuple[str, str]:
    """The name of the method that the policy names, or that fits its guarantees best, and why.

    >>> asked = [{"kind": "kf-anonymity", "k": 5, "knows": ["pay"]}]
    >>> pick_method(Policy(columns={"pay": "quasi"}, guarantees=asked))[0]
    'residual'
    """
    if policy.method.name != "auto":
        return policy.method.name, "the policy names it"
    if policy.permutes:
        return "min-sum", "of all groups, those that it forms have the least sum of ranges"
    if policy.averages:
        return "kpqr", "classes without rare values may stay small"
    attackers = [asked for asked in policy.guarantees if not isinstance(asked, ON_SENSITIVE)]
    if attackers and all(isinstance(asked, KfAnonymity) for asked in attackers):
        return "residual", "the attacker knows aggregates; it blurs least of those that share ranges"
    if any(name in policy.hierarchies for name in policy.having("quasi")) and not any(
        isinstance(asked, KfAnonymity) for asked in attackers
    ):
        return (
            "optimal",
            "of all ways to take whole columns to a level of their hierarchies it loses least; a "
            "comparison shows what cluster and mondrian would lose, which blur class by class",
        )
    return "mondrian", "the quasi values themselves must be shared by k records"


def method_faults_among(policy: Policy, rows: Rows = FACTS) -> list[Fault]:
    """What is wrong with the method a policy asks for, which should be one of these.

    >>> asked = [{"kind": "k-anonymity", "k": 5}]
    >>> wrong = Policy(columns={"age": "quasi"}, guarantees=asked, method={"name": "aligned"})
    >>> [fault.what for fault in method_faults_among(wrong)]
    ["method 'aligned' cannot give k-anonymity"]
    """
    name, _ = pick_method(policy)
    row = next((row for row in rows if row.name == name), None)
    if row is None:
        known = [row.name for row in rows]
        return [Fault(f"[method] name: there is no method {name!r}", nearest(name, known, "shoal"))]
    return [*unsuited_faults(policy, row, rows), *_option_faults(policy, row, rows)]


def sound_policy(text: str, beside: Path) -> tuple[Policy | None, list[Fault]]:
    """The policy of a text if it can be read, and all that is wrong with it, its method included."""
    try:
        policy = Policy.parse(text, beside)
    except ShoalError as error:
        return None, list(error.faults)
    return policy, method_faults_among(policy)


def unsuited_faults(policy: Policy, row: MethodFacts, rows: Rows = FACTS) -> list[Fault]:
    """Why this method cannot give what the policy promises, whichever it names; nothing where it can."""
    faults = [
        Fault(f"method {row.name!r} cannot give {guarantee.kind}", _servers(policy, guarantee.kind, rows))
        for guarantee in policy.guarantees
        if guarantee.kind not in row.serves
    ]
    known = [guarantee for guarantee in policy.guarantees if isinstance(guarantee, KfAnonymity)]
    if not faults and row.permutes and not policy.permutes:
        what = f"method {row.name!r} needs a ke-anonymity guarantee"
        faults.append(Fault(what, 'add one, or let name = "auto" choose.'))
    elif not faults and not known and "kf-anonymity" in row.serves and "k-anonymity" not in row.serves:
        what = f"method {row.name!r} needs a kf-anonymity guarantee"
        faults.append(Fault(what, 'add one, or use name = "mondrian".'))
    elif not faults and not row.joint and (len(known) != 1 or known[0].joint):
        what = f"method {row.name!r} protects from someone who knows one aggregate and nothing else"
        faults.append(Fault(what, 'use name = "residual", or "mondrian".'))
    if row.sums_only and any(linear_form(tree) is None for asked in known for tree in asked.trees):
        faults.append(Fault(f"method {row.name!r} needs a sum, a weighted sum or an average",
                            'use name = "residual".'))  # fmt: skip
    return faults + _level_faults(policy, row)


def _level_faults(policy: Policy, row: MethodFacts) -> list[Fault]:
    """Lowest and highest levels that this method does not keep."""
    bounded = {name: spec for name, spec in policy.hierarchies.items() if spec.bounded}
    shows_labels = row.name in LABELS and policy.method.options.get("cells") != "sets"
    shows_labels &= not any(isinstance(asked, KfAnonymity) for asked in policy.guarantees)
    low_only = shows_labels and all(spec.highest is None for spec in bounded.values())
    if not bounded or row.family == "levels" or low_only:
        return []
    what = (
        f"method {row.name!r} does not keep the lowest and highest levels of {', '.join(map(repr, bounded))}"
    )
    return [Fault(what, 'use name = "optimal"; mondrian and cluster keep lowest where they show labels.')]


def _servers(policy: Policy, kind: str, rows: Rows) -> str:
    kinds = {guarantee.kind for guarantee in policy.guarantees}
    if not any(kinds <= set(row.serves) for row in rows):
        return "no method gives all of these guarantees together: leave one of them out."
    names = [row.name for row in rows if kind in row.serves and not row.baseline]
    return f'{kind} is given by {", ".join(names)}, or let name = "auto" choose.'


def _is_positive(value: Any) -> bool:
    """A number above 0 that a float can hold; what is not a number is not even equal to itself."""
    is_number = isinstance(value, float | int | Decimal) and not isinstance(value, bool) and value == value
    return is_number and 0 < value <= float_info.max


def _option_faults(policy: Policy, row: MethodFacts, rows: Rows) -> list[Fault]:
    faults = []
    options = {**row.options, **(PERMUTE if policy.permutes else {})}
    for name, value in policy.method.options.items():
        if name not in options:
            able = [other.name for other in rows if name in other.options and name not in PERMUTE]
            hint = nearest(name, options, row.name) if options else "leave it out."
            if able:
                hint = f"leave it out, or name a method that has it: {', '.join(able)}."
            faults.append(Fault(f"method {row.name!r} has no option {name!r}", hint))
            continue
        allowed = options[name]
        if isinstance(allowed, tuple):
            if value not in allowed:
                words = " or ".join(f'"{word}"' for word in allowed)
                faults.append(Fault(f"option {name!r} of {row.name!r} must be {words}"))
        elif allowed is float:
            if not _is_positive(value):
                faults.append(Fault(f"option {name!r} of {row.name!r} must be a number above 0"))
        elif allowed is list:
            faults.extend(_column_list_faults(policy, row, name, value))
        elif allowed is bool and not isinstance(value, bool):
            faults.append(Fault(f"option {name!r} of {row.name!r} must be true or false"))
        elif allowed is dict and not isinstance(value, dict):
            faults.append(
                Fault(f"option {name!r} of {row.name!r} must be a table: what it says of each column")
            )
        elif not isinstance(value, allowed):
            faults.append(Fault(f"option {name!r} of {row.name!r} must be a {allowed.__name__}"))
    return faults


def _column_list_faults(policy: Policy, row: MethodFacts, name: str, value: Any) -> list[Fault]:
    """Some quasi columns, or all of them, or none."""
    if isinstance(value, bool):
        return []
    if not isinstance(value, list | tuple):
        return [Fault(f"option {name!r} of {row.name!r} must be true, false or a list of quasi columns")]
    return [
        Fault(
            f"option {name!r} names column {column!r}, which is no quasi column",
            nearest(str(column), policy.having("quasi"), "the policy"),
        )
        for column in value
        if column not in policy.having("quasi")
    ]
