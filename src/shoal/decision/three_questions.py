"""The three questions of the Article 29 Working Party (Opinion 05/2014): can people be singled out, can their
records be linked, can something be inferred about them?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.decision.sentence import Level, Sentence, worst
from shoal.verify.verdict import Verdict

Attack = Mapping[str, Any]


@dataclass(frozen=True)
class AnonymityQuestion:
    """One of the three questions about anonymity, and the attacks and verdicts that answer it."""

    name: str
    asks: str
    attacks: tuple[str, ...]
    verdicts: tuple[str, ...]
    finds: tuple[str, ...] = ("record", "value")  # what attackers are after who are about it


ALIKE = ("k-anonymity", "kf-anonymity", "alpha-k-anonymity", "kpqr-anonymity")
DIVERSE = (
    "l-diversity",
    "t-closeness",
    "p-sensitivity",
    "alpha-k-anonymity",
    "ke-anonymity",
    "kpqr-anonymity",
)
NOT_MEASURED = "Not measured."
NOTHING_SENSITIVE = (
    "Not assessed: no column is declared sensitive. All that is published as it is can be read by everybody."
)
ACROSS = "composition"  # the attack that compares releases
QUESTIONS = (
    AnonymityQuestion(
        "singling out",
        "Can the record of one person be told from all others?",
        ("linkage", "aggregate", "ends", "heaping", "minimality"),
        ALIKE,
        ("record",),
    ),
    AnonymityQuestion(
        "linkability",
        "Can records about the same person be linked, here or in two tables?",
        (ACROSS, "linkage"),
        (),
    ),
    AnonymityQuestion(
        "inference",
        "Can a sensitive value of a person be deduced?",
        ("homogeneity", "skewness", "similarity", "definetti", "background", "minimality"),
        DIVERSE,
        ("value",),
    ),
)


def answers(
    verdicts: Sequence[Verdict],
    attacks: Sequence[Attack],
    sensitive: bool,
    beside: Sequence[Sentence] = (),
) -> tuple[Sentence, ...]:
    """One answer per question. Where no column is declared sensitive, nobody has looked for what can be
    deduced; ``beside`` is what singles people out without an attack."""
    singling, *others, inference = (answer_to(question, verdicts, attacks) for question in QUESTIONS)
    if beside:
        text = " ".join([singling.text.removesuffix(f" {NOT_MEASURED}"), *(one.text for one in beside)])
        levels = (singling.level, *(one.level for one in beside))
        singling = Sentence(text, worst(levels), singling.name)
    if not sensitive and inference.level == "not measured":
        inference = Sentence(f"{QUESTIONS[-1].asks} {NOTHING_SENSITIVE}", "not measured", inference.name)
    return singling, *others, inference


def answer_to(
    question: AnonymityQuestion, verdicts: Sequence[Verdict], attacks: Sequence[Attack]
) -> Sentence:
    """One sentence and a level, from the verdicts and attacks that are about the question. A promise that
    holds is no attacker who failed: without one, nothing was measured."""
    promises = [verdict for verdict in verdicts if verdict.kind in question.verdicts]
    tried = [
        found for found in attacks if found["attack"] in question.attacks and found["finds"] in question.finds
    ]
    broken: list[Level] = ["exposed" for verdict in promises if not verdict.holds]
    level = worst([*broken, *(found["level"] for found in tried)])
    unknown = NOT_MEASURED if level == "not measured" else ""
    parts = (_promised(promises), _attacked(tried), _alone(question, tried), unknown)
    return Sentence(" ".join([question.asks, *filter(None, parts)]), level, question.name)


def _alone(question: AnonymityQuestion, tried: list[Attack]) -> str:
    """Links between tables are seen only where there are several."""
    if question.name != "linkability" or not tried or any(found["attack"] == ACROSS for found in tried):
        return ""
    return "This release was looked at alone: no other release of the same people was given to compare with."


def _promised(promises: list[Verdict]) -> str:
    if not promises:
        return ""
    failing = sum(not verdict.holds for verdict in promises)
    if failing:
        return f"{failing} of {len(promises)} promises about it {_verb(failing, 'fails', 'fail')}."
    return _verb(len(promises), "The promise about it holds.", "All promises about it hold.")


def _attacked(tried: list[Attack]) -> str:
    if not tried:
        return ""
    bad = [found for found in tried if found["level"] == "exposed"]
    doubtful = [found for found in tried if found["level"] == "watch"]
    if bad:
        return f"{_many(bad, tried)} {_verb(len(bad), 'succeeds', 'succeed')} where none should."
    if doubtful:
        return (
            f"{_many(doubtful, tried)} {_verb(len(doubtful), 'succeeds', 'succeed')} with some people, "
            "knowing more than the policy protects from."
        )
    none = f"None of {len(tried)} simulated attackers" if len(tried) > 1 else "The simulated attacker never"
    return f"{none} finds fewer candidates than were asked for, or guesses much better than chance."


def _many(some: list[Attack], tried: list[Attack]) -> str:
    return f"{len(some)} of {len(tried)} simulated {_verb(len(tried), 'attacker', 'attackers')}"


def _verb(count: int, one: str, many: str) -> str:
    return one if count == 1 else many
