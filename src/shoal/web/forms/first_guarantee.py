"""A guarantee to begin with, about the columns that a policy has."""

from collections.abc import Collection, Mapping
from typing import Any

from shoal.errors import ShoalError, nearest
from shoal.policy.draft.draft_policy import expression_name
from shoal.policy.text.policy_text import KINDS
from shoal.web.forms.guarantee_words import GUARANTEE_TEMPLATES, GuaranteeTemplate

NUMERIC = ("ke-anonymity", "kpqr-anonymity")  # for amounts rather than words


def find_template(name: str) -> GuaranteeTemplate:
    """The template of this name; an unknown name is refused with the nearest one."""
    found = {promise.name: promise for promise in GUARANTEE_TEMPLATES}
    if name not in found:
        raise ShoalError(f"there is no promise {name!r}", nearest(name, found, "shoal"))
    return found[name]


def first_guarantee(
    promise: GuaranteeTemplate, columns: Mapping[str, Any], numbers: Collection[str], amounts: Collection[str]
) -> dict[str, Any]:
    """The entries of a guarantee; ``numbers`` are the columns that hold some, ``amounts`` those that add up.

    >>> columns = {"pay": "quasi", "gain": "quasi", "age": "quasi"}
    >>> total = find_template("kf-anonymity")
    >>> first_guarantee(total, columns, numbers=["pay", "gain", "age"], amounts=["pay", "gain"])
    {'kind': 'kf-anonymity', 'k': 10, 'knows': ['pay + gain'], 'also': ['age']}
    """
    quasi = [name for name, role in columns.items() if role == "quasi"]
    if promise.kind == "kf-anonymity":
        return {**promise.entries, **_known(quasi, numbers, amounts)}
    sensitive = [name for name, role in columns.items() if role == "sensitive"]
    if "sensitive" not in KINDS[promise.kind].model_fields:
        if promise.kind in ("p-sensitivity", "alpha-k-anonymity"):
            _refuse_none(sensitive)
        return dict(promise.entries)
    _refuse_none(sensitive)
    suiting = [name for name in sensitive if name in numbers] if promise.kind in NUMERIC else []
    return {**promise.entries, "sensitive": (suiting or sensitive)[0]}


def _known(quasi: list[str], numbers: Collection[str], amounts: Collection[str]) -> dict[str, Any]:
    """A total of what adds up, or else of what is a number; the rest is known besides."""
    added = [name for name in quasi if name in amounts] or [name for name in quasi if name in numbers]
    if not added:
        raise ShoalError(
            "no quasi column holds numbers, so there is no total to know",
            'give such columns the role "quasi", or promise something against who knows all quasi columns.',
        )
    besides = [name for name in quasi if name not in added]
    knows = {"knows": [" + ".join(map(expression_name, added))]}
    return {**knows, "also": besides} if besides else knows


def _refuse_none(sensitive: list[str]) -> None:
    if not sensitive:
        raise ShoalError("no column is sensitive", 'give one the role "sensitive" first.')
