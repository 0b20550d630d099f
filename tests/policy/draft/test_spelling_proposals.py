"""Spellings are proposed where the cells prove them, and only there."""

import pyarrow as pa
import pytest

from shoal.policy.draft.spelling_proposals import SpellingProposal, propose_spellings
from shoal.table.table import Table

NOTHING = SpellingProposal()
GERMAN = {"kind": "number", "decimal": ","}
DAY_FIRST = {"kind": "date", "format": "%d.%m.%Y"}


def proposed(cells, name="x"):
    return propose_spellings(Table(pa.table({name: cells}))).get(name, NOTHING)


@pytest.mark.parametrize(
    ("cells", "entry"),
    [
        (["1,5", "2,25", "3"], GERMAN),
        (["1.234,50", "17,2"], GERMAN | {"thousands": "."}),
        (["1,234,567", "12"], {"kind": "number", "thousands": ","}),
        (["1,234.50", "12"], {"kind": "number", "thousands": ","}),
        (["1'234.50", "12"], {"kind": "number", "thousands": "'"}),
        (["1 234", "12"], {"kind": "number", "thousands": " "}),
        (["31.12.1999", "1.2.2000"], DAY_FIRST),
        (["12/31/1999", "1/2/2000"], {"kind": "date", "format": "%m/%d/%Y"}),
        (["12", "13", "14", "refused"], "category"),
        (["1.5", "2.25"], None),
        (["1999-12-31"], None),
        (["Ulm", "Kiel"], None),
    ],
)
def test_what_the_cells_prove_is_proposed(cells, entry):
    assert proposed(cells).entry == entry


@pytest.mark.parametrize(
    "cells", [["1,234", "12"], ["03.04.2011", "1.2.2000"], ["5/6/1999"], ["12,500", "7,125"]]
)
def test_what_they_leave_open_is_not(cells):
    found = proposed(cells)
    assert found.entry is None
    assert "[types]" in found.hint


@pytest.mark.parametrize("sign", ["NA", "?", ".", "n/a", "NULL", "-"])
def test_signs_among_numbers_mean_that_nothing_is_known(sign):
    assert proposed(["1", "2.5", sign]).codes == (sign,)


def test_among_words_some_signs_are_sure_and_some_are_not():
    found = proposed(["Ulm", "NA", "-"])
    assert (found.codes, found.unsure) == (("NA",), ("-",))


def test_negative_nines_are_codes_and_high_nines_may_be():
    assert proposed([*range(20, 60), *[-9] * 5]).codes == (-9,)
    assert proposed([*range(20, 60), *[99_999_998] * 5]).unsure == (99_999_998,)
    assert proposed([*range(-9, 60)]) == NOTHING


def test_labels_are_categories_by_their_name():
    assert proposed([1, 2, 3] * 9, "MARSTAT").entry == "category"
    assert proposed([1, 2, 3] * 9, "rooms").entry is None
