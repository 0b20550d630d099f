"""Tables of figures that others have measured, whatever they are: nested plain values become flat tables."""

from collections.abc import Iterator, Mapping
from typing import Any

from shoal.report.content import Cell, Grid, in_words, plain_cell

SKIPPED = ("sentence", "sentences", "notes")  # told in words elsewhere


def figure_tables(found: Mapping[str, Any], title: str) -> tuple[Grid, ...]:
    """Single figures in one table, every list of records and every group of figures in one of its own.

    >>> first, second = figure_tables({"records": 9, "columns": [{"name": "age", "loss": 0.5}]}, "loss")
    >>> first.rows, second.caption, second.head, second.rows
    ((('records', 9),), 'loss: columns', ('name', 'loss'), (('age', 0.5),))
    """
    return tuple(grid for grid in _tables(found, title) if grid.rows)


def _tables(found: Mapping[str, Any], title: str) -> Iterator[Grid]:
    told = {key: value for key, value in found.items() if key not in SKIPPED}
    single = [(in_words(key), plain_cell(value)) for key, value in told.items() if _is_single(value)]
    yield Grid(title, ("figure", "value"), tuple(single))
    names = _columns(told)
    for key, value in told.items():
        if _is_single(value):
            continue
        caption = f"{title}: {in_words(key)}"
        if not isinstance(value, Mapping):
            yield _records(value, caption)
        elif names and all(_is_along(names, part) for part in value.values()):
            yield Grid(caption, ("", *names), tuple(_along(names, value)))
        elif value and all(isinstance(part, Mapping) for part in value.values()):
            yield _records([{"": name, **part} for name, part in value.items()], caption)
        else:
            yield from _tables(value, caption)


def _columns(found: Mapping[str, Any]) -> tuple[str, ...]:
    """The names that lists of figures beside them go by."""
    names = found.get("columns", ())
    there = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
    return tuple(names) if there else ()


def _is_along(names: tuple[str, ...], part: object) -> bool:
    return isinstance(part, list | tuple) and len(part) == len(names)


def _along(names: tuple[str, ...], found: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
    """A row per list of figures, and one per name of a matrix.

    >>> list(_along(("age", "pay"), {"mean": [1, 2], "both": [[1, 0], [0, 1]]}))
    [('mean', 1, 2), ('both, age', 1, 0), ('both, pay', 0, 1)]
    """
    for key, part in found.items():
        if all(_is_along(names, row) for row in part):
            yield from (
                (f"{in_words(key)}, {name}", *map(plain_cell, row))
                for name, row in zip(names, part, strict=True)
            )
        else:
            yield (in_words(key), *map(plain_cell, part))


def _is_single(value: object) -> bool:
    if isinstance(value, Mapping):
        return False
    return not (isinstance(value, list | tuple) and any(isinstance(part, Mapping) for part in value))


def _records(records: list[Any], caption: str) -> Grid:
    """A row per record; lists inside records are left to charts."""
    rows = [record for record in records if isinstance(record, Mapping)]
    names = dict.fromkeys(
        key for row in rows for key, value in row.items() if not isinstance(value, list | tuple | Mapping)
    )
    cells: list[tuple[Cell, ...]] = [tuple(plain_cell(row.get(key)) for key in names) for row in rows]
    return Grid(caption, tuple(in_words(key) for key in names), tuple(cells))
