"""What a policy says of cells, as rules that change rows right after they are read.

Codes of missing cells are looked for as they are written and, since types change spellings, again as they are
read.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from shoal.policy.model.prepare_spec import ColumnPreparation, PrepareSpec, derivation
from shoal.policy.model.type_spec import TypeSpec
from shoal.table.files.reading import RowRule
from shoal.table.rules.column_readers import CellReader, ColumnReaders
from shoal.table.rules.date_spelling import DateSpelling
from shoal.table.rules.missing_codes import EVERY, MissingCodes
from shoal.table.rules.number_spelling import NumberSpelling
from shoal.table.rules.prepared_dates import AgeAt, DatePart
from shoal.table.rules.prepared_numbers import CutNumbers, LimitedNumbers
from shoal.table.rules.prepared_words import TextForm
from shoal.table.rules.readable_cells import ReadableCells
from shoal.table.rules.words import Words

if TYPE_CHECKING:
    from shoal.policy.model.policy import Policy

SAME_MARKS = {"\u2019": "'", "\u00a0": " ", "\u202f": " "}


def reading_rules(policy: "Policy") -> tuple[RowRule, ...]:
    """The rules in the order in which they apply."""
    types = {name: reader_of(spec) for name in policy.types if (spec := policy.type_of(name))}
    return (*_spelling_rules(policy.missing_codes, types), *preparation_rules(policy.prepare))


def published_value_rules(policy: "Policy", names: Sequence[str]) -> tuple[RowRule, ...]:
    """The codes and types of some columns of a table from another tool: nothing else is changed, and no cell
    is at fault."""
    given = policy.missing_codes
    codes = {name: (*given.get(EVERY, ()), *given.get(name, ())) for name in names}
    types = {name: ReadableCells(reader_of(spec)) for name in names if (spec := policy.type_of(name))}
    return _spelling_rules({name: found for name, found in codes.items() if found}, types)


def _spelling_rules(
    codes: Mapping[str, tuple[str, ...]], types: Mapping[str, CellReader]
) -> tuple[RowRule, ...]:
    missing: list[RowRule] = [MissingCodes(tuple(codes.items()))] if codes else []
    return (*missing, ColumnReaders(tuple(types.items())), *missing) if types else tuple(missing)


def preparation_rules(prepare: PrepareSpec) -> Iterator[RowRule]:
    """Derived columns, then the cells of columns, derived ones too, then the rows that are left out."""
    derived = [(name, derivation(entry)) for name, entry in prepare.derive.items()]
    if derived:
        from shoal.table.rules.derived_columns import (
            DerivedColumn,
            DerivedColumns,
        )  # which load a parser of SQL

        yield DerivedColumns(tuple(DerivedColumn(name, one.value, one.round) for name, one in derived))
    for step in (_first_reader, _limits, _classes):
        readers = ((name, step(asked)) for name, asked in prepare.columns.items())
        if found := tuple((name, reader) for name, reader in readers if reader is not None):
            yield ColumnReaders(found)
    if prepare.leave_out is not None:
        from shoal.table.rules.left_out_rows import LeftOutRows

        yield LeftOutRows(prepare.leave_out)


def _first_reader(asked: ColumnPreparation) -> CellReader | None:
    if asked.date is not None:
        return DatePart(asked.date)
    if asked.age_at is not None:
        return AgeAt(asked.age_at)
    return None if asked.text is None else TextForm(asked.text)


def _limits(asked: ColumnPreparation) -> CellReader | None:
    if asked.bottom is asked.top is asked.round is None:
        return None
    return LimitedNumbers(asked.bottom, asked.top, asked.round)


def _classes(asked: ColumnPreparation) -> CellReader | None:
    return None if asked.cut is None else CutNumbers(asked.cut, asked.labels or ())


def reader_of(spec: TypeSpec) -> CellReader:
    """How to read the cells of a column of this type."""
    if spec.kind == "number":
        mark = spec.thousands or ""
        return NumberSpelling(spec.decimal or ".", SAME_MARKS.get(mark, mark))
    if spec.kind == "date":
        return DateSpelling(spec.format, spec.years_from)
    return Words(spec.order or ())
