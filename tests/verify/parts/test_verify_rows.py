"""Verdicts by parts are those of the whole table, however it is cut into batches and parts."""

from dataclasses import replace
from decimal import Decimal
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import shoal
from shoal.errors import ShoalError
from shoal.policy.model.policy import GROUP
from shoal.table.table import Table
from shoal.verify.cells.column_traits import batch_traits, column_formats, join_traits
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.parts.original_traits import (
    PublishedColumns,
    join_original_traits,
    original_traits,
    published_columns,
    truth_columns,
)
from shoal.verify.parts.part_keys import part_of_rows
from shoal.verify.truth.originals import first_publications
from shoal.verify.truth.truth_measures import (
    TruthMeasure,
    measure_truth,
    truth_attacker,
    verdict_from_truth_measure,
)
from shoal.verify.verify import verify_table, verify_with_link
from tests.draws import draws
from tests.verify.parts.in_parts import verify_parts, whole_of

NUMBERS = ["0", "1", "1.0", "2", "-3", "1.50", " 2 ", "0.25"]
RANGES = [*NUMBERS, "[0, 1]", "[0, 2]", "0-2", "1..2", "[0.5, 1.50]", "*"]
LABELS = ["A", "A ", "{A, B}", "{B, A}", "{A}", "*", " * ", None, "", "1", "1.0", "[0, 1]", "[1, 5)"]
FLOATS = ["33.333333333333336", "12345.333333333334", "1e-7", "0.3", "0.30000000000000004", "5", "5.0", None]
LONG = ["0.123456789012345678", "4", "4.0", "123.5", None]
COLUMNS = {
    "numbers": NUMBERS,
    "blanks": [*NUMBERS, None, "", " "],
    "ranges": RANGES,
    "labels": LABELS,
    "floats": FLOATS,
    "long": LONG,
    "hidden": [None, "", "*", " "],
    "dates": ["2024-02-29", "2024-03-01", "1999-12-31", None, ""],
    "codes": ["007", "7", "08", None],
    "many": ["9000000000000000000", "1.5", "2"],
}
ILL = ["flu", "flu", "cold", "ulcer", "*", None, "1", "1.0"]
WORDS = ["flu", "cold", "ulcer", "asthma"]

QUASI = {
    "k": {"kind": "k-anonymity", "k": 2},
    "stars": {"kind": "k-anonymity", "k": 2, "stars": "any"},
    "l": {"kind": "l-diversity", "l": 2, "sensitive": "ill"},
    "entropy": {"kind": "l-diversity", "l": 1.5, "variant": "entropy", "sensitive": "ill"},
    "recursive": {"kind": "l-diversity", "l": 2, "c": 2, "variant": "recursive", "sensitive": "ill"},
    "pd": {
        "kind": "l-diversity", "l": 2, "c": 2, "variant": "pd-recursive", "sensitive": "ill",
        "allowed": ["1.0", "cold"],
    },
    "npd": {
        "kind": "l-diversity", "l": 2, "c": 2, "c2": 20, "variant": "npd-recursive", "sensitive": "ill",
        "protected": ["1", "flu"],
    },
    "both": {"kind": "l-diversity", "l": 2, "sensitive": ["ill", "cost"]},
    "p": {"kind": "p-sensitivity", "p": 2},
    "alpha": {"kind": "alpha-k-anonymity", "alpha": "0.5", "k": 2},
    "t": {"kind": "t-closeness", "t": "0.3", "sensitive": "ill"},
    "t-number": {"kind": "t-closeness", "t": "0.3", "sensitive": "cost", "distance": "ordered"},
    "kpqr": {"kind": "kpqr-anonymity", "k": 2, "p": 2, "q": "0.4", "r": "0.5", "sensitive": "cost"},
}  # fmt: skip
COSTS = ["1", "2", "2.0", "10.5", "7", "-3.25"]
KNOWN = [
    {"knows": ["a + b"]},
    {"knows": ["a + 2 * b"]},
    {"knows": ["a * b"]},
    {"knows": ["norm(a, b)"]},
    {"knows": ["a / 3 + b"]},
    {"knows": ["max(a, b)", "a"]},
    {"knows": ["a + b", "a - b"]},
    {"knows": ["a + b"], "also": ["c"]},
    {"knows": ["a"], "also": ["a", "c"]},
    {"knows": ["a + b"], "within": "0.1"},
    {"knows": ["norm(a, b)"], "within": "0.2"},
    {"knows": ["a - 2 * b"], "within": "0.1", "band": "any"},
]


def outcome(verify: Any) -> Any:
    """Verdicts as they are told, or that there are none."""
    try:
        return [verdict.as_dict() for verdict in verify()]
    except ShoalError:
        return "refused"


def cut(table: pa.Table, ends: list[int]) -> list[Table]:
    places = sorted({0, table.num_rows, *(end % table.num_rows for end in ends)})
    return [Table(table.slice(a, b - a)) for a, b in pairwise(places)]


def assert_verified_as_in_memory(table: pa.Table, policy: shoal.Policy, ends: list[int], parts: int) -> None:
    batches = cut(table, ends)
    told = outcome(lambda: verify_parts(lambda: batches, policy, parts))
    assert told == outcome(lambda: verify_table(Table(table), policy))


CUTS = st.lists(st.integers(0, 30), max_size=3)
PARTS = st.integers(1, 5)


@st.composite
def tables(draw: Any, **columns: list[Any]) -> pa.Table:
    rows = draw(st.integers(1, 12))
    return pa.table(
        {
            name: pa.array(draw(st.lists(st.sampled_from(cells), min_size=rows, max_size=rows)), pa.string())
            for name, cells in columns.items()
        }
    )


@draws(60)
@given(st.data(), st.sampled_from(sorted(COLUMNS)), st.sampled_from(sorted(QUASI)), CUTS, PARTS)
def test_classes_of_equal_cells(data: Any, kind: str, asked: str, ends: list[int], parts: int) -> None:
    table = data.draw(tables(a=COLUMNS[kind], b=["A", "B"], ill=ILL, cost=COSTS))
    columns = {"a": "quasi", "b": "quasi", "ill": "sensitive", "cost": "sensitive"}
    assert_verified_as_in_memory(table, shoal.Policy(columns=columns, guarantees=[QUASI[asked]]), ends, parts)


@draws(60)
@given(st.data(), st.sampled_from(KNOWN), st.booleans(), CUTS, PARTS)
def test_classes_of_equal_images(
    data: Any, known: dict[str, Any], starred: bool, ends: list[int], parts: int
) -> None:
    cells = RANGES if starred else RANGES[:-1]
    table = data.draw(tables(a=cells, b=["1", "2.5", "[0, 1]", "[0, 2]", "[1, 3]"], c=LABELS, ill=ILL[:4]))
    columns = {"a": "quasi", "b": "quasi", "c": "quasi", "ill": "sensitive"}
    asked = [{"kind": "kf-anonymity", "k": 2, **known}, *map(QUASI.get, ("k", "l", "npd", "t", "p"))]
    assert_verified_as_in_memory(table, shoal.Policy(columns=columns, guarantees=asked), ends, parts)


@draws(25)
@given(st.data(), st.booleans(), CUTS, PARTS)
def test_groups(data: Any, gap: bool, ends: list[int], parts: int) -> None:
    table = data.draw(tables(a=NUMBERS, cost=COSTS, **{GROUP: ["1", "2", "3"]}))
    more = {"gap": "1.5"} if gap else {}
    asked = [{"kind": "ke-anonymity", "k": 2, "e": "0.5", "sensitive": "cost", **more}]
    asked += [{"kind": "t-closeness", "t": "0.3", "sensitive": "cost"}]
    columns = {"a": "quasi", "cost": "sensitive"}
    assert_verified_as_in_memory(table, shoal.Policy(columns=columns, guarantees=asked), ends, parts)


PEOPLE = pa.table(
    {
        "age": [str(20 + 7 * row % 31) for row in range(40)],
        "pay": [f"{row * row % 17}.{row % 4}5" for row in range(40)],
        "town": [["Ulm", "Kiel", "Bonn", None][row % 7 % 4] for row in range(40)],
        "born": [f"1970-01-{1 + row % 28:02}" for row in range(40)],
        "cost": [str(row * 13 % 29 / 4) for row in range(40)],
    }
)
ROLES = {"age": "quasi", "pay": "quasi", "town": "quasi", "born": "quasi", "cost": "sensitive"}
RELEASES = {
    "ranges": ([{"kind": "k-anonymity", "k": 3}], {}, {}),
    "labels": ([{"kind": "k-anonymity", "k": 3}], {"name": "datafly"}, {
        "town": {"mask": "right"}, "age": {"intervals": [10]}, "pay": {"intervals": [5, 20]},
        "born": {"dates": ["month", "year"]}}),
    "rare": ([{"kind": "k-anonymity", "k": 3}], {"name": "datafly"}, {
        "town": {"frequency": [0.2, 0.5]}, "age": {"intervals": [10]}, "pay": {"intervals": [5, 20]},
        "born": {"dates": ["month", "year"]}}),
    "means": ([{"kind": "k-anonymity", "k": 3}], {"name": "mdav"}, {}),
    "groups": ([{"kind": "ke-anonymity", "k": 3, "e": 1, "sensitive": "cost"}], {}, {}),
}  # fmt: skip


@pytest.fixture(scope="module", params=sorted(RELEASES))
def release(request: pytest.FixtureRequest) -> Any:
    guarantees, method, hierarchies = RELEASES[request.param]
    more = {"method": method} if method else {}
    policy = shoal.Policy(columns=ROLES, guarantees=guarantees, hierarchies=hierarchies, **more)
    return policy, shoal.anonymize(PEOPLE, policy, seed=3)


def truth_by_parts(table: pa.Table, rows: Any, policy: shoal.Policy, ends: list[int], parts: int) -> Any:
    given = reduce(join_original_traits, (original_traits(batch, policy) for batch in cut(PEOPLE, ends)))
    shown = reduce(
        PublishedColumns.joined, (published_columns(batch, policy, given) for batch in cut(table, ends))
    )
    ways = column_formats(shown.readings)
    ways_given = column_formats({name: one.reading for name, one in given.items()})
    columns = truth_columns(given, shown, ways, table.schema, policy)
    attacker = truth_attacker(policy)
    numbers = np.arange(len(rows)) % parts
    if attacker is not None:
        numbers = part_of_rows(PublishedTable(Table(table), ways), attacker, policy, parts)
    once = first_publications(rows)
    found = [
        measure_truth(
            PublishedTable(Table(table.take(place)), ways),
            PublishedTable(Table(PEOPLE.take(rows[place])), ways_given),
            policy,
            columns,
            np.arange(len(place)),
            once[place],
        )
        for place in (np.flatnonzero(numbers == number) for number in np.unique(numbers))
    ]
    return verdict_from_truth_measure(policy, reduce(TruthMeasure.joined, found))


@pytest.mark.parametrize("changed", [None, "age", "pay", "town", "born", "cost", "rows"])
def test_releases(release: Any, changed: str | None) -> None:
    policy, made = release
    table, rows = made.table, made.result.input_rows.copy()
    if changed == "rows":
        rows[3] = rows[7]
    elif changed is not None:
        cells = table[changed].take(np.append(np.arange(1, len(rows)), 0))
        table = table.set_column(table.column_names.index(changed), changed, cells)
    for ends, parts in (([], 1), ([7, 20], 3), ([1, 2], 5)):
        assert_verified_as_in_memory(table, policy, ends, parts)
        found = truth_by_parts(table, rows, policy, ends, parts)
        assert found == verify_with_link(Table(table), Table(PEOPLE), policy, rows)[-1]


def test_rare_words_are_told_by_counts_alone() -> None:
    policy = shoal.Policy(
        columns=ROLES, guarantees=RELEASES["rare"][0], hierarchies={"town": {"frequency": [0.2]}}
    )
    seen = original_traits(Table(PEOPLE), policy)
    distinct = seen["town"].distinct
    assert distinct is not None
    many = replace(seen["town"], distinct=replace(distinct, counts=distinct.counts * 10**12))
    shown = [
        published_columns(Table(PEOPLE), policy, {**seen, "town": town}) for town in (seen["town"], many)
    ]
    assert shown[0] == shown[1]
    assert "town" in shown[0].labels


def spread_policy() -> shoal.Policy:
    asked = [{"kind": "ke-anonymity", "k": 2, "e": 5, "sensitive": "pay"}]
    return shoal.Policy(columns={"age": "quasi", "pay": "sensitive"}, guarantees=asked)


@pytest.mark.parametrize("ends", [[], [2]])
@pytest.mark.parametrize("parts", [1, 2, 3, 5])
@pytest.mark.parametrize(
    "pay",
    [
        pa.array(map(Decimal, ["0", "90000000000000", "0.000001", "1.000001"]), pa.decimal128(38, 6)),
        pa.array(["1234567890123456", "1234567890123458", "1e-3", "2e-3"]),
    ],
)
def test_numbers_that_no_common_scale_holds_are_refused(pay: pa.Array, ends: list[int], parts: int) -> None:
    table = pa.table({GROUP: ["1", "1", "2", "2"], "age": ["4", "5", "6", "7"], "pay": pay})
    assert outcome(lambda: verify_table(Table(table), spread_policy())) == "refused"
    assert_verified_as_in_memory(table, spread_policy(), ends, parts)


RANGED = pa.struct({"lo": pa.int64(), "hi": pa.int64()})
RECORDS = st.lists(
    st.tuples(st.sampled_from("AB"), st.integers(1, 2), st.integers(2, 5)), min_size=4, max_size=16
)


@draws(40)
@example([("A", 1, 2), ("A", 2, 4), ("A", 2, 4), ("B", 1, 3), ("B", 2, 3), ("B", 2, 4)], "t", [], 3)
@given(RECORDS, st.sampled_from(["t", "l", "entropy", "npd", "p"]), CUTS, PARTS)
def test_sensitive_ranges(records: list[Any], asked: str, ends: list[int], parts: int) -> None:
    ill = pa.array([{"lo": low, "hi": high} for _, low, high in records], RANGED)
    policy = shoal.Policy(columns={"a": "quasi", "ill": "sensitive"}, guarantees=[QUASI[asked]])
    assert_verified_as_in_memory(
        pa.table({"a": [one for one, _, _ in records], "ill": ill}), policy, ends, parts
    )


@pytest.mark.parametrize("knows", ["norm(a, b)", "a / b"])
def test_quotients_and_norms_are_dealt_out_too(knows: str) -> None:
    random = np.random.default_rng(0)
    table = pa.table({name: random.integers(1, 1000, 400) for name in "ab"})
    asked = [{"kind": "kf-anonymity", "k": 2, "knows": [knows]}]
    policy = shoal.Policy(columns={"a": "quasi", "b": "quasi"}, guarantees=asked)
    batches = cut(table, [150, 290])
    ways = column_formats(reduce(join_traits, (batch_traits(batch, policy) for batch in batches)))
    attacker = policy.guarantees[0]
    runs = whole_of(batches, policy, ways).runs[attacker]
    numbers = part_of_rows(PublishedTable(Table(table), ways), attacker, policy, 4, runs)
    assert np.bincount(numbers, minlength=4).min() > 50
    assert_verified_as_in_memory(table, policy, [150, 290], 4)
