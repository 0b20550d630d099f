"""Small tables as people have them, and policies over them: what every method must cope with."""

from collections import Counter
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import log
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from shoal.anonymizer.registry import MethodRow
from shoal.policy.draft.draft_policy import expression_name
from shoal.policy.model.guarantee import (
    AlphaKAnonymity,
    KAnonymity,
    KeAnonymity,
    KfAnonymity,
    KpqrAnonymity,
    LDiversity,
    PSensitivity,
    TCloseness,
)
from shoal.policy.model.policy import Policy

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

ON_SENSITIVE = ("l-diversity", "p-sensitivity", "t-closeness")
SUMS = ("sum", "weighted", "avg")
TOWNS = ["Köln", "{a, b}", 'a "b", c', "*", " ", "Ulm", None]
WORDS = ("town", st.sampled_from(TOWNS))


@st.composite
def aggregates(draw, method: MethodRow, columns: list[str]) -> KfAnonymity:
    """Somebody who knows one aggregate, or several at once and some columns besides."""
    written = SUMS if method.sums_only else list(AGGREGATES)
    known = [AGGREGATES[draw(st.sampled_from(written))](columns)]
    attacker: dict[str, Any] = dict(draw(st.sampled_from(ATTACKERS)))
    if method.joint and draw(st.booleans()):
        some = draw(st.lists(st.sampled_from(columns), min_size=1, unique=True))
        known.append(AGGREGATES[draw(st.sampled_from(list(AGGREGATES)))](some))
        besides = [name for name in NAMES if expression_name(name) in columns]
        attacker["also"] = draw(st.lists(st.sampled_from(besides), unique=True))
    return KfAnonymity(k=draw(KS), knows=known, **attacker)


DIVERSITIES = st.sampled_from(
    [
        {"l": 1},
        {"l": 2},
        {"l": 3},
        {"l": 2, "sensitive": ["illness", "region"]},
        {"l": 2, "sensitive": "region", "alone": True},
        {"l": 2, "sensitive": "region"},
        {"variant": "entropy", "l": 1.5, "sensitive": ["region", "illness"]},
        {"variant": "entropy", "l": 1.5},
        {"variant": "entropy", "l": 2},
        {"variant": "recursive", "l": 2, "c": 1.5},
        {"variant": "recursive", "l": 3, "c": 4.0},
        {"variant": "recursive", "l": 1, "c": 0.1},
        {"variant": "pd-recursive", "l": 2, "c": 1.5, "allowed": ["flu"]},
        {"variant": "pd-recursive", "l": 3, "c": 3.0, "allowed": ["cold"]},
        {"variant": "npd-recursive", "l": 2, "c": 3.0, "c2": 10.0, "allowed": ["flu"], "protected": ["cold"]},
    ]
)

CLOSE = st.builds(
    TCloseness,
    t=st.sampled_from([Decimal(0), Decimal("0.2"), Decimal("0.5"), Decimal(1)]),
    sensitive=st.just("illness"),
    distance=st.sampled_from(["equal", "hierarchical"]),
) | st.builds(
    TCloseness,
    t=st.sampled_from([Decimal("0.25"), Decimal("0.5")]),
    sensitive=st.just("illness"),
    distance=st.just("ordered"),
    order=st.permutations(["flu", "cold", "burnout"]).map(tuple),
)
ILLNESSES = {"infection": ["flu", "cold"], "mind": ["burnout"]}

# How to ask a method for each kind of guarantee over some columns.
ASKED = {
    "k-anonymity": lambda *_: st.builds(KAnonymity, k=KS),
    "kf-anonymity": aggregates,
    "p-sensitivity": lambda *_: st.builds(PSensitivity, p=st.integers(1, 3)),
    "alpha-k-anonymity": lambda *_: st.builds(
        AlphaKAnonymity, alpha=st.sampled_from([Decimal("0.5"), Decimal("0.75"), Decimal(1)]), k=KS
    ),
    "l-diversity": lambda *_: DIVERSITIES.map(lambda asked: LDiversity(**{"sensitive": "illness"} | asked)),
    "t-closeness": lambda *_: CLOSE,
    "ke-anonymity": lambda *_: st.builds(
        KeAnonymity,
        k=KS,
        e=st.sampled_from([Decimal(0), Decimal("0.25"), Decimal(3), Decimal(400)]),
        sensitive=st.sampled_from(["income", "since"]),
        gap=st.sampled_from([None, None, Decimal("0.5"), Decimal(2)]),
    ),
}
RARE = st.fixed_dictionaries(
    {
        "k": KS,
        "p": st.integers(1, 3),
        "q": st.sampled_from([Decimal("0.01"), Decimal("0.2"), Decimal("0.4"), Decimal(1)]),
        "r": st.sampled_from([Decimal(0), Decimal("0.3"), Decimal("0.8"), Decimal(1)]),
    }
)
SECRETS = st.sampled_from(
    [
        {"sensitive": "income"},
        {"sensitive": ["illness", "income"]},
        {"sensitive": "since"},
        {"sensitive": ["since", "income"], "distance": "ordered"},
        {"sensitive": "illness"},
        {"sensitive": "illness", "order": ("cold", "flu", "burnout")},
        {"sensitive": "illness", "distance": "hierarchical"},
    ]
)
ASKED["kpqr-anonymity"] = lambda *_: st.builds(lambda rare, of: KpqrAnonymity(**rare, **of), RARE, SECRETS)
PERMUTED = ("ke-anonymity", *ON_SENSITIVE)
OPTIONS = {
    dict: st.just({}),
    list: st.booleans(),
    bool: st.booleans(),
    int: st.integers(1, 3),
    float: st.sampled_from([0.001, 60.0]),
}


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
    columns = [expression_name(name) for name in names]
    permutes = kind == "ke-anonymity" or (
        "k-anonymity" not in method.serves and "ke-anonymity" in method.serves
    )
    served = [one for one in method.serves if one in PERMUTED or one in ON_SENSITIVE or not permutes]
    served = [one for one in served if permutes or one != "ke-anonymity"]
    kinds = [kind]
    if method.joint:
        kinds += draw(st.lists(st.sampled_from(served), max_size=2))
    attacker = next(one for one in served if one not in ON_SENSITIVE)
    alone = "k-anonymity" in served and draw(st.booleans())
    if set(kinds) <= set(ON_SENSITIVE) and not alone:
        kinds.append(attacker)
    elif "l-diversity" in served and draw(st.booleans()):
        kinds.append("l-diversity")
    guarantees = [draw(ASKED[asked](method, columns)) for asked in kinds]
    if kinds == ["k-anonymity"] and draw(st.booleans()):
        guarantees = [guarantees[0].model_copy(update={"stars": "any"})]
    words = {}
    known = [place for place, asked in enumerate(guarantees) if isinstance(asked, KfAnonymity)]
    if method.joint and draw(st.booleans()):
        words = {"town": "quasi"}
        for place in known:
            more = {"also": (*guarantees[place].also, "town")}
            guarantees[place] = guarantees[place].model_copy(update=more)
    ways = [None, None, "suppress"] if permutes else [None, None, "zero", "suppress"]
    rules = [draw(st.sampled_from(ways)) for _ in names]
    missing = {name: rule for name, rule in zip(names, rules, strict=True) if rule}
    most = max([asked.k for asked in guarantees if asked.kind not in ON_SENSITIVE], default=3)
    original = draw(tables(names, max(most, 3), missing))
    generalized = (
        draw(hierarchies([*names, *words]))
        if method.family == "levels" or (method.one_box and not known)
        else {}
    )
    if any(getattr(asked, "distance", None) == "hierarchical" for asked in guarantees):
        generalized |= {"illness": {"tree": ILLNESSES}}
    named = [one.columns for one in guarantees if isinstance(one, KeAnonymity | KpqrAnonymity)]
    secret = {name for columns in named for name in columns}
    chosen = draw(options(method))
    if method.family == "means" and words and draw(st.booleans()):
        chosen["order"] = {"town": draw(st.permutations([word for word in TOWNS if word is not None]))}
    region = "sensitive" if any("region" in _columns(asked) for asked in guarantees) else "other"
    policy = Policy(
        rows="people",
        columns={"name": "identifier"}
        | dict.fromkeys(names, "quasi")
        | {"town": "identifier"}
        | words
        | {name: "sensitive" if name in secret else "identifier" for name in ("income", "since")}
        | {"region": region, "illness": "sensitive"},
        guarantees=guarantees,
        missing=missing,
        hierarchies=generalized,
        method={"name": method.name, "suppression": 1.0, "options": chosen},
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
    town, cells = WORDS
    columns[town] = pa.array(draw(st.tuples(*[cells] * rows)), pa.string())
    cells, kind = COLUMNS[draw(st.sampled_from(list(COLUMNS)))]
    columns["income"] = pa.array(draw(st.tuples(*[cells] * rows)), kind)
    days = st.integers(19000, 19020).map(lambda day: str(date.fromordinal(719163 + day)))
    columns["since"] = draw(st.tuples(*[days] * rows))
    columns["region"] = [("north", "=south", None)[row % 3] for row in range(rows)]
    illnesses = st.sampled_from(["flu", "flu", "cold", "burnout", None])
    columns["illness"] = pa.array(draw(st.tuples(*[illnesses] * rows)), pa.string())
    repeats = draw(st.lists(st.integers(0, rows - 1), max_size=3))
    return pa.table(columns).take([*range(rows), *repeats])


def hierarchies(names: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Some columns can be generalized step by step, the others only to a star."""
    ways = st.sampled_from([{"groups": [2]}, {"groups": [2, 2]}, {"mask": "right"}, {"frequency": [0.3]}])
    return st.dictionaries(st.sampled_from(names), ways)


def options(method: MethodRow) -> st.SearchStrategy[dict[str, Any]]:
    chosen = {
        name: st.sampled_from(kind) if isinstance(kind, tuple) else OPTIONS[kind]
        for name, kind in method.options.items()
    }
    return st.fixed_dictionaries({}, optional=chosen)


def could_be_diverse(case: Case) -> bool:
    """Is the table, without the records that leave it, diverse enough as one class and large enough?"""
    gone = [name for name, rule in case.policy.missing.items() if rule == "suppress"]
    staying = [row for row in case.original.to_pylist() if all(row[name] is not None for name in gone)]
    sensitive = case.policy.having("sensitive")
    apart = [asked for asked in case.policy.guarantees if isinstance(asked, KeAnonymity)]
    return all(_lie_apart(asked, [row[asked.sensitive] for row in staying]) for asked in apart) and all(
        _diverse(asked, counts)
        for asked in case.policy.guarantees
        if asked not in apart
        for name in _columns(asked) or sensitive
        for counts in _counts(staying, name, _known(asked, name, case.policy))
    )


def _lie_apart(asked: KeAnonymity, cells: list[Any]) -> bool:
    if asked.sensitive == "since":
        cells = [date.fromisoformat(cell).toordinal() for cell in cells]
    values = sorted({Decimal(str(cell)) for cell in cells})
    counted = values[:1]
    for value in values:
        if value - counted[-1] >= (asked.gap or Decimal("0.001")):
            counted.append(value)
    return len(counted) >= asked.k and values[-1] - values[0] >= asked.e


def _known(asked: Any, name: str, policy: Policy) -> list[str]:
    """What else must be diverse counts as known."""
    if asked.kind != "l-diversity" or asked.alone or (policy.permutes and not policy.permutes_together):
        return []
    others = [one for one in policy.guarantees if one.kind == "l-diversity" and not one.alone]
    return sorted({column for one in others for column in one.columns} - {name})


def _columns(asked: Any) -> tuple[str, ...]:
    """The sensitive columns that a guarantee names."""
    named = (*ON_SENSITIVE, "kpqr-anonymity")
    return getattr(asked, "columns", ()) if asked.kind in named else ()


def _counts(rows: list[dict[str, Any]], name: str, known: list[str]) -> list[Counter[str | None]]:
    """How often each value occurs, for everything that may be known besides."""
    found: dict[Any, Counter[str | None]] = {}
    for row in rows:
        found.setdefault(tuple(row[other] for other in known), Counter())[row[name]] += 1
    return list(found.values())


def _diverse(asked: Any, counts: Counter[str | None]) -> bool:
    ranked, size = sorted(counts.values(), reverse=True), counts.total()
    if isinstance(asked, KpqrAnonymity):
        return len(ranked) >= asked.p or all(count >= asked.q * size for count in ranked)
    if isinstance(asked, PSensitivity):
        return len(ranked) >= asked.p and size >= asked.p
    if isinstance(asked, AlphaKAnonymity):
        return ranked[0] <= float(asked.alpha) * size
    if not isinstance(asked, LDiversity):
        return True
    l = int(asked.l)
    if asked.variant in ("pd-recursive", "npd-recursive"):
        if any(counts[word] * 100 < asked.c2 * size or not counts[word] for word in asked.protected):
            return False
        secret = [count for word, count in counts.items() if word not in asked.allowed]
        if not secret:
            return True
        y = ranked.index(max(secret)) + 1
        others = sum(ranked[l - 1 :]) if y <= l - 1 else sum(ranked[l - 2 :]) - ranked[y - 1]
        return ranked[y - 1] < asked.c * others
    if asked.variant == "distinct":
        return len(ranked) >= l
    if asked.variant == "entropy":
        shares = [count / size for count in ranked]
        return -sum(share * log(share) for share in shares) >= log(asked.l) - 1e-9
    return l == 1 or ranked[0] < asked.c * sum(ranked[l - 1 :])
