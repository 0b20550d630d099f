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


@pytest.mark.parametrize("name", ["lang", "language", "hiv"])
@pytest.mark.parametrize("code", [-9, -99, -8])
def test_a_negative_code_beside_two_others_means_that_nothing_is_known(name, code):
    assert proposed([1, 2] * 200 + [code] * 105, name).codes == (code,)
    assert proposed([0, 1] * 200 + [code] * 5, name).codes == (code,)


def test_a_rare_code_is_sure_where_another_column_has_it():
    rare = [1, 2] * 30 + [-9]
    assert (proposed(rare).codes, proposed(rare).unsure) == ((), (-9,))
    beside = Table(pa.table({"x": rare, "y": [*range(20, 71), *[-9] * 10]}))
    assert [one.codes for one in propose_spellings(beside).values()] == [(-9,), (-9,)]


def test_two_values_of_which_one_is_negative_are_no_codes():
    assert proposed([-9, 9] * 50) == NOTHING
    assert proposed([-1, 0, 1] * 50) == NOTHING
