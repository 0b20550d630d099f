"""What classes give away is counted beyond memory as in it, whatever batch and part a record lies in."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.decision.class_figures import class_figures
from shoal.decision.large_class_figures import large_class_figures
from shoal.decision.unique_values import UniqueValues
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.policy.model.policy import Policy
from shoal.table.columns.value_hashes import ValueHashes
from shoal.table.files.data_file import read_data, write_data
from shoal.verify.cells.published_table import PublishedTable

GENERALIZED = Policy(
    columns={"age": "quasi", "zip": "quasi", "ill": "sensitive", "cost": "sensitive", "note": "other"},
    guarantees=[{"kind": "k-anonymity", "k": 2}],
)
PERMUTED = Policy(
    columns={"age": "quasi", "zip": "quasi", "note": "other", "cost": "sensitive", "ill": "sensitive"},
    guarantees=[{"kind": "ke-anonymity", "k": 2, "e": 1, "sensitive": "cost"}],
)
ROW = st.fixed_dictionaries(
    {
        "age": st.sampled_from(["[20, 30]", "[30, 40]", "*", "25"]),
        "zip": st.sampled_from(["{a, b}", "{b, a}", "c", "c ", None]),
        "ill": st.sampled_from(["flu", "flu ", "café", "cafe\u0301", "*", None]),
        "cost": st.sampled_from(["50000", "50000.0", "7", "*"]),
        "note": st.one_of(st.none(), st.integers(0, 12).map(str)),
    }
)
GROUP = "shoal_group"


def on_disk(data: Path, policy: Policy, records: int):
    return large_class_figures(DiskEngine(1 << 30, data.parent, RowProgress(), 3), data, policy, records)


@pytest.mark.parametrize(
    ("policy", "format"),
    [
        pytest.param(GENERALIZED, "csv", id="generalized-csv"),
        pytest.param(PERMUTED, "parquet", id="permuted-parquet"),
        pytest.param(GENERALIZED, "parquet", id="generalized-parquet", marks=pytest.mark.slow),
        pytest.param(PERMUTED, "csv", id="permuted-csv", marks=pytest.mark.slow),
    ],
)
@given(rows=st.lists(st.tuples(ROW, st.integers(0, 4)), min_size=1, max_size=14))
def test_every_figure_is_that_of_memory(policy, format, rows) -> None:
    cells = [row | ({GROUP: group} if policy.permutes else {}) for row, group in rows]
    kinds = dict.fromkeys(rows[0][0], pa.string()) | ({GROUP: pa.int64()} if policy.permutes else {})
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / f"data.{format}"
        write_data(pa.Table.from_pylist(cells, pa.schema(kinds)), data)
        assert on_disk(data, policy, len(rows)) == class_figures(PublishedTable(read_data(data)), policy)


def test_records_that_all_show_the_same_are_one_class(tmp_path) -> None:
    table = pa.table({"age": ["*"] * 9, "zip": ["*"] * 9, "ill": ["flu"] * 9, "cost": [*"123456789"],
                      "note": ["x"] * 9})  # fmt: skip
    write_data(table, tmp_path / "data.csv")
    found = on_disk(tmp_path / "data.csv", GENERALIZED, 9)
    assert found.one_class
    assert found.certain == {"ill": 9, "cost": 0}
    assert found.exact == (UniqueValues("cost", 9, 9),)


def test_of_very_many_values_about_as_many_as_are_unique_are_told() -> None:
    numbers = np.concatenate([np.arange(20_000), np.arange(10_000)])  # 10,000 are there once
    batches = [ValueHashes.of(pa.array(numbers[at : at + 1_000]), 2_000) for at in range(0, 30_000, 1_000)]
    found = batches[0]
    for other in batches[1:]:
        found = found.joined(other)
    assert found.estimated
    assert found.unique == pytest.approx(10_000, rel=0.15)
    assert found.repeating == pytest.approx(20_000, rel=0.15)
    told = UniqueValues("cost", found.unique, 30_000, found.estimated).sentence(public=False)
    assert f"about {found.unique:,} of 30,000 values are unique" in told


@pytest.mark.parametrize("kind", [pa.decimal256(50, 2), pa.float16(), pa.time64("us"), pa.large_binary()])
def test_values_of_every_kind_are_counted(kind: pa.DataType) -> None:
    cells = pa.array([b"1", b"2", b"1"], kind) if kind == pa.large_binary() else pa.array([1, 2, 1]).cast(
        pa.float32() if kind == pa.float16() else pa.int64()).cast(kind)  # fmt: skip
    assert (ValueHashes.of(cells).unique, ValueHashes.of(cells).repeating) == (1, 2)
