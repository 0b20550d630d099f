"""No attacker does better than is reported, whichever way what fits is read."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.adversary.attacks import open_scene, run_attacks
from shoal.adversary.result import AttackResult
from shoal.adversary.risk_figures import risk_figures
from shoal.adversary.scene import Scene
from shoal.release.release import Release
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable
from tests.adversary.brute_composition import Composed
from tests.adversary.brute_composition import Published as Other
from tests.adversary.brute_readings import LEAVES, TREE, Cell, Knowledge, best, cell_of, of_columns, of_sum

NUMBERS = ["a", "b", "c"]
SUM = " + ".join(NUMBERS)
K = {"kind": "k-anonymity", "k": 2}
L = {"kind": "l-diversity", "l": 2, "sensitive": "s"}
KF = {"kind": "kf-anonymity", "k": 2, "knows": [SUM]}
BAND = {**KF, "within": "0.2"}
ALSO = {**KF, "also": ["c"]}
SEVERAL = {**KF, "knows": [SUM, "a + b"]}
KE = {"kind": "ke-anonymity", "k": 2, "e": 1, "sensitive": "s"}
LABELS = {"town": {"tree": TREE}, "a": {"intervals": [3]}}
EVERY: Cell = ("words", frozenset(LEAVES))
ATTACKS = ("linkage", "aggregate", "homogeneity", "background", "skewness", "similarity")


COMPARED = {"people": "sharing", "records": "meeting", "values of s": "values"}


def family(guarantees: list[dict[str, Any]], method: str, quasi: list[str], **more: Any) -> dict[str, Any]:
    options = {"options": more.pop("options")} if "options" in more else {}
    columns = dict.fromkeys(quasi, "quasi") | {"s": "sensitive"}
    return {"columns": columns, "guarantees": guarantees, "method": {"name": method, **options}} | more


TOWNS = [*NUMBERS[:2], "town"]
FAMILIES: dict[str, dict[str, Any]] = {
    **{name: family([KF], name, NUMBERS) for name in ("residual", "aggranon", "aligned")},
    "residual, diverse": family([KF, L], "residual", NUMBERS),
    "residual, about": family([BAND], "residual", NUMBERS),
    "residual, with a column": family([ALSO], "residual", NUMBERS),
    "residual, several": family([SEVERAL], "residual", NUMBERS),
    "mondrian of sums": family([KF], "mondrian", NUMBERS),
    **{name: family([K], name, NUMBERS) for name in ("mondrian", "cluster")},
    **{
        f"{name}, {cells}": family([K], name, TOWNS, hierarchies={"town": {"tree": TREE}},
                                   options={"cells": cells} if cells == "sets" else {})
        for name in ("mondrian", "cluster") for cells in ("labels", "sets")
    },
    **{name: family([K], name, ["a", "town"], hierarchies=LABELS)
       for name in ("optimal", "incognito", "samarati", "datafly")},
    "suppress-cells": family([K], "suppress-cells", TOWNS),
    **{name: family([KE], name, TOWNS) for name in ("min-sum", "min-max", "max-groups", "random")},
    **{name: family([K], name, NUMBERS) for name in ("mdav", "vmdav")},
}  # fmt: skip


TWO = (
    ("mondrian", "cluster"),
    ("cluster", "mondrian of sums"),
    ("residual", "aggranon"),
    ("aggranon", "mondrian"),
    ("aligned", "residual, diverse"),
    ("mondrian, sets", "cluster, sets"),
    ("cluster, labels", "mondrian, labels"),
    ("suppress-cells", "mondrian, sets"),
    ("min-sum", "random"),
    ("random", "cluster, sets"),
)


def people(random: np.random.Generator) -> pa.Table:
    rows = int(random.integers(6, 22))
    sensitive = random.integers(0, int(random.integers(2, 7)), rows)
    return pa.table(
        {
            **{name: random.integers(0, int(random.integers(2, 9)), rows) for name in NUMBERS},
            "town": random.choice(LEAVES, rows),
            "s": sensitive,
        }
    )


def released(name: str, seed: int, table: pa.Table | None = None) -> Release | None:
    """None where this table, or one drawn by the seed, has no release under the policy."""
    policy = FAMILIES[name]
    random = np.random.default_rng(seed)
    columns = list(policy["columns"])
    try:
        share = (
            float(random.choice([0.0, 0.2])) if policy["method"]["name"] in ("optimal", "datafly") else 0.0
        )
        method = {**policy["method"], "suppression": share}
        drawn = people(random) if table is None else table
        return shoal.anonymize(drawn.select(columns), shoal.Policy(**{**policy, "method": method}), seed=seed)
    except shoal.ShoalError:
        return None


def scene(release: Release, linked: bool) -> Scene:
    found = open_scene(None, release)
    return found if linked else Scene(found.original, found.published, found.policy, left_out=found.left_out)


class Brute:
    """One release beside its people, read cell by cell."""

    def __init__(self, release: Release) -> None:
        self.policy = release.policy
        self.quasi = release.policy.having("quasi")
        self.people = release.original.arrow.to_pylist()
        self.link = release.result.input_rows.tolist()
        shown = Table(release.result.table).arrow.to_pylist()
        self.groups = [row.get("shoal_group") for row in shown]
        self.values = [row["s"] for row in shown]
        ends = {name: [person[name] for person in self.people] for name in self.quasi}
        stars = {name: self._anything(name, column) for name, column in ends.items()}
        self.records = [{name: cell_of(row[name], stars[name]) for name in self.quasi} for row in shown]

    def _anything(self, name: str, values: list[Any]) -> Cell:
        """Under a star lies whatever there is."""
        if name != "town":
            return "range", (min(values), max(values))
        return EVERY if name in self.policy.hierarchies else ("words", frozenset(values))

    def record(self, known: Knowledge) -> tuple[float, float]:
        return best(known, self.people, self.link, self.records, lambda _, own: lambda at: at == own)

    def value(self, known: Knowledge, near: float = 0.0) -> tuple[float, float]:
        """A record of a permuted group stands for all values of the group."""
        if not self.policy.permutes:
            return best(
                known, self.people, self.link, self.records,
                lambda person, _: lambda at: abs(self.values[at] - self.people[person]["s"]) <= near,
            )  # fmt: skip
        success = []
        for own, person in enumerate(self.link):
            group = [at for at, number in enumerate(self.groups) if number == self.groups[own]]
            right = [abs(self.values[at] - self.people[person]["s"]) <= near for at in group]
            success.append(sum(right) / len(group))
        return sum(success) / len(self.people), max(success)


def assert_not_below(found: AttackResult, achieved: tuple[float, float]) -> None:
    assert found.expected >= achieved[0] - 1e-9, (found.attack, found.knows, found.expected, achieved)
    assert found.largest >= achieved[1] - 1e-9, (found.attack, found.knows, found.largest, achieved)


def expectations(brute: Brute) -> list[tuple[str, Callable[[AttackResult], bool], tuple[float, float]]]:
    """Attack, which of its results, and what the best reading achieves there."""
    all_known = of_columns(brute.quasi)
    found = []

    def values(knowing: Callable[[str], bool], known: Knowledge) -> None:
        for attack in ("homogeneity", "background", "skewness"):
            found.append((attack, lambda one: knowing(one.knows), brute.value(known)))
        found.append(("similarity", lambda one: knowing(one.knows), brute.value(known, near(brute))))

    every = f"{', '.join(brute.quasi[:-1])} and {brute.quasi[-1]} of a person"
    values(lambda knows: knows.startswith(every), all_known)
    if not brute.policy.permutes:
        found.append(("linkage", lambda one: one.knows.startswith(every), brute.record(all_known)))
        few = [brute.record(of_columns([name])) for name in brute.quasi]
        if not brute.policy.averages:
            largest = (max(mean for mean, _ in few), max(most for _, most in few))
            found.append(("linkage", lambda one: one.knows.startswith("any 1"), largest))
    for asked in brute.policy.guarantees:
        if asked.kind != "kf-anonymity" or len(asked.knows) > 1:
            continue
        about = float(asked.within or 0)
        stated = of_sum(NUMBERS, about, asked.also)
        more = [
            brute.record(of_sum(NUMBERS, 0.0, list(dict.fromkeys([*asked.also, name]))))
            for name in brute.quasi
            if name not in asked.also
        ]
        exactly = of_sum(NUMBERS, 0.0, asked.also)
        means, most = zip(*more, strict=True)
        found += [
            ("aggregate", lambda one: one.promised, brute.record(stated)),
            ("aggregate", lambda one: one.knows.endswith("exactly"), brute.record(exactly)),
            ("aggregate", lambda one: "other attribute" in one.knows, (max(means), max(most))),
        ]
        values(lambda knows: SUM in knows, stated)
    return found


def near(brute: Brute) -> float:
    """Half of the window: of a tenth of e, or of 5 % of the published range."""
    asked = [float(one.e) for one in brute.policy.guarantees if one.kind == "ke-anonymity"]
    width = max(asked) / 10 if asked else (max(brute.values) - min(brute.values)) / 20
    return width / 2


def assert_attacks_are_not_below(name: str, seed: int, links: tuple[bool, ...] = (True, False)) -> bool:
    """False where there is no release to check."""
    release = released(name, seed)
    if release is None:
        return False
    brute = Brute(release)
    wanted = expectations(brute)
    for linked in links:
        results = run_attacks(scene(release, linked), ATTACKS)
        for attack, which, achieved in wanted:
            of_this = [one for one in results if one.attack == attack and which(one)]
            assert of_this, (attack, [one.knows for one in results])
            for one in of_this:
                assert_not_below(one, achieved)
    if not brute.policy.permutes:
        risk = risk_figures(PublishedTable(Table(release.result.table)), release.policy)
        mean, largest = brute.record(of_columns(brute.quasi))
        assert risk.prosecutor.largest >= largest - 1e-9
        assert risk.prosecutor.mean >= mean - 1e-9
    return True


def scene_of_two(one: Release, other: Release) -> Scene:
    first, second = scene(one, linked=True), scene(other, linked=True)
    return replace(first, others=(replace(second, original=first.original),))


def composed(first: Release, second: Release) -> Composed:
    both = [Brute(release) for release in (first, second)]
    known = of_columns(both[0].quasi)
    if any(asked.kind == "kf-anonymity" for asked in first.policy.guarantees):
        known = of_sum(NUMBERS)
    people = both[0].people
    sides = [Other(one.records, one.link, one.values, one.groups, people, known) for one in both]
    return Composed(people, (sides[0], sides[1]))


def assert_composition_is_not_below(first: str, second: str, seed: int) -> bool:
    """Two releases of one table, side by side; False where there are no two."""
    table = people(np.random.default_rng(seed))
    one, other = released(first, seed, table), released(second, seed + 1, table)
    if one is None or other is None:
        return False
    brute = composed(one, other)
    results = {str(found.figures["compares"]): found
               for found in run_attacks(scene_of_two(one, other), ["composition"])}  # fmt: skip
    for compares, found in results.items():
        assert_not_below(found, brute.best(COMPARED[compares]))
    assert set(results) == set(COMPARED if not one.policy.permutes else ["values of s"])
    return True


@pytest.mark.parametrize(("first", "second"), TWO)
def test_no_reading_of_two_releases_does_better_than_is_reported(first: str, second: str) -> None:
    assert sum(assert_composition_is_not_below(first, second, seed) for seed in range(3)) >= 1


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), TWO)
def test_no_reading_of_two_releases_does_better_in_any_of_two_thousand(first: str, second: str) -> None:
    wanted = -(-2000 // len(TWO))
    done = seed = 0
    while done < wanted:
        seed += 1
        assert seed < 40 * wanted
        done += assert_composition_is_not_below(first, second, 1000 + seed)


@pytest.mark.parametrize("name", FAMILIES)
def test_no_reading_does_better_than_is_reported(name: str) -> None:
    assert sum(assert_attacks_are_not_below(name, seed, (seed % 2 == 1,)) for seed in range(3)) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_no_reading_does_better_in_any_of_two_thousand_releases(name: str) -> None:
    wanted = -(-2000 // len(FAMILIES))
    done = seed = 0
    while done < wanted:
        seed += 1
        assert seed < 40 * wanted
        done += assert_attacks_are_not_below(name, 1000 + seed)
