"""What everybody may see: no figure that helps an attacker, only that a promise is kept or not.

A figure of a verdict is shown where it is at least as good as asked. How many people are exposed, the fewest
candidates of anybody and the smallest class are the owner's.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import ge, le
from typing import Any

from shoal.report.content import NOT_SHOWN
from shoal.verify.verdict import Verdict

AT_LEAST: dict[str, Callable[[float, float], bool]] = {
    **dict.fromkeys(("k", "l", "p", "e", "r"), ge),
    **dict.fromkeys(("t", "alpha", "c"), le),
}
FAILED = {
    "integrity": "The files do not match the manifest.",
    "signature": "The release is not signed with the key that was given.",
    "truth": "Not all that was published is true to the original.",
}
SHOWN_OF_ATTACK = ("attack", "knows", "finds", "promised", "level", "needed")


def public_verdict(verdict: Verdict, promise: str | None) -> Verdict:
    """The verdict in the words of its promise. Its own sentence may tell how rare the rarest record is.

    >>> found = Verdict("k-anonymity", False, {"k": 5}, {"k": 1, "records_below": 3}, "3 records ...", (1, 2))
    >>> public_verdict(found, "every combination is shared by at least 5 records").achieved
    {'k': 'not shown'}
    """
    achieved = {
        figure: found if _as_good(figure, found, verdict.asked[figure]) else NOT_SHOWN
        for figure, found in verdict.achieved.items()
        if figure in AT_LEAST and figure in verdict.asked
    }
    if "decided" in verdict.achieved:
        achieved["decided"] = verdict.achieved["decided"]
    return replace(
        verdict, achieved=achieved, sentence=_public_sentence(verdict, promise), worst=(), notes=()
    )


def _as_good(figure: str, found: Any, asked: Any) -> bool:
    return found is not None and asked is not None and AT_LEAST[figure](float(found), float(asked))


def _public_sentence(verdict: Verdict, promise: str | None) -> str:
    if promise is not None:
        return sentence_case(promise) if verdict.holds else f"This does not hold: {promise}."
    return verdict.sentence if verdict.holds else FAILED.get(verdict.kind, "This check fails.")


def public_attack(found: Mapping[str, Any]) -> dict[str, Any]:
    """An attack's result without how many are exposed, and how much."""
    return {name: found[name] for name in SHOWN_OF_ATTACK} | {"sentence": _about_attack(found), "notes": []}


def _about_attack(found: Mapping[str, Any]) -> str:
    who = f"Someone who knows {found['knows']}"
    if found.get("baseline") is not None:
        if found["level"] == "safe":
            return f"{who}: a guess is hardly better than chance."
        told = "a guess may be better than chance"
    else:
        if found["level"] == "safe":
            nobody = (
                "nobody" if found["attacked"] == found["people"] else "none of the people drawn at random"
            )
            return f"{who}: {nobody} has fewer than {found['needed']:,} {found['finds']}s that may be theirs."
        told = f"some people may have fewer than {found['needed']:,} {found['finds']}s that may be theirs"
    beyond = "" if found["promised"] else " The policy makes no promise about them."
    return f"{who}: {told}; how many is not shown.{beyond}"


def public_risk(found: Mapping[str, Any], k: int | None) -> dict[str, Any]:
    """The largest chance of finding a record, where classes of k records are promised and there."""
    largest = found.get("prosecutor", {}).get("largest")
    if k is None or not found.get("promised") or largest is None or largest > 1 / k:
        return {"largest chance of finding a record": NOT_SHOWN}
    return {"largest chance of finding a record": largest, "allowed by the policy": 1 / k}


def sentence_case(sentence: str) -> str:
    """
    >>> sentence_case("every record matches.")
    'Every record matches.'
    """
    return f"{sentence[:1].upper()}{sentence[1:].removesuffix('.')}."
