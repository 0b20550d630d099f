"""Small tables as people have them, and policies over them: what every method must cope with."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from shoal.anonymizer.registry import MethodRow
from shoal.policy.draft import expression_name
from shoal.policy.guarantee import KAnonymity, KfAnonymity
from shoal.policy.policy import Policy

NAMES = ("pay", "net gain", "größe")
KS = st.integers(2, 4)

# Cells of a column, and the Arrow type they are stored in: ties, zeros, negatives, heaps, decimals.
COLUMNS = {
    "ties": (st.integers(0, 2), pa.int64()),
    "signed": (st.integers(-6, 6), pa.int32()),
    "heaps": (st.sampled_from([0, 0, 500, 1000, 1000, 25000]), pa.int64()),
    "text": (st.integers(-30, 30).map(str), pa.string()),
    "cents": (st.integers(-250, 250).map(lambda units: Decimal(units).scaleb(-2)), pa.decimal128(9, 2)),
    "tenths": (st.integers(-20, 20).map(lambda units: units / 10), pa.float64()),
}


def _over(function: str):
    return lambda columns: f"{function}({', '.join(columns)})"


def _weighted(columns: list[str]) -> str:
    weights = ("2", "-3", "0.5")
    return " + ".join(f"{weight} * {name}" for weight, name in zip(weights, columns, strict=False))


AGGREGATES = {
    "sum": " + ".join,
    "weighted": _weighted,
    "square": lambda columns: " + ".join([f"{columns[0]} ^ 2", *columns[1:]]),
} | {function: _over(function) for function in ("avg", "min", "max", "median", "product", "norm")}

ATTACKERS = (
    {},
    {"within": Decimal("0.05")},
    {"within": Decimal("0.4")},
    {"within": Decimal("0.05"), "band": "any"},
    {"within": Decimal("0.5"), "band": "any"},
)

# How to ask for each kind of guarantee over some columns.
ASKED = {
    "k-anonymity": lambda _: st.builds(KAnonymity, k=KS),
    "kf-anonymity": lambda columns: st.builds(
        lambda k, write, attacker: KfAnonymity(k=k, knows=[write(columns)], **attacker),
        KS,
        st.sampled_from(list(AGGREGATES.values())),
        st.sampled_from(ATTACKERS),
    ),
}
OPTIONS = {bool: st.booleans(), int: st.integers(1, 3)}


@dataclass(frozen=True)
class Case:
    """A table, what is promised about it, and how the release is written."""

    original: pa.Table
    policy: Policy
    format: str
    seed: int


@st.composite
def cases(draw, method: MethodRow, kind: str) -> Case:
    """Cases in which a method must give one kind of guarantee, and others beside it where it may."""
    names = NAMES[: draw(st.integers(1, 3))]
    others = draw(st.lists(st.sampled_from(method.serves), max_size=min(method.at_most - 1, 2)))
    columns = [expression_name(name) for name in names]
    guarantees = [draw(ASKED[asked](columns)) for asked in [kind, *others]]
    rules = [draw(st.sampled_from([None, None, "zero", "suppress"])) for _ in names]
    missing = {name: rule for name, rule in zip(names, rules, strict=True) if rule}
    original = draw(tables(names, max(guarantee.k for guarantee in guarantees), missing))
    policy = Policy(
        columns={"name": "identifier"} | dict.fromkeys(names, "quasi") | {"region": "other"},
        guarantees=guarantees,
        missing=missing,
        method={"name": method.name, "suppression": 1.0, "options": draw(options(method))},
    )
    return Case(original, policy, draw(st.sampled_from(["csv", "parquet"])), draw(st.integers(0, 99)))


@st.composite
def tables(draw, names: tuple[str, ...], k: int, missing: dict[str, str]) -> pa.Table:
    """At least k complete records, then some that may have gaps or repeat others."""
    complete = draw(st.integers(k, k + 4))
    rows = complete + draw(st.integers(0, 2))
    columns: dict[str, Any] = {"name": [f"person {row}" for row in range(rows)]}
    for name in names:
        cells, kind = COLUMNS[draw(st.sampled_from(list(COLUMNS)))]
        gappy = cells | st.none() if name in missing else cells
        columns[name] = pa.array(draw(st.tuples(*[cells] * complete, *[gappy] * (rows - complete))), kind)
    columns["region"] = [("north", "=south", None)[row % 3] for row in range(rows)]
    repeats = draw(st.lists(st.integers(0, rows - 1), max_size=3))
    return pa.table(columns).take([*range(rows), *repeats])


def options(method: MethodRow) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={name: OPTIONS[kind] for name, kind in method.options.items()})
