"""Do published cells keep the rules by which their table was read and prepared?

A prepared table is a fixed point of its own rules: what is rounded is round, what is limited lies inside the
limits, a code of missing cells stands nowhere. Only cells that show a value are judged (``shown_values``).
"""

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.policy.model.policy import Policy
from shoal.policy.model.prepare_spec import ColumnPreparation
from shoal.policy.model.reading_rules import reader_of
from shoal.release.integrity.shown_values import exact_cells, is_exact, shown_values
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.spelling import same_values
from shoal.table.rules.column_readers import CellReader
from shoal.table.rules.date_spelling import DateSpelling
from shoal.table.rules.left_out_rows import LeftOutRows
from shoal.table.rules.missing_codes import MissingCodes
from shoal.table.rules.number_spelling import NumberSpelling
from shoal.table.rules.prepared_numbers import LimitedNumbers
from shoal.table.rules.prepared_words import TextForm
from shoal.table.rules.row_expression import columns_of, parse_condition
from shoal.table.rules.unreadable_cells import UnreadableCells
from shoal.table.table import Table

AS_PUBLISHED: dict[str, CellReader] = {"number": NumberSpelling(), "date": DateSpelling()}
WHOLE, YEAR, MONTH = r"^\d+$", r"^-?[1-9]\d{0,3}$", r"^\d{4}-(0[1-9]|1[0-2])$"
BROKEN = "column {name!r} shows cells that {rule} does not leave as they are"
SHOWN = "the records hold such that [prepare] leave_out ({condition}) takes out"
Keeps = Callable[[pa.Array], bool]


def preparation_faults(table: Table, policy: Policy) -> frozenset[str]:
    """What to say of columns whose cells the rules would change or refuse, and of rows they leave out."""
    there = [name for name in policy.published if table.names.count(name) == 1 and is_exact(policy, name)]
    faults = [
        BROKEN.format(name=name, rule=rule)
        for name in there
        if (rules := list(_rules(policy, name)))
        for values in [_made_by_rules(shown_values(table.column(name), policy, name), policy, name)]
        for rule, keeps in rules
        if not keeps(values)
    ]
    condition = policy.prepare.leave_out
    if condition is not None and _shows_left_out(table, policy, condition, there):
        faults.append(SHOWN.format(condition=condition))
    return frozenset(faults)


def _made_by_rules(values: pa.Array, policy: Policy, name: str) -> pa.Array:
    """Missing cells may count as zero, which no rule made."""
    told = same_values(values)
    if policy.missing_counts.get(name) != "zero":
        return values.filter(told.is_valid())
    return values.filter(pc.not_equal(told, "0").fill_null(False))


def _rules(policy: Policy, name: str) -> Iterator[tuple[str, Keeps]]:
    """The rules of a column. What is prepared may become what a code is, or no longer be of its type."""
    asked, declared = policy.prepare.columns.get(name), policy.type_of(name)
    if asked is None and name not in policy.prepare.derive:
        codes = (*policy.missing_codes.get("*", ()), *policy.missing_codes.get(name, ()))
        if codes:
            yield "[missing]", lambda values: _has_no_code(values, codes)
        if declared is not None:
            reader = AS_PUBLISHED.get(declared.kind) or reader_of(declared)
            yield f"[types] ({declared.kind})", lambda values: not reader.read(values).unread.any()
    if asked is not None:
        rule = f"[prepare.columns] ({policy.prepare.words_of(name)})"
        yield rule, lambda values: _is_prepared(values, asked)


def _has_no_code(values: pa.Array, codes: tuple[str, ...]) -> bool:
    rule = MissingCodes((("*", codes),))
    return bool(rule(pa.table({"cells": values})).column("cells").null_count == 0)


def _is_prepared(values: pa.Array, asked: ColumnPreparation) -> bool:
    if asked.labels is not None:
        return _all(pc.is_in(same_values(values), value_set=same_values(pa.array(asked.labels))))
    if asked.text is not None:
        return _all(pc.equal(same_values(TextForm(asked.text).read(values).cells), same_values(values)))
    if asked.date is not None:
        return _match(values, YEAR if asked.date == "year" else MONTH)
    if asked.bottom is asked.top is asked.round is None:
        return _match(values, WHOLE)
    limits = LimitedNumbers(asked.bottom, asked.top, asked.round).read(values)
    ends = [str(one) for one in (asked.bottom, asked.top) if one is not None]
    shown = same_values(values)
    at_end = pc.is_in(shown, value_set=same_values(pa.array(ends, pa.string())))
    return not limits.unread.any() and _all(pc.or_(at_end, pc.equal(same_values(limits.cells), shown)))


def _match(values: pa.Array, pattern: str) -> bool:
    return _all(pc.match_substring_regex(same_values(values), pattern))


def _all(true: pa.Array) -> bool:
    """
    >>> _all(pa.array([], pa.bool_())), _all(pa.array([True, None]))
    (True, False)
    """
    return bool(true.fill_null(False).true_count == len(true))


def _shows_left_out(table: Table, policy: Policy, condition: str, there: list[str]) -> bool:
    """Is the condition true of a row that shows all columns in it? Permuted cells are those of somebody else,
    and a zero may be a missing cell."""
    named = columns_of(parse_condition(condition))
    zeros = any(policy.missing_counts.get(name) == "zero" for name in named)
    apart = policy.permutes and len(named) > 1 and not set(named) <= set(policy.unchanged)
    if not named or zeros or apart or not set(named) <= set(there):
        return False
    cells = {name: exact_cells(table.column(name), policy, name) for name in named}
    rows = pa.table({name: one.values for name, one in cells.items()})
    rows = rows.filter(arrow_from_numpy(np.logical_and.reduce([one.exact for one in cells.values()])))
    try:
        return len(LeftOutRows(condition)(rows)) < len(rows)
    except UnreadableCells:
        return True
