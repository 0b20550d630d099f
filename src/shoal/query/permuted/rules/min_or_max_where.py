"""MIN and MAX under a condition on a sensitive column, over all choices with at least one fitting value.

MIN is at least the smallest fitting value of the hit groups. Where fitting values are forced, it is at
most the smallest of what the groups cannot avoid; otherwise one value alone, the largest, may be it.
"""

from sqlglot import exp

from shoal.query.permuted.cell import Cell, bounds
from shoal.query.permuted.rules.where import FittingSpans, fitting_spans
from shoal.query.permuted.scope import Scope


def min_where(call: exp.Expression, scope: Scope) -> Cell:
    """The bounds of MIN over the rows that may fit a condition."""
    found = fitting_spans(call.this, scope)
    unavoidable = _forced(found, f"{found.end} - {found.of('forced')} + 1")
    lower = found.look().add("min_lower", f"MIN({_smallest(found)})")
    upper = found.look().add("min_upper", f"COALESCE(MIN({unavoidable}), MAX({found.lists.at(found.end)}))")
    return bounds(lower, upper)


def max_where(call: exp.Expression, scope: Scope) -> Cell:
    """The bounds of MAX over the rows that may fit a condition."""
    found = fitting_spans(call.this, scope)
    unavoidable = _forced(found, f"{found.of('below')} + {found.of('forced')}")
    lower = found.look().add("max_lower", f"COALESCE(MAX({unavoidable}), MIN({_smallest(found)}))")
    return bounds(lower, found.look().add("max_upper", f"MAX({found.lists.at(found.end)})"))


def _smallest(found: FittingSpans) -> str:
    return found.lists.at(f"{found.of('below')} + 1")


def _forced(found: FittingSpans, place: str) -> str:
    return f"CASE WHEN {found.of('forced')} > 0 THEN {found.lists.at(place)} END"
