"""Planted leaks are found wherever they beat the guess from the class; innocent columns are left alone."""

from collections import defaultdict

import pytest

import shoal
from tests.leaks.planted import FAMILIES, KINDS, beats_the_guess, planted

TABLES = 5_000
LEAK_FREE = 4_000
INNOCENT = {"noise", "illness", "remark", "age", "town"}
SAMPLE = 144  # of them in every run: each kind in each family twice


def leaks_of(found):
    """What is found although everything is accepted, so that the release can be looked at."""
    policy = found.policy | {"leaks": {"accept": list(found.policy["columns"])}}
    return shoal.anonymize(found.table, shoal.Policy(**policy), seed=1).result


def open_cells(found, made):
    """Is the protected cell of each published row open?"""
    rows, classes = made.input_rows.tolist(), made.class_of.tolist()
    if found.family in ("aggregate", "permuted"):
        members = defaultdict(set)
        for number, row in zip(classes, rows, strict=True):
            members[number].add(found.truth[row])
        return [len(members[number]) > 1 for number in classes]
    cells = made.table.column(found.protected).to_pylist()
    return [
        cell["lo"] != cell["hi"] if isinstance(cell, dict) else str(cell) != str(found.truth[row])
        for cell, row in zip(cells, rows, strict=True)
    ]


def wrong_about(number):
    """What the judge misses, or says of columns that tell nothing."""
    found = planted(number)
    made = leaks_of(found)
    told = [leak for leak in made.leaks if set(leak.columns) <= set(found.leaking)]
    hidden = open_cells(found, made)
    beats = beats_the_guess(found, hidden, made.class_of.tolist(), made.input_rows.tolist())
    missed = beats and all(leak.protected != found.protected for leak in told)
    innocent = set() if found.kind == "household" else INNOCENT  # people of a household share all of them
    false = [leak for leak in made.leaks if innocent.issuperset(leak.columns)]
    return (["missed"] if missed else []) + ["fault" if leak.fills else "warning" for leak in false]


@pytest.mark.parametrize("start", range(0, SAMPLE, 36))
def test_every_planted_leak_that_beats_the_class_is_found_and_no_other(start):
    assert {number: wrong for number in range(start, start + 36) if (wrong := wrong_about(number))} == {}


def test_the_sample_holds_every_kind_in_every_family():
    drawn = {(planted(number).kind, planted(number).family) for number in range(SAMPLE)}
    assert drawn == {(kind, family) for kind in KINDS for family in FAMILIES}


def test_a_pair_is_found_where_one_of_the_two_has_the_same_hits_among_many_that_are_wrong():
    """One column alone is right in 10 of 95 cells and says nothing; both together in 10 of 10."""
    assert wrong_about(1903) == []


@pytest.mark.slow
@pytest.mark.parametrize("start", [0, TABLES])
def test_five_thousand_planted_leaks_are_found_and_no_fault_is_false(start):
    wrong = {number: told for number in range(start, start + TABLES) if (told := wrong_about(number))}
    assert {number: told for number, told in wrong.items() if {"missed", "fault"} & set(told)} == {}
    assert len(wrong) <= TABLES / 100  # a warning by chance, at most so often


@pytest.mark.slow
def test_tables_without_leaks_are_no_fault_and_rarely_a_warning():
    numbers = range(4 * TABLES, 4 * TABLES + LEAK_FREE)
    told = {number: leaks_of(planted(number, kind="nothing")).leaks for number in numbers}
    assert {number: leaks for number, leaks in told.items() if any(leak.fills for leak in leaks)} == {}
    assert sum(map(bool, told.values())) <= LEAK_FREE / 100
