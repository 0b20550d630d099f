"""A table as people have it is released like the same table in plain spelling, on every engine."""

import random
from datetime import date, timedelta

import pyarrow as pa
import pytest

import shoal
from shoal.errors import ShoalError

from .engines import assert_as_in_memory
from .tables import Case

ROWS, PART_ROWS = 400, 60
SCHOOLS = ["none", "primary", "secondary"]
TYPES = {
    "region": "category",
    "school": {"kind": "ordered", "order": SCHOOLS},
    "born": {"kind": "date", "format": "%d.%m.%Y"},
    "income": {"kind": "number", "decimal": ",", "thousands": "."},
    "ill": "category",
}
MISSING = {"*": ["NA"], "income": {"codes": [-9], "count": "suppress"}}
COLUMNS = dict.fromkeys(["region", "school", "born", "income"], "quasi") | {"ill": "sensitive"}
METHODS = ["mondrian", "optimal", "mdav"]


def people():
    """The same people twice: as they are spelled, and plainly, with None where nothing is known."""
    draw = random.Random(5)
    spelled, plain = [], []
    for _ in range(ROWS):
        born = date(1950, 1, 1) + timedelta(draw.randrange(700))
        income = draw.choice([None, 1234.5, 2000.25, 55000.0, 12.75])
        school, region, ill = draw.choice([None, *SCHOOLS]), draw.choice("12345"), draw.choice("123")
        german = "-9,0" if income is None else f"{income:,.2f}".translate({44: ".", 46: ","})
        spelled.append({"region": region, "school": school or "NA", "born": f"{born:%d.%m.%Y}",
                        "income": german, "ill": ill})  # fmt: skip
        plain.append({"region": region, "school": school, "born": born.isoformat(),
                      "income": None if income is None else f"{income:.2f}", "ill": ill})  # fmt: skip
    return pa.Table.from_pylist(spelled), pa.Table.from_pylist(plain)


def policy(method, **more):
    hierarchies = {
        "born": {"dates": ["year", "decade"]},
        "income": {"intervals": [20000]},
        "school": {"groups": [2]},
    }
    return shoal.Policy(
        columns=COLUMNS,
        hierarchies=hierarchies if method == "optimal" else {},
        guarantees=[shoal.KAnonymity(k=4)],
        method={"name": method, "suppression": 0.4},
        **more,
    )


def plain_types():
    words = {name: TYPES[name] for name in ("region", "school", "ill")}
    return {"types": words, "missing": {"income": "suppress"}}


@pytest.mark.parametrize("method", METHODS)
def test_spelling_changes_nothing_in_a_release(method):
    spelled, plain = people()
    one = shoal.anonymize(spelled, policy(method, types=TYPES, missing=MISSING), seed=3)
    other = shoal.anonymize(plain, policy(method, **plain_types()), seed=3)
    assert one.table.equals(other.table)
    assert all(verdict.holds for verdict in one.verdicts)


@pytest.mark.parametrize("method", METHODS)
def test_codes_are_published_as_words_and_never_as_ranges(method):
    release = shoal.anonymize(people()[0], policy(method, types=TYPES, missing=MISSING), seed=3)
    for name in ("region", "ill"):
        assert pa.types.is_string(release.table.schema.field(name).type)
        assert not any(cell.startswith("[") for cell in release.table[name].to_pylist())


def test_ranges_never_contain_a_code():
    release = shoal.anonymize(people()[0], policy("mondrian", types=TYPES, missing=MISSING), seed=3)
    assert min(cell["lo"] for cell in release.table["income"].to_pylist()) > 0


def test_sets_and_groups_of_words_follow_the_declared_order():
    sets = shoal.anonymize(people()[0], policy("mondrian", types=TYPES, missing=MISSING), seed=3).table[
        "school"
    ]
    assert not {"{none, secondary}", "{secondary, primary}"} & set(sets.to_pylist())
    turned = TYPES | {"school": {"kind": "ordered", "order": ["primary", "secondary", "none"]}}
    groups = shoal.anonymize(people()[0], policy("optimal", types=turned, missing=MISSING), seed=3).table[
        "school"
    ]
    assert set(groups.to_pylist()) <= {*SCHOOLS, None, "{primary, secondary}", "{none}", "*"}


@pytest.mark.parametrize("method", ["mondrian", "optimal"])
def test_every_engine_makes_the_same_release(engine, method, tmp_path):
    case = Case(people()[0], policy(method, types=TYPES, missing=MISSING), "parquet", seed=3)
    release = shoal.anonymize(case.original, case.policy, seed=case.seed)
    release.write(tmp_path / "memory", "parquet")
    engine.write(case, tmp_path, PART_ROWS)
    assert_as_in_memory(tmp_path, release)
    opened = shoal.open_release(tmp_path / "release")
    assert all(verdict.holds for verdict in opened.verify(against=case.original, audit=tmp_path / "audit"))
    assert "1.234,50" not in (tmp_path / "release" / "manifest.json").read_text()


def test_every_engine_refuses_what_cannot_be_read_in_the_same_words(engine, tmp_path):
    wrong = TYPES | {"income": "number"}
    case = Case(people()[0], policy("mondrian", types=wrong, missing=MISSING), "parquet", seed=3)
    with pytest.raises(ShoalError) as expected:
        shoal.anonymize(case.original, case.policy)
    assert 'decimal = ",", thousands = "."' in str(expected.value)
    with pytest.raises(ShoalError) as refused:
        engine.write(case, tmp_path, PART_ROWS)
    assert [one.what for one in refused.value.faults] == [one.what for one in expected.value.faults]
    assert not (tmp_path / "release").exists()


def test_a_table_from_another_tool_is_judged_as_it_is_written():
    """-9 and NA are two things to whoever reads the table, whatever they mean."""
    asked = shoal.Policy(
        columns={"age": "quasi"}, missing={"age": [-9, -8]}, guarantees=[shoal.KAnonymity(k=2)]
    )
    assert not shoal.check(pa.table({"age": ["-9", "-8", "30", "30"]}), asked)[0].holds
    assert shoal.check(pa.table({"age": ["[20, 39]", "[20, 39]", "*", "*"]}), asked)[0].holds


def test_policies_are_compared_on_one_table_only():
    spelled, _ = people()
    one = policy("mondrian", types=TYPES, missing=MISSING)
    rows = shoal.compare(spelled, {"one": one}, ks=[4, 8], seed=1)
    assert all(row.figures is not None for row in rows)
    other = policy("mondrian", types=TYPES, missing=MISSING | {"region": ["5"]})
    with pytest.raises(ShoalError, match="different things about how to read"):
        shoal.compare(spelled, {"one": one, "other": other}, ks=[4])


def test_means_of_ordered_words_are_medians_of_their_order():
    """Beside a class of one low, one middle and one high word the middle one is true, and no other."""
    order = ["z-low", "middle", "a-high"]
    rows = pa.table({"school": order * 10, "age": ["1"] * 30})
    asked = shoal.Policy(
        columns={"school": "quasi", "age": "quasi"},
        types={"school": {"kind": "ordered", "order": order}},
        guarantees=[shoal.KAnonymity(k=30)],
        method={"name": "mdav"},
    )
    release = shoal.anonymize(rows, asked, seed=1)
    assert set(release.table["school"].to_pylist()) == {"middle"}
    assert all(verdict.holds for verdict in release.verdicts)
