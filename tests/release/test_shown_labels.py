"""A manifest names the labels that a release shows, and none of the values below them."""

import json
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.adversary.attacks import attack
from shoal.hierarchy.hierarchy import Hierarchy
from shoal.policy.model.manifest_labels import ShownLabels
from shoal.release.large_release import release_large
from shoal.release.opened_release import open_release, verify_large
from tests.draws import draws
from tests.release.tampered import disk

TREE = {"south": ["Ulm", "Rom", "Bern"], "north": ["Kiel", "Bonn"], "far": {"east": ["Pjongjang"]}}
DAYS = [date(1980, 1, 1) + timedelta(days=9 * row) for row in range(60)]
BORN = [day.isoformat() for day in DAYS]


def people(odd: str = "1890-07-04") -> pa.Table:
    """Everybody has a birth date of their own; the last one is a century away from all others."""
    return pa.table(
        {
            "born": [*BORN, odd],
            "town": [*(("Ulm", "Rom", "Bern", "Kiel", "Bonn")[row % 5] for row in range(60)), "Pjongjang"],
            "pay": np.random.default_rng(7).integers(1000, 1050, 61),
        }
    )


def policy_with_file(folder: Path, **more: object) -> shoal.Policy:
    """The hierarchy of birth dates is a file with a line for each of them."""
    lines = [f"{day};{day[:7]};{day[:4]};*" for day in people()["born"].to_pylist()]
    (folder / "born.csv").write_text("\n".join(lines))
    return shoal.Policy(
        columns={"born": "quasi", "town": "quasi", "pay": "sensitive"},
        hierarchies={"born": str(folder / "born.csv"), "town": {"tree": TREE}},
        guarantees=[{"kind": "k-anonymity", "k": 5}],
        method={"name": "datafly", "suppression": 0.05} | more,
    )


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_no_leaf_that_nobody_shows_is_in_any_file(engine: str, tmp_path: Path) -> None:
    policy, folder = policy_with_file(tmp_path), tmp_path / "release"
    if engine == "memory":
        shoal.anonymize(people(), policy).write(folder)
    else:
        release_large(disk(tmp_path), people(), policy, folder, "csv")
    shown = set(open_release(folder).read().arrow["born"].to_pylist())
    text = "".join(path.read_text() for path in folder.iterdir())
    assert shown == {"1980", "1981"}
    assert [day for day in people()["born"].to_pylist() if day in text or day[:7] in text] == []
    assert "1890" not in text
    assert "Pjongjang" not in text
    assert all(verdict.holds for verdict in open_release(folder).verify())


def test_a_label_tells_how_many_leaves_lie_below_it(tmp_path: Path) -> None:
    shoal.anonymize(people(), policy_with_file(tmp_path)).write(tmp_path / "release")
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    born = manifest["policy"]["hierarchies"]["born"]["shown"]
    counted = [(one["label"], one["leaves"]) for one in born["labels"]]
    assert counted == [(year, sum(day.startswith(year) for day in BORN)) for year in ("1980", "1981")]
    assert (born["leaves"], born["height"]) == (61, 3)


def test_bounds_hold_the_truth_although_leaves_are_not_named(tmp_path: Path) -> None:
    made = shoal.anonymize(people(), policy_with_file(tmp_path))
    made.write(tmp_path / "release")
    kept = made.original.arrow.take(pa.array(made.result.input_rows))["town"].to_pylist()
    for town in ("Ulm", "Kiel", "Pjongjang"):
        [row] = (
            open_release(tmp_path / "release").query(f"select count(*) from data where town = '{town}'").rows
        )
        [bounds] = row.values()
        assert bounds.lower <= kept.count(town) <= bounds.upper


def test_truth_takes_a_label_for_anything_unless_the_policy_tells(tmp_path: Path) -> None:
    policy = policy_with_file(tmp_path)
    shoal.anonymize(people(), policy).write(tmp_path / "release")
    opened = open_release(tmp_path / "release")
    weak, strict = opened.verify(against=people())[-1], opened.verify(against=people(), policy=policy)[-1]
    assert (weak.holds, strict.holds) == (True, True)
    assert "does not name the values under the labels of 'born', 'town'" in weak.notes[0]
    assert strict.notes == ()
    assert (weak.mark, strict.mark) == ("open", "holds")
    others = people().set_column(0, "born", pa.array([f"19{row % 100:02}-01-01" for row in range(61)]))
    assert not opened.verify(against=others, policy=policy)[-1].holds


def test_labels_that_were_swapped_are_said_not_to_be_compared_and_found_with_the_policy(
    tmp_path: Path,
) -> None:
    policy, folder, link = policy_with_file(tmp_path), tmp_path / "release", tmp_path / "audit.csv"
    shoal.anonymize(people(), policy).write(folder, audit=link)
    for changed in (False, True):
        if changed:
            original = people()
            turned = pa.array(original["town"].to_pylist()[::-1])
            table = original.set_column(original.column_names.index("town"), "town", turned)
        else:
            table = people()
        on_disk = verify_large(disk(tmp_path), folder, table, link)[-1]
        told = verify_large(disk(tmp_path), folder, table, link, made_by=policy)[-1]
        in_memory = open_release(folder).verify(table, link, policy=policy)
        [truth] = [one for one in in_memory if one.kind == "truth"]
        assert told == truth
        assert told.mark == ("FAILS" if changed else "holds")
        assert on_disk.mark in ("open", "FAILS")
        if on_disk.holds:
            assert "does not name the values under the labels" in on_disk.notes[0]


def test_an_attack_asks_for_the_policy_and_then_finds_what_it_finds_in_memory(tmp_path: Path) -> None:
    policy = policy_with_file(tmp_path)
    made = shoal.anonymize(people(), policy)
    made.write(tmp_path / "release", audit=tmp_path / "audit.csv")
    with pytest.raises(shoal.ShoalError, match=r"labels of 'born', 'town'\nHint: .*--policy"):
        attack(people(), tmp_path / "release", only=["linkage"])
    link = {"audit": tmp_path / "audit.csv", "only": ["linkage"]}
    told = attack(people(), tmp_path / "release", policy=policy, **link)
    known = attack(people(), made, only=["linkage"])
    assert [one.as_dict() for one in told] == [one.as_dict() for one in known]


def test_another_policy_does_not_tell_what_lies_under_labels(tmp_path: Path) -> None:
    shoal.anonymize(people(), policy_with_file(tmp_path)).write(tmp_path / "release")
    other = policy_with_file(tmp_path).model_copy(update={"hierarchies": {}})
    with pytest.raises(shoal.ShoalError, match="not made with this hierarchy"):
        open_release(tmp_path / "release").completed(other)


def test_hierarchical_closeness_is_verified_without_the_leaves_that_nobody_has(tmp_path: Path) -> None:
    table = people().append_column("place", people()["town"]).slice(0, 60)
    policy = shoal.Policy(
        columns={"born": "quasi", "town": "identifier", "pay": "other", "place": "sensitive"},
        rows="people",
        hierarchies={"place": {"tree": TREE}, "born": {"dates": ["month", "year"]}},
        guarantees=[
            {"kind": "k-anonymity", "k": 5},
            {"kind": "t-closeness", "t": 0.5, "sensitive": "place", "distance": "hierarchical"},
        ],
        method={"name": "datafly"},
    )
    made = shoal.anonymize(table, policy)
    made.write(tmp_path / "release")
    text = (tmp_path / "release" / "manifest.json").read_text()
    assert "Pjongjang" not in text
    assert "south" not in text  # nobody shows it: a number stands for it
    found = open_release(tmp_path / "release").verify()[2]
    assert found.achieved == made.verdicts[1].achieved


PATHS = st.integers(2, 6).flatmap(
    lambda leaves: st.lists(st.integers(0, 2), min_size=leaves, max_size=leaves)
)


@draws(50)
@given(PATHS, st.data())
def test_what_is_shown_keeps_the_levels_on_which_leaves_meet(groups: list[int], data: st.DataObject) -> None:
    """By brute force: two leaves share a group on the same levels before and after."""
    paths = [(f"leaf {at}", f"group {group}", f"half {group // 2}", "*") for at, group in enumerate(groups)]
    words = data.draw(st.lists(st.sampled_from([path[0] for path in paths]), min_size=1, unique=True))
    after = {
        path[0]: path for path in ShownLabels.of(Hierarchy.from_paths(paths), words).hierarchy("x").paths()
    }
    before = {path[0]: path for path in paths}
    assert set(after) == set(words)
    for one in words:
        for other in words:
            same = [left == right for left, right in zip(before[one], before[other], strict=True)]
            assert [left == right for left, right in zip(after[one], after[other], strict=True)] == same
