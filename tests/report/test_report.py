"""The report: what it says to whom, and that nothing else gets out."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shoal.adversary.result import AttackResult
from shoal.decision.sentence import Sentence
from shoal.errors import ShoalError
from shoal.policy.model.policy import Leaks
from shoal.release.opened_release import OpenedRelease, open_release
from shoal.report import report_html
from shoal.report.content import Grid, Section
from shoal.report.measurements import Measurements, measure
from shoal.report.report import Report, make_report, report_on
from tests.report.reported import (
    NAMES,
    PAYS,
    ROWS,
    SECRETS,
    Judgement,
    Risk,
    Utility,
    people,
    policy,
    released,
)

KEYS = ["asked", "done", "verdicts", "questions", "attacks", "risk", "utility", "limits", "reproduce"]
LIMIT = 1_000_000  # bytes of a page
VOID = {"meta", "link", "br", "img"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reported")


@pytest.fixture(scope="module")
def opened(folder: Path) -> OpenedRelease:
    return released(folder, people(), policy())


@pytest.fixture(scope="module")
def measured(opened: OpenedRelease, folder: Path) -> Measurements:
    found = measure(opened, people(), folder / "audit.csv")
    return replace(found, risk=Risk(), utility=Utility())


@pytest.fixture(scope="module")
def owners(measured: Measurements) -> Report:
    return report_on(measured, "owner")


@pytest.fixture(scope="module")
def publics(measured: Measurements) -> Report:
    return report_on(measured, "public")


@pytest.fixture(scope="module")
def page(owners: Report) -> str:
    return owners.to_html()


def section(report: Report, key: str) -> Section:
    return next(one for one in report.sections if one.key == key)


def sentences(part: Any) -> Iterator[Sentence]:
    for one in part.parts:
        if isinstance(one, Sentence):
            yield one
        elif hasattr(one, "parts"):
            yield from sentences(one)


def grids(part: Any) -> Iterator[Grid]:
    for one in part.parts:
        if isinstance(one, Grid):
            yield one
        elif hasattr(one, "parts"):
            yield from grids(one)


def all_that_is_said(report: Report) -> str:
    return report.to_html() + json.dumps(report.as_dict(), ensure_ascii=False)


class Page(HTMLParser):
    """The elements of a page in order, with their attributes, and whether all of them are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def having(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def test_the_sections_come_in_their_order(owners: Report) -> None:
    assert [one.key for one in owners.sections] == KEYS


def test_the_policy_is_told_in_the_words_of_its_guarantees(owners: Report) -> None:
    told = [one.text for one in sentences(section(owners, "asked"))]
    assert "Every combination of published quasi values is shared by at least 4 records." in told
    [columns] = grids(section(owners, "asked"))
    assert ("name", "identifier: left out") in columns.rows


def test_without_the_original_the_folder_alone_is_told(opened: OpenedRelease) -> None:
    report = report_on(Measurements(opened, tuple(opened.verify())), "owner")
    assert report.light == "not measured"
    marks = {one.name: one.level for one in sentences(section(report, "verdicts")) if one.name}
    assert marks == {"integrity": "holds", "k-anonymity": "holds", "l-diversity": "holds"}
    for key in ("attacks", "risk", "utility"):
        assert [one.level for one in sentences(section(report, key))] == ["not measured"]
    answers = {one.name: one.level for one in sentences(section(report, "questions")) if one.name}
    assert answers == dict.fromkeys(("singling out", "linkability", "inference"), "not measured")


def test_with_the_original_attackers_are_simulated(owners: Report) -> None:
    table = next(grids(section(owners, "attacks")))
    assert table.rows[0][:6] == ("age and pay of a person", "linkage", "safe", True, 4, 4)
    linkability = [one for one in sentences(section(owners, "questions")) if one.name == "linkability"]
    assert linkability[0].level != "not measured"


def test_a_changed_file_turns_the_light_red(opened: OpenedRelease, tmp_path: Path) -> None:
    for file in opened.folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    with (tmp_path / "data.csv").open("a") as data:
        data.write("\n")
    report = make_report(open_release(tmp_path), people())
    assert report.light == "exposed"
    assert "integrity does not hold." in [one.text for one in report.why]
    assert [one.level for one in sentences(section(report, "attacks"))] == ["not measured"]


def exposing() -> dict[str, Any]:
    """What an attacker finds to whom 17 of 40 people are alone."""
    candidates = np.array([1] * 17 + [23] * 23)
    return AttackResult(
        "linkage", "the shoe size", "record", 4, True, np.arange(40), candidates, 1 / candidates, 40,
        figures={"worst": 31337}, notes=("31337 people at once.",),
    ).as_dict()  # fmt: skip


def test_the_owner_sees_how_many_are_exposed_and_the_public_only_that_some_are(
    measured: Measurements,
) -> None:
    found = replace(measured, attacks=[exposing()], utility=None)
    owners, publics = report_on(found, "owner"), report_on(found, "public")
    assert owners.light == publics.light == "exposed"
    assert all(figure in all_that_is_said(owners) for figure in ("42.5%", "31337", "0.425"))
    said = all_that_is_said(publics)
    assert not any(figure in said for figure in ("42.5", "31337", "0.425", "histogram", "fewest"))
    assert "how many is not shown" in said
    assert "<svg" not in said


def test_the_public_sees_figures_of_a_verdict_only_where_they_are_good_enough(opened: OpenedRelease) -> None:
    intact, alike, diverse = opened.verify()
    rarest = "31337 records share their values; the rarest occurs once."
    broken = replace(
        alike, holds=False, achieved={"k": 1, "classes": 9, "records_below": 31337}, worst=(1, 1, 2),
        sentence=rarest, notes=(rarest,),
    )  # fmt: skip
    found = Measurements(opened, (intact, broken, diverse))
    report = report_on(found, "public")
    [figures] = grids(section(report, "verdicts"))
    assert figures.rows == (
        ("k-anonymity", "k", 4, "not shown"),
        ("l-diversity", "l", 2, diverse.achieved["l"]),
    )
    said = all_that_is_said(report)
    assert "31337" not in said
    assert "This does not hold: every combination" in said
    assert "31337" in all_that_is_said(report_on(found, "owner"))


def test_risk_is_public_only_where_the_policy_promises_it(measured: Measurements) -> None:
    def shown(risk: Risk) -> str:
        report = report_on(replace(measured, risk=risk), "public")
        return json.dumps(section(report, "risk").as_dict())

    assert "0.25" in shown(Risk(largest=0.25))
    assert "0.5" not in shown(Risk(largest=0.5))
    assert "0.25" not in shown(Risk(largest=0.25, promised=False))
    assert all(
        "7919" not in shown(Risk(largest)) and "0.2077" not in shown(Risk(largest)) for largest in (0.2, 1)
    )


def test_utility_is_what_its_audience_may_see(page: str, publics: Report) -> None:
    assert "zzq-secret-3" in page
    assert [grid.rows for grid in grids(section(publics, "utility"))] == [(("ncp", 0.123),)]


def test_no_cell_of_the_original_is_public(publics: Report, opened: OpenedRelease) -> None:
    said = all_that_is_said(publics) + (opened.folder / "manifest.json").read_text(encoding="utf-8")
    cells = [*SECRETS, *NAMES, *map(str, PAYS), *(f"{pay:,}" for pay in PAYS)]
    assert not [cell for cell in cells if cell in said]
    assert "zzq" not in said


def test_the_json_says_what_the_page_says(owners: Report, page: str) -> None:
    content = json.loads(json.dumps(owners.as_dict()))
    assert content["light"] == owners.light
    for one in owners.sections:
        assert all(sentence.text.replace("'", "&#39;") in page for sentence in sentences(one))
    assert [one["key"] for one in content["sections"]] == KEYS


def test_a_preset_that_is_not_met_is_red_and_its_figures_are_the_owners(opened: OpenedRelease) -> None:
    found = Measurements(opened, tuple(opened.verify()), judged=Judgement())
    for audience in ("owner", "public"):
        report = report_on(found, audience)
        assert report.light == "exposed"
        assert "The preset strict asks for more." in [one.text for one in report.why]
        assert ("0.7919" in all_that_is_said(report)) is (audience == "owner")
    assert report_on(replace(found, judged=Judgement(holds=True)), "owner").light == "not measured"


def test_an_unknown_audience_is_refused(opened: OpenedRelease) -> None:
    with pytest.raises(ShoalError, match="there is no audience 'everyone'"):
        make_report(opened, audience="everyone")  # type: ignore[arg-type]


def test_the_page_is_sound_and_can_be_read_by_all(page: str) -> None:
    assert page.startswith("<!DOCTYPE html>")
    found = Page(page)
    assert found.open == []
    assert found.elements[0] == ("html", {"lang": "en"})
    assert [tag for tag, _ in found.elements if tag in ("header", "nav", "main", "footer", "title")] == [
        "title", "header", "nav", "main", "footer",
    ]  # fmt: skip
    levels = [int(tag[1]) for tag, _ in found.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    ids = [str(attributes["id"]) for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [str(attributes["href"]) for attributes in found.having("a")]
    assert {link.removeprefix("#") for link in links} <= set(ids)
    assert all(attributes["scope"] in ("col", "row") for attributes in found.having("th"))


def test_every_chart_has_a_name_and_a_table(page: str) -> None:
    charts = Page(page).having("svg")
    assert len(charts) == page.count("<figure>") == page.count("The chart as a table") >= 3
    assert all(attributes["role"] == "img" and attributes["aria-label"] for attributes in charts)
    assert "var(--good" in page


def test_without_the_extra_there_are_tables_and_a_word_about_it(
    owners: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_html, "can_draw", lambda: False)
    text = owners.to_html()
    assert "<svg" not in text
    assert "shoal[charts]" in text
    assert "People by the number of records that may be theirs (needed: 4)" in text


def test_the_page_is_the_same_each_time_and_needs_nothing_else(owners: Report, page: str) -> None:
    assert page == owners.to_html()
    assert not re.search(r"""(src|href)=["'](?!#|data:)|url\((?!#)|@import|<script""", page)


def test_names_that_look_like_markup_do_no_harm(tmp_path: Path) -> None:
    table, asked = people(hostile=True), policy(hostile=True)
    opened = released(tmp_path, table, asked)
    utility = Utility(
        asked.having("sensitive")[0], ("<script>alert(1)</script>", "a\x00\u202eb", "]]>", "x" * 500)
    )
    found = replace(measure(opened, table), utility=utility)
    for audience in ("owner", "public"):
        text = report_on(found, audience).to_html()
        page = Page(text)
        assert page.open == []
        assert not {"script", "img"} & {tag for tag, _ in page.elements}
        assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
        assert not re.search("[\x00\u202e]", text)
        assert len(text.encode()) < LIMIT


def test_ten_rows_make_a_small_page(tmp_path: Path) -> None:
    opened = released(tmp_path, people(10), policy(k=2))
    assert len(make_report(opened, people(10)).to_html().encode()) < LIMIT


def test_many_columns_and_long_hierarchies_make_a_page_below_a_megabyte(owners: Report) -> None:
    rows = tuple((f"column {number}", "x" * 5_000, number) for number in range(20_000))
    long = Section(
        "long", "Long", (Grid("Many", ("a", "b", "c"), rows[:ROWS]), Grid("More", ("a", "b", "c"), rows))
    )
    text = replace(owners, sections=(long,)).to_html()
    assert len(text.encode()) < LIMIT
    assert "19,800 more rows are in the JSON." in text


def test_hundreds_of_columns_make_a_page_below_a_megabyte(
    opened: OpenedRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_html, "inline_svg", lambda *_: "<svg>" + "x" * 12_000 + "</svg>")
    many = 400
    names = [f"column {number}" for number in range(many)]
    drawn = [Utility().as_dict()["distributions"][0] | {"column": name} for name in names]
    means = {"columns": names, "correlation": {"before": [[0.123456] * many] * many}}

    class Wide(Utility):
        def as_dict(self) -> dict[str, Any]:
            return {"distributions": drawn, "moments": means}

    text = report_on(Measurements(opened, (), utility=Wide()), "owner").to_html()
    assert len(text.encode()) < LIMIT
    assert "360 more charts are in the JSON." in text
    assert "385 more columns are in the JSON." in text


@pytest.mark.slow
def test_a_million_rows_make_a_page_below_a_megabyte(tmp_path: Path) -> None:
    table = people(1_000_000)
    asked = policy(k=10).model_copy(update={"leaks": Leaks(accept=("secret",))})
    opened = released(tmp_path, table, asked, "parquet")
    report = make_report(opened, table, tmp_path / "audit.csv")
    assert len(report.to_html().encode()) < LIMIT


def test_a_table_of_a_report_that_is_copied_to_a_spreadsheet_does_not_run() -> None:
    grid = Grid("", ("=head", "b"), (("=1+1", -5), ("\u200b＠x", "-7.5"), ("", "plain")))
    page = report_html.fragment_html([Section("one", "One", (grid,))], report_html.PageLimits())
    assert "&#39;=1+1" in page
    assert "&#39;=head" in page
    assert "&#39;\\u200b＠x" in page
    assert not re.search(r">\s*=", page)
    assert "&#39;-" not in page
