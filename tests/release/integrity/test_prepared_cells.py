"""Rules of a policy that were changed beside cells that do not keep them: refused at every door."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.release.large_release import release_large
from tests.release.tampered import Tampering, disk
from tests.release.test_tampering import DOORS, no_server

__all__ = ["no_server"]
ROWS = 60
DRAWN = random.Random(5)


def _any_of(values: Sequence[Any]) -> list[Any]:
    return [*values, *DRAWN.choices(values, k=ROWS)][:ROWS]


TABLE = pa.table(
    {
        "born": _any_of([f"19{year}-0{1 + year % 9}-17" for year in range(60, 80)]),
        "joined": _any_of([f"199{month % 3}-0{month}-01" for month in range(1, 9)]),
        "age": _any_of(range(16, 66)),
        "income": [str(1000 + 10 * row) for row in _any_of(range(ROWS))],
        "town": _any_of(["Ulm", "Rom", "Kiel"]),
        "life": _any_of(range(12, 72)),
        "school": _any_of(["none", "primary", "secondary"]),
        "seen": _any_of([f"2011-04-{day}" for day in range(10, 19)]),
        "visits": _any_of(range(5)),
        "ill": _any_of(["flu", "cold", "gout", "ague"]),
    }
)
PLAIN: dict[str, Any] = {
    "columns": dict.fromkeys(("born", "age", "income", "town"), "quasi")
    | dict.fromkeys(("joined", "life", "school", "seen", "visits"), "other")
    | {"ill": "sensitive"},
    "types": {
        "school": {"kind": "ordered", "order": ["none", "primary", "secondary"]},
        "seen": "date",
        "visits": "number",
    },
    "missing": {"visits": [99], "ill": {"codes": ["NA"], "count": "value"}},
    "prepare": {
        "leave_out": "ill = 'pox' or life = 'dead'",
        "columns": {
            "born": {"date": "year"},
            "joined": {"date": "month"},
            "age": {"bottom": 18, "top": 60},
            "income": {"round": 10},
            "town": {"text": "upper"},
            "life": {"cut": [18, 65], "labels": ["young", "grown", "old"]},
        },
    },
    "leaks": {"accept": ["born", "joined", "age", "town", "life", "school", "seen", "visits", "ill"]},
}
K = [{"kind": "k-anonymity", "k": 3}]
FAMILIES: dict[str, dict[str, Any]] = {
    "sets": {"guarantees": K, "method": {"name": "mondrian"}},
    "stars": {"guarantees": K, "method": {"name": "suppress-cells"}},
    "means": {"guarantees": K, "method": {"name": "mdav"}},
    "aligned": {
        "columns": PLAIN["columns"] | {"born": "other", "town": "other"},
        "guarantees": [{"kind": "kf-anonymity", "k": 3, "knows": ["age + income"]}],
        "method": {"name": "aligned"},
    },
    "residual": {
        "columns": PLAIN["columns"] | {"born": "other", "town": "other"},
        "guarantees": [{"kind": "kf-anonymity", "k": 3, "knows": ["age + income"]}],
    },
    "permuted": {
        "columns": PLAIN["columns"] | {"income": "sensitive"},
        "guarantees": [{"kind": "ke-anonymity", "k": 3, "e": 100, "sensitive": "income"}],
    },
}


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    place = tmp_path_factory.mktemp("prepared")

    def made(family: str, kind: str) -> Path:
        folder = place / f"{family}-{kind}"
        policy = shoal.Policy(**PLAIN | FAMILIES[family])
        if not folder.exists() and kind == "disk" and family != "aligned":
            release_large(disk(place), TABLE, policy, folder, "parquet")
        elif not folder.exists():
            shoal.anonymize(TABLE, policy).write(folder, "csv" if kind == "csv" else "parquet")
        return folder

    return made


@pytest.mark.parametrize("kind", ["csv", "parquet", "disk"])
@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_method_publishes_keeps_the_rules(
    family: str, kind: str, releases: Callable[[str, str], Path]
) -> None:
    assert all(one.holds for one in shoal.open_release(releases(family, kind)).verify())


def _columns(name: str, **asked: Any) -> Callable[[dict[str, Any]], None]:
    return lambda policy: policy["prepare"]["columns"].update({name: asked})


CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "[prepare.columns] (round 100)": _columns("income", round=100),
    "[prepare.columns] (top 1200)": _columns("income", top=1200),
    "[prepare.columns] (bottom 30; top 60)": _columns("age", bottom=30, top=60),
    "[prepare.columns] (date month)": _columns("born", date="month"),
    "[prepare.columns] (date year)": _columns("joined", date="year"),
    "[prepare.columns] (age at 2024-12-31)": _columns("joined", age_at="2024-12-31"),
    "[prepare.columns] (text lower)": _columns("town", text="lower"),
    "[prepare.columns] (cut 18, 65; labels a, b, c)": _columns("life", cut=[18, 65], labels=["a", "b", "c"]),
    "leave_out (ill = 'flu')": lambda policy: policy["prepare"].update(leave_out="ill = 'flu'"),
    "leave_out (visits > 3)": lambda policy: policy["prepare"].update(leave_out="visits > 3"),
    "[types] (ordered)": lambda policy: policy["types"]["school"].update(order=["none", "primary"]),
    "[types] (number)": lambda policy: policy["types"].update(ill="number"),
    "[types] (date)": lambda policy: policy["types"].update(visits="date"),
    "[missing]": lambda policy: policy["missing"].update(visits=[4]),
}


@pytest.mark.parametrize("kind", ["csv", "disk"])
@pytest.mark.parametrize("rule", CHANGES)
def test_a_rule_that_published_cells_do_not_keep_is_refused_at_every_door(
    rule: str, kind: str, releases: Callable[[str, str], Path], tmp_path: Path
) -> None:
    changed = Tampering("rule", manifest=lambda content: CHANGES[rule](content["policy"]))
    folder = changed.apply(releases("sets", kind), tmp_path / "release")
    [integrity] = shoal.open_release(folder).verify()
    assert not integrity.holds
    assert rule in integrity.sentence
    assert [door for door, passes in DOORS.items() if passes(folder)] == []


@pytest.mark.parametrize(
    ("family", "rule"),
    [
        ("stars", "[prepare.columns] (date month)"),
        ("stars", "[prepare.columns] (text lower)"),
        ("aligned", "[prepare.columns] (bottom 30; top 60)"),
        ("residual", "[prepare.columns] (round 100)"),
        ("permuted", "[prepare.columns] (date month)"),
        ("permuted", "[prepare.columns] (round 100)"),
        ("means", "[prepare.columns] (date year)"),
        ("means", "[missing]"),
    ],
)
def test_cells_of_every_family_are_compared_with_the_rules(
    family: str, rule: str, releases: Callable[[str, str], Path], tmp_path: Path
) -> None:
    changed = Tampering("rule", manifest=lambda content: CHANGES[rule](content["policy"]))
    folder = changed.apply(releases(family, "parquet"), tmp_path / "release")
    [integrity] = shoal.open_release(folder).verify()
    assert rule in integrity.sentence
