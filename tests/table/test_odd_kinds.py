"""Columns of every kind that Arrow has: they are worked on, or refused in words that name the column."""

import datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.adversary.attacks import attack
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.check import check
from shoal.release.release import anonymize_in_memory
from shoal.table.batches import batches_of
from shoal.table.read import read_table

ROWS = 12
KINDS = {
    "views of text": (pa.array(["a", "b", None] * 4, pa.string_view()), True),
    "views of bytes": (pa.array([b"a", b"b", b"a"] * 4, pa.binary_view()), True),
    "bytes that are text": (pa.array([b"a", b"b", b"a"] * 4), True),
    "bytes that are no text": (pa.array([b"\xff", b"\xfe", b"\xff"] * 4), False),
    "lists": (pa.array([[1], [2], [1]] * 4), False),
    "maps": (pa.array([[("k", 1)], [("k", 2)], []] * 4, pa.map_(pa.string(), pa.int64())), False),
    "structs": (pa.array([{"x": 1}, {"x": 2}, {"x": 1}] * 4), False),
    "decimals in 256 bits": (pa.array([Decimal("1.50"), Decimal("2.25")] * 6, pa.decimal256(20, 2)), True),
    "times of day": (pa.array([1, 2, 3] * 4, pa.time32("s")), True),
    "times with a zone": (
        pa.array([datetime.datetime(2020, 1, 1 + row % 3) for row in range(ROWS)], pa.timestamp("ns", "UTC")),
        True,
    ),
    "nothing but missing": (pa.nulls(ROWS), True),
}
POLICY = Policy(
    columns={"age": "quasi", "odd": "sensitive"},
    guarantees=[{"kind": "k-anonymity", "k": 3}, {"kind": "t-closeness", "t": 1.0, "sensitive": "odd"}],
    method={"name": "mondrian"},
)


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_column_goes_wrong_without_a_word(kind):
    column, _ = KINDS[kind]
    table = pa.table({"age": list(range(ROWS)), "odd": column})
    for work in (
        lambda: anonymize_in_memory(table, POLICY, seed=1).verdicts,
        lambda: check(table, POLICY),
        lambda: attack(table, policy=POLICY, seed=1),
    ):
        said = "column"
        try:
            assert work()
        except ShoalError as refused:
            said = str(refused)
        assert "column" in said


@pytest.mark.parametrize("kind", [kind for kind, (_, works) in KINDS.items() if works])
def test_kinds_that_can_be_compared_are_published(kind):
    table = pa.table({"age": list(range(ROWS)), "odd": KINDS[kind][0]})
    assert all(verdict.holds for verdict in anonymize_in_memory(table, POLICY, seed=1).verdicts)


def test_views_in_a_file_are_read_as_text_in_memory_and_in_batches(tmp_path):
    parquet.write_table(pa.table({"a": pa.array(["x", "y"], pa.string_view())}), tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").arrow.schema.types == [pa.string()]
    batches = batches_of(tmp_path / "t.parquet")
    assert batches.schema.types == [pa.string()]
    assert next(batches.read(1)).schema.types == [pa.string()]


def test_a_column_of_bytes_is_named_when_it_is_no_text():
    table = pa.table({"age": list(range(ROWS)), "odd": KINDS["bytes that are no text"][0]})
    quasi = Policy(columns={"age": "other", "odd": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 3}])
    with pytest.raises(ShoalError, match="column 'odd' holds bytes that are no text"):
        anonymize_in_memory(table, quasi)


@pytest.mark.parametrize("method", ["mdav", "kpqr", "mondrian", "optimal"])
def test_one_record_is_no_class(method):
    policy = Policy(
        columns={"age": "quasi", "ill": "sensitive"},
        guarantees=[{"kind": "t-closeness", "t": 1.0, "sensitive": "ill"}],
        method={"name": method},
    )
    with pytest.raises(ShoalError, match="at least 2 records, but the table has only 1"):
        anonymize_in_memory(pa.table({"age": [30], "ill": ["flu"]}), policy)


def test_decimals_of_more_digits_than_the_engine_holds_are_refused_by_name():
    wide = pa.array([Decimal(f"{row}.25") for row in range(ROWS)], pa.decimal256(60, 2))
    table = pa.table({"age": list(range(ROWS)), "odd": wide})
    release = anonymize_in_memory(table, POLICY, seed=1)
    with pytest.raises(ShoalError, match="column 'odd' has decimals of more than 38 digits"):
        release.query("select count(*) from data")
