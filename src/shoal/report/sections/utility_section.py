"""A report's section on utility: every measure under a title of its own, and how to read it."""

from collections.abc import Iterator, Mapping
from typing import Any

from shoal.decision.sentence import Sentence
from shoal.report.charts.distribution_chart import DistributionChart
from shoal.report.content import Chart, PartGroup, Section
from shoal.report.sections.figure_tables import figure_tables

TITLE = "What the release is still good for"
NO_ORIGINAL = "Not measured: that takes the original table (--against)."
PARTS = {
    "distributions": (
        "Distributions",
        "How differently the values of a column are spread in the release. Distance 0: not at all; 1: "
        "as far as can be. A range counts evenly for all values in it, a set or label for all its "
        "words.",
    ),
    "losses": (
        "Loss by column",
        "How wide the published cells are as a share of the column's own range, or of its words: 0 is "
        "exact, 1 says nothing. Exact and stars are shares of the cells.",
    ),
    "moments": (
        "Means, variances and correlations",
        "Of columns of numbers, computed from the middle of each range.",
    ),
    "answers": (
        "Answers to questions",
        "Random questions about quasi columns, answered with bounds. Width: how far the bounds lie "
        "apart, error: how far the middle of them is off, both as shares of the true answer; within: "
        "the share of answers whose bounds hold the truth.",
    ),
    "prediction": (
        "A prediction",
        "A simple model, trained on the release, beside the same model trained on as many records of "
        "the original (original seen: on the records that it is tested with, too) and beside always "
        "guessing the most frequent value (baseline).",
    ),
}


def utility_section(found: Mapping[str, Any] | None) -> Section:
    """The section on what the release is still good for, or on why that was not measured."""
    if found is None:
        return Section("utility", TITLE, (Sentence(NO_ORIGINAL, "not measured"),))
    told = tuple(Sentence(sentence) for sentence in found.get("sentences", ()))
    rest = {key: value for key, value in found.items() if key not in (*PARTS, "reasons")}
    return Section("utility", TITLE, (*told, *figure_tables(rest, "Records"), *_groups(found)))


def _groups(found: Mapping[str, Any]) -> Iterator[PartGroup]:
    reasons = found.get("reasons") or {}
    for key, (title, how) in PARTS.items():
        part, why = found.get(key), reasons.get("distances" if key == "distributions" else key)
        if not part:
            yield PartGroup(title, (Sentence(f"Not shown: {why}." if why else "Not measured."),))
            continue
        withheld = [] if why is None else [Sentence(f"Some figures are not shown: {why}.")]
        tables = figure_tables(part if isinstance(part, Mapping) else {"by column": part}, title)
        yield PartGroup(title, (Sentence(how), *withheld, *tables, *_distribution_charts(key, part)))


def _distribution_charts(key: str, part: Any) -> Iterator[Chart]:
    """Columns before and after, where there are counts to draw."""
    for one in part if key == "distributions" else ():
        if isinstance(one.get("bins"), list | tuple) and "before" in one:
            yield DistributionChart.of(one)
