"""On disk as in memory: spellings of one value are one, and quasi words are published in one of them."""

import csv
from collections import defaultdict
from pathlib import Path

import pytest

import shoal
from shoal.engines.disk.engine import DiskEngine
from shoal.release.large_release import release_large

SPELLINGS = {
    "flu": ("flu", "flu ", " flu"),
    "café": ("café", "cafe\u0301"),
    "50000": ("50000", "50000.0", "5e4"),
    "2020-01-01": ("2020-01-01", "2020-01-01 00:00:00"),
    "": ("", " ", "nan"),
}
CANONICAL = {way: word for word, ways in SPELLINGS.items() for way in ways}


@pytest.mark.parametrize("method", ["mondrian", "optimal"])
def test_classes_on_disk_have_different_values_and_one_spelling_of_quasi_words(tmp_path: Path, method: str):
    ways = [way for ways in SPELLINGS.values() for way in ways]
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["town", "ill", "age"])
        lines.writerows((ways[row % 7 * 2 % 13], ways[row % 13], 20 + row % 3) for row in range(180))
    policy = shoal.Policy(
        columns={"town": "quasi", "ill": "sensitive", "age": "quasi"},
        guarantees=[{"kind": "k-anonymity", "k": 3}, {"kind": "l-diversity", "l": 3, "sensitive": "ill"}],
        method={"name": method},
    )
    release_large(
        DiskEngine.with_memory(1 << 30, tmp_path), tmp_path / "t.csv", policy, tmp_path / "out", "csv"
    )
    classes = defaultdict(set)
    with (tmp_path / "out" / "data.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            classes[row["town"], row["age"]].add(CANONICAL[row["ill"]])
    assert min(map(len, classes.values())) >= 3
    assert {town for town, _ in classes} <= {*SPELLINGS, "*"} | {
        town for town, _ in classes if town.startswith("{")
    }
