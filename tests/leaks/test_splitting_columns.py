"""A column that follows from what an attacker knows splits classes, and that is said with counts."""

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.leaks.coded_column import column_of_line
from shoal.leaks.splitting_columns import follows_from

ROWS, K = 600, 5


def people(seed, other):
    draw = np.random.default_rng(seed)
    age, zip_code = draw.integers(0, 90, ROWS), draw.integers(0, 40, ROWS)
    columns = {"age": age, "zip": zip_code, "ill": draw.integers(0, 6, ROWS)}
    return pa.table({**columns, "extra": other(age, draw)})


def released(table, method):
    roles = {"age": "quasi", "zip": "quasi", "ill": "sensitive", "extra": "other"}
    asked = [{"kind": "k-anonymity", "k": K}]
    return shoal.anonymize(
        table, shoal.Policy(columns=roles, guarantees=asked, method={"name": method}), seed=1
    )


def fewer_than_k(release, table):
    """People whose class has fewer than k records with the cell that follows from their age."""
    made = release.result
    extra = np.array(table["extra"].to_pylist())[made.input_rows]
    pairs = list(zip(made.class_of.tolist(), extra.tolist(), strict=True))
    return sum(pairs.count(pair) < K for pair in pairs)


@pytest.mark.parametrize("method", ["mondrian", "mdav", "cluster"])
def test_who_is_a_child_follows_from_the_age(method):
    table = people(3, lambda age, _: (age < 18).astype(int))
    release = released(table, method)
    few = fewer_than_k(release, table)
    told = [leak for leak in release.result.leaks if leak.splits is not None]
    if not few:
        assert told == []
        return
    [leak] = told
    assert (leak.columns, leak.protected, leak.filled, leak.hidden) == (("extra",), "age", few, ROWS)
    assert f"finds fewer than 5 records of the class for {few} of 600 people" in leak.sentence
    assert (
        "leak: column 'extra' is published as it is, follows from 'age', and splits classes" in release.notes
    )


def test_some_class_is_split_by_who_is_a_child():
    table = people(3, lambda age, _: (age < 18).astype(int))
    assert fewer_than_k(released(table, "mondrian"), table) > 0


@pytest.mark.parametrize("seed", range(25))
def test_what_does_not_follow_splits_nothing_that_is_said(seed):
    table = people(seed, lambda _, draw: draw.integers(0, 2, ROWS))
    assert not any(leak.splits for leak in released(table, "mondrian").result.leaks)


@pytest.mark.parametrize("seed", range(25))
def test_slips_and_bands_follow_and_chance_does_not(seed):
    draw = np.random.default_rng(seed)
    age = draw.integers(0, 90, ROWS).astype(float)
    band = (age // 10).astype(np.int64)
    slips = np.where(draw.random(ROWS) < 0.02, draw.integers(0, 9, ROWS), band)
    assert follows_from(band, column_of_line(age)) > 0.95
    assert follows_from(slips, column_of_line(age)) > 0.9
    assert follows_from(draw.permutation(band), column_of_line(age)) < 0.2
