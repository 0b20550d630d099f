from pathlib import Path

import pytest
from typer.testing import CliRunner

from shoal.cli.main import app
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.opened_release import open_release
from shoal.table.databases.address import DatabaseAddress
from shoal.table.read import read_table
from shoal.table.source import ChosenTable

ODD = (
    "postgresql+psycopg2://ann:secret@host/research",
    "mysql://ann:secret@host/research",
    "postgresql:/ann:secret@host/research",
    " postgresql://ann:secret@host/research",
    "MySQL:///ann:secret@host",
)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ann:secret@host:5433/research?sslmode=require", "postgresql://ann@host:5433/research"),
        ("postgres://host/research?user=ann&password=secret", "postgresql://host/research"),
        ("postgresql://ann:se/cret@host/research", "postgresql://"),
        ("postgresql://ann:secret", "postgresql://"),
        ("postgresql://ann:se%2Fcret@host", "postgresql://ann@host"),
    ],
)
def test_an_address_is_shown_without_its_password(url, shown):
    assert str(DatabaseAddress(url)) == shown
    assert "secret" not in repr(DatabaseAddress(url))


@pytest.mark.parametrize("url", ODD)
@pytest.mark.parametrize(
    "door",
    [
        read_table,
        lambda url: read_table(Path(url)),
        lambda url: read_table(ChosenTable(url, table="people")),
        Policy.load,
        open_release,
    ],
)
def test_an_address_that_nobody_reads_is_refused_without_what_it_says(url, door):
    with pytest.raises(ShoalError, match="an address was given") as refused:
        door(url)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("url", [*ODD, "postgresql://ann:secret@127.0.0.1:1/research"])
def test_no_command_shows_a_password(url, tmp_path):
    out, policy = str(tmp_path / "release"), str(tmp_path / "policy.toml")
    run = ["run", "-o", out]
    for command in (["profile", url], [*run, url, policy], [*run, "t.csv", url], ["verify", url]):
        outcome = CliRunner().invoke(app, command)
        assert isinstance(outcome.exception, ShoalError)
        assert "secret" not in outcome.output + str(outcome.exception)


def test_a_file_may_be_called_like_an_address(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "made:").mkdir()
    (tmp_path / "made:" / "t.csv").write_text("age\n30\n41\n")
    assert read_table("made:/t.csv").names == ["age"]
