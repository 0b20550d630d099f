"""Every guarantee about values counts spellings of one value as one: in verdicts, releases, by parts.

Tables are drawn in canonical words, then every cell is spelt in some way. What is expected comes from the
canonical words, never from the rule under test.
"""

import random
import unicodedata
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.table.table import Table
from shoal.verify.verify import verify_table
from tests.draws import draws
from tests.verify.parts.in_parts import verify_parts

SPELLINGS = {
    "flu": ["flu", "flu ", "\u00a0flu", "flu\u200b"],
    "café": ["café", unicodedata.normalize("NFD", "café"), " café"],
    "50000": ["50000", "50000.0", "+5e4", "\uff15\uff10\uff10\uff10\uff10"],
    "2020-01-01": ["2020-01-01", "2020-01-01 00:00:00", "2020-01-01T00:00Z"],
    "0.3": ["0.3", "0.30", str(0.1 + 0.2)],
    "": ["", " ", "nan", "NaN"],
}
WORDS = list(SPELLINGS)
ROWS = st.lists(
    st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(WORDS), st.integers(0, 3)), min_size=2, max_size=12
)
ORDER = [word for word in WORDS if word]
LAST = [f" {word}" for word in ORDER]
TREE = {"ill": ["flu ", "café"], "paid": ["5e4", "0.3"], "when": ["2020-01-01 00:00"]}
GUARANTEES = [
    {"kind": "l-diversity", "l": 2},
    {"kind": "l-diversity", "l": 2, "variant": "entropy"},
    {"kind": "l-diversity", "l": 2, "c": 2, "variant": "recursive"},
    {"kind": "l-diversity", "l": 2, "c": 2, "variant": "pd-recursive", "allowed": ["flu ", "50000.00"]},
    {
        "kind": "l-diversity", "l": 2, "c": 2, "c2": 20, "variant": "npd-recursive",
        "allowed": ["0.300"], "protected": [" flu"],
    },
    {"kind": "p-sensitivity", "p": 2},
    {"kind": "alpha-k-anonymity", "alpha": "0.6", "k": 2},
    {"kind": "t-closeness", "t": "0.3", "distance": "equal"},
    {"kind": "t-closeness", "t": "0.3", "distance": "ordered", "order": [f"{word} " for word in ORDER]},
    {"kind": "t-closeness", "t": "0.3", "distance": "hierarchical"},
    {"kind": "kpqr-anonymity", "k": 2, "p": 2, "q": "0.5", "r": "0.1", "distance": "equal"},
    {"kind": "kpqr-anonymity", "k": 2, "p": 2, "q": "0.5", "r": "0.1", "order": LAST},
]  # fmt: skip


def policy_of(asked: dict) -> shoal.Policy:
    named = {} if asked["kind"] in ("p-sensitivity", "alpha-k-anonymity") else {"sensitive": "ill"}
    tree = {"ill": {"tree": TREE}} if asked.get("distance") == "hierarchical" else {}
    return shoal.Policy(
        columns={"place": "quasi", "ill": "sensitive"}, hierarchies=tree, guarantees=[{**asked, **named}]
    )


def tables_of(rows: list[tuple[str, str, int]]) -> tuple[pa.Table, pa.Table]:
    """In canonical words, and spelt; quasi cells too."""
    plain = {"place": [place for place, *_ in rows], "ill": [word or None for _, word, _ in rows]}
    spelt = {
        "place": [place + " " * (way % 2) for place, _, way in rows],
        "ill": [SPELLINGS[word][way % len(SPELLINGS[word])] for _, word, way in rows],
    }
    return pa.table(plain, schema=pa.schema(dict.fromkeys(plain, pa.string()))), pa.table(spelt)


@pytest.mark.parametrize("asked", GUARANTEES, ids=lambda asked: "-".join(map(str, list(asked.values())[:4])))
@draws(25)
@given(rows=ROWS)
def test_a_verdict_is_that_of_the_values_in_memory_and_by_parts(asked, rows) -> None:
    policy = policy_of(asked)
    plain, spelt = tables_of(rows)
    (expected,) = verify_table(Table(plain), policy)
    (found,) = verify_table(Table(spelt), policy)
    assert (found.holds, found.achieved) == (expected.holds, expected.achieved)
    batches = [Table(spelt.slice(at, 3)) for at in range(0, len(spelt), 3)]
    (parted,) = verify_parts(lambda: batches, policy, parts=3)
    assert (parted.holds, parted.achieved) == (expected.holds, expected.achieved)


def slow_distinct(rows: list[tuple[str, str, int]]) -> int:
    """The fewest different canonical words of a place."""
    found = defaultdict(set)
    for place, word, _ in rows:
        found[place].add(word)
    return min(map(len, found.values()))


@draws(25)
@given(rows=ROWS)
def test_distinct_values_are_canonical_words(rows) -> None:
    verdict, *_ = shoal.check(tables_of(rows)[1], policy_of({"kind": "l-diversity", "l": 2}))
    assert verdict.achieved["l"] == slow_distinct(rows)


METHODS = ["mondrian", "cluster", "optimal", "suppress-cells", "mdav", "datafly"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_classes_of_releases_have_different_values_and_one_spelling_of_quasi_words(
    tmp_path: Path, method: str, format: str
) -> None:
    draw = random.Random(method + format)
    words = [draw.choice(WORDS) for _ in range(60)]
    towns = [draw.choice(WORDS) for _ in range(60)]
    spelt = lambda word: draw.choice(SPELLINGS[word])  # noqa: E731
    table = pa.table(
        {
            "town": list(map(spelt, towns)),
            "age": [draw.randint(20, 60) for _ in words],
            "ill": list(map(spelt, words)),
        }
    )
    policy = shoal.Policy(
        columns={"town": "quasi", "age": "quasi", "ill": "sensitive"},
        guarantees=[{"kind": "k-anonymity", "k": 3}, {"kind": "l-diversity", "l": 3, "sensitive": "ill"}],
        method={"name": method, "suppression": 0.9}
        if method in ("optimal", "datafly", "suppress-cells")
        else {"name": method},
    )
    release = shoal.anonymize(table, policy, secret=b"0" * 32)
    release.write(tmp_path / "release", format)
    back = shoal.open_release(tmp_path / "release").read().arrow
    canonical = {way: word for word, ways in SPELLINGS.items() for way in ways} | {None: ""}
    classes = defaultdict(list)
    for row in back.to_pylist():
        classes[str(row["town"]), str(row["age"])].append(canonical[row["ill"]])
    assert all(len(members) >= 3 and len(set(members)) >= 3 for members in classes.values())
    shown = {str(cell) for cell in back.column("town").to_pylist()}
    for ways in list(SPELLINGS.values())[:5]:
        assert not shown & set(ways[1:])


def test_a_class_of_one_disease_in_two_spellings_is_not_two_diverse() -> None:
    table = pa.table({"place": ["a"] * 4, "ill": ["flu", "flu ", " flu", "flu"]})
    with pytest.raises(shoal.Infeasible):
        shoal.anonymize(table, policy_of({"kind": "l-diversity", "l": 2}))


def test_spellings_of_numbers_do_not_make_k_different_values() -> None:
    table = pa.table({"place": ["a"] * 3, "pay": ["1", "1.0", "2e0"], "shoal_group": [1, 1, 1]})
    policy = shoal.Policy(
        columns={"place": "quasi", "pay": "sensitive"},
        guarantees=[{"kind": "ke-anonymity", "k": 3, "e": 1, "sensitive": "pay"}],
    )
    (verdict,) = shoal.check(table, policy)
    assert (verdict.holds, verdict.achieved["k"]) == (False, 2)


def test_floats_that_agree_in_fifteen_digits_are_one_value_in_text_and_in_parquet() -> None:
    for cells in ([0.1 + 0.2, 0.3], [str(0.1 + 0.2), "0.3"], [str(0.1 + 0.2), "0.3", "word", "word"]):
        table = pa.table({"place": ["a"] * len(cells), "ill": cells})
        (verdict,) = shoal.check(table, policy_of({"kind": "l-diversity", "l": 2}))
        assert verdict.achieved["l"] == (1 if len(cells) == 2 else 2)
        alone = shoal.Policy(columns={"ill": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
        alike, *_ = shoal.check(table.select(["ill"]), alone)
        assert alike.achieved["k"] == 2


def test_ranks_are_those_declared_in_verdicts_and_methods() -> None:
    """By the ranks that occur, b lies half way between a and d; by those declared, a third."""
    table = pa.table({"place": [*"xxyy"], "ill": ["a", "b", "a", "d"]})
    asked = {"kind": "t-closeness", "t": "1", "distance": "ordered", "order": ["a", "b", "c", "d"]}
    (verdict,) = shoal.check(table, policy_of(asked))
    # x: a 1/2, b 1/2; table: a 1/2, b 1/4, d 1/4. A quarter moves from b to d, two of three steps.
    assert verdict.achieved["t"] == pytest.approx(1 / 4 * 2 / 3)
    for t, passes in (("0.167", True), ("0.166", False)):
        policy = shoal.Policy(
            columns={"place": "quasi", "ill": "sensitive"},
            guarantees=[{"kind": "k-anonymity", "k": 2}, {**asked, "t": Decimal(t), "sensitive": "ill"}],
            method={"name": "optimal"},
        )
        cells = shoal.anonymize(table, policy).result.table.column("place").to_pylist()
        assert (set(cells) == {"x", "y"}) == passes


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("frame", ["pandas", "categories", "polars"])
def test_a_frame_counts_spellings_as_a_file_does(frame, word):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    cells = {"job": ["a", "a", "b", "b"], "ill": [*SPELLINGS[word][:2], "cold", "cough"]}
    tables = {
        "pandas": lambda: pandas.DataFrame(cells),
        "categories": lambda: pandas.DataFrame(cells).astype("category"),
        "polars": lambda: polars.DataFrame(cells),
    }
    asked = shoal.LDiversity(l=2, sensitive="ill")
    policy = shoal.Policy(columns={"job": "quasi", "ill": "sensitive"}, guarantees=[asked])
    assert not shoal.check(tables[frame](), policy)[0].holds
