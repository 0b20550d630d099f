"""Of a large table some rows are judged: those with hidden cells among them, however few these are."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.release.large_release import release_large


def with_few_stars(rows):
    """Nearly everybody shares a zip and an age with many; forty people of rare ages live anywhere."""
    draw = np.random.default_rng(rows)
    zips, ages = draw.integers(0, 20, rows), draw.integers(20, 40, rows)
    ages[draw.permutation(rows)[:40]] = np.repeat([80, 85, 90, 95], 10)
    names = draw.permutation(20)
    table = {
        "zip": [f"{8000 + code}" for code in zips],
        "age": ages,
        "town": [f"T{names[code]}" for code in zips],
    }
    return pa.table(table)


STARS = {
    "columns": {"zip": "quasi", "age": "quasi", "town": "other"},
    "guarantees": [{"kind": "k-anonymity", "k": 3}],
    "method": {"name": "suppress-cells"},
}


@pytest.mark.parametrize("rows", [9_000, 30_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_name_beside_a_code_is_refused_however_few_stars_the_code_has(rows):
    with pytest.raises(shoal.ShoalError, match=r"column 'town' .* hidden cells of 'zip'"):
        shoal.anonymize(with_few_stars(rows), shoal.Policy(**STARS), seed=1)


def in_both_engines(table, policy, folder):
    engine = DiskEngine(1 << 30, Path(tempfile.gettempdir()), RowProgress(), 97)
    beyond = release_large(engine, table, policy, folder / "release", seed=1)
    return shoal.anonymize(table, policy, seed=1).result.leaks, beyond.result.leaks


@pytest.fixture
def few_are_judged(monkeypatch):
    for place in ("shoal.leaks.sample", "shoal.release.linked_leaks"):
        monkeypatch.setattr(f"{place}.ENOUGH", 150)
    for place in ("shoal.leaks.sample", "shoal.leaks.evidence"):
        monkeypatch.setattr(f"{place}.HIDDEN", 40)


@pytest.mark.usefixtures("few_are_judged")
@pytest.mark.parametrize("number", [0, 1, *(pytest.param(one, marks=pytest.mark.slow) for one in (2, 3))])
def test_both_engines_judge_the_same_rows_beside_the_same_others(number, tmp_path):
    draw = np.random.default_rng(number)
    rows = 2_000
    houses = np.sort(draw.integers(0, rows // 10, rows))
    towns = np.array([f"t{town}" for town in draw.integers(100, 400, rows)])
    own = draw.random(rows) < 0.1 * number
    table = pa.table(
        {"age": draw.integers(0, 20, rows), "town": np.where(own, towns, towns[houses]), "house": houses}
    )
    policy = shoal.Policy(
        columns={"age": "quasi", "town": "quasi", "house": "other"},
        hierarchies={"age": {"intervals": [10, 30]}, "town": {"mask": "right"}},
        guarantees=[{"kind": "k-anonymity", "k": 5}],
        method={"name": "datafly", "suppression": 0.1},
        leaks={"accept": ["house"]},
    )
    here, beyond = in_both_engines(table, policy, tmp_path)
    assert here == beyond
    assert all("that were looked at" in leak.sentence for leak in here)
    assert [leak.protected for leak in here] == ["town"]
