"""A published table with cells of every kind, and what reads the files that are made of it."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyreadstat
from pyarrow import parquet
from python_calamine import CalamineWorkbook

ROWS = 60
# Ranges, sets, stars, exact numbers, decimals and dates, as a release in CSV has them.
PUBLISHED = pa.table(
    {
        "age": ["[20, 29]", "31", "*", None] * (ROWS // 4),
        "pay": ["[-10.5, 15.25]", "0.10", "-7", "1200.00"] * (ROWS // 4),
        "town": ["{Bern, Zürich}", "Bern", "*", "=1+1"] * (ROWS // 4),
        "sex": ["1", "2", None, "1"] * (ROWS // 4),
        "weight": ["70.60", "62.1", "-5", None] * (ROWS // 4),
        "born": ["1999-12-31", "1931-01-01", None, "2020-02-29"] * (ROWS // 4),
        "since": ["[2011-01-01, 2011-12-31]", "2012-05-05", "*", None] * (ROWS // 4),
        "zip": ["01234", "99999", "1305*", "00000"] * (ROWS // 4),
        "nothing": pa.array([None] * ROWS, pa.string()),
    }
)
ENDINGS = (".csv", ".parquet", ".sav", ".zsav", ".dta", ".xlsx")


def rows_of(path: Path) -> dict[str, list[Any]]:
    """The cells of a file, as another library reads them; empty cells are None."""
    if path.suffix == ".parquet":
        return parquet.read_table(path).to_pydict()
    if path.suffix == ".xlsx":
        names, *rows = CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python()
        columns = zip(*rows, strict=True)
        return {str(name): [None if cell == "" else cell for cell in cells]
                for name, cells in zip(names, columns, strict=True)}  # fmt: skip
    read = pyreadstat.read_dta if path.suffix == ".dta" else pyreadstat.read_sav
    cells, _ = read(path, output_format="dict")
    return {name: [None if cell == "" else cell for cell in column] for name, column in cells.items()}
