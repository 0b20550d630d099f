"""The experiment from end to end, quickly, on a generated table."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import microaggregation as experiment
import shoal
from kpqr_shapes import (
    BETTER,
    KPQR,
    KS_AND_PS,
    MDAV,
    MERGED,
    NEAREST,
    ONE_GROUP,
    PAPER,
    RANDOM_START,
    REFINED,
    TABLE_2,
)  # fmt: skip
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
FIGURES = ["table-1", "table-2", "table-3"]
SERIES = {ONE_GROUP, MDAV, REFINED, KPQR, PAPER, BETTER, NEAREST, MERGED, RANDOM_START}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out, told = quick_run(SCRIPT, tmp_path_factory.mktemp("experiment"))
    assert "(k,p,q,r): k = 5, p = 4, r = 0.7" in told
    return out


@pytest.fixture(scope="module")
def figures(folder: Path) -> Figures:
    about, found = results_of(folder)
    assert about.startswith("A generated table: 1,080 records, 12 standardized columns; ")
    return found


def kpqr_policy(table: pa.Table, k: int, p: int, r: str) -> shoal.Policy:
    roles = dict.fromkeys(table.column_names, "quasi") | {experiment.CONFIDENTIAL: "sensitive"}
    asked = {"kind": "kpqr-anonymity", "k": k, "p": p, "q": "0.2", "r": r, "sensitive": "confidential"}
    return shoal.Policy(columns=roles, guarantees=[asked], method={"name": "auto"})


@pytest.mark.slow
def test_all_tables_are_drawn_with_a_mark_per_point(folder: Path, figures: Figures) -> None:
    assert_all_drawn(folder, figures, FIGURES)


@pytest.mark.slow
def test_the_page_has_every_sentence(folder: Path, figures: Figures) -> None:
    assert_page_complete(folder, figures)


@pytest.mark.slow
def test_every_method_has_the_places_that_were_planned_and_nothing_printed_is_beside_a_generated_table(
    figures: Figures,
) -> None:
    plan = experiment.QUICK
    for name, places in zip(FIGURES, (plan.rs, plan.ks, plan.ks), strict=True):
        assert {point["series"] for point in figures[name]["points"]} == SERIES
        assert all(tuple(series(figures[name], each)) == places for each in SERIES)
        assert "printed loss" not in figures[name]["sentence"]


@pytest.mark.slow
def test_means_lie_between_the_least_and_the_most(figures: Figures) -> None:
    points = [point for figure in figures.values() for point in figure["points"]]
    ranged = [point for point in points if point["low"] is not None]
    assert {point["series"] for point in ranged} == SERIES - {ONE_GROUP, MDAV, REFINED}  # measured once
    assert all(point["low"] <= point["y"] <= point["high"] for point in ranged)
    assert any(point["low"] < point["high"] for point in ranged)


@pytest.mark.slow
def test_the_losses_are_those_of_the_releases(figures: Figures) -> None:
    census = experiment.generated(experiment.ROWS)
    losses = []
    for seed in range(experiment.QUICK.seeds):
        table = census.keys.append_column(experiment.CONFIDENTIAL, pa.array(experiment.skewed(seed)))
        release = shoal.anonymize(table, kpqr_policy(table, 7, 5, "0.5"), seed=seed)
        losses.append(release.loss["sse_sst"])
    assert series(figures["table-3"], BETTER)[7] == pytest.approx(np.mean(losses))


@pytest.mark.slow
def test_the_better_of_both_never_loses_more(figures: Figures) -> None:
    for figure in figures.values():
        better = series(figure, BETTER)
        for name in (KPQR, PAPER):
            assert all(better[x] <= loss + 1e-9 for x, loss in series(figure, name).items())


@pytest.mark.slow
def test_refined_groups_lose_least(figures: Figures) -> None:
    for figure in figures.values():
        least = series(figure, REFINED)
        assert all(least[x] <= loss for name in SERIES for x, loss in series(figure, name).items())


@pytest.mark.slow
def test_a_skewed_column_costs_p_sensitivity_more_than_kpqr(figures: Figures) -> None:
    claims = [claim for claim in figures["table-3"]["claims"] if "for every seed" in claim["text"]]
    assert len(claims) == 2
    assert all(claim["met"] for claim in claims)


def test_classes_with_rare_values_keep_the_definition() -> None:
    keys = experiment.generated(200).keys
    values = experiment.skewed(0, rows=200)
    table = keys.append_column(experiment.CONFIDENTIAL, pa.array(values))
    made = shoal.anonymize(table, kpqr_policy(table, 4, 3, "0.5"), seed=0).result
    rare = 0
    for number in range(made.classes):
        members = values[made.input_rows[made.class_of == number]]
        assert len(members) >= 4
        if members.min() < 10:
            rare += 1
            assert len(np.unique(members)) >= 3
            assert members.var() >= 0.5 * values.var() - 1e-9
    assert rare


def test_values_are_dealt_as_in_the_paper() -> None:
    even, uneven = experiment.unskewed(3), experiment.skewed(3)
    assert np.bincount(even).tolist() == [0, *[108] * 10]
    assert np.bincount(uneven).tolist() == [0, *[10] * 9, 990]
    assert not np.array_equal(even, experiment.unskewed(4))
    assert np.array_equal(uneven, experiment.skewed(3))


def test_census_leaves_a_column_out(tmp_path: Path) -> None:
    (tmp_path / "casc").mkdir()
    (tmp_path / experiment.FILE).write_text('"AGI","FICA","ERNVAL"\n7,2,9\n5,4,9\n')
    census = experiment.census_for(tmp_path, quick=False)
    assert census.keys.to_pydict() == {"AGI": [7, 5], "FICA": [2, 4]}
    assert census.points.tolist() == [[1.0, -1.0], [-1.0, 1.0]]
    assert census.printed


def test_printed_losses_stand_beside_those_of_census() -> None:
    census = experiment.Census(experiment.generated(experiment.ROWS).keys, "Census", printed=True)
    runs = experiment.Runs((9.0, 12.0), (100, 101))
    found = {name: dict.fromkeys(KS_AND_PS, runs) for name in SERIES}
    drawn = experiment.figure(census, 2, "Loss", "k", found, TABLE_2, (), {})
    assert {point.series for point in drawn.points} == {*SERIES, *TABLE_2}
    assert "better of both 0.71 to 0.91 times the printed loss" in drawn.notes


def test_missing_tables_are_named(tmp_path: Path) -> None:
    assert_missing_tables_named(SCRIPT, tmp_path, [experiment.FILE])


@pytest.mark.slow
@pytest.mark.skipif(not (experiment.DATA / experiment.FILE).is_file(), reason="needs the Census table")
def test_the_papers_losses() -> None:
    census = experiment.census_for(experiment.DATA, quick=False)
    plan = experiment.Plan(seeds=3, refined=1, seconds=0.5)
    losses = {k: experiment.k_anonymous(census, k, plan)[ONE_GROUP].mean for k in (3, 4, 5, 7)}
    assert list(losses.values()) == pytest.approx([5.587, 7.527, 9.212, 11.536], abs=0.0005)
    dealt = [experiment.skewed(seed) for seed in range(plan.seeds)]
    ours = experiment.kpqr_anonymous(census, dealt, 3, 2, experiment.R)[BETTER]
    assert max(ours.losses) < min(experiment.p_sensitive(census, dealt, 3, 2)[MERGED].losses)
