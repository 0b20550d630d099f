"""Every plan gives on parts what the method gives in memory."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import shoal
from shoal.anonymizer.anonymize import anonymize_rows
from shoal.anonymizer.ranges.plan import RANGE_PLANS
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.engines.steps.part_statistics import CLASS, STATISTICS, PartStatistics
from shoal.engines.steps.shuffle import shuffle
from shoal.kernels.keyed_hash import seeded_key
from shoal.table.columns.numbered_rows import ROW
from tests.draws import draws


def disk_with_parts_of(rows):
    return DiskEngine(1 << 30, Path(tempfile.gettempdir()), RowProgress(), rows)


@st.composite
def tables(draw):
    rows = draw(st.integers(4, 60))
    small = st.integers(-3, 6) | st.sampled_from([0, 0, 0, 100])
    columns = {
        "pay": draw(st.lists(small, min_size=rows, max_size=rows)),
        "rent": draw(st.lists(small, min_size=rows, max_size=rows)),
        "gain": [f"{cell}" for cell in draw(st.lists(st.sampled_from(["1.5", "0", "-2", "0.25"]),
                                                     min_size=rows, max_size=rows))],
        "note": [f"n{row}" for row in range(rows)],
    }  # fmt: skip
    return pa.table(columns)


def policy_for(method, k, **options):
    sums = {"kind": "kf-anonymity", "k": k, "knows": ["pay + rent + gain"]}
    guarantee = {"kind": "k-anonymity", "k": k} if method == "mondrian" else sums
    return shoal.Policy(
        columns={"pay": "quasi", "rent": "quasi", "gain": "quasi", "note": "other"},
        guarantees=[guarantee],
        method={"name": method, "options": options},
    )


@pytest.mark.parametrize("method", RANGE_PLANS)
@draws(25)
@given(table=tables(), k=st.integers(2, 5), parts=st.integers(1, 60), seed=st.integers(0, 3))
def test_rows_are_those_of_memory(method, table, k, parts, seed):
    assume(table.num_rows >= k)
    policy, key = policy_for(method, k), seeded_key(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.methods.aggregates.residual_parts.ROWS_AT_ONCE", parts)
        expected = shoal.anonymize(table, policy, seed=seed)
        made = anonymize_rows(disk_with_parts_of(parts).read(table), policy, key)
        found = pa.concat_tables(shuffle(made.rows, key, made.records).batches())
    assert (
        found.drop_columns([ROW, CLASS, STATISTICS]).cast(expected.result.table.schema)
        == expected.result.table
    )
    assert found[ROW].to_pylist() == expected.result.input_rows.tolist()
    figures = made.figures(PartStatistics.read(found[STATISTICS].drop_null().to_pylist()))
    assert figures.loss == pytest.approx(expected.loss)
    assert figures.classes == expected.result.classes
    assert figures.exact_cells == pytest.approx(expected.result.exact_cells)
    same_class = np.unique(found[CLASS].to_numpy(), return_inverse=True)[1]
    assert (
        len(set(zip(same_class.tolist(), expected.result.class_of.tolist(), strict=True))) == figures.classes
    )
