"""Names that documents once gave still work, and say where they went."""

import re
import subprocess
import sys
from importlib import import_module

import pytest

import shoal
from shoal.former_names import MODULES, NAMES

DOCUMENTED = (
    ("shoal.attack.meets.meets", "shoal.preset_judgement"),
    ("shoal.attack.risk.Risk", "shoal.adversary.risk_figures.Risk"),
    ("shoal.attack.risk.risk_figures", "shoal.risk_figures"),
    ("shoal.explain.explanations.explanation", "shoal.explanation"),
    ("shoal.explain.explanations.explanations", "shoal.explanations"),
    ("shoal.policy.policy.Policy", "shoal.Policy"),
    ("shoal.policy.policy_text.policy_text", "shoal.policy_text"),
    ("shoal.query.database.open_file", "shoal.query.permuted.database.open_file"),
    ("shoal.query.database.write_database", "shoal.write_database"),
    ("shoal.query.generalized.opened.open_generalized", "shoal.open_generalized"),
    ("shoal.query.postgres.answer_in_postgres", "shoal.answer_in_postgres"),
    ("shoal.query.rewrite.rewrite", "shoal.rewrite"),
    ("shoal.query.typed.typed", "shoal.typed_table"),
    ("shoal.report.compare.compare", "shoal.compare"),
    ("shoal.report.measured.measure", "shoal.measure"),
    ("shoal.report.recommend.frontier", "shoal.frontier"),
    ("shoal.report.recommend.recommend", "shoal.recommend"),
    ("shoal.report.smallest_change.diagnose", "shoal.diagnose"),
    ("shoal.report.utility.utility", "shoal.measure_utility"),
    ("shoal.report.workload.arbitrary_queries", "shoal.arbitrary_queries"),
    ("shoal.report.workload.range_queries", "shoal.range_queries"),
    ("shoal.verify.cells.Published", "shoal.PublishedTable"),
)
UNMOVED = (  # these were documented by the module that still has them
    "shoal.decision.decision.decide",
    "shoal.query.generalized.answer.answer_generalized",
    "shoal.release.publish.publish",
    "shoal.report.report.make_report",
    "shoal.report.report.report_on",
    "shoal.table.read.read_table",
)


def object_at(place: str) -> object:
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)


@pytest.mark.parametrize(("former", "current"), DOCUMENTED)
def test_a_documented_name_works_and_names_its_new_place(former: str, current: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"^{re.escape(former)} is now {re.escape(current)}$"):
        found = object_at(former)
    assert found is object_at(current)


@pytest.mark.parametrize("place", UNMOVED)
def test_a_name_that_has_not_moved_gives_no_warning(place: str) -> None:
    assert object_at(place) is getattr(shoal, place.rpartition(".")[2])


@pytest.mark.parametrize("former", NAMES)
def test_every_renamed_thing_is_found(former: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"^{re.escape(former)} is now "):
        assert object_at(former) is object_at(NAMES[former])


@pytest.mark.parametrize("former", MODULES)
def test_every_former_module_has_one_in_its_place(former: str) -> None:
    assert import_module(MODULES[former]).__name__ == MODULES[former]
    assert import_module(former) is sys.modules[former]


@pytest.mark.parametrize(
    "code",
    [
        "from shoal.attack.risk import risk_figures",
        "import shoal.attack.meets; shoal.attack.meets.meets",
        "import shoal; shoal.attack; from shoal.attack.risk import risk_figures",
    ],
)
def test_attack_stays_the_function_when_its_former_modules_are_imported(code: str) -> None:
    more = "import shoal, shoal.adversary.attacks as room; print(shoal.attack is room.attack)"
    ran = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", f"{code}; {more}"]
    assert subprocess.run(ran, capture_output=True, text=True, check=True).stdout == "True\n"


def test_attacks_is_the_former_name_of_attack() -> None:
    with pytest.warns(DeprecationWarning, match=r"^shoal\.attacks is now shoal\.attack$"):
        assert shoal.attacks is shoal.attack


def test_a_name_that_never_was_is_refused() -> None:
    with pytest.raises(ImportError, match="never_was"):
        from shoal.policy.policy import never_was  # noqa: F401
    with pytest.raises(ModuleNotFoundError):
        import_module("shoal.policy.never_was")


def test_a_warning_points_at_the_line_that_uses_the_name() -> None:
    with pytest.warns(DeprecationWarning, match="is now") as warned:
        from shoal.report.compare import compare  # noqa: F401
    assert [one.filename for one in warned] == [__file__]
