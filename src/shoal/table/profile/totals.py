"""Columns that are the sum of those beside them, in most rows: whoever has all but one has that one, too."""

from collections.abc import Iterator, Mapping

import numpy as np

from shoal.arrays import Floats

MOST_ADDENDS = 20
MOST_ROWS = 5_000  # are looked at
MOST = 0.9  # of the rows in which something is added
FEWEST = 20  # such rows


def find_totals(columns: Mapping[str, Floats]) -> dict[str, tuple[str, ...]]:
    """Totals and their addends, which stand side by side before or after the total; NaN is missing.

    >>> pay, bonus = np.arange(1.0, 41), np.arange(40.0, 0, -1)
    >>> find_totals({"pay": pay, "bonus": bonus * 2, "all": pay + bonus * 2})
    {'all': ('pay', 'bonus')}
    """
    names = list(columns)
    cells = {name: np.nan_to_num(column[:MOST_ROWS]) for name, column in columns.items()}
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        addends = next((some for some in _runs(names, name) if _adds_up(cells, name, some)), None)
        if addends and not set(addends) & set(found):
            found[name] = addends
    return found


def _runs(names: list[str], name: str) -> Iterator[tuple[str, ...]]:
    """Columns just before a column, and just after it."""
    at = names.index(name)
    for length in range(2, MOST_ADDENDS + 1):
        if at >= length:
            yield tuple(names[at - length : at])
        if at + length < len(names):
            yield tuple(names[at + 1 : at + 1 + length])


def _adds_up(cells: Mapping[str, Floats], total: str, addends: tuple[str, ...]) -> bool:
    parts = np.stack([cells[name] for name in addends])
    added = (parts != 0).sum(axis=0) > 1
    if added.sum() < FEWEST or np.any((parts != 0).sum(axis=1) == 0):
        return False
    off = np.abs(parts.sum(axis=0) - cells[total])
    scale = np.maximum(np.abs(cells[total]), 1.0)
    varied = len(np.unique(cells[total][added])) >= FEWEST
    return bool(varied and np.mean((off <= 1e-6 * scale)[added]) >= MOST)
