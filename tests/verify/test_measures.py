"""All figures of a table at once are those that the single verdicts give."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli.main import app
from shoal.table.table import Table
from shoal.verify.measures import measure_table

TABLE = pa.table({"q": [*"aaaabbbb"], "pay": [1, 1, 2, 3, 1, 2, 3, 9], "ill": [*"xxxyxyzz"]})
POLICY = shoal.Policy(
    columns={"q": "quasi", "pay": "sensitive", "ill": "sensitive"},
    hierarchies={"ill": {"tree": {"one": ["x", "y"], "two": ["z"]}}},
    guarantees=[{"kind": "k-anonymity", "k": 2}],
)


def test_every_figure_is_there() -> None:
    found = measure_table(Table(TABLE), POLICY)
    assert (found["k"], found["classes"]) == (4, 2)
    pay, ill = found["sensitive"]["pay"], found["sensitive"]["ill"]
    assert (pay["l"], pay["c"], pay["alpha"]) == (3, {"2": 1.0, "3": 2.0}, 0.5)
    assert (ill["l"], ill["c"], ill["alpha"]) == (2, {"2": 3.0}, 0.75)
    assert set(pay["t"]) == {"equal", "ordered"}
    assert set(ill["t"]) == {"equal", "hierarchical"}
    # x 4, y 2, z 2 of 8 against x 3, y 1 of 4: a quarter of z moves, from the other label
    assert ill["t"] == {"equal": 0.25, "hierarchical": 0.25}
    assert pay["entropy_l"] == pytest.approx(2.828427, abs=1e-6)


def test_the_command_prints_them_and_puts_them_into_json(tmp_path: Path) -> None:
    pa.csv.write_csv(TABLE, tmp_path / "table.csv")
    roles = 'q = "quasi"\npay = "sensitive"\nill = "sensitive"'
    policy = f'[columns]\n{roles}\n[[guarantees]]\nkind = "k-anonymity"\nk = 2\n'
    (tmp_path / "policy.toml").write_text(policy, encoding="utf-8")
    arguments = ["check", str(tmp_path / "table.csv"), str(tmp_path / "policy.toml"), "--measures"]
    shown = CliRunner().invoke(app, arguments)
    assert shown.exit_code == 0
    assert "pay: l = 3, entropy l = 2.828, c > 1 for l = 2, c > 2 for l = 3, alpha = 0.5" in shown.output
    measured = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).output)["measures"]
    assert measured["sensitive"]["ill"]["l"] == 2
