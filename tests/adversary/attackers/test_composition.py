"""Candidates that several releases leave together, against comparing everybody with everybody."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.adversary.attackers.composition import composition
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import Scene
from shoal.anonymizer.anonymize import anonymize_table
from shoal.kernels.keyed_hash import seeded_key
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable
from tests.draws import draws

K10 = [{"kind": "k-anonymity", "k": 10}]


def drawn_table(people: int = 150) -> pa.Table:
    random = np.random.default_rng(4)
    numbers = {name: random.integers(0, 60, people) for name in "abc"}
    return pa.table({**numbers, "ill": random.choice(list("uvwxyz"), people)})


def released(table: pa.Table, policy: Policy, seed: int = 1) -> Scene:
    made = anonymize_table(Table(table), policy, seeded_key(seed))
    return Scene(
        PublishedTable(Table(table)),
        PublishedTable(Table(made.table)),
        policy,
        input_rows=made.input_rows,
        seed=1,
    )


def by_columns(table: pa.Table, quasi: str, **roles: str) -> Scene:
    columns = {name: "quasi" if name in quasi else "identifier" for name in "abc"}
    asked = {**columns, "ill": "sensitive", **roles}
    return released(table, Policy(columns=asked, guarantees=K10, method={"name": "mondrian"}))


def joined(*scenes: Scene) -> Scene:
    first, *others = scenes
    return Scene(
        first.original, first.published, first.policy, False, first.input_rows, tuple(others), seed=1
    )


def found(scene: Scene) -> dict[str, AttackResult]:
    return {str(one.figures["compares"]): one for one in composition(scene)}


def cell(value: object) -> tuple[float, float]:
    return (value["lo"], value["hi"]) if isinstance(value, dict) else (value, value)


def known_in(scenes: list[Scene]) -> set[str]:
    return {name for scene in scenes for name in scene.policy.having("quasi")}


def fitting(scene: Scene, known: set[str]) -> list[list[int]]:
    """The records that fit each person, by all known values that are shown or by the total."""
    people, records = scene.original.table.arrow.to_pylist(), scene.published.table.arrow.to_pylist()
    names = [name for name in records[0] if name in known]

    def fits(person: dict, record: dict) -> bool:
        ends = [cell(record[name]) for name in names]
        if scene.aggregates:
            total = sum(person[name] for name in names)
            return sum(low for low, _ in ends) <= total <= sum(high for _, high in ends)
        return all(low <= person[name] <= high for name, (low, high) in zip(names, ends, strict=True))

    return [[at for at, record in enumerate(records) if fits(person, record)] for person in people]


def slow_people(scenes: list[Scene]) -> list[int]:
    sets = [[set(own) for own in fitting(scene, known_in(scenes))] for scene in scenes]
    everybody = range(len(sets[0]))

    def share(own: list[set[int]], p: int, q: int) -> bool:
        return bool(own[p] & own[q]) or (not own[p] and not own[q])  # or both were left out

    def shared(p: int) -> int:
        return sum(all(share(own, p, q) for own in sets) for q in everybody)

    return [shared(p) if any(own[p] for own in sets) else 0 for p in everybody]


def slow_records(scenes: list[Scene]) -> list[int]:
    tables = [scene.published.table.arrow.to_pylist() for scene in scenes]
    fits = [fitting(scene, known_in(scenes)) for scene in scenes]

    def meet(one: dict, other: dict) -> bool:
        for name in set(one) & set(other):
            if name == "ill":
                if one[name] != other[name]:
                    return False
            elif cell(one[name])[0] > cell(other[name])[1] or cell(other[name])[0] > cell(one[name])[1]:
                return False
        return True

    def left(person: int, first: int) -> int:
        """Of the records that fit in the first release that has any, those which no other one rules out."""
        here = fits[first][person]
        for number, own in enumerate(fits):
            if number == first:
                continue
            there = [tables[number][other] for other in own[person]]
            met = [at for at in here if any(meet(tables[first][at], other) for other in there)]
            unmet = [
                at
                for at in fits[first][person]
                if not any(meet(tables[first][at], other) for other in tables[number])
            ]
            if own[person]:
                here = met
            elif unmet:
                here = [at for at in here if at in unmet]
        return len(here)

    return [
        next((left(person, first) for first, own in enumerate(fits) if own[person]), 0)
        for person in range(len(fits[0]))
    ]


def slow_values(scenes: list[Scene], name: str = "ill") -> list[int]:
    counts = []
    fits = [fitting(scene, known_in(scenes)) for scene in scenes]
    for person in range(len(fits[0])):
        shared: set | None = None
        for scene, own in zip(scenes, fits, strict=True):
            records = scene.published.table.arrow.to_pylist()
            values = {records[at][name] for at in own[person]}
            if scene.policy.permutes:
                groups = {records[at]["shoal_group"] for at in own[person]}
                values = {record[name] for record in records if record["shoal_group"] in groups}
            if values:  # who was left out of a release learns nothing from it
                shared = values if shared is None else shared & values
        own = scenes[0].original.table.arrow.to_pylist()[person][name]
        counts.append(len(shared) if shared and own in shared else 0)
    return counts


@pytest.mark.parametrize("third", [False, True])
def test_what_is_left_is_the_intersection(third: bool) -> None:
    table = drawn_table()
    scenes = [by_columns(table, "ab"), by_columns(table, "ac")]
    scenes += [by_columns(table, "bc", a="other")] if third else []
    results = found(joined(*scenes))
    assert results["people"].candidates.tolist() == slow_people(scenes)
    assert results["records"].candidates.tolist() == slow_records(scenes)
    assert results["values of ill"].candidates.tolist() == slow_values(scenes)
    for one in results.values():
        assert one.figures["releases"] == 2 + third
        assert one.figures["together"] == pytest.approx(one.candidates.mean(), abs=1e-4)
        assert one.figures["together"] < one.figures["alone"]
        assert not one.promised
    assert results["people"].figures["alone"] >= 10
    assert results["people"].below > 0.5
    assert results["people"].level == "watch"
    assert results["records"].success == pytest.approx(1 / results["records"].candidates)


def test_the_same_classes_twice_tell_nothing_more() -> None:
    scene = by_columns(drawn_table(), "ab")
    results = found(joined(scene, by_columns(drawn_table(), "ab")))
    assert {one.level for one in results.values()} == {"safe"}
    for one in results.values():
        assert one.figures["alone"] == one.figures["together"]
        assert one.figures["fewer"] == 0


def test_totals_known_of_two_releases() -> None:
    table = drawn_table(60)
    for name in "bc":  # so that totals and ranges do not spread as far as the whole table
        table = table.set_column("abc".index(name), name, pa.array(np.array(table[name]) // 20))
    columns = {**dict.fromkeys("abc", "quasi"), "ill": "sensitive"}
    asked = [{"kind": "kf-anonymity", "k": 5, "knows": ["a + b + c"]}]
    policy = Policy(columns=columns, guarantees=asked, method={"name": "aggranon"})
    fewer = policy.model_copy(update={"guarantees": (asked_k(policy, 3),)})
    scenes = [released(table, policy), released(table, fewer, seed=2)]
    results = found(joined(*scenes))
    assert results["people"].candidates.tolist() == slow_people(scenes)
    assert results["records"].candidates.tolist() == slow_records(scenes)
    assert results["values of ill"].candidates.tolist() == slow_values(scenes)
    assert results["records"].figures["together"] < results["records"].figures["alone"]
    assert results["records"].needed == 5


def asked_k(policy: Policy, k: int) -> object:
    return policy.guarantees[0].model_copy(update={"k": k})


def permuted(table: pa.Table, groups: np.ndarray, seed: int) -> Scene:
    random = np.random.default_rng(seed)
    pay = np.array(table["pay"].to_pylist())
    for group in np.unique(groups):
        pay[groups == group] = random.permutation(pay[groups == group])
    order = pa.array(random.permutation(len(pay)))
    shown = pa.table({"a": table["a"], "pay": pay, "shoal_group": groups}).take(order)
    asked = [{"kind": "ke-anonymity", "k": 2, "e": 0, "sensitive": "pay"}]
    policy = Policy(columns={"a": "quasi", "pay": "sensitive"}, guarantees=asked)
    return Scene(PublishedTable(Table(table)), PublishedTable(Table(shown)), policy, seed=1)


@pytest.mark.parametrize("twins", [False, True])
def test_groups_of_two_permuted_releases_share_few_values(twins: bool) -> None:
    random = np.random.default_rng(8)
    a = random.integers(0, 9, 24) if twins else np.arange(24)
    table = pa.table({"a": a, "pay": random.permutation(24) * 10})
    scenes = [
        permuted(table, (np.arange(24) // 4).tolist(), 1),
        permuted(table, (np.arange(24) % 6).tolist(), 2),
    ]
    results = found(joined(*scenes))
    assert list(results) == ["values of pay"]
    assert results["values of pay"].candidates.tolist() == slow_values(scenes, "pay")
    if not twins:
        assert results["values of pay"].expected == 1  # each pair of groups has one person in common
        assert results["values of pay"].figures["alone"] == 4


def test_labels_of_two_releases_meet_where_they_share_a_word() -> None:
    tree = {"north": ["oslo", "bergen"], "south": ["rome", "bari"]}
    city = pa.array(["oslo", "bergen", "rome", "bari"] * 3)
    table = pa.table({"city": city, "pay": range(12)})
    columns = {"city": "quasi", "pay": "quasi"}
    policy = Policy(
        columns=columns, hierarchies={"city": {"tree": tree}},
        guarantees=[{"kind": "kf-anonymity", "k": 2, "knows": ["pay"]}, {"kind": "k-anonymity", "k": 2}],
    )  # fmt: skip
    whole = pa.array([{"lo": 0, "hi": 11}] * 12)
    first = pa.table({"city": ["north", "north", "south", "south"] * 3, "pay": whole})
    second = pa.table({"city": ["{oslo, rome}"] * 3 + ["bergen"] * 9, "pay": whole})
    original = PublishedTable(Table(table))
    other = Scene(original, PublishedTable(Table(second)), policy, seed=1)
    results = list(
        composition(Scene(original, PublishedTable(Table(first)), policy, others=(other,), seed=1))
    )
    total = next(one for one in results if one.figures["compares"] == "records" and "pay" in one.knows)
    assert set(total.candidates.tolist()) == {12}  # some label of the other release meets each
    quasi = [one for one in results if one.figures["compares"] == "records"][-1]
    assert quasi.candidates.tolist() == [6] * 12  # nobody of Bari is in the other one: nothing told


def test_who_was_left_out_of_one_release_is_found_in_the_other() -> None:
    table = pa.table({"age": [1, 2, 3, 4, 5, 6], "ill": list("uvwxyz")})
    policy = Policy(
        columns={"age": "quasi", "ill": "sensitive"}, guarantees=[{"kind": "k-anonymity", "k": 2}]
    )
    first = pa.table({"age": [{"lo": 1, "hi": 3}] * 3 + [{"lo": 4, "hi": 6}] * 3, "ill": list("uvwxyz")})
    second = pa.table({"age": [{"lo": 1, "hi": 2}] * 2 + [{"lo": 4, "hi": 6}] * 3, "ill": list("uvxyz")})
    original = PublishedTable(Table(table))
    other = Scene(original, PublishedTable(Table(second)), policy, seed=1)
    results = found(Scene(original, PublishedTable(Table(first)), policy, others=(other,), seed=1))
    assert results["people"].candidates.tolist() == [2, 2, 1, 3, 3, 3]
    assert results["records"].candidates.tolist() == [2, 2, 1, 3, 3, 3]


def test_who_was_left_out_of_the_first_release_is_found_in_the_second_and_counts_as_below_k() -> None:
    table = pa.table({"age": [1, 2, 3, 4, 5, 6], "ill": list("uvwxyz")})
    policy = Policy(
        columns={"age": "quasi", "ill": "sensitive"}, guarantees=[{"kind": "k-anonymity", "k": 2}]
    )
    first = pa.table({"age": [{"lo": 1, "hi": 2}] * 2 + [{"lo": 4, "hi": 6}] * 3, "ill": list("uvxyz")})
    second = pa.table({"age": [{"lo": 1, "hi": 3}] * 3 + [{"lo": 4, "hi": 6}] * 3, "ill": list("uvwxyz")})
    original = PublishedTable(Table(table))
    other = Scene(original, PublishedTable(Table(second)), policy, seed=1, input_rows=np.arange(6))
    left_out = np.array([0, 1, 3, 4, 5])
    scene = Scene(
        original, PublishedTable(Table(first)), policy, others=(other,), seed=1, input_rows=left_out
    )
    results = found(scene)
    for one in (results["people"], results["records"]):
        assert one.candidates.tolist()[2] == 1  # all others who fit the second are in the first as well
        assert one.below == pytest.approx(1 / 6)
        assert one.success[2] == 1
        assert one.figures["alone"] == pytest.approx((2 + 2 + 3 + 3 * 3) / 6, abs=1e-4)
    assert results["values of ill"].candidates.tolist() == [2, 2, 3, 3, 3, 3]


@st.composite
def scenes_with_people_left_out(draw: st.DrawFn) -> list[Scene]:
    """Two or three releases of runs of ages, from each of which some runs were left out."""
    people = draw(st.integers(3, 9))
    ages = draw(st.lists(st.integers(0, 9), min_size=people, max_size=people))
    ill = draw(st.lists(st.sampled_from("uvw"), min_size=people, max_size=people))
    original = PublishedTable(Table(pa.table({"age": ages, "ill": ill})))
    policy = Policy(columns={"age": "quasi", "ill": "sensitive"},
                    guarantees=[{"kind": "k-anonymity", "k": 3}])  # fmt: skip
    scenes = []
    for _ in range(draw(st.integers(2, 3))):
        group = draw(st.lists(st.integers(0, 2), min_size=people, max_size=people))
        gone = draw(st.sampled_from([{0}, {1}, {0, 1}, set()]))
        rows = [at for at in range(people) if group[at] not in gone]
        if not rows:
            rows = [0]
        members = {number: [ages[at] for at in rows if group[at] == number] for number in range(3)}
        cells = [{"lo": min(members[group[at]]), "hi": max(members[group[at]])} for at in rows]
        shown = pa.table({"age": cells, "ill": [ill[at] for at in rows]})
        scenes.append(Scene(original, PublishedTable(Table(shown)), policy, seed=1))
    return scenes


@draws(60)
@given(scenes_with_people_left_out())
def test_people_left_out_anywhere_have_the_candidates_of_the_releases_they_are_in(scenes) -> None:
    results = found(joined(*scenes))
    assert results["people"].candidates.tolist() == slow_people(scenes)
    assert results["records"].candidates.tolist() == slow_records(scenes)
    assert results["values of ill"].candidates.tolist() == slow_values(scenes)
    for one in results.values():
        fewer = np.mean((one.candidates > 0) & (one.candidates < one.needed))
        assert one.all_readings[0].below(one.needed) == fewer
        assert one.below >= fewer


def test_a_release_without_a_person_takes_no_value_of_theirs_away() -> None:
    table = pa.table({"age": [1, 2, 8, 9], "ill": list("xxyz")})
    columns = {"age": "quasi", "ill": "sensitive"}
    policy = Policy(columns=columns, guarantees=[{"kind": "k-anonymity", "k": 2}])
    first = pa.table({"age": ["[1, 2]"] * 2 + ["[8, 9]"] * 2, "ill": list("xxyz")})
    second = pa.table({"age": ["[8, 9]"] * 2, "ill": list("yz")})
    original = PublishedTable(Table(table))
    other = Scene(original, PublishedTable(Table(second)), policy, seed=1)
    results = found(Scene(original, PublishedTable(Table(first)), policy, others=(other,), seed=1))
    assert results["values of ill"].candidates.tolist() == [1, 1, 2, 2]


def test_what_is_known_of_a_permuted_release_is_looked_for_in_another_that_shows_it() -> None:
    table = pa.table({"zip": [1, 2, 3, 4], "pay": [10, 20, 30, 40]})
    permuted = Policy(columns={"zip": "quasi", "pay": "sensitive"},
                      guarantees=[{"kind": "ke-anonymity", "k": 4, "e": 1, "sensitive": "pay"}])  # fmt: skip
    shown = Policy(columns={"zip": "quasi", "pay": "sensitive"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    original = PublishedTable(Table(table))
    groups = pa.table({"zip": [1, 2, 3, 4], "pay": [40, 30, 20, 10], "shoal_group": [1] * 4})
    pairs = pa.table({"zip": ["[1, 2]"] * 2 + ["[3, 4]"] * 2, "pay": [10, 20, 30, 40]})
    other = Scene(original, PublishedTable(Table(pairs)), shown, seed=1)
    [values] = composition(Scene(original, PublishedTable(Table(groups)), permuted, others=(other,), seed=1))
    assert values.candidates.tolist() == [2, 2, 2, 2]
    assert (values.figures["alone"], values.level) == (4, "watch")


def test_one_release_is_not_composed() -> None:
    assert not list(composition(by_columns(drawn_table(), "ab")))
