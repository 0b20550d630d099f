"""Full-domain recoding against every combination of levels and every choice of classes to leave out.

What is compared with is written from the definitions alone: a record shows a label in every column, those
that show the same are a class, whole classes may be left out up to the limit, and the rest has to keep the
promises.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import floor, log
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import shoal
from shoal.errors import Infeasible
from tests.draws import draws

TREES = {
    "town": {"north": ["a", "b"], "south": ["c", "d"]},
    "job": {"care": ["p", "q"], "trade": ["r"]},
}
ASKED: dict[str, dict[str, Any]] = {
    "distinct": {"kind": "l-diversity", "l": 2, "sensitive": ["ill", "pay"]},
    "entropy": {"kind": "l-diversity", "variant": "entropy", "l": 1.7, "sensitive": ["ill", "pay"]},
    "recursive": {"kind": "l-diversity", "variant": "recursive", "l": 2, "c": 1.5,
                  "sensitive": ["ill", "pay"]},
    "one": {"kind": "l-diversity", "l": 2, "sensitive": "ill", "alone": True},
    "mixed": {"kind": "l-diversity", "variant": "entropy", "l": 1.8, "sensitive": "ill", "alone": True},
    "equal": {"kind": "t-closeness", "t": "0.3", "sensitive": "ill"},
    "strict": {"kind": "t-closeness", "t": "0.15", "sensitive": "ill"},
    "ordered": {"kind": "t-closeness", "t": "0.2", "sensitive": "pay", "distance": "ordered"},
}  # fmt: skip
Row = dict[str, Any]


def label(column: str, word: str, level: int) -> str:
    branch = next(branch for branch, leaves in TREES[column].items() if word in leaves)
    return (word, branch, "*")[level]


def ncp(column: str, shown: str) -> Fraction:
    leaves = [leaf for branch in TREES[column].values() for leaf in branch]
    under = leaves if shown == "*" else TREES[column].get(shown, [shown])
    return Fraction(len(under) - 1, len(leaves) - 1)


def diverse(counts: Counter[Any], asked: dict[str, Any]) -> bool:
    ranked, total = sorted(counts.values(), reverse=True), sum(counts.values())
    match asked.get("variant", "distinct"):
        case "entropy":
            return -sum(one / total * log(one / total) for one in ranked) >= log(asked["l"]) - 1e-9
        case "recursive":
            return ranked[0] < asked["c"] * sum(ranked[int(asked["l"]) - 1 :])
    return len(ranked) >= asked["l"]


def distance(rows: list[Row], whole: list[Row], asked: dict[str, Any]) -> Fraction:
    name = asked["sensitive"]
    values = sorted({row[name] for row in whole})

    def share_in(some: list[Row], value: Any) -> Fraction:
        return Fraction(sum(row[name] == value for row in some), len(some))

    share = [share_in(rows, value) - share_in(whole, value) for value in values]
    if asked.get("distance") == "ordered":
        crossing = [abs(sum(share[: at + 1])) for at in range(len(share))]
        return sum(crossing, Fraction(0)) / max(len(values) - 1, 1)
    return sum(map(abs, share), Fraction(0)) / 2


def keeps(rows: list[Row], whole: list[Row], asked: dict[str, Any]) -> bool:
    """Does a class keep a promise, in a table of these records?"""
    if asked["kind"] == "t-closeness":
        return distance(rows, whole, asked) <= Fraction(asked["t"])
    names = asked["sensitive"] if isinstance(asked["sensitive"], list) else [asked["sensitive"]]
    for name in names:
        blocks = defaultdict(Counter)
        for row in rows:
            blocks[tuple(row[other] for other in names if other != name)][row[name]] += 1
        if not all(diverse(counts, asked) for counts in blocks.values()):
            return False
    return True


@dataclass(frozen=True)
class Choice:
    """A combination of levels and of classes to leave out."""

    levels: tuple[int, ...]
    suppressed: int
    sizes: tuple[int, ...]
    ncp: Fraction

    def loss(self, objective: str, rows: int) -> Any:
        match objective:
            case "height":
                return sum(self.levels), self.suppressed
            case "discernibility":
                return sum(size**2 for size in self.sizes) + self.suppressed * rows
            case "average_class":
                return Fraction(sum(self.sizes), len(self.sizes))
        return self.ncp


def choices(rows: list[Row], columns: list[str], k: int, asked: dict[str, Any], limit: int) -> list[Choice]:
    """All that are allowed."""
    found = []
    for levels in product(range(3), repeat=len(columns)):
        classes = defaultdict(list)
        for row in rows:
            shown = tuple(label(name, row[name], level) for name, level in zip(columns, levels, strict=True))
            classes[shown].append(row)
        for stays in product([True, False], repeat=len(classes)):
            kept = [one for one, stay in zip(classes.items(), stays, strict=True) if stay]
            whole = [row for _, members in kept for row in members]
            if not whole or len(rows) - len(whole) > limit:
                continue
            if all(len(members) >= k and keeps(members, whole, asked) for _, members in kept):
                lost = sum((ncp(name, cell) * len(members) for shown, members in kept
                            for name, cell in zip(columns, shown, strict=True)), Fraction(0))  # fmt: skip
                left = len(rows) - len(whole)
                mean = (lost + left * len(columns)) / (len(rows) * len(columns))
                found.append(Choice(levels, left, tuple(len(members) for _, members in kept), mean))
    return found


def fewest_leave(allowed: list[Choice]) -> list[Choice]:
    """Of every combination of levels the choice in which fewest records leave, then fewest classes."""
    best: dict[tuple[int, ...], Choice] = {}
    for one in sorted(allowed, key=lambda one: (one.suppressed, -len(one.sizes))):
        best.setdefault(one.levels, one)
    return list(best.values())


def minimal(allowed: list[Choice]) -> set[tuple[int, ...]]:
    levels = {one.levels for one in allowed}

    def below(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        return one != other and all(a <= b for a, b in zip(one, other, strict=True))

    return {one for one in levels if not any(below(other, one) for other in levels)}


@dataclass(frozen=True)
class Case:
    rows: list[Row]
    columns: list[str]
    k: int
    asked: dict[str, Any]
    share: float
    objective: str

    @property
    def limit(self) -> int:
        return floor(Fraction(str(self.share)) * len(self.rows))

    def policy(self, method: str) -> shoal.Policy:
        names = [*self.columns, "ill", "pay"]
        return shoal.Policy(
            columns={name: "quasi" if name in self.columns else "sensitive" for name in names},
            hierarchies={name: {"tree": TREES[name]} for name in self.columns},
            guarantees=[{"kind": "k-anonymity", "k": self.k}, self.asked],
            method={"name": method, "suppression": self.share, "objective": self.objective},
        )

    def run(self, method: str) -> shoal.Release | None:
        """What the method makes of it; nothing if it says that there is nothing."""
        names = [*self.columns, "ill", "pay"]
        table = pa.table({name: [row[name] for row in self.rows] for name in names})
        try:
            return shoal.anonymize(table, self.policy(method), seed=1)
        except Infeasible as error:
            if "tried" in str(error):
                pytest.fail("so small a table is searched to the end")
            return None

    def allowed(self) -> list[Choice]:
        return choices(self.rows, self.columns, self.k, self.asked, self.limit)


@st.composite
def cases(draw: st.DrawFn, objectives: tuple[str, ...] = ("ncp",)) -> Case:
    columns = draw(st.sampled_from([["town"], ["town", "job"]]))
    row = st.fixed_dictionaries(
        {"town": st.sampled_from("abcd"), "job": st.sampled_from("pqr"), "ill": st.sampled_from("xyz"),
         "pay": st.integers(1, 3)}
    )  # fmt: skip
    rows = draw(st.lists(row, min_size=4, max_size=8))
    asked = ASKED[draw(st.sampled_from(sorted(ASKED)))]
    share = draw(st.sampled_from([0.0, 0.2, 0.34, 0.5]))
    return Case(rows, columns, draw(st.integers(2, 3)), asked, share, draw(st.sampled_from(objectives)))


@draws(90)
@given(cases(("ncp", "ncp", "height", "discernibility", "average_class")))
def test_optimal_finds_the_least_loss_over_all_levels_and_all_choices_of_classes(case: Case) -> None:
    assume(case.k <= len(case.rows))
    allowed, release = case.allowed(), case.run("optimal")
    if case.objective == "average_class":
        allowed = fewest_leave(allowed)
    assert (release is None) == (not allowed)
    if release is None:
        return
    made, rows = release.result, len(case.rows)
    least = min(one.loss(case.objective, rows) for one in allowed)
    found = made.loss[case.objective]
    assert ((found, made.suppressed) if case.objective == "height" else found) == pytest.approx(
        least if isinstance(least, tuple) else float(least)
    )
    assert made.gap == 0
    assert "proved best: no allowed combination of levels loses less" in made.notes
    assert all(verdict.holds for verdict in release.verdicts)


@draws(40)
@given(cases())
def test_incognito_and_samarati_find_what_some_choice_of_classes_allows(case: Case) -> None:
    assume(case.k <= len(case.rows))
    allowed = case.allowed()
    listed, lowest = case.run("incognito"), case.run("samarati")
    assert (listed is None) == (lowest is None) == (not allowed)
    if listed is None or lowest is None:
        return
    assert {tuple(node.levels.values()) for node in listed.result.nodes} == minimal(allowed)
    assert lowest.result.loss["height"] == min(sum(one.levels) for one in allowed)
    cheapest = min(one.ncp for one in allowed if sum(one.levels) == lowest.result.loss["height"])
    assert lowest.result.loss["ncp"] == pytest.approx(float(cheapest))
    assert not any("not every choice" in note for note in (*listed.result.notes, *lowest.result.notes))


def rows_of(*cells: str) -> list[Row]:
    """Each record in a word: town, job, illness and pay."""
    return [{"town": one[0], "job": one[1], "ill": one[2], "pay": int(one[3])} for one in cells]


def test_another_class_may_leave_than_the_one_that_is_too_far() -> None:
    """Two of town a, one of them with x, and two of town d with y: if those of a leave, d is the table."""
    case = Case(rows_of("dry1", "apy2", "dqy2", "arx2"), ["town"], 2, ASKED["strict"], 0.5, "ncp")
    release = case.run("optimal")
    assert release is not None
    assert (release.result.loss["ncp"], release.result.suppressed) == (0.5, 2)


def test_a_class_may_leave_below_the_top_where_two_columns_have_to_be_diverse() -> None:
    rows = rows_of("bpx2", "bqy2", "brz2", "bqx1", "apy1", "bpy2")
    case = Case(rows, ["town", "job"], 2, ASKED["distinct"], 0.5, "discernibility")
    for method in ("optimal", "incognito", "samarati"):
        release = case.run(method)
        assert release is not None, method
        assert release.result.loss["discernibility"] == 31


def test_the_height_is_that_of_the_levels_whoever_is_left_out() -> None:
    rows = rows_of("dpy2", "brz2", "bqy2", "dpz2", "bqz3", "arx2", "dry2")
    case = Case(rows, ["town", "job"], 2, ASKED["mixed"], 0.5, "height")
    release = case.run("optimal")
    assert release is not None
    least = min((sum(one.levels), one.suppressed) for one in case.allowed())
    assert (release.result.loss["height"], release.result.suppressed) == least


def test_records_that_left_before_count_in_the_discernibility() -> None:
    """Of twenty records 14 left before: one more costs 20, not 6, so it is not worth the finest level."""
    towns = ["a", "a", "a", "b", "c", "c", *[None] * 14]
    table = pa.table({"town": towns})
    policy = shoal.Policy(
        columns={"town": "quasi"},
        hierarchies={"town": {"tree": TREES["town"]}},
        missing={"town": "suppress"},
        guarantees=[{"kind": "k-anonymity", "k": 2}],
        method={"name": "optimal", "suppression": 0.75, "objective": "discernibility"},
    )
    made = shoal.anonymize(table, policy, seed=1).result
    by_level = {0: 3**2 + 2**2 + 15 * 20, 1: 4**2 + 2**2 + 14 * 20, 2: 6**2 + 14 * 20}
    assert made.loss["discernibility"] == min(by_level.values())


def test_a_search_that_could_not_try_everything_says_so() -> None:
    """Forty towns of ten people: a third of them may leave, in more ways than can be tried."""
    draw = np.random.default_rng(5)
    names = [f"t{at:02}" for at in range(40)]
    tree = {f"c{at}": names[2 * at : 2 * at + 2] for at in range(20)}
    table = pa.table({"town": names * 10, "ill": draw.choice(list("xyz"), 400)})
    for method in ("optimal", "incognito", "samarati"):
        policy = shoal.Policy(
            columns={"town": "quasi", "ill": "sensitive"},
            hierarchies={"town": {"tree": tree}},
            guarantees=[{"kind": "k-anonymity", "k": 2}, ASKED["strict"]],
            method={"name": method, "suppression": 0.3},
        )
        release = shoal.anonymize(table, policy, seed=1)
        notes = " ".join(release.result.notes)
        assert "not every choice of classes to leave out was tried" in notes
        assert "proved best" not in notes
        assert all(verdict.holds for verdict in release.verdicts)


def test_nothing_found_is_not_called_nothing_there() -> None:
    """Two records share a sensitive value with nobody, so a class with one of them is not diverse, and both
    may not leave. datafly goes up to the top only, which proves nothing where classes may leave."""
    rows = rows_of("apx1", "bpx2", "apy1", "bpy2", "cpz3", "dpx3")
    case = Case(rows, ["town"], 2, ASKED["distinct"], 0.2, "ncp")
    table = pa.table({name: [row[name] for row in rows] for name in ("town", "ill", "pay")})
    assert not case.allowed()
    with pytest.raises(Infeasible, match="no generalization satisfies the policy, whatever the levels"):
        shoal.anonymize(table, case.policy("optimal"))
    with pytest.raises(Infeasible, match="not all combinations of levels were tried"):
        shoal.anonymize(table, case.policy("datafly"))
