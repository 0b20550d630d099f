"""The same table in files of other kinds gives the same release."""

import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pyreadstat
import pytest

import shoal
from shoal.table.files.data_file import rows_as_text

POLICY = """
[columns]
age = "quasi"
pay = "quasi"
town = "quasi"
sex = "sensitive"
born = "other"
weight = "other"

[[guarantees]]
kind = "k-anonymity"
k = 5

[method]
suppression = 0.2

[types]
sex = "category"

[missing]
pay = { codes = [-9], count = "suppress" }
"""


def people(rows: int = 200) -> pl.DataFrame:
    draw = np.random.default_rng(5)
    first = datetime.date(1950, 1, 1)
    return pl.DataFrame(
        {
            "age": draw.integers(18, 90, rows),
            "pay": np.where(draw.random(rows) < 0.1, -9, np.round(draw.normal(3000, 900, rows), 1)),
            "town": draw.choice(["Bern", "Zürich", "Genève"], rows),
            "sex": draw.integers(1, 3, rows),
            "born": [first + datetime.timedelta(int(days)) for days in draw.integers(0, 20_000, rows)],
            "weight": [None if draw.random() < 0.1 else float(one) for one in draw.normal(70, 9, rows)],
        }
    )


@pytest.mark.parametrize("engine", ["memory", "disk"])
@pytest.mark.parametrize("ending", [".sav", ".zsav", ".dta", ".xpt"])
def test_files_of_statistics_programs_give_the_release_of_the_csv_file(
    ending: str, engine: str, tmp_path: Path
) -> None:
    frame, path = people(), tmp_path / f"people{ending}"
    frame.write_csv(tmp_path / "people.csv")
    write = {".dta": pyreadstat.write_dta, ".xpt": pyreadstat.write_xport}.get(ending, pyreadstat.write_sav)
    write(frame, path)
    released = []
    for source in (tmp_path / "people.csv", path):
        folder = tmp_path / f"release{source.suffix}"
        with_seed = shoal.anonymize(source, shoal.Policy.parse(POLICY), seed=1, engine=engine)
        with_seed.write(folder)
        released.append(rows_as_text(shoal.open_release(folder).read().arrow))
    assert released[0] == released[1]
