import pytest

from shoal.errors import ShoalError
from shoal.hierarchy.read import MOST_BYTES, read_hierarchy


def test_a_cell_without_end_is_a_fault(tmp_path):
    (tmp_path / "zip.csv").write_text('"' + "x" * 200_000)
    with pytest.raises(ShoalError, match="'zip' cannot be read"):
        read_hierarchy(tmp_path / "zip.csv", "zip")


def test_a_table_is_no_hierarchy_file(tmp_path):
    with (tmp_path / "people.csv").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(ShoalError, match="more than 64 MB"):
        read_hierarchy(tmp_path / "people.csv", "zip")
