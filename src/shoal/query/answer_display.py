"""An answer to look at: lines for a terminal, a table for a notebook, JSON, and an Arrow table."""

import json
import re
from datetime import date, datetime
from decimal import Decimal
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.display import html_note, html_table

if TYPE_CHECKING:
    from shoal.query.answer import Answer, Bounds

FIGURES = ("lower", "expected", "upper", "sd", "hits")


def answer_cells(answer: "Answer") -> list[tuple[str, ...]]:
    """The head, then one line per row: a range, with what to expect inside it, for every aggregate.

    >>> from shoal.query.answer import Answer, Bounds
    >>> answer_cells(Answer(("sum(pay)",), ({"sum(pay)": Bounds(530000, 535000.0, 540000, 4082.48, 3)},)))
    [('sum(pay)', 'hits'), ('530,000 to 540,000 (expect 535,000, sd 4,082.48)', '3')]
    """
    names = answer.columns
    hits = any(_has_bounds(row[name]) for row in answer.rows for name in names)
    lines = [(*names, *(["hits"] if hits else []))]
    for row in answer.rows:
        cells = [_words(row[name]) if _has_bounds(row[name]) else _key(row[name]) for name in names]
        counted = [row[name].hits for name in names if _has_bounds(row[name])]
        lines.append((*cells, *([f"{counted[0]:,}"] if counted else [])))
    return lines


def answer_html(answer: "Answer") -> str:
    """An answer as a table for a notebook, its notes below."""
    head, *rows = answer_cells(answer)
    return html_table(head, rows) + "".join(map(html_note, answer.notes))


def answer_json(answer: "Answer", indent: int | None = None, ascii_only: bool = False) -> str:
    """JSON with every digit: a decimal is a number there, also where no float has its value.

    >>> from shoal.query.answer import Answer, Bounds
    >>> pay = Decimal("90071992547409.93")
    >>> '"lower": 90071992547409.93,' in answer_json(Answer(("m",), ({"m": Bounds(pay, pay, pay, 0.0, 1)},)))
    True
    """
    mark = token_hex(16)  # no cell holds it
    text = json.dumps(
        answer.as_dict(), indent=indent, ensure_ascii=ascii_only, default=lambda number: f"{mark}{number}"
    )
    return re.sub(rf'"{mark}([^"]*)"', r"\1", text)


def plain_number(number: Decimal) -> float | Decimal:
    """The float that is written with the same digits; the decimal itself if there is none.

    >>> plain_number(Decimal("0.60")), plain_number(Decimal("90071992547409.93"))
    (0.6, Decimal('90071992547409.93'))
    """
    return float(number) if Decimal(repr(float(number))) == number else number


def answer_arrow(answer: "Answer") -> pa.Table:
    """One column per key, and five per aggregate: its figures under ``name lower``, ``name expected``, ...

    >>> from shoal.query.answer import Answer, Bounds
    >>> answer_arrow(Answer(("n",), ({"n": Bounds(2, 2, 2, 0.0, 2)},))).column_names
    ['n lower', 'n expected', 'n upper', 'n sd', 'n hits']
    """
    columns: dict[str, list[Any]] = {}
    for name in answer.columns:
        cells = [row[name] for row in answer.rows]
        if cells and _has_bounds(cells[0]):
            for figure in FIGURES:
                columns[f"{name} {figure}"] = [getattr(cell, figure) for cell in cells]
        else:
            columns[name] = cells
    return pa.table({name: _array(cells) for name, cells in columns.items()})


def _array(cells: list[Any]) -> pa.Array:
    """Decimals keep their digits. What does not fit beside each other, or is too large, as real numbers."""
    kinds = {type(cell) for cell in cells}
    if Decimal in kinds and float not in kinds:
        try:
            return pa.array([None if cell is None else Decimal(cell) for cell in cells])
        except pa.ArrowInvalid:  # more digits than a column of decimals can have
            kinds.add(float)
    if float in kinds or any(type(cell) is int and abs(cell) >= 2**63 for cell in cells):
        cells = [None if cell is None else float(cell) for cell in cells]
    return pa.array(cells)


def _has_bounds(cell: Any) -> bool:
    return hasattr(cell, "lower") and hasattr(cell, "hits")


def _words(cell: Any) -> str:
    if cell.lower is None and cell.upper is None:
        return "nothing"
    if cell.lower == cell.upper:
        return _figure(cell.lower)
    return f"{_figure(cell.lower)} to {_figure(cell.upper)}{_between(cell)}"


def _between(cell: "Bounds") -> str:
    if cell.expected is None:
        return ""
    days = " days" if isinstance(cell.expected, date) else ""
    spread = "" if cell.sd is None else f", sd {_figure(cell.sd)}{days}"
    return f" (expect {_figure(cell.expected)}{spread})"


def _key(value: Any) -> str:
    """Years and codes are no amounts."""
    return _figure(str(value) if isinstance(value, int) else value)


def _figure(value: Any) -> str:
    match value:
        case None:
            return "NULL"
        case bool() | str():
            return str(value)
        case int():
            return f"{value:,}"
        case float() | Decimal():
            return f"{value:,.6g}" if -1000 < value < 1000 else f"{value:,.2f}".rstrip("0").rstrip(".")
        case datetime():
            return value.isoformat(" ", timespec="minutes")
        case date():
            return value.isoformat()
    return str(value)
