"""What a policy says of cells, as rules that change rows right after they are read.

Codes of missing cells are looked for as they are written and, since types change spellings, again as they are
read.
"""

from typing import TYPE_CHECKING

from shoal.policy.model.type_spec import TypeSpec
from shoal.table.files.reading import RowRule
from shoal.table.rules.column_readers import CellReader, ColumnReaders
from shoal.table.rules.date_spelling import DateSpelling
from shoal.table.rules.missing_codes import MissingCodes
from shoal.table.rules.number_spelling import NumberSpelling
from shoal.table.rules.words import Words

if TYPE_CHECKING:
    from shoal.policy.model.policy import Policy

SAME_MARKS = {"\u2019": "'", "\u00a0": " ", "\u202f": " "}


def reading_rules(policy: "Policy") -> tuple[RowRule, ...]:
    """The rules in the order in which they apply."""
    codes = tuple(policy.missing_codes.items())
    missing: list[RowRule] = [MissingCodes(codes)] if codes else []
    types = [(name, reader_of(spec)) for name in policy.types if (spec := policy.type_of(name))]
    if not types:
        return tuple(missing)
    return (*missing, ColumnReaders(tuple(types)), *missing)


def reader_of(spec: TypeSpec) -> CellReader:
    """How to read the cells of a column of this type."""
    if spec.kind == "number":
        mark = spec.thousands or ""
        return NumberSpelling(spec.decimal or ".", SAME_MARKS.get(mark, mark))
    if spec.kind == "date":
        return DateSpelling(spec.format, spec.years_from)
    return Words(spec.order or ())
