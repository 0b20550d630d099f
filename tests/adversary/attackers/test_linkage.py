"""The linkage attack against a brute-force attacker, where it succeeds and where it fails."""

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.adversary.attackers.homogeneity import homogeneity
from shoal.adversary.attackers.linkage import linkage, quasi_matches
from shoal.adversary.attacks import open_scene
from shoal.adversary.scene import Scene
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable

PEOPLE = pa.table({"age": [30, 30, 52, 53, 71], "town": ["Ayr", "Ayr", "Bonn", "Bonn", None]})


def policy(**more: object) -> shoal.Policy:
    columns = {"age": "quasi", "town": "quasi"}
    return shoal.Policy(columns=columns, guarantees=[{"kind": "k-anonymity", "k": 2}], **more)


def scene_of(original: pa.Table, published: pa.Table, asked: shoal.Policy, **more: object) -> Scene:
    return Scene(PublishedTable(Table(original)), PublishedTable(Table(published)), asked, **more)


def test_unique_people_are_found_in_a_raw_table():
    known, any_one = linkage(Scene.raw_table(Table(PEOPLE), policy()))
    assert known.candidates.tolist() == [2, 2, 1, 1, 1]
    assert any_one.candidates.tolist() == [2, 2, 1, 1, 1]
    assert (known.below, known.level, known.smallest) == (0.6, "exposed", 1)
    assert any_one.figures["telling"] == {"age": 1.0}


def test_a_k_anonymous_release_hides_everybody():
    published = pa.table({"age": ["30", "30", "[52, 71]", "[52, 71]", "[52, 71]"],
                          "town": ["Ayr", "Ayr", "{Bonn, }", "{Bonn, }", "{Bonn, }"]})  # fmt: skip
    for result in linkage(scene_of(PEOPLE, published, policy())):
        assert result.candidates.tolist() == [2, 2, 3, 3, 3]
        assert (result.level, result.below) == ("safe", 0.0)


def test_labels_of_a_hierarchy_and_stars_hold_their_words():
    asked = policy(hierarchies={"town": {"tree": {"Scotland": ["Ayr"], "Rhine": ["Bonn", "Basel"]}}})
    original = pa.table({"age": [30, 30, 52, 53], "town": ["Ayr", "Bonn", "Bonn", "Basel"]})
    published = pa.table({"age": ["[30, 53]"] * 4, "town": ["Scotland", "Rhine", "*", "Basel"]})
    known, _ = linkage(scene_of(original, published, asked))
    assert known.candidates.tolist() == [2, 2, 2, 3]


@pytest.mark.parametrize("seed", range(20))
def test_candidates_are_those_of_comparing_one_by_one(seed):
    random = np.random.default_rng(seed)
    rows = int(random.integers(1, 15))
    towns = ["Ayr", "Bonn", "Como"]
    age, town = random.integers(0, 5, rows), random.choice(towns, rows)
    low, high = np.minimum(age, 3), np.minimum(age, 3) + random.integers(1, 3, rows)
    sets = [sorted({one, str(random.choice(towns))}) for one in town.tolist()]
    original = pa.table({"age": age, "town": town})
    published = pa.table({
        "age": [f"[{a}, {b}]" for a, b in zip(low, high, strict=True)],
        "town": ["{" + ", ".join(one) + "}" if len(one) > 1 else one[0] for one in sets],
    })  # fmt: skip
    fits = {
        "age": (low[:, None] <= age) & (age <= high[:, None]),
        "town": np.array([[word in one for word in town] for one in sets]),
    }
    known, any_one = linkage(scene_of(original, published, policy()))
    assert known.candidates.tolist() == (fits["age"] & fits["town"]).sum(axis=0).tolist()
    each = [fits[name].sum(axis=0) for (name,) in combinations(fits, 1)]
    assert any_one.candidates.tolist() == np.min(each, axis=0).tolist()


def test_class_means_lead_to_the_nearest_class():
    original = pa.table({"pay": [1, 2, 3, 10, 11, 12, 6], "age": [1, 1, 1, 9, 9, 9, 1]})
    published = pa.table({"pay": [2, 2, 2, 9.75, 9.75, 9.75, 9.75], "age": [1, 1, 1, 7, 7, 7, 7]})
    asked = shoal.Policy(columns={"pay": "quasi", "age": "quasi"}, method={"name": "mdav"},
                         guarantees=[{"kind": "k-anonymity", "k": 3}])  # fmt: skip
    (result,) = linkage(scene_of(original, published, asked, input_rows=np.arange(7)))
    assert result.candidates.tolist() == [3, 3, 3, 4, 4, 4, 3]
    assert result.success.tolist() == [1 / 3] * 3 + [1 / 4] * 3 + [0.0]  # the last is nearer to the others


def test_a_permuted_release_hides_no_record_and_so_none_is_looked_for():
    permuted = {"kind": "ke-anonymity", "k": 2, "e": 1, "sensitive": "pay"}
    asked = shoal.Policy(columns={"age": "quasi", "pay": "sensitive"}, guarantees=[permuted])
    original = pa.table({"age": [30, 31], "pay": [1, 2]})
    published = pa.table({"age": [31, 30], "pay": [1, 2], "shoal_group": [1, 1]})
    assert not list(linkage(scene_of(original, published, asked)))


def test_columns_published_as_they_are_tell_people_of_a_class_apart():
    columns = {"age": "quasi", "cost": "other", "ward": "other"}
    asked = shoal.Policy(columns=columns, guarantees=[{"kind": "k-anonymity", "k": 3}])
    shown = {"cost": [7, 8, 8, 9], "ward": ["a", "a", "b", "b"]}
    original = pa.table({"age": [30, 31, 32, 33], **shown})
    published = pa.table({"age": ["[30, 33]"] * 4, **shown})
    known, more = linkage(scene_of(original, published, asked))
    assert (known.candidates.tolist(), known.level) == ([4, 4, 4, 4], "safe")
    assert (more.candidates.tolist(), more.level) == ([1, 2, 2, 1], "watch")
    assert more.figures["telling"] == {"cost": 1.0}


def test_another_table_than_the_one_that_was_published_is_refused():
    other = pa.table({"age": [1, 2, 3, 4, 5], "town": ["Ayr"] * 5})
    published = pa.table({"age": ["30", "30", "[52, 71]", "[52, 71]"], "town": ["Ayr"] * 2 + ["Bonn"] * 2})
    with pytest.raises(shoal.ShoalError, match="5 people of the table fit no record"):
        list(linkage(scene_of(other, published, policy(), left_out=1)))


def test_only_some_people_are_attacked_where_all_would_take_too_long():
    random = np.random.default_rng(3)
    ages, pays = random.integers(20, 60, (2, 500))
    published = pa.table(
        {"age": [f"[{a}, {a + 3}]" for a in ages], "town": [f"[{p}, {p + 9}]" for p in pays]}
    )
    original = pa.table({"age": ages, "town": pays})
    drawn, _ = linkage(scene_of(original, published, policy(), most_people=100, seed=1))
    full, _ = linkage(scene_of(original, published, policy()))
    assert (len(drawn.people), drawn.population, drawn.sampled, full.sampled) == (100, 500, True, False)
    assert drawn.candidates.tolist() == full.candidates[drawn.people].tolist()
    assert abs(drawn.all_readings[0].mean - full.all_readings[0].mean) <= 0.05
    assert (drawn.expected, drawn.margin) == (full.expected, None)  # own classes are those of everybody


def test_a_permuted_release_shows_words_as_they_are(tmp_path):
    words = ["{a, b}", "x", " x", "{a, b}", "*", None]
    table = pa.table({"word": words, "pay": [1, 5, 9, 2, 6, 10]})
    asked = {"kind": "ke-anonymity", "k": 2, "e": 2, "sensitive": "pay"}
    permuted = shoal.Policy(columns={"word": "quasi", "pay": "sensitive"}, guarantees=[asked])
    shoal.anonymize(table, permuted).write(tmp_path / "release")
    scene = open_scene(table, tmp_path / "release")
    assert quasi_matches(scene, ["word"]).counts(np.arange(6)).tolist() == [2, 2, 2, 2, 1, 1]


def test_cells_published_as_they_are_stand_for_themselves():
    columns = {"age": "quasi", "note": "other"}
    asked = shoal.Policy(columns=columns, guarantees=[{"kind": "k-anonymity", "k": 2}])
    notes = ["*", "x", "y", "{x, y}"]
    original = pa.table({"age": [1, 2, 3, 4], "note": notes})
    published = pa.table({"age": ["[1, 4]"] * 4, "note": notes})
    *_, more = linkage(scene_of(original, published, asked))
    assert more.candidates.tolist() == [1, 1, 1, 1]


def test_class_means_beside_words_lead_to_the_nearest_class():
    original = pa.table({"pay": [1, 2, 9, 10], "town": ["Ayr", "Ayr", "Bonn", "Ayr"]})
    published = pa.table({"pay": [1.5, 1.5, 9.5, 9.5], "town": ["Ayr", "Ayr", "Bonn", "Bonn"]})
    asked = shoal.Policy(columns={"pay": "quasi", "town": "quasi"}, method={"name": "mdav"},
                         guarantees=[{"kind": "k-anonymity", "k": 2}])  # fmt: skip
    (result,) = linkage(scene_of(original, published, asked, input_rows=np.arange(4)))
    spread = np.std([1.5, 1.5, 9.5, 9.5])
    near = [0, 0, 1, 1 if (0.5 / spread) ** 2 + 1 < (8.5 / spread) ** 2 else 0]
    assert result.candidates.tolist() == [2, 2, 2, 2]
    assert result.success.tolist() == [
        0.5 if own == one else 0.0 for own, one in zip([0, 0, 1, 1], near, strict=True)
    ]


def overlapping(method: str) -> tuple[pa.Table, shoal.Policy]:
    random = np.random.default_rng(2)
    columns = {name: np.round(random.gamma(2, 8, 400)).astype(int) for name in ("a", "b", "c")}
    table = pa.table({**columns, "s": (random.random(400) < 0.2).astype(int)})
    roles = {**dict.fromkeys(columns, "quasi"), "s": "sensitive"}
    how = {"name": method, "options": {"relaxed": True} if method == "mondrian" else {}}
    asked = shoal.Policy(columns=roles, guarantees=[{"kind": "k-anonymity", "k": 5}], method=how)
    return table, asked


@pytest.mark.parametrize("method", ["mondrian", "cluster"])
def test_classes_that_overlap_do_not_hide_whose_they_are(method, tmp_path):
    table, asked = overlapping(method)
    release = shoal.anonymize(table, asked)
    release.write(tmp_path / "release")
    classes = len({tuple(str(row[name]) for name in "abc") for row in release.result.table.to_pylist()})
    for scene in (open_scene(None, release), open_scene(table, tmp_path / "release")):
        known, *_ = linkage(scene)
        assert known.expected == pytest.approx(classes / 400)
        assert known.largest == pytest.approx(1 / known.smallest)
        assert 5 <= known.smallest < 10
        assert known.all_readings[0].mean < known.expected
        assert "in the person's own class" in known.sentence()


@pytest.mark.parametrize("method", ["mondrian", "cluster"])
def test_one_value_in_a_class_is_not_hidden_by_others_that_fit(method):
    table, asked = overlapping(method)
    release = shoal.anonymize(table, asked)
    values: dict[tuple[str, ...], set[int]] = {}
    rows = release.result.table.to_pylist()
    for row in rows:
        values.setdefault(tuple(str(row[name]) for name in "abc"), set()).add(row["s"])
    alone = sum(len(values[tuple(str(row[name]) for name in "abc")]) == 1 for row in rows)
    found, *_ = homogeneity(open_scene(None, release))
    assert alone > 0
    assert (found.level, found.largest, found.smallest) == ("watch", 1.0, 1)
    assert found.below >= alone / 400
    assert found.figures["people_homogeneous"] >= alone


def test_two_releases_of_one_policy_are_judged_by_the_same_people():
    table, asked = overlapping("mondrian")
    scenes = []
    for seed in (1, 2):
        found = open_scene(None, shoal.anonymize(table, asked, seed=seed))
        scenes.append(Scene(found.original, found.published, asked, most_people=50))
    first, second = (next(iter(linkage(one))) for one in scenes)
    assert first.people.tolist() == second.people.tolist()
    assert len(first.people) == 50
    again = next(iter(linkage(Scene(scenes[0].original, scenes[0].published, asked, most_people=50))))
    assert again.as_dict() == first.as_dict()
