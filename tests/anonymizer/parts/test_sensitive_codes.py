"""Beyond memory as in it: diverse classes, labels and notes."""

import re
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.anonymizer.anonymize import anonymize_rows
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.engines.steps.part_statistics import CLASS, STATISTICS, PartStatistics
from shoal.engines.steps.shuffle import shuffle
from shoal.errors import Infeasible, ShoalError
from shoal.kernels.keyed_hash import seeded_key
from shoal.table.columns.numbered_rows import ROW
from shoal.verify.parts.verify_rows import verify_rows, ways_to_read
from tests.draws import CASE, draws

DIVERSE = (
    [{"kind": "l-diversity", "l": 2, "sensitive": "illness"}],
    [{"kind": "l-diversity", "variant": "entropy", "l": 1.8, "sensitive": "illness"}],
    [{"kind": "l-diversity", "variant": "recursive", "l": 2, "c": 3.0, "sensitive": "illness"}],
    [{"kind": "l-diversity", "l": 2, "sensitive": ["illness", "loan"]}],
    [{"kind": "l-diversity", "l": 2, "sensitive": ["illness", "loan"], "alone": True}],
    [{"kind": "p-sensitivity", "p": 2}],
    [{"kind": "alpha-k-anonymity", "k": 3, "alpha": "0.7"}],
    [{"kind": "t-closeness", "t": "0.3", "sensitive": "illness"}],
    [{"kind": "t-closeness", "t": "0.25", "sensitive": "loan", "distance": "ordered"}],
)


BESIDE_SUMS = tuple(diverse for diverse in DIVERSE if diverse[0]["kind"] != "alpha-k-anonymity")


def disk_with_parts_of(rows):
    return DiskEngine(1 << 30, Path(tempfile.gettempdir()), RowProgress(), rows)


@st.composite
def tables(draw):
    count = draw(st.integers(8, 50))

    def column(cells):
        return draw(st.lists(cells, min_size=count, max_size=count))

    return pa.table({
        "pay": column(st.integers(-3, 6) | st.sampled_from([0, 0, 0, 100])),
        "rent": column(st.integers(0, 4)),
        "gain": column(st.sampled_from(["1.5", "0", "-2", "0.25", None])),
        "illness": column(st.sampled_from(["flu", "cold", "none", None])),
        "loan": column(st.sampled_from(["1", "1.0", "20", "3"])),
    })  # fmt: skip


def policy_for(method, diverse, **changes):
    sums = {"kind": "kf-anonymity", "k": 3, "knows": ["pay + rent + gain"]}
    first = {"kind": "k-anonymity", "k": 3} if method == "mondrian" else sums
    return shoal.Policy(
        columns={
            "pay": "quasi",
            "rent": "quasi",
            "gain": "quasi",
            "illness": "sensitive",
            "loan": "sensitive",
        },
        missing={"gain": "suppress"},
        guarantees=[first, *diverse],
        method={"name": method, "suppression": 1.0},
        **changes,
    )


def beyond_memory(table, policy, part_rows, seed=0):
    key = seeded_key(seed)
    made = anonymize_rows(disk_with_parts_of(part_rows).read(table), policy, key)
    found = pa.concat_tables(shuffle(made.rows, key, made.records).batches())
    return found, made.figures(PartStatistics.read(found[STATISTICS].drop_null().to_pylist()))


def assert_same_as_memory(table, policy, part_rows, seed=0):
    """Either both refuse the table, or both publish the same rows in the same classes."""
    try:
        expected = shoal.anonymize(table, policy, seed=seed)
    except ShoalError as error:
        what = str(error).split(" (row")[0]  # words are known by the first row that has them
        with pytest.raises(ShoalError, match=f"^{re.escape(what)}"):
            beyond_memory(table, policy, part_rows, seed)
        return
    found, figures = beyond_memory(table, policy, part_rows, seed)
    shown = found.drop_columns([ROW, CLASS, STATISTICS])
    assert shown == expected.result.table.cast(shown.schema)
    assert found[ROW].to_pylist() == expected.result.input_rows.tolist()
    assert figures.loss == pytest.approx(expected.loss)
    assert figures.classes == expected.result.classes
    assert figures.exact_cells == pytest.approx(expected.result.exact_cells)
    assert figures.paid == pytest.approx(expected.result.paid)
    assert figures.fallen == pytest.approx(expected.result.fallen)
    assert figures.notes == expected.result.notes
    same_class = np.unique(found[CLASS].to_numpy(), return_inverse=True)[1]
    assert (
        len(set(zip(same_class.tolist(), expected.result.class_of.tolist(), strict=True))) == figures.classes
    )


@pytest.mark.parametrize("diverse", DIVERSE)
@draws(25, CASE)
@given(table=tables(), part_rows=st.integers(1, 50), seed=st.integers(0, 3))
def test_diverse_classes_of_mondrian_are_those_of_memory(diverse, table, part_rows, seed):
    assert_same_as_memory(table, policy_for("mondrian", diverse), part_rows, seed)


@pytest.mark.parametrize("diverse", BESIDE_SUMS)
@draws(25, CASE)
@given(table=tables(), part_rows=st.integers(1, 50), seed=st.integers(0, 3))
def test_diverse_classes_of_residual_are_those_of_memory(diverse, table, part_rows, seed):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.methods.aggregates.residual_parts.ROWS_AT_ONCE", part_rows)
        assert_same_as_memory(table, policy_for("residual", diverse), part_rows, seed)


@draws(25)
@given(table=tables(), diverse=st.sampled_from(BESIDE_SUMS), seed=st.integers(0, 3))
def test_blocks_of_one_part_are_those_of_memory(table, diverse, seed):
    assert_same_as_memory(table, policy_for("aggranon", diverse), 50, seed)


@draws(25)
@given(table=tables(), diverse=st.sampled_from(BESIDE_SUMS), part_rows=st.integers(1, 20))
def test_blocks_of_many_parts_are_diverse(table, diverse, part_rows):
    policy = policy_for("aggranon", diverse)
    try:
        found, figures = beyond_memory(table, policy, part_rows)
    except Infeasible:
        with pytest.raises(Infeasible):
            shoal.anonymize(table, policy)
        return
    published = disk_with_parts_of(part_rows).read(found.drop_columns([ROW, CLASS, STATISTICS]))
    assert all(
        verdict.holds
        for verdict in verify_rows(published, policy, ways_to_read(published, policy), len(found))
    )
    assert len(found) == len(table) - figures.suppressed


TOWNS = {"south": ["Ulm", "Augsburg"], "north": ["Kiel", "Bremen", "Husum"]}


@st.composite
def people(draw):
    count = draw(st.integers(6, 40))

    def column(cells):
        return draw(st.lists(cells, min_size=count, max_size=count))

    return pa.table({
        "town": column(st.sampled_from([" Ulm", "Augsburg", "Kiel", "Bremen", "Husum"])),
        "age": column(st.integers(30, 34) | st.none()),
        "job": column(st.sampled_from(["cook", "clerk", "smith", None])),
        "illness": column(st.sampled_from(["flu", "cold", "none"])),
    })  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"cells": "sets"}, {"relaxed": True}])
@draws(25, CASE)
@given(
    table=people(),
    part_rows=st.integers(1, 40),
    missing=st.sampled_from(["zero", "suppress", "error"]),
    of_words=st.sampled_from(["value", "suppress", "zero"]),
    labelled=st.sampled_from([("town",), ("town", "age"), ()]),
    diverse=st.sampled_from(([], DIVERSE[0], DIVERSE[7])),
)
def test_labels_sets_and_ranges_are_those_of_memory(
    options, table, part_rows, missing, of_words, labelled, diverse
):
    hierarchies = {"town": {"tree": TOWNS}, "age": {"intervals": [2, 4]}}
    policy = shoal.Policy(
        columns={"town": "quasi", "age": "quasi", "job": "quasi", "illness": "sensitive"},
        hierarchies={name: hierarchies[name] for name in labelled},
        missing={"age": missing, "job": of_words},
        guarantees=[{"kind": "k-anonymity", "k": 2}, *diverse],
        method={"name": "mondrian", "suppression": 1.0, "objective": "height", "options": options},
    )
    assert_same_as_memory(table, policy, part_rows)


DRAW = np.random.default_rng(7)
A, B = DRAW.integers(0, 50, 600), DRAW.integers(0, 50, 600)
TOTAL = A + B
MOSTLY_ZERO = np.where(DRAW.random(600) < 0.7, 0, TOTAL // 3)


def summed(table, **knowledge):
    columns = {"a": "quasi", "b": "quasi"} | dict.fromkeys(table.column_names[2:], "other")
    guarantee = {"kind": "kf-anonymity", "k": 3, "knows": ["a + b"], **knowledge}
    return shoal.Policy(columns=columns, guarantees=[guarantee], method={"name": "aggranon"})


def test_what_many_parts_leave_aside_is_noted():
    table = pa.table({"a": A, "b": B})
    policy = summed(table, within="0.1", band="any")
    assert_same_as_memory(table, policy, 600)
    _, figures = beyond_memory(table, policy, 97)
    assert figures.notes == ("within is left aside in a table of more than one part, which is stricter",)


def test_blocks_that_are_others_than_in_memory_are_noted():
    table = pa.table({"pay": A, "rent": B, "gain": A, "illness": B % 3, "loan": A % 4})
    found, figures = beyond_memory(table, policy_for("aggranon", DIVERSE[0]), 97)
    assert len(found) == 600
    assert any("in memory some of them would be others" in note for note in figures.notes)


def test_unused_hierarchies_are_noted_beyond_memory_too():
    table = pa.table({"a": A, "b": B})
    policy = shoal.Policy(
        columns={"a": "quasi", "b": "quasi"},
        hierarchies={"a": {"intervals": [10]}},
        guarantees=[{"kind": "kf-anonymity", "k": 3, "knows": ["a + b"]}],
        method={"name": "residual"},
    )
    _, figures = beyond_memory(table, policy, 97)
    assert figures.notes[0] == "the hierarchies of 'a' are not used: this method publishes ranges"


@pytest.mark.parametrize("values", [TOTAL, np.arange(len(A)) % 21])
def test_more_different_values_than_meet_in_one_place_are_refused(monkeypatch, values):
    monkeypatch.setattr("shoal.anonymizer.parts.sensitive_codes.MOST_VALUES", 20)
    table = pa.table({"pay": A, "rent": B, "gain": A, "illness": values, "loan": A % 4})
    with pytest.raises(ShoalError, match="more than 20 different values, which works in memory only"):
        beyond_memory(table, policy_for("mondrian", DIVERSE[0]), 97)


def test_a_method_without_a_plan_is_named():
    table = pa.table({"a": A, "b": B})
    policy = shoal.Policy(
        columns={"a": "quasi", "b": "quasi"},
        guarantees=[{"kind": "kf-anonymity", "k": 3, "knows": ["a + b"]}],
        method={"name": "aligned"},
    )
    with pytest.raises(ShoalError, match="method 'aligned' works in memory only"):
        beyond_memory(table, policy, 97)
