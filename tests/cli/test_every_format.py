"""The same table makes the same release, byte for byte, from whatever it was kept in, on every engine."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from shoal.policy.model.policy import Policy
from tests.postgres import PASSWORD, Server
from tests.table_formats import POLICY, WRITE, load_into, written

from .conftest import Command

OTHERS = [name for name in WRITE if name != "table.csv"]
ENGINES = ("memory", "disk")
RUN = ("--seed", "3", "--json")


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.toml"
    path.write_text(POLICY, encoding="utf-8")
    return path


@pytest.fixture
def from_csv(command: Command, rules: Path, tmp_path: Path) -> bytes:
    assert command("run", written(tmp_path, "table.csv"), rules, "-o", tmp_path / "first", *RUN).code == 0
    return (tmp_path / "first" / "data.csv").read_bytes()


@pytest.fixture
def people(postgres: Server) -> Iterator[str]:
    schema = f"test_{uuid4().hex[:12]}"
    load_into(postgres, schema)
    yield f"{schema}.people"
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute(f"drop schema {schema} cascade")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", OTHERS)
def test_every_file_makes_the_release_of_the_csv_file(name, engine, command, rules, tmp_path, from_csv):
    made = command("run", written(tmp_path, name), rules, "-o", tmp_path / "made", "--engine", engine, *RUN)
    assert made.code == 0, made.err
    assert (tmp_path / "made" / "data.csv").read_bytes() == from_csv


@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_on_a_server_makes_the_release_of_the_csv_file(
    engine, command, rules, tmp_path, from_csv, postgres: Server, people: str
):
    asked = ("-o", tmp_path / "made", "--table", people, "--engine", engine, *RUN)
    made = command("run", postgres.url(), rules, *asked)
    assert made.code == 0, made.err
    assert (tmp_path / "made" / "data.csv").read_bytes() == from_csv
    said = (
        made.out
        + made.err
        + "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "made").iterdir())
    )
    assert PASSWORD not in said


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", WRITE)
def test_a_folder_of_files_is_one_table(name, engine, command, rules, tmp_path):
    rules.write_text(f'rows = "people"\n{POLICY}', encoding="utf-8")
    folder, part = tmp_path / "folder", tmp_path / "part"
    folder.mkdir()
    part.mkdir()
    for number in (1, 2):
        file = written(part, name)
        file.rename(folder / f"{number}{file.suffix}")
    made = command("run", folder, rules, "-o", tmp_path / "made", "--engine", engine, *RUN)
    assert made.code == 0, made.err
    assert made.json["rows"] == 120


def test_the_draft_says_which_table_was_meant_and_a_manifest_says_no_query(command, tmp_path):
    source, draft = written(tmp_path, "table.sqlite"), tmp_path / "draft.toml"
    query = "select age, pay from people where town = 'Graz'"
    assert command("init", source, "-o", draft, "--query", query).code == 0
    policy = Policy.load(draft)
    assert policy.how_to_read.query == query
    assert "query" not in str(policy.public())


@pytest.mark.parametrize("engine", ["memory", "disk"])
@pytest.mark.parametrize(("name", "choice"), [("table.sqlite", "table"), ("table.xlsx", "sheet")])
def test_a_release_is_verified_against_another_form_of_its_table(
    name: str, choice: str, engine: str, command: Command, tmp_path: Path
) -> None:
    rules, out, audit = tmp_path / "rules.toml", tmp_path / "out", tmp_path / "audit.csv"
    rules.write_text(POLICY + f'[reading]\n{choice} = "{"people" if choice == "table" else "People"}"\n')
    made = command("run", written(tmp_path, name), rules, "-o", out, "--audit", audit)
    assert made.code == 0, made.err
    other = written(tmp_path, "table.csv")
    asked = ("verify", out, "--against", other, "--audit", audit, "--engine", engine)
    assert command(*asked).code == 0
    refused = command(*asked, f"--{choice}", "people")
    assert refused.code == 2
    assert f"leave --{choice} out" in refused.err
