"""Small random tables with a column that gives a protected one away, and what somebody could do with it.

Every table comes with a policy of one of the families of methods, the columns that were planted, and a way to
read them: what the owner of such a column would say of each row. ``beats_the_guess`` then compares, in plain
Python, how many hidden cells that reading fills with how many the class alone lets one guess.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from math import comb
from typing import Any

import numpy as np
import pyarrow as pa

KINDS = ("copy", "recoded copy", "97 % copy", "pair", "date", "household", "total with typos", "nothing",
         "copy with a few words")  # fmt: skip
FAMILIES = ("levels", "diverse", "local", "clusters", "stars", "means", "aggregate", "permuted")
SURELY = 1e-9  # of luck: what is rarer than this was no luck

Reading = list[
    Any
]  # what the planted columns say of every row's protected value; None where they say nothing


@dataclass(frozen=True)
class Planted:
    kind: str
    family: str
    table: pa.Table
    policy: dict[str, Any]
    leaking: tuple[str, ...]  # the planted columns
    protected: str  # what they tell: a column, or the text of an aggregate
    truth: list[Any]
    reading: Reading


def planted(number: int, kind: str | None = None) -> Planted:
    """The table with this number, always the same; with a leak of this kind, or else of each in turn."""
    random = np.random.default_rng([20, number])
    family = FAMILIES[number % len(FAMILIES)]
    kind = kind or KINDS[number // len(FAMILIES) % len(KINDS)]
    columns = _people(random, int(random.integers(60, 300)))
    if kind == "household":
        columns = _in_households(random, columns)
    protected = _protected(random, kind, family)
    truth = list(map(sum, zip(*(columns[name] for name in PARTS), strict=True)))
    if protected != TOTAL:
        truth = columns[protected]
    told, reading = PLANTS[kind](random, columns, truth)
    columns |= told
    roles = _roles(family, protected) | dict.fromkeys(told, "other")
    if told and family != "permuted" and random.random() < 0.3:
        roles[next(iter(told))] = "sensitive"
    used = {name: cells for name, cells in columns.items() if name in roles}
    policy = {"columns": {name: roles[name] for name in used}, **_asked(random, family, protected)}
    table = pa.table({name: _arrow(cells) for name, cells in used.items()})
    return Planted(kind, family, table, policy, tuple(told), protected, truth, reading)


PARTS = ("wages", "rent", "other_pay")
TOTAL = " + ".join(PARTS)


def _people(random: np.random.Generator, rows: int) -> dict[str, list[Any]]:
    """Columns that tell nothing of each other."""
    towns = [f"{first}{second:02d}" for first in "ABC" for second in range(int(random.integers(3, 8)))]
    return {
        "age": random.integers(18, 90, rows).tolist(),
        "town": [towns[at] for at in random.integers(0, len(towns), rows)],
        "since": [date(2001, 1, 1) + timedelta(int(day)) for day in random.integers(0, 4000, rows)],
        "wages": (random.integers(0, 400, rows) * 250).tolist(),
        "rent": (random.integers(0, 40, rows) * 100).tolist(),
        "other_pay": random.integers(0, 5000, rows).tolist(),
        "illness": [("flu", "cold", "gout", "burn", "none")[at] for at in random.integers(0, 5, rows)],
        "noise": random.integers(0, 12, rows).tolist(),
    }


def _protected(random: np.random.Generator, kind: str, family: str) -> str:
    if family == "aggregate":
        return TOTAL
    if family == "permuted":
        return "since" if kind == "date" or random.random() < 0.3 else "wages"
    if kind in ("total with typos", "date"):
        return "wages" if kind == "total with typos" and family != "stars" else "age"
    return str(random.choice(["age", "town"]))


def _roles(family: str, protected: str) -> dict[str, str]:
    other = {"illness": "sensitive", "noise": "other"}
    if family == "aggregate":
        return {"wages": "quasi", "rent": "quasi", "other_pay": "quasi"} | other
    if family == "permuted":
        return {"age": "quasi", "town": "quasi", protected: "sensitive", "noise": "other"}
    return {"age": "quasi", "town": "quasi"} | ({"wages": "quasi"} if protected == "wages" else {}) | other


def _asked(random: np.random.Generator, family: str, protected: str) -> dict[str, Any]:
    k = int(random.integers(2, 7))
    anonymity = {"kind": "k-anonymity", "k": k}
    if family == "aggregate":
        return {"guarantees": [{"kind": "kf-anonymity", "k": k, "knows": [TOTAL]}]}
    if family == "permuted":
        e = 300 if protected == "since" else 5000
        return {"guarantees": [{"kind": "ke-anonymity", "k": k, "e": e, "sensitive": protected}]}
    levels = {"age": {"intervals": [5, 20, 40]}, "town": {"mask": "right"}}
    if protected == "wages":
        levels["wages"] = {"intervals": [1000, 10000, 50000]}
    if family in ("levels", "diverse"):
        diverse = [{"kind": "l-diversity", "l": 2, "sensitive": "illness"}] if family == "diverse" else []
        method = {"name": "datafly", "suppression": 0.1}
        return {"guarantees": [anonymity, *diverse], "hierarchies": levels, "method": method}
    names = {"local": "mondrian", "clusters": "cluster", "stars": "suppress-cells", "means": "mdav"}
    return {"guarantees": [anonymity], "method": {"name": names[family]}}


Told = tuple[dict[str, list[Any]], Reading]


def _copy(random: np.random.Generator, columns: dict[str, Any], truth: list[Any]) -> Told:
    """The very cells once more, numbers and dates perhaps in another spelling."""
    del columns
    written = _spelled(truth) if random.random() < 0.5 else truth
    return {"again": list(written)}, list(truth)


def _spelled(truth: Sequence[Any]) -> list[Any]:
    if isinstance(truth[0], date):
        return [f"{day.day:02d}.{day.month:02d}.{day.year}" for day in truth]
    return [f"no. {cell}" for cell in truth]


def _with_words(random: np.random.Generator, columns: dict[str, Any], truth: list[Any]) -> Told:
    """A copy, numbers and dates perhaps in another spelling, in which some people gave no answer."""
    written, reading = _copy(random, columns, truth)
    silent = random.random(len(truth)) < 0.01
    silent[0] = True
    words = [str(cell) if not silent[row] else "n/a" for row, cell in enumerate(written["again"])]
    return {"again": words}, [None if silent[row] else value for row, value in enumerate(reading)]


def _recoded(random: np.random.Generator, columns: dict[str, Any], truth: list[Any]) -> Told:
    """Another word for each value: who sees other people with that word knows it."""
    del columns
    different = sorted(set(truth))
    codes = random.permutation(len(different))
    words = {value: f"w{code}" for value, code in zip(different, codes, strict=True)}
    recoded = [words[value] for value in truth]
    return {"recoded": recoded}, _known_from_others(recoded, truth)


def _nearly(random: np.random.Generator, columns: dict[str, Any], truth: list[Any]) -> Told:
    """A copy in which three cells in a hundred are somebody else's."""
    del columns
    wrong = random.random(len(truth)) < 0.03
    other = random.permutation(len(truth))
    cells = [truth[other[row]] if wrong[row] else truth[row] for row in range(len(truth))]
    return {"nearly": cells}, list(cells)


def _pair(random: np.random.Generator, columns: dict[str, Any], truth: list[Any]) -> Told:
    """Two columns that say little alone and everything together."""
    del columns
    different = {value: at for at, value in enumerate(sorted(set(truth)))}
    base = max(int(len(different) ** 0.5), 2)
    shift = random.integers(0, base, len(different))
    first = [f"p{(different[value] + shift[different[value]]) % base}" for value in truth]
    second = [f"q{different[value] // base}-{shift[different[value]]}" for value in truth]
    return {"first": first, "second": second}, _known_from_others(
        list(zip(first, second, strict=True)), truth
    )


def _dates(random: np.random.Generator, columns: dict[str, Any], truth: list[Any]) -> Told:
    """A day that follows from the value, nearly every one another: a date of birth beside an age."""
    del columns
    if isinstance(truth[0], date):
        days = [day + timedelta(30) for day in truth]
        return {"day": [f"{day.month}/{day.day}/{day.year}" for day in days]}, list(truth)
    width = max(36500 // (max(truth) - min(truth) + 1), 1)
    places = [(value - min(truth)) * width + int(random.integers(0, max(width, 1))) for value in truth]
    return {"day": [(date(2020, 12, 31) - timedelta(place)).isoformat() for place in places]}, list(truth)


def _household(random: np.random.Generator, columns: dict[str, Any], truth: list[Any]) -> Told:
    """The numbers of the households; others who live there are in other rows."""
    del random
    return {"house": columns["house"]}, _known_from_others(columns["house"], truth)


def _in_households(random: np.random.Generator, columns: dict[str, Any]) -> dict[str, list[Any]]:
    """The same people in households of one to five, who share all but one cell in thirty."""
    rows = len(columns["age"])
    sizes = random.integers(1, 6, rows)
    of_row = np.repeat(np.arange(rows), sizes)[:rows]
    first = np.searchsorted(of_row, of_row)
    shared = {}
    for name, cells in columns.items():
        own = random.random(rows) < 1 / 30
        shared[name] = [cells[row if own[row] else first[row]] for row in range(rows)]
    return shared | {"house": random.permutation(rows)[of_row].tolist()}


def _tax(random: np.random.Generator, columns: dict[str, Any], truth: list[Any]) -> Told:
    """Three tenths of the amount, with one slip in about eighty."""
    del columns
    numbers = [(value - date(1970, 1, 1)).days if isinstance(value, date) else value for value in truth]
    slip = random.random(len(truth)) < 1 / 80
    taxes = [Decimal(3 * number) / 10 + (int(random.integers(1, 5000)) if slip[row] else 0)
             for row, number in enumerate(numbers)]  # fmt: skip
    return {"tax": taxes}, [None if slip[row] else value for row, value in enumerate(truth)]


def _nothing(random: np.random.Generator, columns: dict[str, Any], truth: list[Any]) -> Told:
    del columns
    return {"remark": [f"r{at}" for at in random.integers(0, 9, len(truth))]}, [None] * len(truth)


PLANTS: dict[str, Callable[[np.random.Generator, dict[str, Any], list[Any]], Told]] = dict(
    zip(
        KINDS, (_copy, _recoded, _nearly, _pair, _dates, _household, _tax, _nothing, _with_words), strict=True
    )
)


def _known_from_others(cells: Sequence[Any], truth: Sequence[Any]) -> Reading:
    """The value that most of the *other* rows with the same cell have; None where there is no other."""
    beside: dict[Any, Counter[Any]] = defaultdict(Counter)
    for cell, value in zip(cells, truth, strict=True):
        beside[cell][value] += 1
    reading = []
    for cell, value in zip(cells, truth, strict=True):
        others = beside[cell].copy()
        others[value] -= 1
        best = max(others.items(), key=lambda pair: pair[1])
        reading.append(best[0] if best[1] > 0 else None)
    return reading


def _arrow(cells: list[Any]) -> pa.Array:
    return pa.array([str(cell) for cell in cells] if isinstance(cells[0], Decimal) else cells)


def beats_the_guess(
    found: Planted, hidden: Sequence[bool], classes: Sequence[int], rows: Sequence[int]
) -> bool:
    """Do the planted columns fill more hidden cells than the best guess from the class, and not by luck?

    ``hidden``, ``classes`` and ``rows`` belong to published rows: is the protected cell open, which class
    does the row share, and which row of the table it is.
    """
    members: dict[int, list[Any]] = defaultdict(list)
    for number, row in zip(classes, rows, strict=True):
        members[number].append(found.truth[row])
    best = {number: max(Counter(values).values()) / len(values) for number, values in members.items()}
    asked = [(number, row) for number, row, open_ in zip(classes, rows, hidden, strict=True)
             if open_ and found.reading[row] is not None]  # fmt: skip
    if not asked:
        return False
    hits = sum(found.reading[row] == found.truth[row] for _, row in asked)
    guess = sum(best[number] for number, _ in asked) / len(asked)
    return hits > guess * len(asked) and luck(hits, len(asked), guess) < SURELY


def luck(hits: int, tries: int, chance: float) -> float:
    """How probable so many hits or more are, if each comes with this chance."""
    return float(sum(comb(tries, at) * chance**at * (1 - chance) ** (tries - at)
                     for at in range(hits, tries + 1)))  # fmt: skip
