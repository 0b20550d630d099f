"""One table in the spellings of four countries: read as stated, refused with the right hint when not."""

import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.table.read import read_table

MEANT = [
    {"pay": "1234.50", "born": "1999-12-31"},
    {"pay": "-1000000.25", "born": "2011-04-03"},
    {"pay": "12", "born": "2000-02-29"},
]
COUNTRIES = {
    "Germany": (
        ["1.234,50", "-1.000.000,25", "12"],
        ["31.12.1999", "03.04.2011", "29.02.2000"],
        {"decimal": ",", "thousands": "."},
        "%d.%m.%Y",
    ),
    "France": (
        ["1\u202f234,50", "\u22121\u202f000\u202f000,25", "12"],
        ["31/12/1999", "03/04/2011", "29/02/2000"],
        {"decimal": ",", "thousands": " "},
        "%d/%m/%Y",
    ),
    "Switzerland": (
        ["1'234.50", "-1\u2019000\u2019000.25", "12"],
        ["31.12.1999", "3.4.2011", "29.2.2000"],
        {"thousands": "'"},
        "%d.%m.%Y",
    ),
    "America": (
        ["1,234.50", "-1,000,000.25", "12"],
        ["12/31/1999", "04/03/2011", "02/29/2000"],
        {"decimal": ".", "thousands": ","},
        "%m/%d/%Y",
    ),
}


def read(country, pay, born, folder):
    cells, dates, _, _ = COUNTRIES[country]
    policy = Policy(
        columns={"pay": "quasi", "born": "quasi"},
        types={"pay": pay, "born": born},
        guarantees=[{"kind": "k-anonymity", "k": 2}],
    )
    rows = [f'"{one}";{other}' for one, other in zip(cells, dates, strict=True)]
    (folder / "t.csv").write_text("\n".join(["pay;born", *rows]) + "\n", encoding="utf-8")
    return read_table(folder / "t.csv", reading=policy.how_to_read).arrow


@pytest.mark.parametrize("country", COUNTRIES)
def test_a_table_is_read_as_it_is_stated(country, tmp_path):
    _, _, marks, format = COUNTRIES[country]
    stated = {"kind": "number", **marks}, {"kind": "date", "format": format}
    assert read(country, *stated, tmp_path).to_pylist() == MEANT


@pytest.mark.parametrize("country", COUNTRIES)
def test_what_is_not_stated_is_refused_with_the_spelling_that_would_fit(country, tmp_path):
    _, _, marks, format = COUNTRIES[country]
    with pytest.raises(ShoalError) as refused:
        read(country, "number", "date", tmp_path)
    pay, born = refused.value.faults
    assert all(f'{key} = "{mark}"' in pay.hint for key, mark in marks.items())
    assert f'format = "{format}"' in born.hint
    assert "1.234" not in pay.what + pay.hint
    assert "31.12.1999" not in born.what + born.hint


def test_days_and_months_that_could_be_either_are_not_guessed():
    policy = Policy(
        columns={"born": "quasi"}, types={"born": "date"}, guarantees=[{"kind": "k-anonymity", "k": 2}]
    )
    with pytest.raises(ShoalError) as refused:
        read_table(pa.table({"born": ["03/04/2011", "05/06/2012"]}), reading=policy.how_to_read)
    assert "only you know which" in str(refused.value)
