"""Lists of words in Parquet from other tools are sets to whoever checks a table."""

import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal

K = shoal.Policy(columns={"job": "quasi", "pay": "other"}, guarantees=[{"kind": "k-anonymity", "k": 2}])


def k_of(tmp_path, jobs, kind):
    table = pa.table({"job": pa.array(jobs, kind), "pay": list(range(len(jobs)))})
    parquet.write_table(table, tmp_path / "t.parquet")
    verdict, *_ = shoal.check(tmp_path / "t.parquet", K)
    return verdict.achieved["k"]


@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.large_list(pa.string())])
@pytest.mark.parametrize(
    ("jobs", "k"),
    [
        ([["cook", "smith"], ["smith", "cook"]], 2),
        ([["cook", "smith"], ["cook"]], 1),
        ([["1,5", "A"], ["A", "1,5"], ["1", "5,A"], ["5,A", "1"]], 2),
        ([["1,5"], ["1", "5"]], 1),
        ([["*"], ["*"], ["cook"], ["cook "]], 2),
        ([[], None], 2),
    ],
)
def test_lists_are_compared_as_sets(tmp_path, jobs, k, kind):
    assert k_of(tmp_path, jobs, kind) == k


def test_lists_of_lists_are_refused_by_name(tmp_path):
    with pytest.raises(shoal.ShoalError, match="job"):
        k_of(tmp_path, [[["a"]], [["a"]]], pa.list_(pa.list_(pa.string())))
