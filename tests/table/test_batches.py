import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import parquet

from shoal.errors import ShoalError
from shoal.table.batches import batches_of
from shoal.table.files.reading import Reading
from shoal.table.read import read_table


def rows_of(source):
    return pa.concat_tables(batches_of(source).read(100)).to_pylist()


def test_every_file_of_a_folder_is_read_in_its_own_encoding(tmp_path):
    for place, encoding in enumerate(("utf-8", "cp1252", "utf-16", "utf-8-sig")):
        (tmp_path / f"{place}.csv").write_text("name,größe\nZoë,1\n", encoding=encoding)
    assert rows_of(tmp_path) == [{"name": "Zoë", "größe": "1"}] * 4


@pytest.mark.parametrize("name", ["shoal:row", "shoal:part", "shoal:x"])
def test_names_that_shoal_gives_itself_are_refused(tmp_path, name):
    table = pa.table({name: ["1", "2"], "age": ["3", "4"]})
    parquet.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text(f"{name},age\n1,3\n2,4\n")
    for source in (tmp_path / "t.parquet", tmp_path / "t.csv", table):
        with pytest.raises(ShoalError, match=f"has a column '{name}'"):
            batches_of(source)


def test_a_name_that_several_columns_have_is_refused(tmp_path):
    parquet.write_table(pa.table([[1], [2]], names=["age", "age"]), tmp_path / "t.parquet")
    with pytest.raises(ShoalError, match=r"t\.parquet has more than one column named 'age'"):
        batches_of(tmp_path / "t.parquet")


def test_long_texts_are_counted_as_long_as_they_are(tmp_path):
    table = pa.table({"age": [1, 2, 3] * 50, "note": ["x" * 1000, "y" * 500, None] * 50})
    parquet.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("age,note\n" + f"1,{'x' * 500}\n" * 9)
    assert 500 < batches_of(table).bytes_of(1) < 520
    assert 500 < batches_of(tmp_path / "t.parquet").bytes_of(1) < 520
    assert 500 < batches_of(tmp_path / "t.csv").bytes_of(1) < 520
    assert batches_of(pa.table({"age": [1, 2], "note": ["", ""]})).bytes_of(10) == 240


class Grown:
    """Rows of people of age; it cuts nothing twice: a second time would be seen."""

    keeps_rows = True

    def __call__(self, rows):
        return rows.set_column(0, "age", pc.add(rows["age"].cast(pa.int64()), 1))


RULED = Reading(rules=(Grown(),))


def in_batches(source):
    return [row["age"] for row in pa.concat_tables(batches_of(source, reading=RULED).read(1)).to_pylist()]


def in_memory(source):
    return read_table(source, reading=RULED).arrow["age"].to_pylist()


@pytest.mark.parametrize("read", [in_memory, in_batches])
def test_rules_are_applied_once_whatever_the_source(read):
    frame = pa.table({"age": ["30", "41"]})
    by_nobody, by_these = read_table(frame), read_table(frame, reading=RULED)
    assert [read(source) for source in (frame, by_nobody, by_these)] == [[31, 42]] * 3
    assert by_these.first(1).rules == by_these.also_as(by_these.arrow).rules == RULED.rules


@pytest.mark.parametrize("read", [in_memory, in_batches, read_table])
def test_a_table_that_was_read_by_other_rules_is_refused(read):
    other = read_table(pa.table({"age": ["30"]}), reading=Reading(rules=(Grown(),)))
    with pytest.raises(ShoalError, match="was read by other"):
        read(other)
