"""Hierarchies built from a column's own values: intervals, groups in order, masks, dates, rare values.

Every function takes the different words of a column (None where a cell is missing) and gives one path per
word, up to ``*``. Missing is a leaf of its own that only the top joins with others.
"""

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from math import prod
from typing import Any

from shoal.errors import ShoalError
from shoal.hierarchy.hierarchy import TOP, Hierarchy
from shoal.table.columns.same_value import value_of
from shoal.table.columns.word_set import cell_of, set_of

Words = Sequence[str | None]
DATE_PARTS = ("week", "month", "quarter", "year", "decade", "century")
RARE = "(rare)"
EMPTY = "(empty)"
MOST_DIGITS = 25  # decimal arithmetic is exact up to 28


def flat(words: Words) -> Hierarchy:
    """The values, and ``*``."""
    return Hierarchy.from_paths([(word, TOP) for word in words])


def intervals(
    words: Words, widths: Sequence[Decimal], name: str = "", whole: bool | None = None
) -> Hierarchy:
    """Ranges of each width in turn, each a multiple of the one before; whole numbers give closed ranges.

    >>> intervals(["7", "23"], [Decimal(5), Decimal(10)]).paths()
    [['7', '[5, 9]', '[0, 9]', '*'], ['23', '[20, 24]', '[20, 29]', '*']]
    """
    for narrow, wide in pairwise(widths):
        if wide % narrow or wide <= narrow:
            raise ShoalError(
                f"the intervals of {name!r} do not fit into each other",
                "let every width be a multiple of the one before, for example [5, 10, 20].",
            )
    numbers = {word: _number(word, name) for word in words if word is not None}
    closed = all_whole([*numbers.values(), *widths]) if whole is None else whole

    def label(number: Decimal, width: Decimal) -> str:
        low = int((number / width).to_integral_value("ROUND_FLOOR")) * width  # 0, 0.0 and -0 are one number
        return f"[{low:f}, {low + width - 1:f}]" if closed else f"[{low:f}, {low + width:f})"

    return _from_labels(words, len(widths), lambda word, at: label(numbers[word], widths[at]))


def all_whole(numbers: Sequence[Decimal]) -> bool:
    """Are all numbers integers?"""
    return all(number == number.to_integral_value() for number in numbers)


def order_groups(words: Words, sizes: Sequence[int], order: Sequence[str] = ()) -> Hierarchy:
    """Neighbours in order, so many at a time, then so many of these groups, and so on. With an ``order``
    groups begin where its own do, whether all of its words occur or not.

    >>> order_groups(["a", "b", "c"], [2]).paths()
    [['a', '{a, b}', '*'], ['b', '{a, b}', '*'], ['c', '{c}', '*']]
    >>> order_groups(["a", "b"], [2], ["c", "b", "a"]).paths()
    [['a', '{a}', '*'], ['b', '{c, b}', '*']]
    """
    if order:
        return _declared_groups(words, sizes, order)
    there = sorted(word for word in words if word is not None)
    numeric = _all_numbers(there)
    value_of = {word: Decimal(word) if numeric else word for word in there}
    spelling = {value: word for word, value in reversed(value_of.items())}  # 0 and 0.00 are one value
    ordered = sorted(spelling)
    rank = {value: at for at, value in enumerate(ordered)}

    def label(word: str, height: int) -> str:
        span = 1
        for size in sizes[: height + 1]:
            span *= size
        first = rank[value_of[word]] // span * span
        members = [spelling[value] for value in ordered[first : first + span]]
        return f"[{members[0]}, {members[-1]}]" if numeric else set_of(members)

    return _from_labels(words, len(sizes), label)


def _declared_groups(words: Words, sizes: Sequence[int], order: Sequence[str]) -> Hierarchy:
    rank = {value_of(word): at for at, word in enumerate(order)}
    if unknown := sum(word is not None and value_of(word) not in rank for word in words):
        what = f"{unknown} different words are not in the declared order"
        raise ShoalError(what, "add them to order in [types].")

    def label(word: str, height: int) -> str:
        span = prod(sizes[: height + 1])
        first = rank[value_of(word)] // span * span
        return set_of(order[first : first + span])

    return _from_labels(words, len(sizes), label)


def mask(words: Words, side: str = "right", longest: int = 0) -> Hierarchy:
    """Characters are starred one by one from one side, as many as the longest word has.

    >>> mask(["130", "148"]).paths()
    [['130', '13*', '1**', '*'], ['148', '14*', '1**', '*']]
    """
    longest = longest or longest_word(words)

    def label(word: str, height: int) -> str:
        hidden = height + 1
        if side == "left":
            padded = word.rjust(longest)
            return "*" * hidden + padded[hidden:].lstrip(" ") if hidden < longest else TOP
        padded = word.ljust(longest)
        return padded[: longest - hidden].rstrip(" ") + "*" * hidden if padded[0] != " " else EMPTY

    return _from_labels(words, longest - 1, label)


def longest_word(words: Words) -> int:
    """Letters of the longest word, and at least 1."""
    return max((len(word) for word in words if word), default=1)


def dates(words: Words, parts: Sequence[str], name: str = "") -> Hierarchy:
    """Days become weeks, months, quarters, years, decades, centuries, in that order.

    >>> dates(["2011-05-17"], ["month", "year"]).paths()
    [['2011-05-17', '2011-05', '2011', '*']]
    """
    if "week" in parts[:-1] or list(parts) != sorted(parts, key=DATE_PARTS.index):
        raise ShoalError(
            f"the parts of dates of {name!r} do not lie inside each other",
            "write them from short to long, such as month, year, decade; weeks lie inside none of them.",
        )
    days = {word: _day(word, name) for word in words if word is not None}
    return _from_labels(words, len(parts), lambda word, at: _part(days[word], parts[at]))


def frequency(words: Words, counts: Sequence[int], shares: Sequence[float]) -> Hierarchy:
    """Values rarer than each share in turn become one group of rare values.

    >>> frequency(["a", "b", "c"], [90, 9, 1], [0.05]).paths()
    [['a', 'a', '*'], ['b', 'b', '*'], ['c', '(rare)', '*']]
    """
    total = sum(counts)
    share = {word: count / total for word, count in zip(words, counts, strict=True)}

    def label(word: str, height: int) -> str | None:
        return cell_of([word]) if share[word] >= shares[height] else RARE

    return _from_labels(words, len(shares), label)


def tree(branches: Any, name: str = "") -> Hierarchy:
    """Labels with the values, or further labels, below them.

    >>> tree({"south": ["Ulm"], "north": ["Kiel", "Bremen"]}).paths()
    [['Ulm', 'south', '*'], ['Kiel', 'north', '*'], ['Bremen', 'north', '*']]
    """
    paths = list(_branches(branches, (TOP,)))
    depth = max(map(len, paths), default=0)
    level = [(path[0], *[cell_of(path[:1])] * (depth - len(path)), *path[1:]) for path in paths]
    return Hierarchy.from_paths(level, name)


def _branches(node: Any, above: tuple[str, ...]) -> Any:
    if isinstance(node, dict):
        for label, below in node.items():
            yield from _branches(below, (str(label), *above))
    else:
        for leaf in node:
            yield (value_of(str(leaf)) or "", *above)


def _from_labels(words: Words, levels: int, label: Callable[[str, int], str | None]) -> Hierarchy:
    missing = [None] * (levels + 1)
    return Hierarchy.from_paths(
        [
            (*missing, TOP) if word is None else (word, *(label(word, at) for at in range(levels)), TOP)
            for word in words
        ]
    )


def _number(word: str, name: str) -> Decimal:
    try:
        number = Decimal(word.strip())
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite():
        raise ShoalError(
            f"column {name!r} has cells that are no numbers, so it has no intervals",
            "use groups, a tree or a file for its hierarchy.",
        )
    if number.adjusted() > MOST_DIGITS or len(number.as_tuple().digits) > MOST_DIGITS:
        raise ShoalError(
            f"column {name!r} has numbers of more than {MOST_DIGITS} digits, so it has no intervals",
            "publish the column in larger units, for example thousands.",
        )
    return number


def _all_numbers(words: list[str]) -> bool:
    try:
        return all(Decimal(word.strip()).is_finite() for word in words)
    except InvalidOperation:
        return False


def _day(word: str, name: str) -> date:
    try:
        return date.fromisoformat(word.strip()[:10])
    except ValueError:
        raise ShoalError(
            f"column {name!r} has cells that are no dates", "write dates as 2011-05-17."
        ) from None


def _part(day: date, part: str) -> str:
    match part:
        case "week":
            year, week, _ = day.isocalendar()
            return f"{year}-W{week:02}"
        case "month":
            return f"{day.year}-{day.month:02}"
        case "quarter":
            return f"{day.year}-Q{(day.month + 2) // 3}"
        case "year":
            return f"{day.year}"
        case "decade":
            return f"{day.year // 10 * 10}s"
    return f"{day.year // 100 * 100} to {day.year // 100 * 100 + 99}"
