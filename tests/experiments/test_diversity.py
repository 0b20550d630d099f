"""The experiment from end to end, quickly, on a generated table."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import diversity as experiment
import shoal
from diversity_shapes import Homogeneity, exposures, homogeneity_claims, ranked, ratios, time_claims
from shoal.anonymizer.anonymized_table import NodeReport
from shoal.report.charts.loss_charts import Point
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
FIGURES = [
    "homogeneous-groups", "homogeneous-records", "time", "height", "average-class", "discernibility"
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out, told = quick_run(SCRIPT, tmp_path_factory.mktemp("experiment"))
    assert "quasi columns: " in told
    return out


@pytest.fixture(scope="module")
def figures(folder: Path) -> Figures:
    about, found = results_of(folder)
    assert about.startswith("A generated table: 3,000 records; ")
    assert "occupation has 14 values, the slides print 41" in about
    return found


def release_of(census: experiment.Census, asked: Any, width: int = 5) -> shoal.Release:
    policy = experiment.policy(census, experiment.QUASI[:width], asked)
    return shoal.anonymize(census.table, policy, seed=0)


@pytest.mark.slow
def test_all_figures_are_drawn_with_a_mark_per_point(folder: Path, figures: Figures) -> None:
    assert_all_drawn(folder, figures, FIGURES)


@pytest.mark.slow
def test_the_page_has_every_sentence(folder: Path, figures: Figures) -> None:
    assert_page_complete(folder, figures)


@pytest.mark.slow
def test_every_minimal_table_has_a_place_for_both_sensitive_columns(figures: Figures) -> None:
    census = experiment.generated(3_000)
    tables = len(release_of(census, shoal.KAnonymity(k=6)).result.nodes)
    for name in ("homogeneous-groups", "homogeneous-records"):
        for sensitive in ("occupation", "salary-class"):
            shares = series(figures[name], f"{sensitive} sensitive")
            assert list(shares) == list(range(1, tables + 1))
            assert list(shares.values()) == sorted(shares.values(), reverse=True)


@pytest.mark.slow
def test_the_losses_are_those_of_the_best_minimal_tables(figures: Figures) -> None:
    census = experiment.generated(3_000)
    for name, asked in experiment.demands(4).items():
        nodes = release_of(census, asked).result.nodes
        for measure in experiment.MEASURES:
            best = min(node.loss[measure] for node in nodes)
            assert series(figures[measure.replace("_", "-")], name)[4] == pytest.approx(best)


def test_homogeneity_is_what_the_verifier_says_of_every_minimal_table() -> None:
    census = experiment.generated(600)
    release = release_of(census, shoal.KAnonymity(k=2), 3)
    found = []
    for node in release.result.nodes:
        counted = experiment.homogeneity(census, node, "salary-class")
        labels = {
            name: experiment._labels(census.table, release.policy, name, level)
            for name, level in node.levels.items()
        }
        policy = shoal.Policy(
            columns={**dict.fromkeys(labels, "quasi"), "salary-class": "sensitive"},
            guarantees=[shoal.KAnonymity(k=2), shoal.LDiversity(l=2, sensitive="salary-class")],
        )
        k, diverse = shoal.check(pa.table({**labels, "salary-class": census.table["salary-class"]}), policy)
        assert k.holds
        assert k.achieved["classes"] == counted.groups
        assert diverse.holds == (counted.homogeneous == 0) == (counted.exposed == 0)
        assert counted.records == 600
        found.append(diverse.holds)
    assert False in found


def test_homogeneous_groups_and_their_records_are_counted_by_hand() -> None:
    table = pa.table({"sex": ["f", "f", "m", "m", "m"], "salary-class": ["low", "low", "low", "high", "low"]})
    census = experiment.Census(table, {}, "By hand")
    shown, top = (NodeReport({"sex": level}, 0, {}) for level in (0, 1))
    assert experiment.homogeneity(census, shown, "salary-class") == Homogeneity(2, 1, 5, 2)
    assert experiment.homogeneity(census, top, "salary-class") == Homogeneity(1, 0, 5, 0)


def test_the_printed_counts_are_compared_with_ours() -> None:
    safe, prone = Homogeneity(9, 0, 90, 0), Homogeneity(9, 2, 90, 20)
    met = {"occupation": [prone, *[safe] * 11], "salary-class": [safe, *[prone] * 8]}
    assert [claim.met for claim in homogeneity_claims(met)] == [True, True, True]
    unmet = {"occupation": [safe] * 10, "salary-class": [safe] * 8 + [prone] * 2}
    claims = list(homogeneity_claims(unmet))
    assert [claim.met for claim in claims] == [False, False, False]
    assert "1 of 12 minimal 6-anonymous tables vulnerable (ours 0 of 10): no" in str(claims[0])
    assert list(exposures(unmet)) == [
        "at worst 0 of 9 groups with 0 of 90 records (occupation)",
        "at worst 2 of 9 groups with 20 of 90 records (salary-class)",
    ]


def test_times_and_losses_are_shares_of_the_first_series() -> None:
    points = [Point("k", 2, 1.0), Point("k", 4, 2.0), Point("l", 2, 3.0), Point("l", 4, 3.0)]
    assert list(ratios(points)) == ["l 1.5 to 3 times k"]
    assert [claim.met for claim in time_claims(points)] == [False]
    assert ranked({"salary": [5.0, 7.0]}) == (
        Point("salary sensitive", 1, 7.0),
        Point("salary sensitive", 2, 5.0),
    )


def test_adult_is_both_files_without_incomplete_records(tmp_path: Path) -> None:
    (tmp_path / "adult").mkdir()
    line = "39, State-gov, 77516, Bachelors, 13, Never-married, {}, None, White, Male, 0, 0, 40, Cuba, <=50K"
    (tmp_path / experiment.FILES[0]).write_text(f"{line.format('Sales')}\n{line.format('?')}\n\n")
    (tmp_path / experiment.FILES[1]).write_text(f"|1x3 Cross validator\n{line.format('Sales')}.\n\n")
    table = experiment.adult(tmp_path)
    assert table.num_rows == 2
    assert table["salary-class"].to_pylist() == ["<=50K", "<=50K"]
    assert table.column_names == [*experiment.QUASI, "occupation", "salary-class"]


def test_missing_tables_are_named(tmp_path: Path) -> None:
    assert_missing_tables_named(SCRIPT, tmp_path, list(experiment.FILES))


@pytest.mark.slow
@pytest.mark.skipif(not (experiment.DATA / experiment.FILES[0]).is_file(), reason="needs the Adult files")
def test_adult_has_the_slides_records_and_ten_minimal_6_anonymous_tables() -> None:
    census = experiment.census_for(experiment.DATA, quick=False)
    assert census.table.num_rows == 45_222
    assert experiment.differences(census) == ["occupation has 14 values, the slides print 41"]
    nodes = release_of(census, shoal.KAnonymity(k=6)).result.nodes
    vulnerable = {
        sensitive: sum(experiment.homogeneity(census, node, sensitive).homogeneous > 0 for node in nodes)
        for sensitive in ("occupation", "salary-class")
    }
    assert (len(nodes), vulnerable) == (10, {"occupation": 0, "salary-class": 8})
