"""What a release does NOT protect against, in plain words. A tool that hides this is not honest."""

from shoal.policy.model.guarantee import (
    KAnonymity,
    KfAnonymity,
    KpqrAnonymity,
)
from shoal.policy.model.policy import Policy
from shoal.policy.model.sensitive_without_guarantee import sensitive_without_guarantee


def _shows_values(policy: Policy) -> bool:
    """Are there columns that classes may show as ranges or sets of their own values?"""
    return (
        policy.method.options.get("cells") == "sets"
        or any(name not in policy.hierarchies for name in policy.having("quasi"))
        or any(isinstance(asked, KfAnonymity) for asked in policy.guarantees)
    )


def _of_a_permutation(policy: Policy) -> list[str]:
    """What quasi values beside permuted sensitive ones give away."""
    limits = [
        "Quasi values are published as they are: whoever knows those of a person sees whether the person is "
        "in the table, and in which group.",
        "Of a person's group everybody sees the sensitive values and how frequent each is; the verdict says "
        "how large a share one value, or values close together, can have.",
        "Where sensitive values depend on quasi values, the dependence can be learned from all groups "
        "together, and then used to guess better than by the group alone.",
    ]
    if len(policy.having("sensitive")) > 1 and policy.permutes_together:
        limits.append(
            "Sensitive values were permuted together: someone who knows one of a person's may find the "
            "others beside it."
        )
    return limits


def _of_rare_values(policy: Policy) -> list[str]:
    """What (k,p,q,r)-anonymity leaves open."""
    asked = [one for one in policy.guarantees if isinstance(one, KpqrAnonymity)]
    if not asked:
        return []
    columns = ", ".join(dict.fromkeys(name for one in asked for name in one.columns))
    return [
        f"Only rare values of {columns} are protected: a whole class may share one that is not rare, and "
        "then knowing the class is knowing it.",
        f"How frequent each value of {columns} is in a class may differ from the whole table, and make some "
        "of them likelier there.",
    ]


def _of_means() -> list[str]:
    """What class means, medians and modes give away."""
    return [
        "One record far from the others of its class moves the mean: an extreme value can be seen in it.",
        "A mean and the number of its records give their sum: whoever knows all of them but one can compute "
        "the last. Of two records, each person can compute the other's.",
        "A mean at the end of what is possible, such as 0 of amounts that are never negative, is the value "
        "of every record of its class.",
        "A word that a class shows occurs in it: the middle one, or one of the most frequent.",
        "The means of all records together are those of the original: they tell the totals.",
    ]


def _of_classes(policy: Policy) -> list[str]:
    """What the values inside a class may give away, by the guarantees that are asked for."""
    if bare := sensitive_without_guarantee(policy):
        return [
            f"Records of one class may all have the same value of {', '.join(bare)}; then knowing the class "
            "is knowing the value. No guarantee here asks for different values."
        ]
    if policy.having("sensitive"):
        return [
            "Diverse values of a class may still be alike in meaning, and someone who can rule some of them "
            "out may be left with one."
        ]
    if any(isinstance(asked, KAnonymity) for asked in policy.guarantees):
        return [
            "Records of one class may all have the same sensitive value if such a value is among "
            "the columns published as they are."
        ]
    return []


def _of_candidates(policy: Policy) -> list[str]:
    """Whom stars that match anything and known aggregates leave as candidates."""
    limits = []
    kinds = {type(asked) for asked in policy.guarantees}
    if any(isinstance(asked, KAnonymity) and asked.stars == "any" for asked in policy.guarantees):
        limits.append(
            "A star is counted as matching anything: a record that shows all its cells may be the only one "
            "with them, and who knows what lies under a star can rule its record out."
        )
    if KfAnonymity in kinds and KAnonymity not in kinds:
        limits += [
            "Someone who knows single quasi values besides the stated aggregate may find fewer "
            "than k candidates, even only one: exact cells are published as they are.",
            "Someone who knows the aggregate may compute a single opened cell of a candidate.",
            "Someone who knows another aggregate of the same columns is not covered.",
        ]
    if policy.method.name == "aligned":
        limits.append(
            "Where people round, a candidate whose computed cell is a round number is likelier than the "
            "others; the verdict says by how much."
        )
    return limits


def _of_accepted_columns(policy: Policy) -> list[str]:
    """What columns published as they are, and relations that the policy accepts, give away."""
    limits = []
    if as_they_are := policy.unchanged:
        limits.append(
            f"Columns published as they are ({', '.join(as_they_are)}): whoever knows "
            "their values can use them to tell records apart."
        )
    if policy.leaks.accept:
        limits.append(
            f"The policy accepts what {', '.join(policy.leaks.accept)} tells of protected columns: whoever "
            "uses it may fill or narrow cells that are hidden here."
        )
    if policy.publish.allow:
        limits.append(
            f"The policy allows {', '.join(policy.publish.allow)} to be published although values there may "
            "name people: who is named there is found without any other knowledge."
        )
    return limits


def _of_any_release(policy: Policy) -> list[str]:
    """What no method protects against: several rows or releases of one person, and accomplices."""
    said = ", as the policy says" if policy.rows == "people" else ""
    return [
        f"Every row counts as a person{said}: where somebody has several rows, a class of k rows is fewer "
        "than k people.",
        "Several releases of the same people can be combined; this promise is about this one alone.",
        "Someone who knows most of the people in a class can tell the rest.",
    ]


def _of_the_method(policy: Policy) -> list[str]:
    """What the way cells were blurred tells of the values below."""
    limits = []
    if not policy.permutes:
        limits.append(
            "Someone who knows the method may rule out a candidate for whom it would have blurred less."
        )
    if policy.averages:
        limits += _of_means()
    elif _shows_values(policy) and not policy.permutes:
        limits.append("Ends of ranges and members of sets are values that occur in the class.")
    return limits


def protection_limits(policy: Policy, seeded: bool = False, recoded: bool = False) -> list[str]:
    """One sentence per limit that applies to this policy.

    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 5}])
    >>> protection_limits(policy)[0][:52]
    'Records of one class may all have the same sensitive'
    """
    limits = [
        *_of_classes(policy),
        *_of_rare_values(policy),
        *_of_candidates(policy),
        *(_of_a_permutation(policy) if policy.permutes else []),
        *_of_accepted_columns(policy),
        *_of_any_release(policy),
        *_of_the_method(policy),
    ]
    if recoded:
        limits.append(
            "The same recoding was applied to other rows before: somebody who is in both releases can be "
            "looked for in both, and few records may fit both times."
        )
    if seeded:
        limits.append("Random choices came from a seed: whoever guesses it can repeat them. For tests only.")
    return limits
