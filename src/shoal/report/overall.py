"""The light on top of a report: red if a promise is broken or somebody is exposed, green if all was measured
and nothing found, yellow in between. Each reason is a sentence."""

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.attack.meets import Judgement
from shoal.report.content import Level, Sentence, worst
from shoal.verify.verdict import Verdict

HEADLINES: dict[Level, str] = {
    "safe": "Every promise holds, and every simulated attacker is left with as many candidates as asked for.",
    "watch": "Every promise holds; what follows needs a look.",
    "exposed": "Not fit for publication as it is.",
    "not measured": "Nothing was measured.",
}


def reasons(
    verdicts: Sequence[Verdict],
    attacks: Sequence[Mapping[str, Any]] | None,
    answers: Sequence[Sentence],
    judged: Judgement | None = None,
    seeded: bool = False,
    beside: Sequence[Sentence] = (),
) -> list[Sentence]:
    """Whatever keeps the light from being green, the worst first; ``beside`` is to be watched in any case."""
    found = [
        Sentence(f"{verdict.kind} does not hold.", "exposed") for verdict in verdicts if not verdict.holds
    ]
    if seeded:
        found.append(Sentence("Random choices came from a seed: this release is for tests only.", "exposed"))
    if judged is not None and not judged.holds:
        found.append(Sentence(f"The preset {judged.preset} asks for more.", "exposed"))
    found += [
        Sentence(f"Someone who knows {one['knows']} succeeds ({one['attack']}).", "exposed")
        for one in attacks or ()
        if one["level"] == "exposed"
    ]
    beyond = [one for one in attacks or () if one["level"] == "watch"]
    if beyond:
        several = "attackers who know" if len(beyond) > 1 else "attacker who knows"
        found.append(
            Sentence(
                f"{len(beyond)} simulated {several} more than the policy protects from may find some people.",
                "watch",
            )
        )
    found += beside
    found += [
        Sentence(f"{verdict.kind} could not be decided.", "watch")
        for verdict in verdicts
        if verdict.holds and verdict.achieved.get("decided") is False
    ]
    if attacks is None:
        broken = any(verdict.kind == "integrity" and not verdict.holds for verdict in verdicts)
        why = "the files are not as they were written" if broken else "that takes the original table"
        found.append(Sentence(f"No attacker was simulated: {why}.", "watch"))
    found += [
        Sentence(f"Nothing was measured about {answer.name}.", "watch")
        for answer in answers
        if attacks is not None and answer.level == "not measured"
    ]
    return found


def overall(why: Sequence[Sentence]) -> Level:
    return worst(["safe", *(reason.level for reason in why)])
