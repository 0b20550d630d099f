"""A small table with unmistakable cells, a release of it, and stand-ins for what is measured elsewhere."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.policy.model.policy import Policy
from shoal.release.opened_release import OpenedRelease, open_release
from shoal.release.release import anonymize_in_memory

ROWS = 40
HOSTILE = {
    "age": '<script>alert("age")</script>',
    "pay": 'בית ספר\u202e\' onload="alert(1)" ' + "x" * 300,
    "secret": "<img src=x onerror=alert(1)>&lt;b&gt; " + "word " * 60,
}
SECRETS = [f"zzq-secret-{number}" for number in range(8)]
NAMES = [f"zzq-name-{number:03d}" for number in range(ROWS)]
PAYS = [7_654_000 + 37 * row for row in range(ROWS)]


def people(rows: int = ROWS, hostile: bool = False) -> pa.Table:
    name = HOSTILE if hostile else {}
    return pa.table(
        {
            "name": [f"zzq-name-{number:03d}" for number in range(rows)],
            name.get("age", "age"): [20 + row % 10 for row in range(rows)],
            name.get("pay", "pay"): [PAYS[row % ROWS] for row in range(rows)],
            name.get("secret", "secret"): [SECRETS[row % 8] for row in range(rows)],
        }
    )


def policy(hostile: bool = False, k: int = 4) -> Policy:
    name = HOSTILE if hostile else {}
    return Policy(
        columns={
            "name": "identifier",
            name.get("age", "age"): "quasi",
            name.get("pay", "pay"): "quasi",
            name.get("secret", "secret"): "sensitive",
        },
        guarantees=[
            {"kind": "k-anonymity", "k": k},
            {"kind": "l-diversity", "l": 2, "sensitive": name.get("secret", "secret")},
        ],
        method={"name": "mondrian"},
    )


def released(folder: Path, table: pa.Table, asked: Policy, format: str = "csv") -> OpenedRelease:
    anonymize_in_memory(table, asked).write(folder / "release", format, folder / "audit.csv")
    return open_release(folder / "release")


@dataclass(frozen=True)
class Risk:
    largest: float = 0.25
    promised: bool = True

    def as_dict(self) -> dict[str, Any]:
        chances = {"largest": self.largest, "mean": 0.2077, "at_risk": 7919, "share": 0.7919}
        return {"records": 40, "smallest_class": 4, "promised": self.promised, "prosecutor": chances}

    def sentences(self) -> list[str]:
        return ["Somebody finds 7919 records."]


@dataclass(frozen=True)
class Utility:
    column: str = "secret"
    words: tuple[str, ...] = tuple(SECRETS)

    def as_dict(self) -> dict[str, Any]:
        ages = {"column": "age", "kind": "number", "bins": [[0, 49], [50, 99]], "before": [30, 10],
                "after": [29.5, 10.5], "distance": 0.0125}  # fmt: skip
        words = {"column": self.column, "kind": "word", "bins": list(self.words), "distance": 0.0,
                 "before": [5] * len(self.words), "after": [5.0] * len(self.words)}  # fmt: skip
        return {"ncp": 0.123, "columns": [{"column": "age", "loss": 0.25}], "distributions": [ages, words]}

    def public(self) -> dict[str, Any]:
        return {"ncp": 0.123}


@dataclass(frozen=True)
class Judgement:
    preset: str = "strict"
    holds: bool = False
    sentences: tuple[str, ...] = ("Does not meet strict: largest risk 0.7919 > 0.05.",)
