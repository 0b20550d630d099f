"""A report's middle sections: verdicts, the three questions, attacks, risk and utility."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.decision.sentence import Mark, Sentence
from shoal.report.charts.candidate_chart import CandidateChart
from shoal.report.content import Cell, Grid, Part, PartGroup, Section, in_words, plain_cell
from shoal.report.sections.figure_tables import figure_tables
from shoal.report.sections.utility_section import NO_ORIGINAL
from shoal.verify.verdict import Verdict

OPINION = "As the Article 29 Working Party of the European Union put them (Opinion 05/2014)."
NOT_MEASURED = "Not measured."
ALWAYS = {
    "knows": "someone who knows",
    "attack": "attack",
    "level": "level",
    "promised": "promised",
    "needed": "needed",
}
FIGURES = {
    "smallest": "fewest",
    "below": "share below",
    "expected": "mean success",
    "largest": "largest",
}  # the owner's
LEARNED = ("certain", "beliefs")  # what else somebody learns, column by column


def verdicts_section(verdicts: Sequence[Verdict], judged: PartGroup | None) -> Section:
    """Every promise as a sentence, verified from the files, and the figures behind it."""
    told = [Sentence(one.sentence, _mark(one), one.kind) for one in verdicts]
    rows: list[tuple[Cell, ...]] = [
        (one.kind, in_words(figure), plain_cell(one.asked.get(figure)), plain_cell(found))
        for one in verdicts
        for figure, found in one.achieved.items()
        if figure not in LEARNED
    ]
    rows += [(one.kind, "smallest classes", None, plain_cell(one.worst)) for one in verdicts if one.worst]
    learned = [grid for one in verdicts for grid in _learned(one)]
    notes = [Sentence(note, name=one.kind) for one in verdicts for note in one.notes]
    return Section(
        "verdicts",
        "What holds",
        (
            Sentence("Verified for this report, from the files of the release."),
            *told,
            *notes,
            Grid("Asked for and found", ("promise", "figure", "asked for", "found"), tuple(rows)),
            *learned,
            *([judged] if judged else []),
        ),
    )


def _mark(verdict: Verdict) -> Mark:
    if not verdict.holds:
        return "fails"
    return "open" if verdict.achieved.get("decided") is False else "holds"


def _learned(verdict: Verdict) -> Iterator[Grid]:
    if certain := verdict.achieved.get("certain"):
        rows = tuple((name, share) for name, share in certain.items())
        yield Grid("Certain to someone who knows the aggregate", ("column", "share of the records"), rows)
    if beliefs := verdict.achieved.get("beliefs"):
        yield from figure_tables({"beliefs": beliefs}, verdict.kind)


def questions_section(answers: Sequence[Sentence]) -> Section:
    """The section that answers singling out, linkability and inference."""
    return Section("questions", "Three questions about anonymity", (Sentence(OPINION), *answers))


def attacks_section(attacks: Sequence[Mapping[str, Any]] | None) -> Section:
    """A table of all attackers, then what each of them finds."""
    title = "What attackers find"
    if attacks is None:
        return Section("attacks", title, (Sentence(NO_ORIGINAL, "not measured"),))
    complete = all("histogram" in one for one in attacks)
    keys = (*ALWAYS, *(FIGURES if complete else {}))
    head = tuple({**ALWAYS, **FIGURES}[key] for key in keys)
    shown = Grid("All attackers", head, tuple(tuple(one[key] for key in keys) for one in attacks))
    return Section("attacks", title, (shown, *(_attack_part(one) for one in attacks)))


def _attack_part(one: Mapping[str, Any]) -> Part:
    if "histogram" not in one:
        return Sentence(one["sentence"], one["level"], one["attack"])
    return PartGroup(f"{one['attack'].capitalize()}: {one['knows']}", tuple(_about(one)), one["level"])


def _about(one: Mapping[str, Any]) -> Iterator[Part]:
    yield Sentence(one["sentence"])
    if not one["promised"] and one["level"] != "safe":
        yield Sentence("The policy makes no promise about this attacker.")
    for note in one["notes"]:
        yield Sentence(note)
    yield CandidateChart(one["knows"], one["finds"], one["needed"], one["histogram"])
    yield from figure_tables(one.get("figures", {}), "More about it")


def risk_section(found: Mapping[str, Any] | None, sentences: Sequence[str]) -> Section:
    """The section on the risk of finding a record, or on why it was not measured."""
    title = "Risk of finding a record"
    if found is None:
        return Section("risk", title, (Sentence(NOT_MEASURED, "not measured"),))
    told = tuple(Sentence(sentence) for sentence in sentences)
    return Section("risk", title, (*told, *figure_tables(found, "Risk")))
