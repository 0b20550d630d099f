"""SUM under a condition on a sensitive column: the sum of values that count as 0 where it fails.

The least sum takes as many of the smallest fitting values as are negative or forced. For the expectation
and the deviation all N values of a group count, those that do not fit as 0: with the share p, the mean u and
the variance v of those that do, their mean is p u and their variance p v + p (1 - p) u^2.
A permutation in which no row fits counts as 0 here, where SQL says NULL.
"""

from sqlglot import exp

from shoal.query.permuted.cell import Cell, cell
from shoal.query.permuted.rules.where import FittingSpans, fitting_spans
from shoal.query.permuted.scope import Scope


def sum_where(call: exp.Expression, scope: Scope) -> Cell:
    """The bounds, expectation and deviation of the sum over the rows that may fit a condition."""
    found = fitting_spans(call.this, scope)
    look = found.look()
    hits, size, mean = found.of("hits"), found.of("group_size"), found.of("mean")
    share = f"CAST({found.of('fits')} AS DOUBLE) / {size}"
    variance = f"({share} * {found.of('variance')} + {share} * (1 - {share}) * {mean} * {mean})"
    sampled = f"SUM({hits} * ({size} - {hits}) / GREATEST({size} - 1, 1) * {variance})"
    return cell(
        look.add("sum_lower", f"SUM({found.smallest(_hits_within(found, _negatives(found)))})"),
        look.add("sum_expected", f"SUM({hits} * {share} * {mean})"),
        look.add("sum_upper", f"SUM({found.largest(_hits_within(found, _positives(found)))})"),
        look.add("sum_sd", f"SQRT({sampled})"),
    )


def _hits_within(found: FittingSpans, wanted: str) -> str:
    return f"GREATEST(LEAST({found.of('hits')}, {wanted}), {found.of('forced')})"


def _negatives(found: FittingSpans) -> str:
    """The number of negative ones among the fitting values; they are the first of a group."""
    below = f"{found.lists.figure('negatives')} - {found.of('below')}"
    return f"GREATEST(LEAST({below}, {found.of('fits')}), 0)"


def _positives(found: FittingSpans) -> str:
    above = f"{found.end} - {found.lists.size} + {found.lists.figure('positives')}"
    return f"GREATEST(LEAST({above}, {found.of('fits')}), 0)"
