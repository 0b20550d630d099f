"""Attackers by brute force, from the definitions alone: every person beside every record, cell by cell.

A cell is a pair of numbers, or a set of words. A record fits a person if every cell that is known holds the
person's value. Three readings of what fits: the records that show the very same as the person's own (own
class), those whose known cells leave the fewest values open (narrowest), and all of them; and beside the
narrowest, all weighed by one over the number of values left open. Nothing here imports an attack.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

Cell = tuple[str, Any]  # ("range", (low, high)) or ("words", frozenset)
Record = dict[str, Cell]
TREE = {"north": ["Ayr", "Bergen"], "south": ["Como", "Bari", "Cadiz"]}
LEAVES = [leaf for leaves in TREE.values() for leaf in leaves]


def cell_of(shown: Any, everything: Cell) -> Cell:
    """A published cell as it is read: a struct or text of two ends, a set, a label, a star."""
    if isinstance(shown, dict):
        return "range", (shown["lo"], shown["hi"])
    if isinstance(shown, str) and shown == "*":
        return everything
    if isinstance(shown, str) and shown.startswith("["):
        low, high = shown[1:-1].split(",")
        return "range", (float(low), float(high))
    if isinstance(shown, str) and shown.startswith("{"):
        return "words", frozenset(word.strip() for word in shown[1:-1].split(","))
    if isinstance(shown, str) and shown in TREE:
        return "words", frozenset(TREE[shown])
    if isinstance(shown, str) and shown in LEAVES:
        return "words", frozenset([shown])
    return "range", (float(shown), float(shown))


def holds(cell: Cell, value: Any) -> bool:
    kind, inside = cell
    return value in inside if kind == "words" else inside[0] <= value <= inside[1]


def values_open(cell: Cell) -> float:
    kind, inside = cell
    return len(inside) if kind == "words" else inside[1] - inside[0] + 1


@dataclass(frozen=True)
class Knowledge:
    """What is known of a person: which records fit, what they show of it, how much they leave open."""

    fits: Callable[[dict[str, Any], Record], bool]
    shows: Callable[[Record], Hashable]
    leaves_open: Callable[[Record], float]
    own_known: bool = True  # is the class of one's own record a reading?


def of_columns(names: Sequence[str]) -> Knowledge:
    return Knowledge(
        lambda person, record: all(holds(record[name], person[name]) for name in names),
        lambda record: tuple(record[name] for name in names),
        lambda record: prod(values_open(record[name]) for name in names),
    )


def of_sum(names: Sequence[str], about: float = 0.0, also: Sequence[str] = ()) -> Knowledge:
    """The sum of some columns, exactly or to within a share, and columns besides."""

    def image(record: Record) -> tuple[float, float]:
        ends = [record[name][1] for name in names]
        return sum(low for low, _ in ends), sum(high for _, high in ends)

    def rest(person: dict[str, Any], record: Record) -> bool:
        total, low, high = 0.0, 0.0, 0.0
        for name in names:
            ends = record[name][1] if name not in also else (person[name], person[name])
            total, low, high = total + person[name], low + ends[0], high + ends[1]
        return low <= total + about * abs(total) and high >= total - about * abs(total)

    return Knowledge(
        lambda person, record: (
            rest(person, record) and all(holds(record[name], person[name]) for name in also)
        ),
        lambda record: (image(record), tuple(record[name] for name in also)),
        lambda record: (image(record)[1] - image(record)[0] + 1) * prod(values_open(record[n]) for n in also),
        own_known=not about,
    )


Weighed = list[tuple[int, float]]  # records and how much each of them counts


def readings(known: Knowledge, person: dict[str, Any], own: int, records: list[Record]) -> dict[str, Weighed]:
    """The records that each reading takes for candidates, with their weights."""
    fitting = [at for at, record in enumerate(records) if known.fits(person, record)]
    volumes = {at: known.leaves_open(records[at]) for at in fitting}
    least = min(volumes.values(), default=0.0)
    found = {
        "all": [(at, 1.0) for at in fitting],
        "narrowest": [(at, 1.0) for at in fitting if volumes[at] <= least * (1 + 1e-12)],
        "volume": [(at, least / volumes[at]) for at in fitting],
    }
    if known.own_known:
        shown = known.shows(records[own])
        found["own"] = [(at, 1.0) for at, record in enumerate(records) if known.shows(record) == shown]
    return found


def share(weighed: Weighed, right: Callable[[int], bool]) -> float:
    total = sum(weight for _, weight in weighed)
    return sum(weight for at, weight in weighed if right(at)) / total if total else 0.0


def best(
    known: Knowledge,
    people: list[dict[str, Any]],
    link: list[int],
    records: list[Record],
    right: Callable[[int, int], Callable[[int], bool]],
) -> tuple[float, float]:
    """Mean over all people and largest success of the best reading; ``right(person, own record)`` tells the
    records that are as good as the person's own. Who was left out is found by nobody."""
    success: dict[str, list[float]] = {}
    for own, person in enumerate(link):
        for name, weighed in readings(known, people[person], own, records).items():
            success.setdefault(name, []).append(share(weighed, right(person, own)))
    return (
        max(sum(one) / len(people) for one in success.values()),
        max(max(one) for one in success.values()),
    )
