"""People walk the whole way: on the made-up table, on one with hostile names and (slowly) on a real one."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from pyarrow import csv

from shoal.demo.tax_table import tax_table
from tests.web.walk import Walk, assert_verified, served

STEPS = ["start", "data", "columns", "guarantee", "run", "result", "compare", "ask", "publish"]
MOST_WEIGHT = 400_000  # bytes of a page with all it loads
DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "../shared/data")) / "adult"
ADULT = {"sex": 9, "age": 0, "race": 8, "marital-status": 5, "education": 3, "native-country": 13,
         "workclass": 1, "occupation": 6, "income": 14}  # where they stand  # fmt: skip
HOSTILE = [
    "<script>alert(1)</script>",
    "\"quotes' and ; commas",
    "long " * 60,
    "\u202etfel ot thgir",
    "Größe in Metern",
    "Ηλικία",
    "a\nb",
]


def walked(browser: Browser, folder: Path, file: str, question: str, release_in: Path) -> Walk:
    with served(folder, release_in / "workspace") as address:
        walk = Walk(browser, address, Path(file).stem[:20])
        walk.choose(file)
        walk.confirm_columns()
        walk.promise()
        walk.run()
        walk.compare()
        walk.ask(question)
        assert_verified(walk.publish(release_in / "downloaded"), "--against", folder / file)
        walk.ended()
    assert walk.looked_at == STEPS
    assert walk.heaviest < MOST_WEIGHT
    return walk


def hostile_table() -> str:
    head = ",".join('"' + name.replace('"', '""') + '"' for name in HOSTILE)
    rows = [
        f"{20 + row % 30},{row % 5},{100 * (row % 7)},word {row % 3},{150 + row % 40},{18 + row},x{row % 2}"
        for row in range(30)
    ]
    return "\n".join([head, *rows]) + "\n"


@pytest.mark.long
def test_a_table_with_hostile_names(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / '<b>tables & "more"'
    folder.mkdir()
    (folder / "<img src=x> 'quoted'.csv").write_text(hostile_table(), encoding="utf-8")
    walked(browser, folder, "<img src=x> 'quoted'.csv", "select count(*) from data", tmp_path)


@pytest.mark.slow
def test_the_table_that_is_made_up(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    csv.write_csv(tax_table(), tmp_path / "tables" / "tax.csv")
    walked(
        browser,
        tmp_path / "tables",
        "tax.csv",
        "select region, avg(salary) from data group by region",
        tmp_path,
    )


@pytest.mark.slow
def test_a_real_table(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    lines = (DATA / "adult.data").read_text(encoding="utf-8").split("\n")
    cells = [line.split(", ") for line in lines if line and "?" not in line]
    rows = [",".join(row[at] for at in ADULT.values()) for row in cells]
    (tmp_path / "tables" / "adult.csv").write_text("\n".join([",".join(ADULT), *rows]), encoding="utf-8")
    walked(browser, tmp_path / "tables", "adult.csv", "select count(*) from data where age > 50", tmp_path)
