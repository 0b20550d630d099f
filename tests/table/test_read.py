"""Tables from Parquet, JSON lines and paths that lead nowhere."""

import gzip
from decimal import Decimal

import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.errors import ShoalError
from shoal.table.read import read_table


def refusal(source):
    with pytest.raises(ShoalError) as refused:
        read_table(source)
    return str(refused.value)


def test_parquet_keeps_types_and_order(tmp_path):
    table = pa.table({"b": [1, None], "a": ["x", "007"], "pay": [Decimal("1.50"), Decimal("2.25")]})
    parquet.write_table(table, tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").arrow.equals(table)


def test_a_file_that_only_claims_to_be_parquet_is_refused(tmp_path):
    (tmp_path / "t.parquet").write_text("a,b\n1,2\n")
    assert refusal(tmp_path / "t.parquet").startswith("t.parquet is not a Parquet file")


@pytest.fixture
def json_lines(tmp_path):
    def write(text, name="t.jsonl"):
        (tmp_path / name).write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return tmp_path / name

    return write


@pytest.mark.parametrize("name", ["t.jsonl", "t.ndjson", "t.json", "t.jsonl.gz"])
def test_json_lines_keep_their_columns_in_order_and_dates_as_text(name, json_lines):
    path = json_lines(
        '{"pay": 1, "when": "2020-01-02", "rate": 0.5}\n{"pay": 2, "when": "2021-01-01"}\n', name
    )
    assert list(read_table(path).arrow.to_pydict().items()) == [
        ("pay", [1, 2]),
        ("when", ["2020-01-02", "2021-01-01"]),
        ("rate", [0.5, None]),
    ]


def test_faulty_cells_of_json_lines_are_named_by_line(json_lines):
    table = read_table(json_lines('{"a": "1"}\n{"a": "x\\ny"}\n{"a": "z"}\n'))
    with pytest.raises(ShoalError, match=r"\(lines 2, 3\)"):
        table.numbers("a")


def test_json_lines_of_mixed_kinds_are_refused_without_a_cell(json_lines):
    message = refusal(json_lines('{"a": "secret"}\n{"a": 1}\n'))
    assert message.startswith("t.jsonl cannot be read as JSON lines")
    assert "secret" not in message


def test_an_empty_json_file_is_refused(json_lines):
    assert refusal(json_lines("")).startswith("t.jsonl is empty")


def test_a_path_that_leads_nowhere_is_refused(tmp_path):
    assert refusal(tmp_path / "none.csv").startswith("there is no file")
    assert "holds no files" in refusal(tmp_path)


def test_an_unknown_kind_of_file_is_refused_with_those_that_are_known(tmp_path):
    (tmp_path / "t.docx").write_bytes(b"PK")
    assert all(kind in refusal(tmp_path / "t.docx") for kind in (".csv", ".parquet", ".jsonl"))


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (pa.table({}), "the frame has no columns"),
        (pa.table({"a": pa.array([], pa.int64())}), "the frame has a header but no rows"),
        (pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
         "the frame has more than one column named 'a'"),
    ],
)  # fmt: skip
def test_frames_without_a_table_in_them_are_refused(frame, complaint):
    assert refusal(frame).startswith(complaint)
