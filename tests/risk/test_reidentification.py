"""Risk figures, compared with loops over records and people."""

import json
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.adversary.risk_figures import risk_figures
from shoal.errors import ShoalError
from shoal.policy.draft.presets import EMA_0070, HIPAA_LIKE, PRESETS, PUBLIC, WP29
from shoal.policy.model.policy import Policy
from shoal.risk.preset_judgement import preset_judgement
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable
from tests.draws import draws

K = [{"kind": "k-anonymity", "k": 2}]
KE = [{"kind": "ke-anonymity", "k": 2, "e": 1, "sensitive": "pay"}]


def policy(*quasi: str, **more: Any) -> Policy:
    columns = dict.fromkeys(quasi, "quasi") | more.pop("others", {})
    return Policy(columns=columns, **({"guarantees": K} | more))


def table(**columns: list[Any]) -> PublishedTable:
    return PublishedTable(Table(pa.table(columns)))


values = st.lists(
    st.tuples(st.sampled_from([None, -3, 0, 5]), st.sampled_from(["x", "y", None])), min_size=1, max_size=30
)


@draws(60)
@given(values, st.sampled_from([0.05, 0.2, 0.5, 1.0]))
def test_prosecutor_and_marketer_figures_are_those_of_a_loop(
    rows: list[tuple[Any, Any]], limit: float
) -> None:
    sizes = Counter(rows)
    chances = [1 / sizes[row] for row in rows]
    given_table = table(
        a=pa.array([a for a, _ in rows], pa.int64()), b=pa.array([b for _, b in rows], pa.string())
    )
    found = risk_figures(given_table, policy("a", "b"), threshold=limit)
    assert found.prosecutor.largest == max(chances)
    assert found.prosecutor.mean == pytest.approx(sum(chances) / len(rows))
    assert found.prosecutor.at_risk == sum(chance > limit for chance in chances)
    assert found.prosecutor.share == found.prosecutor.at_risk / len(rows)
    assert found.marketer == len(sizes) / len(rows)
    assert found.unique == sum(size == 1 for size in sizes.values())
    assert (found.classes, found.smallest_class) == (len(sizes), min(sizes.values()))


@draws(60)
@given(values, values)
def test_the_population_of_exact_cells_is_that_of_a_loop(
    rows: list[tuple[Any, Any]], rest: list[tuple[Any, Any]]
) -> None:
    def of(people: list[tuple[Any, Any]]) -> PublishedTable:
        return table(
            a=pa.array([a for a, _ in people], pa.int64()), b=pa.array([b for _, b in people], pa.string())
        )

    people = Counter(rows + rest)
    found = risk_figures(of(rows), policy("a", "b"), population=of(rows + rest).table).population
    assert found is not None
    chances = [1 / people[row] for row in rows]
    assert found.chances.largest == max(chances)
    assert found.chances.mean == pytest.approx(sum(chances) / len(rows))
    assert found.unique == {"exact": sum(people[row] == 1 for row in rows)}
    assert (found.outside, found.people) == (0, len(rows) + len(rest))


AGES = [20, 21, 25, 29, 30, 34, 34, 40, None, 41]
TOWNS = ["Ulm", "Ulm", "Kiel", "Bremen", "Kiel", "Kiel", "Ulm", "Ulm", "Kiel", None]
TREE = {"town": {"tree": {"north": ["Kiel", "Bremen"], "south": ["Ulm"]}}}


@pytest.mark.parametrize(
    ("age", "town", "people"),
    [
        ("[20, 29]", "*", 4),
        ("20-29", "north", 2),
        ("*", "Kiel", 4),
        ("*", "*", 10),
        ("[25, 34]", "{Bremen, Kiel}", 4),
        ("34", "Kiel", 1),
        ("", "*", 1),
        ("*", "", 1),
        ("[60, 70]", "*", 0),
        ("[20, 40]", "east", 0),
    ],
)  # fmt: skip
def test_generalized_cells_admit_the_people_they_contain(age: str, town: str, people: int) -> None:
    others = [("[1, 2]", "north")] * 12
    rows = [(age or None, town or None), *others]
    released = table(age=[a for a, _ in rows], town=[t for _, t in rows])
    population = Table(pa.table({"age": AGES, "town": TOWNS}))
    found = risk_figures(released, policy("age", "town", hierarchies=TREE), population=population)
    assert found.population is not None
    assert found.population.chances.largest == 1 / max(people, 1)
    assert found.population.outside == 12 + (people == 0)


boxes = st.lists(
    st.tuples(st.integers(-5, 5), st.integers(0, 6), st.sets(st.sampled_from("abc"), min_size=1)),
    min_size=1,
    max_size=8,
)
points = st.lists(st.tuples(st.integers(-6, 8), st.sampled_from("abc")), min_size=1, max_size=30)


@draws(40)
@given(boxes, points)
def test_ranges_and_sets_are_counted_as_by_a_loop(
    boxes: list[tuple[int, int, set[str]]], people: list[tuple[int, str]]
) -> None:
    cells = [(f"[{low}, {low + width}]", "{" + ", ".join(sorted(words)) + "}") for low, width, words in boxes]
    population = Table(pa.table({"n": [n for n, _ in people], "w": [w for _, w in people]}))
    found = risk_figures(
        table(n=[n for n, _ in cells], w=[w for _, w in cells]), policy("n", "w"), population=population
    )
    sizes = Counter((low, width, frozenset(words)) for low, width, words in boxes)
    chances = []
    for low, width, words in boxes:
        inside = sum(low <= n <= low + width and w in words for n, w in people)
        chances.append(1 / max(inside, sizes[low, width, frozenset(words)]))
    assert found.population is not None
    assert found.population.chances.mean == pytest.approx(sum(chances) / len(boxes))
    assert found.population.chances.largest == max(chances)


def test_ranges_as_structs_and_people_who_are_counted() -> None:
    ranges = pa.array([{"lo": 1.5, "hi": 3.0}, {"lo": 4.0, "hi": 4.0}])
    released = PublishedTable(Table(pa.table({"n": ranges})))
    population = Table(pa.table({"n": ["1.5", "2.25", "3.01", "4"], "count": [5, 6, 70, 8]}))
    found = risk_figures(released, policy("n"), population=population).population
    assert found is not None
    assert (found.chances.largest, found.chances.mean) == (1 / 8, pytest.approx((1 / 11 + 1 / 8) / 2))
    assert found.people == 89


def test_missing_numbers_of_the_population_count_as_the_policy_says() -> None:
    population = Table(pa.table({"n": [None, None, 0, 4]}))
    for missing, largest in (({"n": "zero"}, 1 / 3), ({}, 1.0)):
        found = risk_figures(table(n=["0"]), policy("n", missing=missing), population=population).population
        assert found is not None
        assert found.chances.largest == largest


def test_a_population_without_a_quasi_column_is_refused() -> None:
    with pytest.raises(ShoalError, match="no column 'age'"):
        risk_figures(table(age=[1, 1]), policy("age"), population=Table(pa.table({"agee": [1]})))


def test_a_table_without_a_quasi_column_is_refused() -> None:
    with pytest.raises(ShoalError, match=r"the table has no column 'age'(.|\n)*no column 'zip'"):
        risk_figures(table(town=["Ulm"]), policy("age", "zip"))


def test_weights_give_the_figures_of_benedetti_and_franconi() -> None:
    released = table(age=[1, 2, 2, 3], weight=["4.0", "1.5", "2.5", "1"])
    asked = policy("age", others={"weight": "other"})
    found = risk_figures(released, asked, weights="weight").population
    assert found is not None
    p = 0.25
    of_one = -p * np.log(p) / (1 - p)
    of_two = 0.5 / 0.25 * (0.5 + 0.5 * np.log(0.5))
    assert found.chances.largest == 1.0
    assert found.chances.mean == pytest.approx((of_one + 2 * of_two + 1) / 4)
    assert found.unique["benedetti-franconi"] == pytest.approx(1.25)
    assert found.people == 9.0
    same = risk_figures(released, asked, weights=np.array([4.0, 1.5, 2.5, 1.0])).population
    assert same == found


@pytest.mark.parametrize(
    ("weights", "what"),
    [
        ([1.0, 0.5], "1 of 2 weights are below 1"),
        ([1.0, None], "1 of 2 weights are missing"),
        ([-1.0, 2.0], "below 1"),
    ],
)
def test_weights_that_are_none_are_refused(weights: list[float | None], what: str) -> None:
    asked = policy("age", others={"weight": "other"})
    with pytest.raises(ShoalError, match=what):
        risk_figures(table(age=[1, 1], weight=weights), asked, weights="weight")
    with pytest.raises(ShoalError, match=what):
        risk_figures(table(age=[1, 1]), policy("age"), weights=np.array(weights, np.float64))


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"weights": "wait"}, "no column 'wait'"),
        ({"weights": np.ones(3)}, "not one weight for every record"),
        ({"population_size": 1}, "smaller than the table"),
        ({"threshold": 0.0}, "threshold"),
        ({"threshold": 1.5}, "threshold"),
    ],
)
def test_bad_arguments_are_refused(more: dict[str, Any], what: str) -> None:
    with pytest.raises(ShoalError, match=what):
        risk_figures(table(age=[1, 1]), policy("age"), **more)


def test_the_size_of_a_population_lowers_the_risk_but_not_below_its_uniques() -> None:
    released = table(age=[1, 2, 3, 3, 4, 4, 4, 5, 5, 5])
    found = risk_figures(released, policy("age"), population_size=400)
    assert found.population is not None
    alone = found.population.unique["pitman"]
    assert 0 < alone < 2
    assert found.population.chances.largest >= alone / 2
    assert found.population.chances.largest < found.prosecutor.largest


def test_a_table_that_is_the_whole_population_has_its_own_figures() -> None:
    released = table(age=[1, 2, 2, 3, 3, 3])
    for more in ({"population_size": 6}, {"weights": np.ones(6)}, {"population": released.table}):
        found = risk_figures(released, policy("age"), **more)
        assert found.population is not None
        assert found.population.chances == found.prosecutor
        assert set(found.population.unique.values()) == {1.0}


def test_means_have_a_population_of_some_size_only() -> None:
    averaged = policy("age", method={"name": "mdav"})
    population = Table(pa.table({"age": [1, 2, 3, 4]}))
    found = risk_figures(table(age=["1.5", "1.5"]), averaged, population=population).population
    assert found is not None
    assert (found.source, found.people) == ("size", 4)


def test_who_is_promised_what() -> None:
    total = [{"kind": "kf-anonymity", "k": 2, "knows": ["age"]}]
    any_star = [{"kind": "k-anonymity", "k": 2, "stars": "any"}]
    released = table(age=[1, 2], pay=[5, 6], shoal_group=[1, 1])
    assert risk_figures(released, policy("age")).promised
    for guarantees in (total, any_star):
        found = risk_figures(released, policy("age", guarantees=guarantees))
        assert not found.promised
        assert "promises nothing against that" in found.sentences()[0]
    permuted = risk_figures(released, policy("age", guarantees=KE, others={"pay": "sensitive"}))
    assert (permuted.permuted, permuted.promised) == (True, False)
    assert "exactly by design" in permuted.sentences()[0]


def test_figures_are_plain_json_and_plain_english() -> None:
    released = table(age=[1, 2, 2])
    found = risk_figures(released, policy("age"), weights=np.array([3.0, 1.0, 2.0]))
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False)) == found.as_dict()
    text = " ".join(found.sentences())
    assert "above 0.09 for 3 of 3 records" in text
    assert "1 record is alone in the table with those quasi values (33.3 %)" in text
    assert "after Benedetti and Franconi" in text


@pytest.mark.parametrize(
    ("k", "met"), [(11, [HIPAA_LIKE, WP29]), (12, [EMA_0070, HIPAA_LIKE, WP29]), (20, PRESETS)]
)
def test_presets_are_met_from_their_k_on(k: int, met: list[Any]) -> None:
    asked = policy("age")
    found = risk_figures(table(age=[1] * k + [2] * k), asked)
    assert [one for one in PRESETS if preset_judgement(one, found, asked).holds] == [
        one for one in PRESETS if one in met
    ]
    assert (
        preset_judgement(EMA_0070, found, asked)
        .sentences[0]
        .endswith(f"{1 / k:.3g} {'>' if k == 11 else '<='} 0.09.")
    )


@pytest.mark.parametrize(
    ("guarantee", "holds"),
    [
        ({"kind": "l-diversity", "l": 3, "sensitive": "ill"}, True),
        ({"kind": "l-diversity", "l": 2, "sensitive": "ill"}, False),
        ({"kind": "l-diversity", "variant": "recursive", "l": 3, "c": 4, "sensitive": "ill"}, True),
        ({"kind": "t-closeness", "t": Decimal("0.2"), "sensitive": "ill"}, True),
        ({"kind": "t-closeness", "t": Decimal("0.3"), "sensitive": "ill"}, False),
        ({"kind": "p-sensitivity", "p": 3}, True),
        ({"kind": "alpha-k-anonymity", "alpha": Decimal("0.5"), "k": 11}, False),
        ({"kind": "k-anonymity", "k": 11}, False),
    ],
)
def test_inference_needs_a_guarantee_on_sensitive_values(guarantee: dict[str, Any], holds: bool) -> None:
    asked = policy("age", others={"ill": "sensitive"}, guarantees=[*K, guarantee])
    found = risk_figures(table(age=[1] * 30, ill=["a", "b", "c"] * 10), asked)
    judged = preset_judgement(WP29, found, asked)
    assert judged.holds == holds
    assert ("keeps ill from being inferred" in " ".join(judged.sentences)) != holds
    assert not preset_judgement(WP29, found, asked, verified=False).holds
    assert preset_judgement(EMA_0070, found, asked, verified=False).holds


def test_without_a_sensitive_column_inference_is_not_judged() -> None:
    asked = policy("age")
    judged = preset_judgement(PUBLIC, risk_figures(table(age=[1] * 30), asked), asked)
    assert judged.holds
    assert "not judged" in judged.sentences[1]
    assert judged.as_dict()["preset"] == "public"


PEOPLE = {
    "age": [20 + 7 * row % 60 for row in range(60)],
    "town": [("Kiel", "Bremen", "Ulm")[row % 3] for row in range(60)],
    "pay": [1000 + 37 * row % 900 for row in range(60)],
}
LEVELS = {"age": {"intervals": [10, 20]}, "town": TREE["town"], "pay": {"intervals": [100, 500]}}


@pytest.mark.parametrize("method", ["mondrian", "optimal"])
def test_a_release_admits_everybody_of_its_own_table(method: str) -> None:
    hierarchies = LEVELS if method == "optimal" else {}
    asked = policy(
        *PEOPLE,
        hierarchies=hierarchies,
        method={"name": method},
        guarantees=[{"kind": "k-anonymity", "k": 3}],
    )
    original = Table(pa.table(PEOPLE))
    release = shoal.anonymize(original.arrow, asked, seed=1)
    found = risk_figures(PublishedTable(Table(release.table)), asked, population=original)
    assert found.population is not None
    assert found.population.outside == 0
    assert found.prosecutor.largest <= 1 / 3
    assert found.population.chances.largest <= found.prosecutor.largest
