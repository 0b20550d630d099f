"""The decision: do not publish, think first, or nothing speaks against it; in people, and with every reason.

| level | when |
|---|---|
| exposed | a promise does not hold, a seed was used, a preset asks for more, or a simulated attacker is exposed |
| watch | promises hold, but something is to be looked at: who knows more than the policy protects from finds some people; a sensitive column has no promise, or its value is certain in some class; values of a sensitive column differ in capitals alone; a column published as it is singles people out, or tells something of hidden cells; a column seems to number people or households, or repeats where the policy says that rows are people; values of an allowed column look as if they named people; every record shows the same |
| not measured | nothing of this was found, and no attacker was simulated |
| safe | nothing of this was found, and attackers were simulated |

The levels of attackers, and their thresholds, are those of `adversary/result.py`.
"""  # noqa: E501 - a table

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from shoal.decision.evidence import Evidence
from shoal.decision.sentence import Level, Sentence, worst
from shoal.decision.three_questions import answers
from shoal.decision.unique_values import unique_value_sentences
from shoal.policy.model.sensitive_without_guarantee import sensitive_without_guarantee
from shoal.release.opened_release import SEALS
from shoal.verify.case_variants import CAPITALS, case_variants_sentence

SOME = "some"  # in public, however many


@dataclass(frozen=True)
class Reason:
    """Why a level is no better; ``people`` are those whom it concerns, where that was counted."""

    text: str
    level: Level
    people: int | None = None

    def as_dict(self) -> dict[str, Any]:
        return {"sentence": self.text, "level": self.level}


@dataclass(frozen=True)
class Decision:
    """``headline`` is the first sentence, ``answers`` are those to the three questions about anonymity."""

    level: Level
    headline: str
    reasons: tuple[Reason, ...]
    not_measured: tuple[str, ...]
    answers: tuple[Sentence, ...]

    def lines(self) -> list[str]:
        """All of it, one sentence each, the worst first."""
        return [
            self.headline,
            *(reason.text for reason in self.reasons),
            *(f"Not measured: {what}." for what in self.not_measured),
        ]

    def as_dict(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "headline": self.headline,
            "reasons": [reason.as_dict() for reason in self.reasons],
            "not_measured": list(self.not_measured),
        }


def decide(found: Evidence, public: bool = False) -> Decision:
    """What follows from the evidence; in public without how many people are exposed."""
    exact = unique_value_sentences(_exact(found), public)
    told = answers(found.verdicts, found.attacks or (), bool(found.policy.having("sensitive")), exact)
    reasons = [*_exposed(found, public), *_watched(found, public)]
    reasons += [Reason(one.text, "watch") for one in exact]
    reasons += [
        Reason(f"Nothing was measured about {answer.name}.", "watch")
        for answer in told
        if found.attacks is not None and answer.level == "not measured"
    ]
    missing = tuple(_not_measured(found))
    level: Level = worst([reason.level for reason in reasons]) if reasons else "safe"
    if level == "safe" and missing:
        level = "not measured"
    return Decision(level, _headline(found, level, reasons, public), tuple(reasons), missing, told)


def _exact(found: Evidence) -> Any:
    return found.classes.exact or () if found.classes is not None else ()


def _headline(found: Evidence, level: Level, reasons: list[Reason], public: bool) -> str:
    as_said = " rows that count as people" if found.policy.rows == "people" else " people"
    everybody = f"{found.people:,}{as_said}"
    counted = max((one.people or 0 for one in reasons if one.level == level), default=0)
    some = f"{SOME if public else f'{counted:,}'} of {everybody}"
    if level == "exposed":
        whom = f"{some} are exposed" if counted else f"it is not what {everybody} were promised"
        return f"Do not publish this: {whom}."
    if level == "watch":
        but = f"something may be learned about {some}" if counted else "what follows needs a look"
        return f"Think before you publish: every promise to {everybody} holds, but {but}."
    if level == "not measured":
        return f"Not decided: every promise to {everybody} holds, but no attacker was simulated."
    return (
        f"Nothing found speaks against publishing: every promise to {everybody} holds, and no simulated "
        "attacker finds fewer candidates than asked for."
    )


def _exposed(found: Evidence, public: bool) -> Iterator[Reason]:
    for verdict in found.verdicts:
        if not verdict.holds:
            yield Reason(f"{verdict.kind} does not hold.", "exposed")
    if found.seeded:
        yield Reason("Random choices came from a seed: this release is for tests only.", "exposed")
    if found.judged is not None and not found.judged.holds:
        yield Reason(f"The preset {found.judged.preset} asks for more.", "exposed")
    for one in found.attacks or ():
        if one["level"] == "exposed":
            many = _people(one)
            whom = f": {many:,} of {one['people']:,} people" if many and not public else ""
            yield Reason(
                f"Someone who knows {one['knows']} succeeds ({one['attack']}){whom}.", "exposed", many
            )


def _people(attack: Mapping[str, Any]) -> int:
    """How many people have too few candidates or, where none has, are guessed right."""
    share: float = attack.get("below") or attack.get("expected") or 0.0
    everybody: int = attack.get("people", 0)
    return ceil(round(share * everybody, 3))


def _watched(found: Evidence, public: bool) -> Iterator[Reason]:
    for text in (*found.rows, *found.named):
        yield Reason(f"{text[:1].upper()}{text[1:]}.", "watch")
    beyond = [one for one in found.attacks or () if one["level"] == "watch"]
    if beyond:
        several = "attackers who know" if len(beyond) > 1 else "attacker who knows"
        yield Reason(
            f"{len(beyond)} simulated {several} more than the policy protects from may find some people.",
            "watch",
            max(_people(one) for one in beyond),
        )
    for leak in found.leaks:
        told = leak.public if public else leak.owner
        yield Reason(f"{told[:1].upper()}{told[1:]}.", "watch", leak.people)
    yield from _about_values(found, public)
    if found.classes is not None and found.classes.one_class:
        yield Reason(
            f"All {found.classes.records:,} records show the same in every quasi column: nothing is left to "
            "learn from them. Ask for less, or group fewer columns.",
            "watch",
        )
    capitals = [one.achieved[CAPITALS] for one in found.verdicts if CAPITALS in one.achieved]
    for name, count in {name: count for one in capitals for name, count in one.items()}.items():
        yield Reason(case_variants_sentence(name, count), "watch")
    for verdict in found.verdicts:
        if verdict.holds and verdict.achieved.get("decided") is False:
            yield Reason(f"{verdict.kind} could not be decided.", "watch")


def _about_values(found: Evidence, public: bool) -> Iterator[Reason]:
    """Sensitive columns without a promise, and those whose value is certain in some class."""
    bare, figures = sensitive_without_guarantee(found.policy), found.classes
    for name in found.policy.having("sensitive"):
        if figures is not None and figures.certain is not None and figures.certain[name]:
            certain = figures.certain[name]
            some = f"{SOME if public else f'{certain:,}'} of {figures.records:,} people"
            beyond = "no promise protects it" if name in bare else "the promises are about less knowledge"
            yield Reason(
                f"{some.capitalize()} share all published quasi cells only with people of the same {name} or "
                f"of whom it is not known, so whoever knows these values of them knows it; {beyond}.",
                "watch",
                certain,
            )
        elif name in bare:
            yield Reason(f"No promise protects {name}, although it is sensitive.", "watch")


def _not_measured(found: Evidence) -> Iterator[str]:
    if found.attacks is None:
        broken = any(verdict.kind in SEALS and not verdict.holds for verdict in found.verdicts)
        yield (
            "attackers, since the files are not as they were written"
            if broken
            else "attackers; shoal report DIR --against DATA simulates them on the original table"
        )
    figures = found.classes
    if found.policy.having("sensitive") and (figures is None or figures.certain is None):
        yield "what classes give away of sensitive columns; shoal report DIR counts it"
    if figures is None or figures.exact is None:
        yield "columns published as they are that single people out; shoal report DIR counts them"
