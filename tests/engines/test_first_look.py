"""Of a table beyond memory the first rows are looked at, and that is said."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from shoal.cli.main import app
from shoal.engines.first_look import first_look

ROWS = pa.table({"age": list(range(50)), "town": ["Ulm", "Rom"] * 25})


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    parquet.write_table(ROWS, tmp_path / "people.parquet")
    lines = [f"{age},{town}" for age, town in zip(*ROWS.to_pydict().values(), strict=True)]
    (tmp_path / "people.csv").write_text("\n".join(["age,town", *lines]) + "\n")
    return [tmp_path / "people.parquet", tmp_path / "people.csv"]


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.engines.first_look.fits_in_memory", lambda *_: False)
    monkeypatch.setattr("shoal.engines.first_look.LOOKED_AT", 30)


def test_a_table_that_fits_is_read_whole(files: list[Path]) -> None:
    for file in files:
        table, whole = first_look(file)
        assert (len(table), whole) == (50, True)


@pytest.mark.usefixtures("little_memory")
def test_of_others_the_first_rows_are_there(files: list[Path]) -> None:
    for file in files:
        table, whole = first_look(file)
        assert (len(table), whole) == (30, False)
        assert table.numbers("age").units.tolist() == list(range(30))


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("command", ["profile", "init"])
def test_commands_say_that_they_saw_the_beginning(files: list[Path], command: str) -> None:
    asked = [command, str(files[1])] + (
        ["-o", str(files[1].with_suffix(".toml"))] if command == "init" else []
    )
    said = CliRunner().invoke(app, asked)
    assert said.exit_code == 0, said.output
    assert "first 30 rows" in " ".join(said.output.split())
