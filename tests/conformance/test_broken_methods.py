"""A method that breaks its promise is caught by the verifiers, and nothing of it is written."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.anonymizer.registry import METHODS, MethodRow
from shoal.methods.boxes.mondrian import mondrian
from shoal.methods.ranges import Ranges
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.verify.verify import verify_against, verify_table, verify_with_link

K = 3
PEOPLE = pa.table(
    {
        "pay": [10, 20, 31, 1000, 1010, 1021],
        "gain": [1, 5, 2, 90, 70, 83],
        "region": ["north", "south", "north", "south", "south", "north"],
        "illness": ["flu", "cold", "flu", "flu", "cold", "cold"],
    }
)
ASKED = {
    "k-anonymity": {"kind": "k-anonymity", "k": K},
    "kf-anonymity": {"kind": "kf-anonymity", "k": K, "knows": ["pay + 2 * gain"]},
    "kf-anonymity within": {"kind": "kf-anonymity", "k": K, "knows": ["pay + 2 * gain"], "within": "0.0001"},
    "kf-anonymity any": {
        "kind": "kf-anonymity", "k": K, "knows": ["pay + 2 * gain"], "within": "0.0001", "band": "any",
    },
    "kf-anonymity joint": {"kind": "kf-anonymity", "k": K, "knows": ["pay + gain", "pay - gain"]},
    "kf-anonymity also": {"kind": "kf-anonymity", "k": K, "knows": ["pay + gain"], "also": ["gain"]},
}  # fmt: skip
DIVERSE = {"kind": "l-diversity", "l": 2, "sensitive": "illness"}
ONE_AGGREGATE = ("kf-anonymity", "kf-anonymity within", "kf-anonymity any")
KINDS = {
    method.name: [
        name for name in ASKED if name.split()[0] in method.serves and (method.joint or name in ONE_AGGREGATE)
    ]
    for method in METHODS
    if method.family == "ranges"  # labels are broken below
}


def policy(asked: str, method: str = "auto") -> Policy:
    columns = {"pay": "quasi", "gain": "quasi", "region": "other", "illness": "sensitive"}
    return Policy(columns=columns, guarantees=[ASKED[asked]], method={"name": method})


@pytest.fixture(params=[(name, asked) for name, kinds in KINDS.items() for asked in kinds], ids=" - ".join)
def release(request):
    """A sound release of two classes of three."""
    name, asked = request.param
    sound = shoal.anonymize(PEOPLE, policy(asked, name), seed=1)
    assert all(verdict.holds for verdict in sound.verdicts)
    assert np.bincount(sound.result.class_of).tolist() == [K, K]
    return sound


def with_cell(table: pa.Table, name: str, row: int, change) -> pa.Table:
    """The table with one range changed."""
    cells = table[name].to_pylist()
    cells[row] = change(cells[row])
    column = pa.array(cells, table[name].type)
    return table.set_column(table.column_names.index(name), name, column)


def opened_cell(table: pa.Table) -> tuple[str, int]:
    """A cell that is published as a range."""
    return next(
        (name, row)
        for name in ("pay", "gain")
        for row, cell in enumerate(table[name].to_pylist())
        if cell["lo"] < cell["hi"]
    )


def narrowed(table):
    return with_cell(table, *opened_cell(table), lambda cell: {"lo": cell["hi"], "hi": cell["hi"]})


def stretched(table):
    """One end is moved outwards, so the cell still contains its original."""
    return with_cell(table, *opened_cell(table), lambda cell: cell | {"lo": cell["lo"] - 7})


def without_one_record(table):
    return table.slice(1)


@pytest.mark.parametrize("breakage", [narrowed, stretched, without_one_record])
def test_a_class_that_is_no_longer_alike_or_large_enough_is_caught(release, breakage):
    (verdict,) = verify_table(Table(breakage(release.result.table)), release.policy)
    assert not verdict.holds
    assert verdict.achieved["k"] < K


def untrue(release, name):
    """A whole class is published somewhere else: its records stay alike, but are nobody."""
    table = release.result.table
    for row in np.flatnonzero(release.result.class_of == 1):
        table = with_cell(table, name, int(row), lambda cell: {end: cell[end] + 9000 for end in cell})
    return Table(table)


@pytest.mark.parametrize("name", ["pay", "gain"])
def test_cells_that_do_not_contain_the_original_are_caught_with_and_without_the_link(release, name):
    published, original = untrue(release, name), Table(PEOPLE)
    with_link = verify_with_link(published, original, release.policy, release.result.input_rows)
    for kept, truth in (with_link, verify_against(published, original, release.policy)):
        assert kept.holds
        assert not truth.holds
        assert truth.achieved["untrue_records"] == K


def test_a_single_cell_that_misses_its_original_by_one_is_caught(release):
    name, row = opened_cell(release.result.table)
    value = PEOPLE[name][int(release.result.input_rows[row])].as_py()
    beyond = {"lo": value + 1, "hi": value + 2}
    table = with_cell(release.result.table, name, row, lambda _: beyond)
    truth = verify_with_link(Table(table), Table(PEOPLE), release.policy, release.result.input_rows)[-1]
    assert not truth.holds
    assert truth.achieved["untrue_records"] == 1


def test_a_changed_cell_of_a_column_published_as_it_is_is_caught(release):
    table = release.result.table
    column = pa.array(["west", *table["region"].to_pylist()[1:]])
    table = Table(table.set_column(table.column_names.index("region"), "region", column))
    with_link = verify_with_link(table, Table(PEOPLE), release.policy, release.result.input_rows)
    assert not with_link[-1].holds
    assert not verify_against(table, Table(PEOPLE), release.policy)[-1].holds


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("breakage", [narrowed, stretched])
def test_a_broken_table_is_never_written(release, breakage, format, tmp_path):
    broken = replace(release, result=replace(release.result, table=breakage(release.result.table)))
    with pytest.raises(shoal.Infeasible, match="Nothing was written"):
        broken.write(tmp_path / "release", format, audit=tmp_path / "audit")
    assert list(tmp_path.iterdir()) == []


# Broken methods in place of the real ones.


def as_it_is(request):
    rows = np.arange(len(request.values))
    return Ranges(rows, np.array([0, len(rows)]), request.values, request.values)


def classes_of_two(request):
    order = np.argsort(request.values[:, 0])
    pairs = request.values[order].reshape(-1, K - 1, 2)
    low, high = (np.repeat(ends, K - 1, axis=0) for ends in (pairs.min(axis=1), pairs.max(axis=1)))
    return Ranges(order, np.arange(0, len(order) + 1, K - 1), low, high)


def boxes_of_others(request):
    """Sound boxes, each published for the record that comes next."""
    sound = mondrian(request.values, request.k, request.key)
    return Ranges(np.roll(sound.order, 1), sound.starts, sound.low, sound.high)


def boxes_beside(request):
    sound = mondrian(request.values, request.k, request.key)
    return Ranges(sound.order, sound.starts, sound.low + 3, sound.high + 3)


def one_end_off(request):
    sound = mondrian(request.values, request.k, request.key)
    low = sound.low.copy()
    low[0, 0] -= 1
    return Ranges(sound.order, sound.starts, low, sound.high)


BROKEN = [as_it_is, classes_of_two, boxes_of_others, boxes_beside, one_end_off]


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("run", BROKEN, ids=lambda run: run.__name__)
def test_nothing_of_a_broken_method_is_written(run, asked, format, monkeypatch, tmp_path):
    broken = MethodRow("broken", "ranges", ("k-anonymity", "kf-anonymity"), {}, run, joint=True)
    monkeypatch.setattr("shoal.anonymizer.choose.METHODS", (*METHODS, broken))
    release = shoal.anonymize(PEOPLE, policy(asked, "broken"), seed=1)
    with pytest.raises(shoal.Infeasible, match="Nothing was written"):
        release.write(tmp_path / "release", format, audit=tmp_path / "audit")
    assert list(tmp_path.iterdir()) == []


def by_illness(request):
    """Sound boxes, but everybody in a class has the same illness."""
    order = np.argsort(request.diversity.codes[:, 0], kind="stable")
    triples = request.values[order].reshape(-1, K, 2)
    low, high = (np.repeat(ends, K, axis=0) for ends in (triples.min(axis=1), triples.max(axis=1)))
    return Ranges(order, np.arange(0, len(order) + 1, K), low, high)


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("variant", [{}, {"variant": "entropy"}, {"variant": "recursive", "c": 3.0}])
def test_classes_that_give_a_sensitive_value_away_are_never_written(asked, variant, monkeypatch, tmp_path):
    broken = MethodRow(
        "broken", "ranges", ("k-anonymity", "kf-anonymity", "l-diversity"), {}, by_illness, joint=True
    )
    monkeypatch.setattr("shoal.anonymizer.choose.METHODS", (*METHODS, broken))
    sound = policy(asked, "broken")
    both = Policy(**sound.model_dump() | {"guarantees": [ASKED[asked], DIVERSE | variant]})
    release = shoal.anonymize(PEOPLE, both, seed=1)
    assert [verdict.holds for verdict in release.verdicts] == [True, False, True]
    with pytest.raises(shoal.Infeasible, match="illness"):
        release.write(tmp_path / "release")
    assert list(tmp_path.iterdir()) == []


LABELLED = Policy(
    columns={"pay": "quasi", "gain": "other", "region": "quasi", "illness": "sensitive"},
    hierarchies={"pay": {"intervals": [100, 2000]}},
    guarantees=[{"kind": "k-anonymity", "k": K}],
)


@pytest.mark.parametrize("name", [method.name for method in METHODS if method.recodes])
@pytest.mark.parametrize("label", ["[0, 99]", "[5000, 6999]", "nobody"])
def test_a_label_that_is_not_the_record_s_own_is_caught(name, label, tmp_path):
    asked = Policy(**LABELLED.model_dump() | {"method": {"name": name}})
    release = shoal.anonymize(PEOPLE, asked, seed=1)
    assert all(verdict.holds for verdict in release.verdicts)
    table = release.result.table
    labels = [label] * table.num_rows  # everybody shows it, so k-anonymity holds
    table = table.set_column(table.column_names.index("pay"), "pay", pa.array(labels))
    broken = replace(release, result=replace(release.result, table=table))
    with pytest.raises(shoal.Infeasible, match="contain no original record"):
        broken.write(tmp_path / "release")
    assert list(tmp_path.iterdir()) == []
