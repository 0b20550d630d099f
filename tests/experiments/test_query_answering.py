"""The experiment from end to end, quickly, on generated tables."""

from pathlib import Path

import numpy as np
import pytest

import query_answering as experiment
import query_tables as tables
import query_times as times
from shoal.query.answer import answer
from shoal.query.permuted.database import open_database
from shoal.utility.workload import PermutedColumn, group_ranges, workload_error
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
FIGURES = [f"figure-{number:02}" for number in range(6, 18)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return quick_run(SCRIPT, tmp_path_factory.mktemp("experiment"))[0]


@pytest.fixture(scope="module")
def figures(folder: Path) -> Figures:
    about, found = results_of(folder)
    assert about.startswith("A generated table: 800 records (rows 800, the paper prints 1,427; ")
    return found


@pytest.fixture(scope="module")
def younger() -> tables.Census:
    return tables.without_the_oldest(tables.generated(tables.QUICK_ROWS))


@pytest.mark.slow
def test_all_figures_are_drawn_with_a_mark_per_point(folder: Path, figures: Figures) -> None:
    assert_all_drawn(folder, figures, FIGURES)


@pytest.mark.slow
def test_the_page_has_every_sentence(folder: Path, figures: Figures) -> None:
    assert_page_complete(folder, figures)
    assert all(figure["claims"] for figure in figures.values())


@pytest.mark.slow
def test_the_partition_of_figures_6_and_7_is_4_diverse(figures: Figures, younger: tables.Census) -> None:
    classes = tables.diverse_classes(younger, tables.ALL_QUASI)
    losses, ages = (tables.column(younger, name) for name in (tables.LOSS, tables.AGE))
    assert min(len(np.unique(losses[classes.groups == group])) for group in np.unique(classes.groups)) >= 4
    assert np.all((classes.low <= ages) & (ages <= classes.high))
    for group in np.unique(classes.groups):
        assert len(np.unique(classes.low[classes.groups == group])) == 1
    column = PermutedColumn.of(classes.groups, losses)
    for span, error in series(figures["figure-07"], "permuted").items():
        assert error == pytest.approx(workload_error(column, experiment.age_queries(ages, int(span))).mean)


@pytest.mark.slow
def test_a_generalized_table_never_answers_better(figures: Figures) -> None:
    for name in ("figure-06", "figure-07", "figure-08", "figure-09"):
        wide, narrow = series(figures[name], "generalized"), series(figures[name], "permuted")
        assert all(wide[x] >= narrow[x] for x in wide)


@pytest.mark.slow
def test_tight_bounds_of_a_swapped_table_are_not_wider(figures: Figures) -> None:
    for name in ("figure-12", "figure-13", "figure-14"):
        loose, tight = (series(figures[name], each) for each in ("rank swap", experiment.TIGHTEST))
        assert all(tight[x] <= 1.1 * loose[x] for x in loose)  # over fewer queries


def test_the_exact_partition_is_as_narrow_as_any(younger: tables.Census) -> None:
    losses = tables.column(younger, tables.LOSS)
    widest = {
        name: np.max(group_ranges(column.groups, losses))
        for name, column in experiment.partitions(losses, 4, 100).items()
    }
    assert widest["min max exact"] == min(widest.values())


def test_synthetic_losses_follow_the_age_as_closely_as_asked() -> None:
    census = tables.correlated(5_000, 30)
    ages, losses = (tables.column(census, name) for name in (tables.AGE, tables.LOSS))
    steps = (losses - 155) - (ages - 17) * 3745 / 73
    assert abs(np.var(steps) - 30) < 3
    census = tables.independent(5_000)
    ages, losses = (tables.column(census, name) for name in (tables.AGE, tables.LOSS))
    assert abs(np.corrcoef(ages, losses)[0, 1]) < 0.05
    assert (ages.min(), ages.max(), losses.min() >= 155, losses.max() <= 3_900) == (17, 90, True, True)


def test_ranges_of_a_span_are_all_that_fit_between_the_ages() -> None:
    ages = np.array([20, 25, 23])
    assert experiment.age_ranges(ages, 3) == [(20, 23), (21, 24), (22, 25)]
    assert [rows.tolist() for rows in experiment.age_queries(ages, 3)] == [[0, 2], [2], [1, 2]]
    assert experiment.age_ranges(ages, 9) == [(20, 29)]


def test_timed_queries_pick_their_share_of_some_groups() -> None:
    table = times.timed_table(2_000)
    groups, part, pick = (table[name].to_numpy() for name in ("shoal_group", "part", "pick"))
    some = np.unique(groups[part < 20])
    assert len(some) == pytest.approx(0.2 * len(np.unique(groups)), abs=1)
    for group in some:
        of_group = pick[groups == group]
        assert np.mean(of_group < 30) == pytest.approx(0.3, abs=1 / len(of_group))
    connection, schema = open_database(table, ["capital_loss"])
    (row,) = answer(
        connection, schema, "select sum(capital_loss) s from data where part < 20 and pick < 30"
    ).rows
    bounds = PermutedColumn.of(groups, table["capital_loss"].to_numpy()).bounds(
        np.flatnonzero((part < 20) & (pick < 30))
    )
    assert (row["s"].lower, row["s"].upper) == (bounds.lower, bounds.upper)


def test_missing_tables_are_named(tmp_path: Path) -> None:
    assert_missing_tables_named(SCRIPT, tmp_path, [tables.FILE])


@pytest.mark.slow
@pytest.mark.skipif(not (experiment.DATA / tables.FILE).is_file(), reason="needs the Adult files")
def test_the_papers_table_and_its_errors() -> None:
    census = tables.census_for(experiment.DATA, quick=False)
    younger = tables.without_the_oldest(census)
    losses, ages = (tables.column(younger, name) for name in (tables.LOSS, tables.AGE))
    assert tables.differences(census) == ["largest 4,356, the paper prints 3,900"]
    assert (len(losses), losses.max()) == (1_421, 3_900)
    classes = tables.diverse_classes(younger, tables.ALL_QUASI)
    assert (classes.count, classes.widest) == (21, 20)
    assert tables.diverse_classes(younger, [tables.AGE]).count == 7
    spans = experiment.age_queries(ages, 30)
    errors = {
        name: workload_error(column, spans).mean
        for name, column in experiment.partitions(losses, 4, 100).items()
    }
    found = [errors[name] for name in ("min sum", "max groups", "random")]
    assert found == pytest.approx([0.0185, 0.0180, 0.122], abs=0.0005)
    assert 38 in times.numbers_of_groups(10_000)
    assert experiment.generalized_error(losses, classes, ages, 5) == pytest.approx(1.86, abs=0.01)
