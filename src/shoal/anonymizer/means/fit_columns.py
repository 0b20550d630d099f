"""Bring the quasi columns of a policy and a table together for microaggregation."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.anonymizer.leaf_matrix import hierarchy_of, unknown_faults
from shoal.anonymizer.means.mean_columns import AxisColumn, CategoryColumn, LineColumn
from shoal.arrays import Bools
from shoal.errors import Fault, ShoalError
from shoal.policy.model.policy import Policy
from shoal.policy.toml import toml_key
from shoal.table.columns.categories import Categories
from shoal.table.columns.dates import calendar_days
from shoal.table.columns.numbers import Numbers, is_text
from shoal.table.columns.same_value import value_of
from shoal.table.profile.profile import decimal_commas
from shoal.table.table import Table


def zero_dates(table: Table, policy: Policy, name: str, column: Numbers | Categories) -> list[Fault]:
    """The fault of filling missing dates with zero, which is no date."""
    if (
        policy.missing_counts.get(name) != "zero"
        or not isinstance(column, Numbers)
        or table.mostly_numbers(name)
    ):
        return []
    return [Fault(f'[missing] {name} = "zero": {name!r} holds dates', 'say "suppress", or fill them.')]


def word_orders(policy: Policy) -> dict[str, list[str]]:
    """The words from low to high of each column for which [types] or the option ``order`` lists them."""
    declared = {name: list(order) for name in policy.having("quasi") if (order := policy.order_of(name))}
    return declared | dict(policy.method.options.get("order", {}))


def order_faults(policy: Policy) -> list[Fault]:
    """What is wrong with the option ``order``: columns that are not quasi, and lists that are no order."""
    faults = []
    for name, words in word_orders(policy).items():
        if policy.columns.get(name) != "quasi":
            hint = "name a quasi column, and its words from low to high."
            faults.append(Fault(f"option 'order' names {name!r}, which is no quasi column", hint))
        elif (
            not isinstance(words, list | tuple)
            or not words
            or not all(isinstance(word, str) for word in words)
        ):
            faults.append(Fault(f"option 'order' of {name!r} must be a list of words, from low to high"))
        elif len({value_of(word) for word in words}) < len(words):
            faults.append(Fault(f"option 'order' of {name!r} names a word twice"))
    return faults


def axis_values(table: Table, policy: Policy, name: str) -> Numbers | Categories:
    """Numbers and dates on a line, unless the policy gives their words an order; else words."""
    if name in word_orders(policy) or policy.of_words(name):
        return table.words(name)
    if table.mostly_numbers(name):
        return table.numbers(name)
    column = table.column(name)
    if is_text(column.type) and 2 * decimal_commas(column) > len(column) - column.null_count:
        rows = np.arange(len(table))
        stated = f'{toml_key(name)} = {{ kind = "number", decimal = "," }}'
        hint = f"say so in [types]: {stated}; classes show means of numbers."
        raise ShoalError([table.fault(name, rows, "text, such as numbers with a decimal comma", hint)])
    return calendar_days(column) or table.words(name)


def axis_column(
    table: Table,
    policy: Policy,
    name: str,
    column: Numbers | Categories,
    keep: Bools,
    faults: list[Fault],
) -> AxisColumn | None:
    """A quasi column for distances: numbers on a line, words in an order, or words that are equal or not."""
    if isinstance(column, Numbers):
        kind = table.column(name).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        return LineColumn(name, column.units[keep], column.scale, not table.mostly_numbers(name), kind)
    if name in word_orders(policy):
        return ordinal_column(table, name, column, word_orders(policy)[name], keep, faults)
    return nominal_column(table, policy, name, column, keep, faults)


def ordinal_column(
    table: Table, name: str, column: Categories, order: list[str], keep: Any, faults: list[Fault]
) -> CategoryColumn | None:
    """Missing comes last."""
    values = [value_of(word) for word in order]
    ranks: dict[str | None, int] = {word: at for at, word in enumerate(values)} | {None: len(values)}
    rank_of = np.array([ranks.get(word, -1) for word in column.words], np.int64)
    if (rank_of < 0).any():
        rows = np.flatnonzero(rank_of[column.codes] < 0)
        faults.append(table.fault(name, rows, "not in the order of the column", "add them to the list."))
        return None
    words: tuple[str | None, ...] = (*values, None) if None in column.words else tuple(values)
    return CategoryColumn(name, rank_of[column.codes[keep]], words)


def nominal_column(
    table: Table, policy: Policy, name: str, column: Categories, keep: Any, faults: list[Fault]
) -> CategoryColumn | None:
    """A column of words; with a hierarchy, by the labels of a word on all levels but the top, where all are
    one."""
    if name not in policy.hierarchies:
        codes = column.codes[keep].astype(np.int64)
        return CategoryColumn(name, codes, column.words, np.arange(len(column.words))[:, np.newaxis])
    try:
        hierarchy = hierarchy_of(policy, name, column)
    except ShoalError as error:
        faults.extend(error.faults)
        return None
    leaves = hierarchy.codes(column.words)
    if (leaves < 0).any():
        faults.extend(unknown_faults(table, name, column, leaves.astype(np.int32)))
        return None
    levels = [level.group_of[leaves] for level in hierarchy.levels[:-1]]
    firsts = np.cumsum([0, *(int(level.max()) + 1 for level in levels[:-1])])
    codes = column.codes[keep].astype(np.int64)
    return CategoryColumn(name, codes, column.words, np.column_stack(levels) + firsts)


def column_notes(policy: Policy, numbers: Iterable[str], single: list[str]) -> list[str]:
    """Notes on columns of ``numbers``, and of words of which most occur a ``single`` time."""
    notes = []
    if unused := [repr(name) for name in numbers if name in policy.hierarchies]:
        notes.append(f"the hierarchies of {', '.join(unused)} are not used: classes show means")
    if single:
        notes.append(
            f"most words of {', '.join(map(repr, single))} occur once: what a class shows there is "
            "somebody's own; give such a column another role, or group its words"
        )
    return notes
