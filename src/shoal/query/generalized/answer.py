"""Answers from a generalized release: bounds that hold whatever its cells stand for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from sqlglot import exp

from shoal.arrays import AnyArray, Bools
from shoal.errors import ShoalError
from shoal.query.answer import Answer, Bounds, interval_bounds, middle
from shoal.query.arithmetic import DIGITS, Interval, Number, aggregates_in, expression_interval, real
from shoal.query.clauses import Clauses, read_clauses
from shoal.query.generalized.bounds import RULES, SAMPLE, Figure, Records, share_of
from shoal.query.generalized.column import WordCells, one_below_the_other
from shoal.query.generalized.condition import condition_truth
from shoal.query.generalized.database import GeneralizedDatabase
from shoal.query.generalized.key_groups import KeyGroups, key_groups
from shoal.query.generalized.value import expression_value
from shoal.query.parse import EXACT, SHAPE, check_nodes, parse
from shoal.query.permuted.aggregates import PARTS, without_within_group
from shoal.query.permuted.rewrite import PER_ROW
from shoal.query.refusal import unanswerable
from shoal.query.schema import SECONDS
from shoal.query.sql_text import sql_text
from shoal.query.syntax import column, select
from shoal.query.time_limit import TimeLimit
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.numbers import NotNumeric, is_text, numbers_from_arrow

TABLE = "answers"
QUANTILES = (exp.PercentileCont, exp.PercentileDisc, exp.Quantile)
SQUARES = (exp.Variance, exp.VariancePop)
SUPPRESSED = "{count:,} records were suppressed; they are outside every bound."
POSSIBLE = "{sure:,} records surely match, {possible:,} more may."
MAY_BE_NULL = (
    "Where no record surely matches with a value, the true answer may be NULL; a sum counts that as 0. The "
    "variance of a sample needs two."
)
MAY_BE_NONE = "A row may not exist at all where no record surely belongs to it."
UNTOLD = "A bound is None where records may hold any value, or where none has one."
ORDERED = "Rows are ordered by the middle of their bounds: the true order may differ."


@dataclass
class _Question:
    """One query; each aggregate is computed once, for all groups."""

    opened: GeneralizedDatabase
    clauses: Clauses
    groups: KeyGroups
    limit: TimeLimit
    found: dict[exp.Expression, list[Interval]] = field(default_factory=dict)
    may_be_null: bool = False  # although it has bounds

    def bounds(self, tree: exp.Expression) -> list[Interval]:
        """The bounds of an item, one pair per group."""
        return [expression_interval(tree, self._at(at)) for at in range(len(self.groups))]

    def _at(self, group: int) -> Callable[[exp.Expression], Interval]:
        return lambda call: self._aggregate(call)[group]

    def _aggregate(self, call: exp.Expression) -> list[Interval]:
        if call not in self.found:
            self.limit.check()
            self.found[call] = self._aggregated(call)
        return self.found[call]

    def _aggregated(self, call: exp.Expression) -> list[Interval]:
        """The bounds of one aggregate, for every group."""
        opened, groups = self.opened, self.groups
        call = without_within_group(call) if isinstance(call, exp.WithinGroup) else call
        if not _is_aggregate(call) or any(value for name, value in call.args.items() if name not in PARTS):
            raise unanswerable(call)
        if isinstance(call.this, exp.Star):
            if any(call.this.args.values()) or not isinstance(call, exp.Count):
                raise unanswerable(call)
            return [Interval(int(groups.sure[part].sum()), part.stop - part.start) for part in groups]
        check_nodes(call.this, EXACT)
        if isinstance(call, exp.Count):
            return _count_bounds(call.this, opened, groups)
        if isinstance(call, QUANTILES):
            share_of(call)
        values = _values(call.this, opened)
        power = 2 if isinstance(call, SQUARES) else 1
        rule, found = RULES[type(call)], []
        for part in groups:
            records = values.records(groups, part)
            found.append(values.scaled(rule(records, call), power))
            self.may_be_null |= self._may_be_null(records, part, call)
        return found

    def _may_be_null(self, records: Records, part: slice, call: exp.Expression) -> bool:
        """Some records have a value, but too few that surely match; a row of a key has a record at least."""
        minus = 1 if isinstance(call, SAMPLE) else 0
        if not len(records.sure) or records.sure.sum() > minus:
            return False
        return not self.groups.keys or minus > 0 or len(records.sure) < part.stop - part.start


def answer_generalized(opened: GeneralizedDatabase, sql: str, seconds: float = SECONDS) -> Answer:
    """Ask a generalized release; given up after some seconds.

    >>> from shoal.policy.model.policy import Policy
    >>> from shoal.query.generalized.database import open_generalized
    >>> roles = {"age": "quasi", "salary": "sensitive"}
    >>> policy = Policy(columns=roles, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> table = pa.table({"age": ["[31, 40]", "[31, 40]", "50"], "salary": [54, 55, 56]})
    >>> opened = open_generalized(table, policy, suppressed=0)
    >>> answer_generalized(opened, "select sum(salary) from data where age > 35").rows
    ({'sum(salary)': Bounds(lower=56, expected=None, upper=165, sd=None, hits=1)},)
    """
    with TimeLimit(opened.connection, seconds) as limit:
        clauses = read_clauses(parse(sql), opened.schema)
        _check(clauses)
        limit.check()
        return _answered(_Question(opened, clauses, key_groups(clauses.keys, clauses.where, opened), limit))


def _answered(question: _Question) -> Answer:
    clauses = question.clauses
    outputs = [_output(tree, question) for _, tree in clauses.items]
    names = tuple(name for name, _ in clauses.items)
    rows = tuple(
        dict(zip(names, (output[at] for output in outputs), strict=True))
        for at in _groups_in_answer(question)
    )
    return Answer(names, rows, _notes(question, outputs))


def _check(clauses: Clauses) -> None:
    if not clauses.keys and not any(call for _, tree in clauses.items for call in aggregates_in(tree)):
        raise ShoalError("the query asks for no aggregate", SHAPE)


def _is_aggregate(tree: exp.Expression) -> bool:
    return type(tree) in RULES or type(tree) in (exp.Count, exp.WithinGroup)


def _output(tree: exp.Expression, question: _Question) -> list[Any]:
    """An item of SELECT, for every group."""
    if tree in question.clauses.keys:
        values: list[Any] = question.groups.keys[question.clauses.keys.index(tree)].to_pylist()
        return values
    hits = [int(question.groups.sure[part].sum()) for part in question.groups]
    return [interval_bounds(found, hit) for found, hit in zip(question.bounds(tree), hits, strict=True)]


def _count_bounds(tree: exp.Expression, opened: GeneralizedDatabase, groups: KeyGroups) -> list[Interval]:
    """Records in which the expression is not missing."""
    there = ~condition_truth(exp.Is(this=tree.copy(), expression=exp.null()), opened)
    sure, possible = there.sure[groups.rows] & groups.sure, there.true[groups.rows]
    return [Interval(int(sure[part].sum()), int(possible[part].sum())) for part in groups]


@dataclass(frozen=True)
class _Values:
    """The ends of a number of every record, in units of ``10**-scale``."""

    low: AnyArray
    high: AnyArray
    scale: int
    missing: Bools
    unknown: Bools

    def records(self, groups: KeyGroups, part: slice) -> Records:
        rows, sure = groups.rows[part], groups.sure[part]
        unknown = self.unknown[rows]
        if (there := ~(self.missing[rows] | unknown)).all():
            return Records(sure, self.low[rows], self.high[rows], broken=self.scale > 0)
        rows = rows[there]
        return Records(sure[there], self.low[rows], self.high[rows], int(unknown.sum()), self.scale > 0)

    def scaled(self, pair: tuple[Figure | None, Figure | None], power: int) -> Interval:
        lower, upper = (None if end is None else _number(end, power * self.scale) for end in pair)
        return Interval(lower, upper)


def _number(figure: Figure, digits: int) -> Number:
    """A figure in units of so many digits behind the point."""
    if isinstance(figure, float):
        return figure / float(10**digits)
    if isinstance(figure, Fraction):
        return float(figure / 10**digits)
    return Decimal(figure).scaleb(-digits, DIGITS) if digits else figure


def _values(tree: exp.Expression, opened: GeneralizedDatabase) -> _Values:
    if used := [name for name in opened.generalized(tree) if isinstance(opened.columns[name], WordCells)]:
        raise ShoalError(
            f"column {used[0]!r} is published in labels or sets of words, which have no bounds",
            "use it in WHERE, GROUP BY or count.",
        )
    value = expression_value(tree, opened)
    low, high, unknown = opened.ask(value.low, value.high, value.unknown)
    try:
        if is_text(low.type):
            raise NotNumeric(np.arange(len(low)), "words")
        both = one_below_the_other(low, high)
        ends = numbers_from_arrow(both)
    except NotNumeric:
        raise ShoalError(
            f"{sql_text(tree)!r} is not a number in every record, or is beyond 64 bits",
            "aggregate numbers; of words and dates only count can be answered.",
        ) from None
    units = ends.units
    if not ends.exact:
        units = numpy_from_arrow(both.cast(pa.float64()).fill_null(0))
    count = opened.rows
    scale = ends.scale if ends.exact else 0
    missing = ends.missing[:count] | ends.missing[count:]
    return _Values(units[:count], units[count:], scale, missing, numpy_from_arrow(unknown.fill_null(False)))


def _groups_in_answer(question: _Question) -> list[int]:
    """The groups that HAVING keeps, in order, as many as LIMIT says."""
    clauses, groups = question.clauses, question.groups
    columns = {"number": arrow_from_numpy(np.arange(len(groups)))}
    columns.update({f"key_{at}": key for at, key in enumerate(groups.keys)})
    statement = select("number").from_(TABLE)
    if clauses.having is not None:
        having = clauses.having.transform(lambda node: _exact_part(node, question, columns))
        check_nodes(having, EXACT)
        statement = statement.where(having)
    for term in clauses.order:
        ordered = term.copy()
        ordered.set("this", _rank(term.this, question, columns))
        statement = statement.order_by(ordered)
    for at in range(len(groups.keys)):
        statement = statement.order_by(column(f"key_{at}"))
    for clause, count in (("limit", clauses.limit), ("offset", clauses.offset)):
        if count is not None:
            statement = getattr(statement, clause)(count)
    return _numbers_of(statement, pa.table(columns), question.opened)


def _numbers_of(statement: exp.Select, table: pa.Table, opened: GeneralizedDatabase) -> list[int]:
    opened.connection.register(TABLE, table)
    try:
        found: list[int] = opened.run(statement)[0].to_pylist()
    finally:
        opened.connection.unregister(TABLE)
    return found


def _exact_part(node: exp.Expression, question: _Question, columns: dict[str, pa.Array]) -> exp.Expression:
    if node in question.clauses.keys:
        return column(f"key_{question.clauses.keys.index(node)}")
    if not _is_aggregate(node) and not isinstance(node, exp.Column):
        return node
    pairs = question.bounds(node)
    if not all(found.certain for found in pairs):
        raise ShoalError(
            "HAVING asks for an aggregate that is known within bounds only",
            "let HAVING use keys of GROUP BY, and aggregates that are exact for every row.",
        )
    return _added([found.lower for found in pairs], columns)


def _rank(tree: exp.Expression, question: _Question, columns: dict[str, pa.Array]) -> exp.Expression:
    """The place of an answer in an order: in the middle of its bounds."""
    if tree in question.clauses.keys:
        return column(f"key_{question.clauses.keys.index(tree)}")
    return _added([middle(found) for found in question.bounds(tree)], columns)


def _added(figures: list[Any], columns: dict[str, pa.Array]) -> exp.Expression:
    name = f"figure_{len(columns)}"
    columns[name] = _numbers(figures)
    return column(name)


def _numbers(figures: list[Any]) -> pa.Array:
    """A column of numbers, with every digit of whole numbers and decimals as far as the engine has room."""
    try:
        if all(isinstance(figure, int) for figure in figures):
            return pa.array(figures, pa.int64())
        if all(isinstance(figure, int | Decimal) for figure in figures):
            exact = pa.array(list(map(Decimal, figures)))
            return exact.cast(pa.decimal128(38, exact.type.scale))
    except (OverflowError, pa.ArrowInvalid):
        pass
    return pa.array([None if figure is None else real(figure) for figure in figures], pa.float64())


def _notes(question: _Question, outputs: list[list[Any]]) -> tuple[str, ...]:
    groups, clauses = question.groups, question.clauses
    figures = [one for output in outputs for one in output if isinstance(one, Bounds)]
    uncertain = any(one.lower is None or one.lower != one.upper for one in figures)
    unsure = any(part.stop > part.start and not groups.sure[part].any() for part in groups)
    gone = question.opened.suppressed
    notes = [SUPPRESSED.format(count=gone)] if gone else []
    if not clauses.keys and not groups.sure.all():
        sure = int(groups.sure.sum())
        notes.append(POSSIBLE.format(sure=sure, possible=len(groups.sure) - sure))
    if unsure and clauses.keys:
        notes.append(MAY_BE_NONE)
    if question.may_be_null:
        notes.append(MAY_BE_NULL)
    if any(one.lower is None or one.upper is None for one in figures):
        notes.append(UNTOLD)
    if clauses.keys and uncertain:
        notes.append(PER_ROW)
    if clauses.order and uncertain:
        notes.append(ORDERED)
    return tuple(notes)
