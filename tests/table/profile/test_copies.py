"""Copies are found by what they follow from, and what only rises likewise is none."""

import numpy as np
import pytest

from shoal.table.profile.copies import find_copies

WAGES = np.random.default_rng(0).permutation(np.arange(50.0, 250.0))
TOWNS = np.arange(200) % 7


def found(**columns):
    codes = {
        name: np.unique(cells, return_inverse=True)[1].astype(np.int64) for name, cells in columns.items()
    }
    return find_copies(codes, {name: cells for name, cells in columns.items() if cells.dtype == np.float64})


@pytest.mark.parametrize(
    "copy", [np.log(WAGES), np.round(np.log(WAGES), 6), WAGES**2, np.sqrt(WAGES), 2_024 - WAGES, 1 / WAGES]
)
def test_what_follows_from_a_column_is_a_copy(copy):
    assert found(wage=WAGES, other=copy) == {"other": "wage"}


def test_the_one_that_looks_derived_is_the_copy_whichever_comes_first():
    assert found(lwage=np.log(WAGES), wage=WAGES) == {"lwage": "wage"}


def test_labels_that_stand_with_one_code_each_are_copies():
    assert found(code=TOWNS * 10 + 3, town=(TOWNS * 3) % 7) == {"town": "code"}


@pytest.mark.parametrize(
    "other", [np.cumsum(np.sort(WAGES) ** 3)[np.argsort(np.argsort(WAGES))], WAGES % 60, np.arange(200.0)]
)
def test_what_only_rises_likewise_is_none(other):
    assert found(wage=WAGES, other=other) == {}
