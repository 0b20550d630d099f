"""Dictionaries, statistics and metadata of public files hold nothing of records that are not published."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from shoal.release.large_release import release_large
from tests.release.tampered import disk

PRIVATE = (b"ASTRONAUT", b"Zaphod", b"personnel-number", b"typed by Marvin")


def people() -> pa.Table:
    """With an index, a category that one suppressed person has, and a remark on a column."""
    frame = pd.DataFrame(
        {
            "name": [f"Zaphod-{row}" for row in range(41)],
            "age": [30 + row % 2 for row in range(40)] + [99],
            "job": pd.Categorical([("nurse", "smith")[row % 2] for row in range(40)] + ["ASTRONAUT"]),
        },
        index=pd.Index([f"Zaphod {row}" for row in range(41)], name="personnel-number"),
    )
    table = pa.Table.from_pandas(frame)
    noted = table.schema.field("job").with_metadata({"remark": "typed by Marvin"})
    return table.cast(table.schema.set(table.column_names.index("job"), noted))


POLICY = shoal.Policy(
    columns={"name": "identifier", "personnel-number": "identifier", "age": "quasi", "job": "other"},
    guarantees=[{"kind": "k-anonymity", "k": 3}],
    method={"name": "optimal", "suppression": 0.1},
)


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_parquet_holds_no_category_and_no_metadata_of_the_original(engine: str, tmp_path: Path) -> None:
    parquet.write_table(people(), tmp_path / "people.parquet")
    folder = tmp_path / "release"
    if engine == "memory":
        shoal.anonymize(tmp_path / "people.parquet", POLICY).write(folder, "parquet")
    else:
        release_large(disk(tmp_path), tmp_path / "people.parquet", POLICY, folder)
    with parquet.ParquetFile(folder / "data.parquet", read_dictionary=["job"]) as file:
        assert file.schema_arrow.metadata is None
        assert [field.metadata for field in file.schema_arrow] == [None, None]
        assert sorted(file.read()["job"].chunk(0).dictionary.to_pylist()) == ["nurse", "smith"]
        column = file.metadata.row_group(0).column(1).statistics
        assert (column.min, column.max) == ("nurse", "smith")
    content = (folder / "data.parquet").read_bytes() + (folder / "manifest.json").read_bytes()
    assert [word for word in PRIVATE if word in content.replace(b'"personnel-number"', b"")] == []
