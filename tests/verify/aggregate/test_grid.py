"""Equal signatures against equal sets of grid values, over every box of a small grid."""

from collections import defaultdict
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest

from shoal.policy.model.expression import columns_of, parse_expression
from shoal.verify.aggregate.grid import even_step, grid_signature
from shoal.verify.aggregate.image import comparable_ends, image_of
from tests.verify.brute_force import Record, cells_of, values_over

EVEN = (
    "a + b - c",
    "avg(a, b, c)",
    "min(a, b, c)",
    "max(a, b) - 2",
    "median(a, b, c)",
    "median(a, b)",
    "median(a, b, c, d)",
    "a + max(b, c)",
    "-2 * min(a, b - c)",
)
CHAINS = (
    "a + 2 * b",
    "a - 3 * b",
    "0.5 * a - b",
    "a + 2 * b + 4 * c",
    "a - 2 * b + 8 * c",
    "3 * a + 3 * b - 6 * c",
)
UNEVEN = (
    "2 * a + 3 * b",
    "2 * a - 3 * b + 4 * c",
    "a * b",
    "-2 * a * b * c",
    "a * b + c",
    "a * b + c * d",
    "(a + b) * c",
    "(a - b) ^ 2",
    "a ^ 2 - b",
    "(a ^ 2 - 2) * b * c",
    "norm(a, b, c)",
    "norm(a - b, c)",
    "a / p",
    "(a + b) / p",
    "a * b / p",
    "a / (b ^ 2 + p)",
    "max(3 * a, min(b, c))",
    "min(a, -2 * min(b, c))",
    "2 * a + max(b, c)",
    "(a + b) + max(2 * c, d)",
    "median(a, 2 * b, c)",
    "median(a, 2 * b)",
    "median(a, b * c, d)",
    "(a * b) ^ 2 + c",
)


def every_box(text: str) -> list[Record]:
    """All boxes with ends in -1 .. 1 (1 .. 3 for a column p; two columns may use one value more)."""
    names = list(columns_of(parse_expression(text)))
    size = 4 if len(names) == 2 else 3
    starts = [1 if name == "p" else -1 for name in names]
    sides = [list(combinations_with_replacement(range(start, start + size), 2)) for start in starts]
    return [dict(zip(names, cells, strict=True)) for cells in product(*sides)]


def images_by_key(text: str, boxes: list[Record], scales: dict[str, int]) -> dict[Any, set[frozenset[Any]]]:
    """The different sets of values of the records that the verifier counts as alike."""
    tree, cells = parse_expression(text), cells_of(boxes, scales)
    image = image_of(tree, cells)
    keys = [*comparable_ends(image), *grid_signature(tree, cells, image.low < image.high)]
    found = defaultdict(set)
    for key, box in zip(np.column_stack(keys).tolist(), boxes, strict=True):
        found[tuple(key)].add(frozenset(values_over(text, box, scales)))
    return found


def scales_for(text: str, grids: str) -> dict[str, int]:
    """One grid for all columns, or a finer one for every second column."""
    return {
        name: at % 2 if grids == "mixed" else 0 for at, name in enumerate(columns_of(parse_expression(text)))
    }


@pytest.mark.parametrize("grids", ["one", "mixed"])
@pytest.mark.parametrize("text", [*EVEN, *CHAINS, *UNEVEN])
def test_records_that_count_as_alike_take_the_same_values(text: str, grids: str) -> None:
    found = images_by_key(text, every_box(text), scales_for(text, grids))
    assert max(map(len, found.values())) == 1


@pytest.mark.parametrize("text", [*EVEN, *CHAINS])
def test_records_that_take_the_same_values_count_as_alike(text: str) -> None:
    found = images_by_key(text, every_box(text), scales_for(text, "one"))
    assert len(found) == len(set().union(*found.values()))


@pytest.mark.parametrize("text", EVEN)
def test_on_one_grid_the_ends_say_it_all(text: str) -> None:
    cells = cells_of(every_box(text), scales_for(text, "one"))
    assert even_step(parse_expression(text), cells) is not None
    assert grid_signature(parse_expression(text), cells, np.True_) == []


def test_progressions_beyond_64_bits_are_told_apart() -> None:
    far = 2**63 - 1
    boxes = [
        {"a": (-far, far), "b": (0, 1)},
        {"a": (-far, far), "b": (0, 1)},
        {"a": (-far, far - 1), "b": (0, 2)},
    ]
    tree, cells = parse_expression("a + 10000000000000000000000 * b"), cells_of(boxes, {"a": 0, "b": 0})
    keys = grid_signature(tree, cells, np.ones(3, bool))
    assert all(key[0] == key[1] for key in keys)
    assert any(key[0] != key[2] for key in keys)
