"""Columns are read as people read them: a word for nothing, or the spelling of a country, hides no number."""

from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.leaks.coded_column import coded_column
from shoal.table.table import Table

ROWS = 1_000
PLACES = np.random.default_rng(2).permutation(ROWS)
DATES = [date(1960, 1, 1) + timedelta(int(place)) for place in PLACES]


def lines(cells):
    return [line.tolist() for line in coded_column(Table(pa.table({"cell": cells})), "cell").lines]


@pytest.mark.parametrize(
    ("written", "number"),
    [("1.234,50", 1234.5), ("CHF 1'234.50", 1234.5), ("-7", -7), ("no. 17", 17)],
)
def test_numbers_are_read_in_many_spellings(written, number):
    assert lines([written, "8,25" if "," in written else "8", "unknown"])[0][0] == number


@pytest.mark.parametrize(
    "written",
    ["24 July 1997", "Jul 24, 1997", "24-JUL-1997", "1997-07-24 08:15", "24.7.1997", "7/24/1997 8:15"],
)
def test_dates_are_read_in_many_spellings(written):
    day = (date(1997, 7, 24) - date(1970, 1, 1)).days
    assert day in [line[0] for line in lines([written, written.replace("24", "25"), "unknown"])]


def test_words_lie_on_no_line():
    assert lines(["Bern", "Basel", "Chur 7"]) == []


def publish(extra, quasi, method="mondrian"):
    policy = shoal.Policy(
        columns={"own": "quasi", "extra": "other"},
        guarantees=[{"kind": "k-anonymity", "k": 10}],
        method={"name": method},
    )
    return shoal.anonymize(pa.table({"own": quasi, "extra": extra}), policy, seed=1)


@pytest.mark.parametrize(
    ("spelled", "word", "every"),
    [(str, "n/a", ROWS), (str, "?", 100), ("CHF {:,}".format, "unknown", ROWS), ("{:d}.0".format, "-", 50)],
    ids=["one", "one in a hundred", "amounts", "decimals"],
)
def test_a_copy_of_numbers_with_a_few_words_is_refused(spelled, word, every):
    extra = [word if row % every == 5 else spelled(int(place)) for row, place in enumerate(PLACES)]
    with pytest.raises(shoal.ShoalError, match=r"column 'extra' .* hidden cells of 'own'"):
        publish(extra, PLACES)


@pytest.mark.parametrize("spelling", ["%d.%m.%Y", "%d %B %Y", "%Y-%m-%d", "%Y-%m-%d 08:15"])
def test_a_copy_of_dates_with_one_word_is_refused(spelling):
    extra = ["unknown", *(day.strftime(spelling) for day in DATES[1:])]
    with pytest.raises(shoal.ShoalError, match=r"column 'extra' .* hidden cells of 'own'"):
        publish(extra, pa.array(DATES))
