"""What notebooks show: every fact, no cell, and no markup but our own."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from shoal import Policy, Release, anonymize, open_release
from shoal.display import html_list, html_note, html_sentence, html_table, html_text
from shoal.query.answer import Answer
from shoal.verify.verdict import Verdict

OWN = {"table", "thead", "tbody", "tr", "th", "td", "p", "strong", "small", "ul", "li"}
HOSTILE = [
    "<script>alert(1)</script>",
    "\" onmouseover='alert(1)' x=\"",
    "&lt;b&gt;",
    "</td></table><img src=x onerror=alert(1)>",
    "x" * 300,
    "גובה הכנסה",
    "pay\u202egnihtyna\u2066",
    "two\nlines\x00",
]


class Seen(HTMLParser):
    """The tags and the text of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: set[tuple[str, str | None]] = set()
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.open.append(tag)
        self.attributes.update(attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data + "\n"


def seen(shown: Any) -> Seen:
    page = Seen(shown if isinstance(shown, str) else shown._repr_html_())
    assert set(page.tags) <= OWN
    assert not page.open
    assert {name for name, _ in page.attributes} <= {"style"}
    assert not any("color" in (value or "") or "background" in (value or "") for _, value in page.attributes)
    return page


def written_out(name: str) -> str:
    return re.sub("[\x00-\x1f\u202a-\u202e\u2066-\u2069]", lambda found: f"\\u{ord(found[0]):04x}", name)


@pytest.mark.parametrize("text", HOSTILE)
def test_every_text_is_harmless_and_all_there(text: str) -> None:
    html = (
        html_table([text], [[text]])
        + html_sentence(text, text)
        + html_list(text, [text])
        + html_note(text)
        + html_text(text)
    )
    page = seen(html)
    assert page.tags.count("td") == page.tags.count("th") == page.tags.count("li") == 1
    assert page.text.count(written_out(text)) == 8
    assert not re.search("[\x00\u202a-\u202e\u2066-\u2069]", html)


def test_joiners_that_scripts_need_stay() -> None:
    assert html_text("می\u200cخواهم") == "می\u200cخواهم"


def test_halves_of_characters_can_be_sent() -> None:
    assert html_text("a\ud800b").encode() == rb"a\ud800b"


def test_an_empty_list_is_nothing() -> None:
    assert html_list("limits", []) == ""


def hostile_policy() -> Policy:
    columns = dict.fromkeys(HOSTILE, "quasi") | {"<i>ill": "sensitive"}
    guarantees = [{"kind": "k-anonymity", "k": 2}, {"kind": "l-diversity", "l": 2, "sensitive": "<i>ill"}]
    return Policy(columns=columns, guarantees=guarantees, method={"name": "mondrian"})


def test_a_policy_shows_roles_promises_and_method() -> None:
    policy = hostile_policy()
    page = seen(policy)
    assert page.tags.count("tr") == 1 + len(policy.columns)
    assert all(written_out(name) in page.text for name in HOSTILE)
    assert page.text.count("quasi\n") == len(HOSTILE)
    for asked in policy.guarantees:
        assert f"{asked.kind}: {asked.sentence()}" in page.text
    assert "mondrian, at most 0 of the records left out" in page.text


@pytest.mark.parametrize(
    ("holds", "achieved", "mark"),
    [(True, {}, "holds"), (False, {}, "FAILS"), (True, {"decided": False}, "open")],
)
def test_a_verdict_shows_its_mark_sentence_and_figures(
    holds: bool, achieved: dict[str, Any], mark: str
) -> None:
    found = {"k": 1234, "certain": {"<script>": 0.25}, "global": None, **achieved}
    verdict = Verdict("kf-anonymity", holds, {"k": 5, "knows": ["a + b"]}, found, "It <may>.", (2, 3), ("!",))
    page = seen(verdict)
    assert page.text.startswith(f"{mark}\n")
    facts = (
        "kf-anonymity: It <may>.",
        "1,234",
        "certain: <script>",
        "0.25",
        "not known",
        "a + b",
        "2, 3",
        "!",
    )
    assert all(fact in page.text for fact in facts)


def people() -> tuple[pa.Table, set[str]]:
    cells = {name: [7_301_117 + 1_013 * at + 37 * row for row in range(4)] for at, name in enumerate(HOSTILE)}
    ill = {"<i>ill": ["Influenza-A", "Malaria-B", "Cholera-C", "Typhus-D"]}
    every = {str(cell) for column in (cells | ill).values() for cell in column}
    return pa.table(cells | ill), every | {f"{int(cell):,}" for cell in every if cell.isdigit()}


@pytest.fixture(scope="module")
def release() -> Release:
    return anonymize(people()[0], hostile_policy())


def test_a_release_shows_how_it_came_about_what_holds_and_its_limits(release: Release) -> None:
    page = seen(release)
    assert all(verdict.sentence in page.text for verdict in release.verdicts)
    assert page.text.count("holds\n") == len(release.verdicts)
    assert "mondrian" in page.text
    assert f"loss, ncp\n{release.loss['ncp']:,.6g}\n" in page.text
    assert page.tags.count("li") == len(release.limits)
    assert not any(cell in page.text for cell in people()[1])


def test_showing_a_release_makes_neither_its_frame_nor_its_engine(release: Release) -> None:
    release._repr_html_()
    assert not {"table", "_ask", "recoding"} & set(vars(release))


def test_an_opened_release_shows_its_manifest(tmp_path: Path) -> None:
    policy = Policy(columns={"<b>age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    anonymize(pa.table({"<b>age": [730_111, 730_112, 730_153, 730_154]}), policy, seed=1).write(
        tmp_path / "r"
    )
    opened = open_release(tmp_path / "r")
    page = seen(opened)
    facts = (
        opened.manifest.verdicts[0].sentence,
        *opened.manifest.does_not_protect,
        opened.manifest.software,
    )
    assert all(fact in page.text for fact in facts)
    assert "verify() checks it" in page.text
    assert "7301" not in page.text
    (tmp_path / "r" / "data.csv").unlink()
    seen(opened)  # needs no file


def test_an_answer_is_escaped_by_the_same_hand() -> None:
    page = seen(Answer(("<b>",), ({"<b>": HOSTILE[0]},), (HOSTILE[3],)))
    assert HOSTILE[0] in page.text
    assert HOSTILE[3] in page.text
