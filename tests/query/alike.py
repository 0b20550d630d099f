"""Two engines have given the same answer."""

from dataclasses import astuple
from typing import Any

import pytest

from shoal.query.answer import Answer, Bounds


def assert_alike(found: Answer, expected: Answer) -> None:
    """Whole numbers and decimals are exact; the order of a sum may change the last digit of a real one."""
    assert (found.columns, found.notes) == (expected.columns, expected.notes)
    assert _figures(found) == [close(figure) for figure in _figures(expected)]
    assert [type(figure) for figure in _figures(found)] == [type(figure) for figure in _figures(expected)]


def _figures(found: Answer) -> list[Any]:
    values = [value for row in found.rows for value in row.values()]
    return [
        figure for value in values for figure in (astuple(value) if isinstance(value, Bounds) else (value,))
    ]


def close(figure: Any) -> Any:
    return pytest.approx(figure, rel=1e-9, abs=1e-9) if isinstance(figure, float) else figure
