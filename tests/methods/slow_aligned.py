"""aligned as one would explain it: every grouping, every cell, one row after the other.

All randomness is handed in: a rank per row that orders equal totals, and a rank per row and column, of
which the smallest wins.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

Row = Sequence[int]
Box = tuple[tuple[int, int], ...]  # both ends of every cell
Domain = tuple[Row, Row]  # smallest and largest value of every column
Ends = list[tuple[int, int] | None]  # what each cell would be opened to
Choice = Callable[[Row, Ends, Row, Domain], int | None]  # the column that a row opens


@dataclass(frozen=True)
class SlowClass:
    """Rows of one class and what they publish; None if some row found no cell."""

    rows: tuple[int, ...]
    boxes: tuple[Box, ...] | None


def slow_aligned(
    table: Sequence[Row],
    weights: Row,
    k: int,
    ties: Sequence[int],
    preferences: Sequence[Row],
    domain: Domain,
    choose: Choice,
) -> list[SlowClass]:
    totals = [total_of(row, weights) for row in table]
    order = sorted(range(len(table)), key=lambda row: (totals[row], ties[row]))
    starts = slow_groups(tuple(totals[row] for row in order), k)
    classes = []
    for begin, end in pairwise(starts):
        rows = tuple(order[begin:end])
        least, most = totals[rows[0]], totals[rows[-1]]
        boxes = []
        for row in rows:
            cells, preference = tuple(table[row]), tuple(preferences[row])
            box = box_of(cells, tuple(weights), least, most, preference, domain, choose)
            if box is None:
                break
            boxes.append(box)
        classes.append(SlowClass(rows, tuple(boxes) if len(boxes) == len(rows) else None))
    return classes


@cache
def box_of(
    row: Row, weights: Row, least: int, most: int, preference: Row, domain: Domain, choose: Choice
) -> Box | None:
    """The row with one cell open, or with none if the class needs none."""
    box = [(cell, cell) for cell in row]
    if least < most:
        ends = ends_of_cells(row, weights, least, most)
        column = choose(row, ends, preference, domain)
        if column is None:
            return None
        box[column] = ends[column]
    return tuple(box)


def total_of(row: Row, weights: Row) -> int:
    return sum(weight * cell for weight, cell in zip(weights, row, strict=True))


@cache
def slow_groups(ordered: tuple[int, ...], k: int) -> tuple[int, ...]:
    """Starts of the groups of k to 2k - 1 neighbours with the least size times width; of equals, the
    smaller last group."""

    def cost(starts: tuple[int, ...]) -> int:
        return sum((end - begin) * (ordered[end - 1] - ordered[begin]) for begin, end in pairwise(starts))

    def best(rows: int) -> tuple[int, ...] | None:
        if rows == 0:
            return (0,)
        found = []
        for size in range(k, min(2 * k - 1, rows) + 1):
            before = best(rows - size)
            if before is not None:
                found.append((*before, rows))
        return min(found, key=cost, default=None)

    starts = best(len(ordered))
    assert starts is not None
    return starts


def ends_of_cells(row: Row, weights: Row, least: int, most: int) -> Ends:
    """For every column what its cell must be for f to be ``least`` and ``most``, the smaller one first.

    None for columns that do not move f by the step that most columns have, or could not reach the ends.
    """
    counts = Counter(sorted(abs(weight) for weight in weights if weight))
    step = counts.most_common(1)[0][0]
    total = total_of(row, weights)
    ends: Ends = []
    for cell, weight in zip(row, weights, strict=True):
        if abs(weight) == step and (least - total) % step == 0 and (most - total) % step == 0:
            first, last = cell + (least - total) // weight, cell + (most - total) // weight
            ends.append((min(first, last), max(first, last)))
        else:
            ends.append(None)
    return ends


def blind_column(row: Row, ends: Ends, preference: Row, domain: Domain) -> int | None:
    """Drawn without a look at the range; if the range does not fit, there is none."""

    def usable(column: int, cell: int) -> bool:
        return ends[column] is not None and cell != 0 and domain[0][column] < cell < domain[1][column]

    open_to_choice = [column for column, cell in enumerate(row) if usable(column, cell)]
    if not open_to_choice:
        return None
    most_digits = max(digits(row[column]) for column in open_to_choice)
    longest = [column for column in open_to_choice if digits(row[column]) == most_digits]
    chosen = min(longest, key=lambda column: preference[column])
    reached = ends[chosen]
    assert reached is not None
    fits = all(
        usable(chosen, value) and digits(value) == most_digits for value in range(reached[0], reached[1] + 1)
    )
    return chosen if fits else None


def digits(cell: int) -> int:
    """How many hexadecimal digits a number is written with; 0 has none."""
    return len(f"{abs(cell):x}") if cell else 0


def eligible_column(row: Row, ends: Ends, preference: Row, domain: Domain) -> int | None:
    """Drawn from those whose range fits."""

    def fits(column: int) -> bool:
        reached = ends[column]
        if reached is None:
            return False
        inside = domain[0][column] <= reached[0] and reached[1] <= domain[1][column]
        return inside and 0 not in range(reached[0], reached[1] + 1)

    return min(filter(fits, range(len(row))), key=lambda column: preference[column], default=None)
