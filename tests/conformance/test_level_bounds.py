"""Levels that a policy bounds are the only ones that are published, and verification says so."""

import random

import pyarrow as pa
import pytest

import shoal
from shoal.errors import Infeasible, ShoalError
from tests.release.tampered import seal

from .engines import assert_as_in_memory
from .tables import Case

ROWS, PART_ROWS = 300, 60
SEARCHING = ["optimal", "incognito", "samarati", "datafly"]


def people(ages=40):
    draw = random.Random(3)
    return pa.table(
        {
            "age": [draw.randrange(20, 20 + ages) for _ in range(ROWS)],
            "town": [draw.choice(["Ulm", "Kiel", "Bremen"]) for _ in range(ROWS)],
        }
    )


def policy(method, k=3, **bounds):
    tree = {"south": ["Ulm"], "north": ["Kiel", "Bremen"]}
    return shoal.Policy(
        columns={"age": "quasi", "town": "quasi"},
        hierarchies={"age": {"intervals": [5, 10, 20], **bounds}, "town": {"tree": tree}},
        guarantees=[shoal.KAnonymity(k=k)],
        method={"name": method, "suppression": 0.1},
    )


def widths(release):
    """The widths of the ranges of ages; 0 is an age, 99 is a star."""
    cells = set(map(str, release.table["age"].to_pylist()))
    ends = [cell.strip("[]").split(", ") for cell in cells if cell != "*"]
    return {int(end[-1]) - int(end[0]) for end in ends} | ({99} if "*" in cells else set())


@pytest.mark.parametrize("method", SEARCHING)
@pytest.mark.parametrize(
    ("bounds", "allowed"),
    [
        ({"lowest": 2}, {9, 19, 99}),
        ({"highest": 1}, {0, 4}),
        ({"lowest": 1, "highest": 2}, {4, 9}),
        ({"lowest": 3, "highest": 3}, {19}),
        ({"lowest": 9}, {99}),
    ],
)
def test_a_search_stays_between_the_bounds(method, bounds, allowed):
    release = shoal.anonymize(people(), policy(method, k=2, **bounds), seed=1)
    assert widths(release) <= allowed
    assert all(verdict.holds for verdict in release.verdicts)


def test_the_best_node_between_bounds_is_the_best_of_all_that_lie_there():
    """Brute force: what no bound allows is asked for level by level."""
    between = shoal.anonymize(people(), policy("optimal", lowest=1, highest=2), seed=1)
    each = [shoal.anonymize(people(), policy("optimal", lowest=at, highest=at), seed=1) for at in (1, 2)]
    assert between.result.loss["ncp"] == min(one.result.loss["ncp"] for one in each)


def test_what_the_bounds_do_not_allow_is_not_found():
    with pytest.raises(Infeasible) as refused:
        shoal.anonymize(people(), policy("optimal", k=50, highest=0), seed=1)
    assert "highest" in str(refused.value)


@pytest.mark.parametrize("method", ["mondrian", "cluster"])
def test_labels_of_classes_keep_the_lowest_level(method):
    release = shoal.anonymize(people(), policy(method, lowest=1), seed=1)
    assert 0 not in widths(release)
    assert all(verdict.holds for verdict in release.verdicts)


@pytest.mark.parametrize(("method", "bounds"), [("mondrian", {"highest": 2}), ("mdav", {"lowest": 1})])
def test_a_method_that_keeps_no_bounds_is_refused(method, bounds):
    with pytest.raises(ShoalError, match="does not keep the lowest and highest levels of 'age'"):
        shoal.anonymize(people(), policy(method, **bounds))


def test_every_engine_makes_the_same_release(engine, tmp_path):
    case = Case(people(), policy("optimal", lowest=1, highest=2), "parquet", seed=3)
    release = shoal.anonymize(case.original, case.policy, seed=case.seed)
    release.write(tmp_path / "memory", "parquet")
    engine.write(case, tmp_path, PART_ROWS)
    assert_as_in_memory(tmp_path, release)


def test_verification_beside_the_original_says_so_and_finds_other_levels(tmp_path):
    shoal.anonymize(people(), policy("optimal", lowest=1, highest=2), seed=1).write(tmp_path / "release")
    kinds = {one.kind: one for one in shoal.open_release(tmp_path / "release").verify(against=people())}
    assert kinds["levels"].holds
    seal(
        tmp_path / "release",
        lambda content: content["policy"]["hierarchies"]["age"].update(lowest=3, highest=3),
    )
    kinds = {one.kind: one for one in shoal.open_release(tmp_path / "release").verify(against=people())}
    assert not kinds["levels"].holds
    assert "age" in kinds["levels"].sentence


def test_a_file_has_bounds_as_well(tmp_path):
    (tmp_path / "town.csv").write_text("Ulm;south;*\nKiel;north;*\nBremen;north;*\n")
    text = """
        [columns]
        town = "quasi"
        [hierarchies]
        town = { file = "town.csv", lowest = 1 }
        [[guarantees]]
        kind = "k-anonymity"
        k = 2
        """
    asked = shoal.Policy.parse(text, tmp_path)
    release = shoal.anonymize(people().select(["town"]), asked, seed=1)
    assert set(release.table["town"].to_pylist()) <= {"south", "north"}
    release.write(tmp_path / "release")
    verdicts = shoal.open_release(tmp_path / "release").verify(against=people().select(["town"]))
    assert [one.holds for one in verdicts if one.kind == "levels"] == [True]


def test_bounds_the_wrong_way_round_are_refused():
    with pytest.raises(ShoalError, match="lowest is above highest"):
        policy("optimal", lowest=2, highest=1)
