"""Tables and policies whose releases under a fixed seed must not change while the package is rebuilt.

Only the command and the policy file are used here, which stay as they are. Run as a script, this prints the
fingerprints of the releases that shoal makes: ``python -m tests.fingerprints.cases > known.json``.
"""

import contextlib
import hashlib
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

import shoal
from shoal.cli.main import app

SEED = 7
ROWS = 240
PAY = {"kind": "kf-anonymity", "k": 4, "knows": ["pay + gain + bonus"]}
K = {"kind": "k-anonymity", "k": 4}
DIVERSE = {"kind": "l-diversity", "l": 2, "sensitive": "illness"}
ENTROPY = {"kind": "l-diversity", "variant": "entropy", "l": 1.8, "sensitive": "illness"}
RECURSIVE = {"kind": "l-diversity", "variant": "recursive", "l": 2, "c": 3.0, "sensitive": "illness"}
CLOSE = {"kind": "t-closeness", "t": 0.45, "sensitive": "illness"}
ALPHA = {"kind": "alpha-k-anonymity", "alpha": 0.8, "k": 4}
SENSITIVE = {"kind": "p-sensitivity", "p": 2}
KE = {"kind": "ke-anonymity", "k": 4, "e": 300, "sensitive": "income"}
DATES = {"kind": "ke-anonymity", "k": 3, "e": 20, "sensitive": "since"}
KPQR = {"kind": "kpqr-anonymity", "k": 4, "p": 2, "q": 0.1, "r": 0.3, "sensitive": "illness"}

SUMS = ("pay", "gain", "bonus")
MIXED = ("pay", "age", "town")
LEVELS = {"pay": {"intervals": [500, 2000]}, "age": {"intervals": [5, 10, 20]}, "town": {"groups": [2, 2]}}
# What is asked of every method: quasi columns, guarantees, and what else the policy says.
CASES: dict[str, tuple[str, tuple[str, ...], list[dict[str, Any]], dict[str, Any]]] = {}


def add(name: str, method: str, quasi: tuple[str, ...], asked: list[dict[str, Any]], **more: Any) -> None:
    CASES[f"{method} {name}"] = (method, quasi, asked, more)


for method in ("residual", "aggranon", "aligned"):
    add("sum", method, SUMS, [PAY])
    add("sum and diversity", method, SUMS, [PAY, DIVERSE])
    add("within", method, SUMS, [PAY | {"within": 0.2}])
    add("missing", method, ("pay", "gain", "gaps"),
        [PAY | {"knows": ["pay + gain + gaps"]}], missing={"gaps": "suppress"}, suppression=0.5)  # fmt: skip
for method in ("residual", "aggranon"):
    add("largest", method, SUMS, [PAY | {"knows": ["max(pay, gain, bonus)"]}])
    add("zeros", method, ("pay", "gain", "gaps"),
        [PAY | {"knows": ["pay + 2 * gain - gaps"]}], missing={"gaps": "zero"})  # fmt: skip
add("several and besides", "residual", (*SUMS, "town"),
    [PAY | {"knows": ["pay + gain + bonus", "pay - gain"], "also": ["town"]}])  # fmt: skip
add("any band", "residual", SUMS, [PAY | {"within": 0.2, "band": "any"}])
for method in ("mondrian", "cluster"):
    add("numbers", method, SUMS, [K])
    add("words", method, MIXED, [K])
    add("labels", method, MIXED, [K], hierarchies=LEVELS)
    add("sets", method, MIXED, [K], hierarchies=LEVELS, options={"cells": "sets"})
    for number, asked in enumerate((DIVERSE, RECURSIVE, CLOSE, ALPHA, SENSITIVE)):
        add(f"values {number}", method, MIXED, [K, asked], hierarchies=LEVELS)
    add("groups", method, ("pay", "age"), [KE])
add("sum", "mondrian", SUMS, [PAY])
add("relaxed", "mondrian", SUMS, [K], options={"relaxed": True})
add("weights", "mondrian", MIXED, [K], weights={"pay": 3.0})
for method in ("optimal", "incognito", "samarati", "datafly"):
    add("levels", method, MIXED, [K], hierarchies=LEVELS)
    add("suppression", method, MIXED, [K], hierarchies=LEVELS, suppression=0.05)
    add("diversity", method, MIXED, [K, DIVERSE], hierarchies=LEVELS, suppression=0.1)
    add("closeness", method, MIXED, [K, CLOSE], hierarchies=LEVELS, suppression=0.1)
    add("entropy", method, MIXED, [K, ENTROPY], hierarchies=LEVELS)
for objective in ("discernibility", "average_class", "height", "entropy", "ncp_range"):
    add(objective, "optimal", MIXED, [K], hierarchies=LEVELS, suppression=0.05, objective=objective)
add("stars", "suppress-cells", ("age", "town", "bonus"), [K])
add("stars and diversity", "suppress-cells", ("age", "town", "bonus"), [K, DIVERSE])
for method in ("mdav", "vmdav", "refined"):
    add("numbers", method, SUMS, [K])
    add("mixed", method, MIXED, [K])
    add("diversity", method, MIXED, [K, DIVERSE])
    add("closeness", method, SUMS, [K, CLOSE])
add("one group", "mdav", SUMS, [K], options={"rule": "one-group"})
add("totals", "mdav", SUMS, [K], options={"totals": True})
add("one column", "mdav", ("pay",), [K])
for method in ("kpqr", "kpqr-paper"):
    add("rare", method, SUMS, [KPQR])
    add("rare mixed", method, MIXED, [KPQR])
for method in ("min-sum", "min-max", "min-max-exact", "max-groups", "random"):
    add("income", method, ("age", "town"), [KE])
    add("dates", method, ("age", "town"), [DATES])
    add("gap", method, ("age", "town"), [KE | {"gap": 5}])
    add("diversity", method, ("age", "town"), [KE, DIVERSE])
    add("two", method, ("age", "town"), [KE, DATES])
add("together", "min-sum", ("age", "town"), [KE, DATES], options={"permute": "together"})
add("baseline", "rank-swap", ("age", "town"), [KE])


def table() -> pa.Table:
    """Ties, heaps, zeros, negatives, decimals, words, dates and gaps."""
    draw = np.random.default_rng(11)
    pay = draw.integers(0, 40, ROWS) * 100 * draw.integers(0, 2, ROWS) + draw.integers(0, 50, ROWS)
    cents = draw.integers(-5000, 20000, ROWS)
    gaps = draw.integers(0, 30, ROWS)
    days = np.datetime64("2019-01-01") + draw.integers(0, 400, ROWS)
    words = np.array(["Ulm", "Köln", "a, b", "Bonn", "Lindau", "{x}", "Kiel"])
    illness = np.array(["flu", "cold", "burnout", "flu", "asthma"])
    return pa.table(
        {
            "name": [f"person {row}" for row in range(ROWS)],
            "pay": pay,
            "gain": [f"{cent // 100}.{cent % 100:02}" for cent in cents.tolist()],
            "bonus": draw.integers(-3, 4, ROWS),
            "age": draw.integers(18, 80, ROWS),
            "gaps": pa.array(gaps, mask=gaps < 3),
            "town": words[draw.integers(0, len(words), ROWS)],
            "income": draw.integers(0, 900, ROWS),
            "since": pa.array(days),
            "illness": illness[draw.integers(0, len(illness), ROWS)],
        }
    )


def policy(method: str, quasi: tuple[str, ...], asked: list[dict[str, Any]], more: dict[str, Any]) -> str:
    """TOML of a policy in which columns that nothing is asked of are left out."""
    named = {value for one in asked for value in one.values() if isinstance(value, str)}
    roles = dict.fromkeys(table().column_names, "drop") | {"name": "identifier"}
    roles |= {name: "sensitive" for name in roles if name in named or name == "illness"}
    roles |= dict.fromkeys(quasi, "quasi")
    lines = ["[columns]", *(f'{name} = "{role}"' for name, role in roles.items())]
    for section in ("hierarchies", "missing"):
        known = {name: one for name, one in more.get(section, {}).items() if name in quasi}
        lines += [f"[{section}]", *(f"{name} = {_toml(one)}" for name, one in known.items())]
    for one in asked:
        lines += ["[[guarantees]]", *(f"{name} = {_toml(value)}" for name, value in one.items())]
    own = {name: more[name] for name in ("suppression", "objective", "weights", "options") if name in more}
    lines += ["[method]", *(f"{name} = {_toml(value)}" for name, value in ({"name": method} | own).items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + "}"
    return json.dumps(value)


def fingerprint(name: str, format: str, engine: str) -> dict[str, Any]:
    """What a release under the fixed seed holds; where it is refused, the words of the refusal."""
    with tempfile.TemporaryDirectory() as folder:
        parent = Path(folder)
        (parent / "policy.toml").write_text(policy(*CASES[name]), encoding="utf-8")
        source = parent / f"table.{format}"
        csv.write_csv(table(), source) if format == "csv" else parquet.write_table(table(), source)
        words = ["run", str(source), str(parent / "policy.toml"), "-o", str(parent / "release"), "--json"]
        words += ["--format", format, "--seed", str(SEED), "--engine", engine]
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
                app(args=words, standalone_mode=False)
        except shoal.ShoalError as refused:
            return {"refused": str(refused).replace(folder, "")}
        except SystemExit as ended:
            return {"refused": f"exit code {ended.code}"}
        told = json.loads(said.getvalue())
        parts = ("method", "published", "suppressed", "classes", "loss", "verdicts")
        stated = json.dumps({part: told[part] for part in parts}, sort_keys=True)
        return {"data": _hash(parent / "release" / f"data.{format}", engine), "stated": _digest(stated)}


def _hash(data: Path, engine: str) -> str:
    """Byte for byte in memory; beyond it the same rows."""
    if engine == "memory":
        return hashlib.sha256(data.read_bytes()).hexdigest()
    rows = csv.read_csv(data) if data.suffix == ".csv" else parquet.read_table(data)
    return _digest("\n".join(sorted(map(str, rows.to_pylist()))))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def ways() -> list[tuple[str, str, str]]:
    return [
        (name, format, engine)
        for name in CASES
        for format in ("csv", "parquet")
        for engine in ("memory", "disk")
    ]


if __name__ == "__main__":
    known = {" | ".join(way): fingerprint(*way) for way in ways()}
    print(json.dumps(known, indent=0, sort_keys=True, ensure_ascii=False))
