import pytest

from shoal.errors import ShoalError
from shoal.hierarchy.read import read_hierarchy


def test_a_cell_without_end_is_a_fault(tmp_path):
    (tmp_path / "zip.csv").write_text('"' + "x" * 200_000)
    with pytest.raises(ShoalError, match="'zip' cannot be read"):
        read_hierarchy(tmp_path / "zip.csv", "zip")
