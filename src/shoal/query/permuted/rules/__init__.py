"""One rule for each aggregate: how its bounds are computed from hits and lists."""

from collections.abc import Callable

from sqlglot import exp

from shoal.query.permuted.cell import Cell
from shoal.query.permuted.rules.avg import avg_bounds
from shoal.query.permuted.rules.avg_where import avg_where
from shoal.query.permuted.rules.count import count_rows
from shoal.query.permuted.rules.count_where import count_where
from shoal.query.permuted.rules.max import max_bounds
from shoal.query.permuted.rules.min import min_bounds
from shoal.query.permuted.rules.min_or_max_where import max_where, min_where
from shoal.query.permuted.rules.quantile import quantile_bounds
from shoal.query.permuted.rules.sum import sum_bounds
from shoal.query.permuted.rules.sum_where import sum_where
from shoal.query.permuted.rules.variance import variance_bounds
from shoal.query.permuted.scope import Scope

Rule = Callable[[exp.Expression, Scope], Cell]

RULES: tuple[tuple[type[exp.Expression], Rule], ...] = (
    (exp.Count, count_rows),
    (exp.Sum, sum_bounds),
    (exp.Avg, avg_bounds),
    (exp.Min, min_bounds),
    (exp.Max, max_bounds),
    (exp.Median, quantile_bounds),
    (exp.PercentileCont, quantile_bounds),
    (exp.PercentileDisc, quantile_bounds),
    (exp.Quantile, quantile_bounds),
    (exp.Variance, variance_bounds),
    (exp.VariancePop, variance_bounds),
    (exp.Stddev, variance_bounds),
    (exp.StddevSamp, variance_bounds),
    (exp.StddevPop, variance_bounds),
)

CONDITIONAL: tuple[tuple[type[exp.Expression], Rule], ...] = (
    (exp.Count, count_where),
    (exp.Sum, sum_where),
    (exp.Avg, avg_where),
    (exp.Min, min_where),
    (exp.Max, max_where),
)
