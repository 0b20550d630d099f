"""A table beside what was published of it, as the judge of leaks wants to see it.

Protected are quasi columns and the aggregates that somebody may know, or, where sensitive values are
permuted, these; every other published column is looked at. All that is needed are some original rows, what
was published of each, and its class.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Bools, Ints
from shoal.leaks.aggregate_values import aggregate_values
from shoal.leaks.coded_column import CodedColumn, coded_column, column_of_line
from shoal.leaks.computed_columns import computed_columns
from shoal.leaks.correlation import NEAR, group_correlation
from shoal.leaks.judge import OpenColumn, ProtectedColumn, find_leaks
from shoal.leaks.leak import Leak
from shoal.leaks.mixture import rows_that_fit
from shoal.leaks.prediction import combined_codes, sizes_of
from shoal.leaks.sample import HIDDEN
from shoal.leaks.splitting_columns import splitting_columns
from shoal.policy.model.guarantee import KfAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import numpy_from_arrow
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.numbers import is_text
from shoal.table.table import Table

HIDING = r"^\s*([\[{]|\*\s*$)"  # how a range, a set and a star begin
PART_HIDING = r"^\s*[\[{]|\*\s*$"  # the same, and words of which the end is masked
REPEATED = 0.9  # of the judged rows: with fewer of them that share their cell, others are looked for

Others = Callable[[str, pa.Array], pa.Table | None]


def protected_columns(policy: Policy) -> list[str]:
    """The columns that the method blurs or permutes."""
    return policy.having("sensitive" if policy.permutes else "quasi")


def open_columns(policy: Policy) -> list[str]:
    """The columns that are published as they are."""
    return policy.unchanged


def leaks_in(
    original: pa.Table, published: pa.Table, classes: Ints, policy: Policy, k: int, others: Others
) -> list[Leak]:
    """What tells hidden cells of these original rows; ``published`` has the same rows in the same order.

    ``others(name, cells)`` gives more original rows that have one of these cells in a column, if there are
    any."""
    if not open_columns(policy) or not len(original):
        return []
    table, classes = Table(original), combined_codes(classes)
    beside = _values(table, policy)
    protected = [_protected(name, column, published, classes, policy) for name, column in beside.items()]
    hidden = [one.hidden for one in protected if one.hidden.any()]
    looks = {name: _open_column(table, name, beside, policy, hidden, others) for name in open_columns(policy)}
    found = find_leaks(protected, looks, classes, k)
    found += _mixtures(found, protected, looks, policy)
    found += _computed(found, protected, looks, policy)
    if policy.permutes:
        return found + _going_together(found, protected, looks, classes)
    return found + _splitting(found, looks, beside, policy, classes, k)


def _splitting(
    found: list[Leak],
    looks: Mapping[str, OpenColumn],
    known: Mapping[str, CodedColumn],
    policy: Policy,
    classes: Ints,
    k: int,
) -> list[Leak]:
    """Columns that follow from what is known and split classes, if no worse is known of them."""
    filling = {name for leak in found if leak.fills for name in leak.columns}
    names = [name for name in policy.having("other") if name not in filling]
    columns = {name: looks[name].column.first(len(classes)) for name in names}
    return splitting_columns(names, columns, known, classes, k)


def _mixtures(
    found: list[Leak], protected: list[ProtectedColumn], looks: Mapping[str, OpenColumn], policy: Policy
) -> list[Leak]:
    """Columns that are weighted sums of those that an aggregate takes, if no worse is known of them."""
    known = {leak.columns[0] for leak in found if leak.fills and len(leak.columns) == 1}
    of = {one.name: one for one in protected}
    leaks: dict[str, Leak] = {}
    for asked in policy.guarantees:
        if not isinstance(asked, KfAnonymity) or len(asked.columns) < 2:
            continue
        hidden = of[asked.knows[0]].hidden
        parts = [np.nan_to_num(of[name].column.lines[0]) for name in asked.columns]
        for name, look in looks.items():
            if name in known or name in leaks or not look.column.lines or not hidden.any():
                continue
            fits = rows_that_fit(look.column.lines[0][: len(hidden)], parts)
            if fits is not None:
                told, cells = int(np.sum(fits & hidden)), int(hidden.sum())
                leaks[name] = Leak((name,), asked.knows[0], True, told, 0, cells, mixes=tuple(asked.columns))
    return list(leaks.values())


def _computed(
    found: list[Leak], protected: list[ProtectedColumn], looks: Mapping[str, OpenColumn], policy: Policy
) -> list[Leak]:
    """Columns that two protected ones give by plain arithmetic, if no worse is known of them."""
    known = {leak.columns for leak in found if leak.fills}
    rows = len(protected[0].hidden) if protected else 0
    columns = {name: look.column.first(rows) for name, look in looks.items() if (name,) not in known}
    named = set(protected_columns(policy))
    return computed_columns(columns, [one for one in protected if one.name in named])


def _going_together(
    found: list[Leak], protected: list[ProtectedColumn], looks: Mapping[str, OpenColumn], groups: Ints
) -> list[Leak]:
    """Exact columns that are in order with permuted ones inside the groups, if no worse is known of them."""
    known = {(leak.columns, leak.protected) for leak in found}
    return [
        Leak((name,), one.name, False, 0, 0, int(one.hidden.sum()), correlation=near)
        for one in protected
        for name, look in looks.items()
        if ((name,), one.name) not in known
        and (near := group_correlation(groups, look.column.first(len(groups)), one.column)) >= NEAR
    ]


def _values(table: Table, policy: Policy) -> dict[str, CodedColumn]:
    """Protected columns by name, and aggregates by their text."""
    found = {name: _as_counted(coded_column(table, name), policy.missing_counts.get(name))
             for name in protected_columns(policy)}  # fmt: skip
    for asked in policy.guarantees:
        if not isinstance(asked, KfAnonymity):
            continue
        for text, tree in zip(asked.knows, asked.trees, strict=True):
            numbers = {name: np.nan_to_num(found[name].lines[0]) for name in asked.columns}
            found.setdefault(text, column_of_line(aggregate_values(tree, numbers)))
    return found


def _as_counted(column: CodedColumn, missing: str | None) -> CodedColumn:
    """Empty cells that count as 0 are published as 0."""
    return column_of_line(np.nan_to_num(column.lines[0])) if missing == "zero" and column.lines else column


def _protected(
    name: str, column: CodedColumn, published: pa.Table, classes: Ints, policy: Policy
) -> ProtectedColumn:
    if policy.permutes or name not in published.column_names:  # permuted, or an aggregate
        return ProtectedColumn(name, column, classes, _several(classes, column.codes))
    cells, hiding = published_cell_codes(published.column(name))
    return ProtectedColumn(name, column, cells, hiding | _several(cells, column.codes))


def _several(keys: Ints, codes: Ints) -> Bools:
    """Do rows with the same key hold different values?"""
    lowest, highest = np.full(int(keys.max()) + 1, codes.max()), np.zeros(int(keys.max()) + 1, np.int64)
    np.minimum.at(lowest, keys, codes)
    np.maximum.at(highest, keys, codes)
    return np.asarray((lowest < highest)[keys])


def columns_with_few_hidden(published: pa.Table) -> list[str]:
    """The columns of which so few cells are hidden in these rows that more are to be looked at."""
    return [name for name in published.column_names if np.sum(hiding_cells(published.column(name))) < HIDDEN]


def hiding_cells(column: pa.ChunkedArray) -> Bools:
    """Where a published cell shows that it is not a value itself: a range, a set, a star."""
    kind = column.type
    if pa.types.is_struct(kind):
        low, high = (pc.struct_field(column, at) for at in (0, 1))
        hidden = pc.not_equal(low, high)
    elif pa.types.is_nested(kind):
        hidden = column.is_valid()
    elif is_text(kind) or pa.types.is_dictionary(kind):
        found = encode(column)
        if not is_text(found.cells.type):
            return np.zeros(len(column), bool)
        hiding = pc.match_substring_regex(found.cells, PART_HIDING).fill_null(False)
        return np.asarray(np.asarray(numpy_from_arrow(hiding))[found.numbers])
    else:
        return np.zeros(len(column), bool)
    return np.asarray(hidden.fill_null(False).to_numpy(), bool)


def published_cell_codes(column: pa.ChunkedArray) -> tuple[Ints, Bools]:
    """A number per different published cell, and where it is surely not a value itself."""
    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # Arrow gives them back chunked when there are none
        whole = pa.concat_arrays(whole.chunks)
    if pa.types.is_struct(whole.type):
        low, high = (encode(pc.struct_field(whole, at)) for at in (0, 1))
        together = encode(pa.concat_arrays([pc.struct_field(whole, at) for at in (0, 1)]))
        ends = together.numbers[: len(whole)], together.numbers[len(whole) :]
        return combined_codes(low.numbers.astype(np.int64), high.numbers.astype(np.int64)), ends[0] != ends[1]
    if pa.types.is_nested(whole.type):
        whole = pa.array([None if cell is None else str(cell) for cell in whole.to_pylist()], pa.string())
    found = encode(whole)
    hiding = np.zeros(len(found.cells), bool)
    if is_text(found.cells.type):
        hiding = np.asarray(numpy_from_arrow(pc.match_substring_regex(found.cells, HIDING).fill_null(False)))
    return found.numbers.astype(np.int64), hiding[found.numbers]


def _open_column(
    table: Table,
    name: str,
    beside: Mapping[str, CodedColumn],
    policy: Policy,
    hidden: list[Bools],
    others: Others,
) -> OpenColumn:
    own = coded_column(table, name)
    same = {other: _same(table, name, own, other, column) for other, column in beside.items()}
    repeats = sizes_of(own.codes) > 1
    if all(np.mean(repeats[rows]) >= REPEATED for rows in hidden):
        return OpenColumn(own, beside, same)
    alone = pa.array(~repeats)
    more = others(name, table.column(name).combine_chunks().filter(alone).unique())
    if more is None or not len(more):
        return OpenColumn(own, beside, same)
    needed = [name, *protected_columns(policy)]
    longer = Table(pa.concat_tables([table.arrow.select(needed), more.select(needed)]).combine_chunks())
    return OpenColumn(coded_column(longer, name), _values(longer, policy), same)


def _same(table: Table, name: str, own: CodedColumn, other: str, column: CodedColumn) -> Bools:
    """In which rows do both columns hold the same?"""
    if other not in table.names:  # an aggregate
        spelled = np.zeros(len(table), bool)
    else:
        mine, theirs = (table.column(one).cast(pa.string()).fill_null("") for one in (name, other))
        spelled = np.asarray(numpy_from_arrow(pc.equal(mine, theirs).combine_chunks()))
    same = [spelled | (line == goal) for goal in column.lines[:1] for line in own.lines]
    return max(same, key=np.sum, default=spelled)
