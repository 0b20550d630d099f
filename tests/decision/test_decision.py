"""One decision at every door: how bad it is, in people; what was not measured is never called safe."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.decision.class_figures import ClassFigures, class_figures
from shoal.decision.decision import decide
from shoal.decision.evidence import Evidence, evidence_of_run
from shoal.policy.model.policy import Policy
from shoal.report.measurements import measure
from shoal.report.report import make_report, report_on
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.verdict import Verdict

ORDER = ["safe", "not measured", "watch", "exposed"]  # more evidence may only go to the right of "safe"
K = {"kind": "k-anonymity", "k": 3}
DIVERSE = {"kind": "l-diversity", "l": 2, "sensitive": "illness"}
ROLES = {"age": "quasi", "zip": "quasi", "illness": "sensitive"}


def asked(*guarantees: dict[str, Any], **more: Any) -> Policy:
    return Policy(columns=more.pop("columns", ROLES), guarantees=list(guarantees or (K,)), **more)


def people(rows: int = 60, same: int = 0) -> pa.Table:
    """The first ``same`` people are alike in everything."""
    random = np.random.default_rng(5)
    illness = random.choice(["flu", "cold", "cough"], rows)
    age, place = random.integers(20, 60, rows), random.integers(0, 30, rows)
    illness[:same], age[:same], place[:same] = "cancer", 80, 90
    return pa.table({"age": age, "zip": place, "illness": illness})


def evidence(**more: Any) -> Evidence:
    figures = ClassFigures(60, False, {"illness": 0}, ())
    given = {"policy": asked(K, DIVERSE), "people": 60, "verdicts": [], "classes": figures}
    return Evidence(**(given | more))


def attack(level: str, **more: Any) -> dict[str, Any]:
    given = {"attack": "linkage", "knows": "age", "promised": False, "finds": "record", "level": level}
    return given | {"below": 0.25, "people": 60, "expected": 0.1} | more


FIRST_WORDS = {
    "safe": "Nothing found speaks against",
    "not measured": "Not decided",
    "watch": "Think before you publish",
    "exposed": "Do not publish",
}
MEASURED = [attack("safe"), attack("safe", attack="homogeneity", finds="value")]


@pytest.mark.parametrize(
    ("given", "level"),
    [
        ({}, "not measured"),
        ({"attacks": MEASURED}, "safe"),
        ({"attacks": [*MEASURED, attack("watch")]}, "watch"),
        ({"attacks": [*MEASURED, attack("exposed")]}, "exposed"),
        ({"attacks": [attack("safe")]}, "watch"),  # nobody was after a value
        ({"verdicts": [Verdict("k-anonymity", True, {}, {}, "")]}, "not measured"),
        ({"verdicts": [Verdict("k-anonymity", False, {}, {}, "")], "attacks": MEASURED}, "exposed"),
        ({"verdicts": [Verdict("truth", True, {}, {"decided": False}, "")], "attacks": MEASURED}, "watch"),
        ({"seeded": True, "attacks": MEASURED}, "exposed"),
        ({"policy": asked(K), "attacks": MEASURED}, "watch"),
        ({"classes": ClassFigures(60, True, {"illness": 0}, ()), "attacks": MEASURED}, "watch"),
        ({"classes": ClassFigures(60, False, {"illness": 9}, ()), "attacks": MEASURED}, "watch"),
        ({"classes": ClassFigures(60, False), "attacks": MEASURED}, "not measured"),
        ({"classes": None, "attacks": MEASURED}, "not measured"),
    ],
)
def test_the_level_is_that_of_the_worst_that_was_found(given: dict[str, Any], level: str) -> None:
    found = decide(evidence(**given))
    assert found.level == level
    assert ("Not measured" in " ".join(found.lines())) >= (level == "not measured")
    assert found.headline.startswith(
        {
            "safe": "Nothing found",
            "not measured": "Not decided",
            "watch": "Think",
            "exposed": "Do not publish",
        }[level]
    )


@pytest.mark.parametrize("level", ["watch", "exposed"])
def test_the_first_sentence_counts_people_and_the_public_one_does_not(level: str) -> None:
    found = evidence(attacks=[*MEASURED, attack(level)])
    assert "15 of 60 people" in decide(found).headline
    public = decide(found, public=True)
    assert "some of 60 people" in public.headline
    assert "15" not in " ".join(public.lines())


def test_more_evidence_never_makes_a_level_better() -> None:
    for more in ({}, {"seeded": True}, {"policy": asked(K)}):
        before = decide(evidence(**more)).level
        for levels in (["safe"], ["watch"], ["exposed"], ["safe", "watch", "exposed"]):
            results = [attack(one, attack=name, finds=finds) for one in levels
                       for name, finds in (("linkage", "record"), ("homogeneity", "value"))]  # fmt: skip
            after = decide(evidence(attacks=results, **more)).level
            assert before == "not measured" or ORDER.index(after) >= ORDER.index(before)


@pytest.mark.parametrize("seed", range(30))
def test_people_whose_class_has_one_value_are_counted_as_by_hand(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = int(random.integers(1, 25))
    cells = {"age": random.choice(["1*", "2*", "*"], rows), "zip": random.choice(["a", "b"], rows)}
    values = random.choice(["flu", "cold", "*", None], rows)
    published = PublishedTable(Table(pa.table({**cells, "illness": values})))
    of_class: dict[Any, set[str]] = {}
    rows_of = list(zip(cells["age"], cells["zip"], values, strict=True))
    for age, place, value in rows_of:
        of_class.setdefault((age, place), set()).add(value)
    alone = [of_class[age, place] for age, place, _ in rows_of]
    expected = sum(len(found - {None}) <= 1 and "*" not in found for found in alone)
    found = class_figures(published, asked(K))
    assert found.certain == {"illness": expected}
    assert found.one_class == (rows > 1 and len(Counter(zip(*cells.values(), strict=True))) == 1)


CASES = {
    "unpromised": (asked(K, method={"name": "mondrian"}), people(same=4)),
    "diverse": (asked(K, DIVERSE, method={"name": "mondrian"}), people()),
    "worthless": (asked({"kind": "k-anonymity", "k": 40}, DIVERSE, method={"name": "mondrian"}), people()),
    "sums": (asked({"kind": "kf-anonymity", "k": 3, "knows": ["age + zip"]}), people()),
    "means": (asked(K, method={"name": "mdav"}), people()),
    "permuted": (
        asked(
            {"kind": "ke-anonymity", "k": 2, "e": 1, "sensitive": "pay"},
            columns={"age": "quasi", "pay": "sensitive"},
        ),
        pa.table({"age": list(range(40)), "pay": [at % 7 for at in range(40)]}),
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_run_and_a_report_of_its_release_say_the_same(case: str, format: str, tmp_path: Path) -> None:
    policy, table = CASES[case]
    release = shoal.anonymize(table, policy)
    verdicts = release.write(tmp_path / "release", format)
    run = decide(evidence_of_run(release, verdicts))
    report = make_report(shoal.open_release(tmp_path / "release"))
    assert report.decision.as_dict() == run.as_dict()
    assert report.as_dict()["decision"] == run.as_dict()


@pytest.mark.parametrize("case", CASES)
def test_attackers_fill_in_what_a_run_did_not_measure(case: str, tmp_path: Path) -> None:
    policy, table = CASES[case]
    release = shoal.anonymize(table, policy)
    run = decide(evidence_of_run(release, release.write(tmp_path / "release")))
    after = make_report(shoal.open_release(tmp_path / "release"), table).decision
    assert run.not_measured
    assert not after.not_measured
    assert run.level != "safe"
    assert run.level == "not measured" or ORDER.index(after.level) >= ORDER.index(run.level)
    assert {one.text for one in run.reasons} <= {one.text for one in after.reasons}


def test_a_release_that_says_nothing_and_a_column_without_a_promise_are_named_at_once() -> None:
    def told(case: str) -> str:
        policy, table = CASES[case]
        release = shoal.anonymize(table, policy)
        return " ".join(decide(evidence_of_run(release, release.verdicts)).lines())

    assert "All 60 records show the same in every quasi column" in told("worthless")
    assert "no promise protects it" in told("unpromised")
    assert "of 60 people share all published quasi cells only with people of the same illness" in told(
        "unpromised"
    )
    assert "No promise protects" not in told("diverse")
    assert "the same in every quasi column" not in told("diverse")


def test_a_report_without_the_original_says_that_nothing_was_measured(tmp_path: Path) -> None:
    policy, table = CASES["diverse"]
    shoal.anonymize(table, policy).write(tmp_path / "release")
    opened = shoal.open_release(tmp_path / "release")
    for audience in ("public", "owner"):
        report = report_on(measure(opened), audience)
        questions = next(one for one in report.sections if one.key == "questions").as_dict()["parts"]
        levels = {one["name"]: one["level"] for one in questions if one["name"]}
        assert set(levels.values()) == {"not measured"}
        assert report.light == "not measured"
