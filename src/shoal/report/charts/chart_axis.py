"""The span of an axis: wide enough that its numbers differ, and are those of the points."""

from collections.abc import Iterable
from math import log10
from typing import Literal

DECADE = 10  # figures that spread further are easier to read on a logarithmic axis
LEAST = 0.2  # of a figure that the axis around it spans
MARGIN = 0.06  # of the axis, on both sides of its points


def scale_of(values: Iterable[float]) -> Literal["log", "linear"]:
    """Logarithmic from a decade on, never with a zero.

    >>> scale_of([2, 5, 50]), scale_of([0, 5, 50]), scale_of([20, 50])
    ('log', 'linear', 'linear')
    """
    figures = list(values)
    return "log" if 0 < min(figures) <= max(figures) / DECADE else "linear"


def span_of(values: Iterable[float]) -> tuple[float, float]:
    """The ends of an axis; figures that hardly differ do not fill it.

    >>> span_of([0.0]), span_of([0.5, 1.5])
    ((0.0, 1.0), (0.44, 1.56))
    >>> span_of([100.0])
    (88.8, 111.2)
    """
    figures = list(values)
    low, high = min(figures), max(figures)
    if low == high == 0:
        return 0.0, 1.0
    if scale_of(figures) == "log":
        margin = (high / low) ** MARGIN
        return _short(low / margin), _short(high * margin)
    middle, width = (low + high) / 2, max(high - low, LEAST * max(abs(low), abs(high)))
    reach = width * (0.5 + MARGIN)
    start = middle - reach
    return _short(max(start, 0.0) if low >= 0 else start), _short(middle + reach)


def share_along(value: float, span: tuple[float, float], scale: str) -> float:
    """The place of a figure on its axis, from 0 to 1.

    >>> share_along(5, (0, 10), "linear"), share_along(10, (1, 100), "log")
    (0.5, 0.5)
    """
    low, high = span
    if scale == "log":
        return log10(value / low) / log10(high / low)
    return (value - low) / (high - low)


def _short(figure: float) -> float:
    return float(f"{figure:.6g}")
