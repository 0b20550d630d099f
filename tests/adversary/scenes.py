"""Small random scenes, and what each person's records show, found by comparing everybody with everything."""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from shoal.adversary.scene import Scene
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable

WORDS = ("flu", "cold", "cough", None)
NUMBERS = (1, 2, 2.5, 7, 40, None)
KINDS = ("raw", "ranges", "sum", "band", "permuted")
ABOUT = Fraction(3, 10)  # how exactly a sum is known in a band


@dataclass(frozen=True)
class Drawn:
    scene: Scene
    weights: list[dict[object, Fraction]]  # of every person, how often the records that fit show each value
    totals: list[Fraction]  # suppressed ones counted
    behind: list[int]  # different records: all of a group, where one of it fits
    own: list[object]
    shown: list[object]  # by every record that is not suppressed


def scene_of(
    original: dict[str, list], published: dict[str, list], policy: Policy, raw: bool = False, link=None
) -> Scene:
    tables = [PublishedTable(Table(pa.table(columns))) for columns in (original, published)]
    rows = None if link is None else np.array(link)
    return Scene.raw_table(tables[0].table, policy) if raw else Scene(*tables, policy, input_rows=rows)


def policy_of(kind: str, *guarantees: dict, sensitive: bool = True, **more) -> Policy:
    asked = {
        "sum": {"kind": "kf-anonymity", "k": 2, "knows": ["a + b"]},
        "band": {"kind": "kf-anonymity", "k": 2, "knows": ["a + b"], "within": "0.3"},
        "permuted": {"kind": "ke-anonymity", "k": 2, "e": 0, "sensitive": "s"},
    }.get(kind, {"kind": "k-anonymity", "k": 2})
    columns = {"a": "quasi", "b": "quasi"} | ({"s": "sensitive"} if sensitive else {})
    return Policy(columns=columns, guarantees=[asked, *guarantees], **more)


def drawn(seed: int, kind: str, *guarantees: dict, numbers: bool = False, stars: bool = False) -> Drawn:
    random = np.random.default_rng(seed)
    people = int(random.integers(1, 14))
    records = people if kind in ("raw", "permuted") else int(random.integers(1, 14))
    pool = NUMBERS if numbers else WORDS
    pick = lambda many: [pool[at] for at in random.integers(0, len(pool), many)]  # noqa: E731
    known = random.integers(0, 3, (people, 2))
    own = pick(people)
    shown = own if kind == "raw" else pick(records)
    if stars and kind != "raw":
        shown = ["*" if random.random() < 0.3 else None if value is None else str(value) for value in shown]
    low = known if kind in ("raw", "permuted") else random.integers(0, 3, (records, 2))
    high = low + (random.integers(0, 2, low.shape) if kind in ("ranges", "sum", "band") else 0)
    groups = random.integers(0, 4, records)
    original = {"a": known[:, 0].tolist(), "b": known[:, 1].tolist(), "s": own}
    published: dict[str, list] = {"s": shown}
    for at, name in enumerate("ab"):
        ends = list(zip(low[:, at].tolist(), high[:, at].tolist(), strict=True))
        exact = kind in ("raw", "permuted")
        published[name] = [first if exact else {"lo": first, "hi": last} for first, last in ends]
    if kind == "permuted":
        published["shoal_group"] = groups.tolist()
    scene = scene_of(original, published, policy_of(kind, *guarantees), raw=kind == "raw")
    weights, totals, behind = _slow(kind, known, low, high, shown, groups)
    if stars and kind != "raw":
        own = [None if value is None else str(value) for value in own]
    return Drawn(scene, weights, totals, behind, own, [value for value in shown if value != "*"])


def _slow(kind, known, low, high, shown, groups):
    weights, totals, behind = [], [], []
    for person in known.tolist():
        found: dict[object, Fraction] = defaultdict(Fraction)
        total, all_seen = Fraction(0), set()
        for record, (first, last) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            if kind in ("sum", "band"):
                reach = ABOUT * sum(person) if kind == "band" else 0
                fits = sum(first) <= sum(person) + reach and sum(last) >= sum(person) - reach
            else:
                fits = all(a <= x <= b for a, x, b in zip(first, person, last, strict=True))
            if not fits:
                continue
            total += 1
            seen = [record] if kind != "permuted" else np.flatnonzero(groups == groups[record]).tolist()
            all_seen.update(seen)
            for other in seen:
                if shown[other] != "*":
                    found[shown[other]] += Fraction(1, len(seen))
        weights.append(dict(found))
        totals.append(total)
        behind.append(len(all_seen))
    return weights, totals, behind


def own_shares(given: Drawn) -> list[float]:
    return [
        float(weights.get(own, 0) / total) if total else 0.0
        for weights, total, own in zip(given.weights, given.totals, given.own, strict=True)
    ]
