"""The experiment from end to end, quickly, on a generated table."""

from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

import aggregate_knowledge as experiment
from shoal.demo.tax_table import INCOMES, tax_table
from shoal.policy.model.policy import Policy
from shoal.release.release import anonymize_in_memory
from tests.experiments.quick_runs import (
    Figures,
    assert_all_drawn,
    assert_missing_tables_named,
    assert_page_complete,
    quick_run,
    results_of,
    series,
)

SCRIPT = Path(experiment.__file__)
FIGURES = ["loss-k", "loss-size", "loss-d", "time-k", "time-size", "time-d"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return quick_run(SCRIPT, tmp_path_factory.mktemp("experiment"))[0]


@pytest.fixture(scope="module")
def figures(folder: Path) -> Figures:
    about, found = results_of(folder)
    assert about.startswith("A generated table: 5,000 records; ")
    return found


@pytest.mark.slow
def test_all_six_figures_are_drawn_with_a_mark_per_point(folder: Path, figures: Figures) -> None:
    assert_all_drawn(folder, figures, FIGURES)


@pytest.mark.slow
def test_the_figures_have_the_places_that_were_planned(figures: Figures) -> None:
    plan = experiment.QUICK
    for name, places in (("k", plan.ks), ("size", (*plan.sizes, 5_000)), ("d", plan.ds)):
        assert tuple(series(figures[f"loss-{name}"], "aggranon")) == places
        assert tuple(series(figures[f"time-{name}"], "aggranon")) == places
    with_mondrian = {point["series"] for point in figures["loss-k"]["points"]}
    assert with_mondrian == set(experiment.SERIES) >= {"aggranon", "mondrian textbook", "residual"}
    assert "mondrian" not in {point["series"] for point in figures["loss-d"]["points"]}


@pytest.mark.slow
def test_the_losses_are_those_of_the_releases(figures: Figures) -> None:
    table = tax_table(5_000, experiment.SEED).select(list(INCOMES))
    for name in ("aggranon", "mondrian textbook"):
        policy = Policy(
            columns=dict.fromkeys(INCOMES, "quasi"),
            guarantees=[{"kind": "kf-anonymity", "k": 50, "knows": [" + ".join(INCOMES)]}],
            method=experiment.SERIES[name],
        )
        release = anonymize_in_memory(table, policy, seed=experiment.SEED)
        assert series(figures["loss-k"], name)[50] == pytest.approx(release.loss["ncp"])


@pytest.mark.slow
def test_the_page_answers_the_papers_statements_from_the_figures(folder: Path, figures: Figures) -> None:
    assert_page_complete(folder, figures)
    page = (folder / "results.md").read_text(encoding="utf-8")
    for figure in figures.values():
        assert "residual/aggranon " in figure["sentence"]
        assert "NOT hold" not in figure["sentence"]
    losses = series(figures["loss-k"], "aggranon").values()
    grows = "yes" if all(a < b for a, b in pairwise(losses)) else "no"
    assert figures["loss-k"]["sentence"].startswith(f"NCP of aggranon grows with k: {grows}; ")
    assert page.count("\n| --- |") == len(figures)
    widths = [row.replace(r"\|", "").count("|") for row in page.splitlines() if row.startswith("|")]
    assert sorted(set(widths)) == [4, 5]  # two places of d, three of k and |D|


def test_missing_tables_are_named(tmp_path: Path) -> None:
    assert_missing_tables_named(SCRIPT, tmp_path, list(experiment.FILES.values()))


def test_samples_are_part_of_each_other() -> None:
    table = pa.table({"row": range(1_000)})
    small, large = (set(part["row"].to_pylist()) for part in experiment.sampled(table, [50, 100]))
    assert (len(small), len(large)) == (50, 100)
    assert small < large


def test_tables_become_whole_numbers_with_nothing_as_zero() -> None:
    table = pa.table({"pay": ["7", None], "tax": [1.6, -2.4], "name": ["a", "b"]})
    assert experiment.whole_numbers(table, ["pay", "tax"]).to_pydict() == {"pay": [7, 0], "tax": [2, -2]}
