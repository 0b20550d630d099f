"""Messages hide cells; a file that only the owner can read may show them."""

import stat

import pytest

from tests.cli.conftest import Command

POLICY = """
[columns]
pay = "quasi"
town = "quasi"

[hierarchies]
town.tree = { south = ["Ulm"] }

[[guarantees]]
kind = "k-anonymity"
k = 2
"""


@pytest.fixture
def faulty(tmp_path):
    (tmp_path / "table.csv").write_text("pay,town\n1,Ulm\n2,Secretville\n3,Ulm\n", encoding="utf-8")
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    return tmp_path


def test_the_cells_at_fault_are_listed_for_the_owner_alone(command: Command, faulty) -> None:
    listed = faulty / "cells.csv"
    result = command("run", faulty / "table.csv", faulty / "policy.toml", "-o", faulty / "out",
                     "--show-values", listed)  # fmt: skip
    assert result.code == 2
    assert "1 cells are listed in" in result.err
    assert "Secretville" not in result.out + result.err
    assert listed.read_text(encoding="utf-8").splitlines() == ["column,line,value", "town,3,Secretville"]
    assert stat.S_IMODE(listed.stat().st_mode) == 0o600
    assert not (faulty / "out").exists()


def test_nothing_is_listed_without_a_fault_and_nothing_replaced(command: Command, faulty) -> None:
    (faulty / "policy.toml").write_text(POLICY.replace('"Ulm"', '"Ulm", "Secretville"'), encoding="utf-8")
    listed = faulty / "cells.csv"
    run = ("run", faulty / "table.csv", faulty / "policy.toml", "-o", faulty / "out", "--show-values", listed)
    assert command(*run).code == 0
    assert not listed.exists()
    listed.write_text("mine", encoding="utf-8")
    result = command(*run, "--force")
    assert result.code == 2
    assert "exists" in result.err
    assert listed.read_text(encoding="utf-8") == "mine"
