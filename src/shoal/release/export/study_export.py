"""A release as a file of SPSS or Stata, with titles, labels and codes that mean missing.

What these programs do not hold is said before anything is written: names that they do not take, texts that
are too long. A number of more than fifteen digits stays text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from sys import float_info
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import Fault, ShoalError
from shoal.query.permuted.column_types import typed_column
from shoal.release.export.export_task import ExportTask
from shoal.release.export.readable_table import in_doubles
from shoal.table.columns.numbers import is_text, numbers_from_arrow
from shoal.table.files.labels import Code, ColumnLabels
from shoal.table.files.study.study_file import study_batches
from shoal.table.files.study.study_kinds import pyreadstat

ROWS_AT_ONCE = 250_000
WHOLE_IN_STATA = 2_147_483_620  # the largest number of its type `long`; beyond are its missing values
WIDEST = 18  # digits of a number that SPSS is told to show
RENAME = "rename it in the table and run again, or export CSV or Parquet."


@dataclass(frozen=True)
class StudyLimits:
    """What names a program takes, and how many bytes of text in a cell, of a title and of a label."""

    program: str
    name: str
    most_letters: int
    reserved: str
    text: int
    title: int
    label: int
    sensitive_to_case: bool


SPSS = StudyLimits(
    "SPSS", r"[^\W\d_][\w.$#@]*(?<![.])", 64, "all|and|by|eq|ge|gt|le|lt|ne|not|or|to|with", 32_767, 255, 120,
    sensitive_to_case=False,
)  # fmt: skip
STATA = StudyLimits(
    "Stata", r"[^\W\d]\w*", 32,
    r"_all|_b|byte|_coef|_cons|double|float|if|in|int|long|_n|_pi|_pred|_rc|_skip|str(\d+|l)|using|with",
    2_045, 80, 32_000, sensitive_to_case=True,
)  # fmt: skip
LIMITS = {".sav": SPSS, ".zsav": SPSS, ".dta": STATA}


def spss_columns(readable: pa.Table) -> pa.Table:
    """Numbers as doubles, days, and text."""
    return pa.table({name: in_doubles(readable[name]) for name in readable.column_names})


def stata_columns(readable: pa.Table) -> pa.Table:
    """The same; whole numbers of a usual size stay whole, since these alone can have labels."""
    return pa.table({name: _in_stata(readable[name]) for name in readable.column_names})


def _in_stata(readable: pa.ChunkedArray) -> pa.ChunkedArray:
    typed = typed_column(readable)
    if pa.types.is_integer(typed.type):
        ends = pc.min_max(typed).as_py()
        if max(-(ends["min"] or 0), ends["max"] or 0) <= WHOLE_IN_STATA:
            return typed.cast(pa.int32())
    return in_doubles(readable)


def study_faults(limits: StudyLimits, task: ExportTask) -> Iterator[Fault]:
    """Names and texts that the program does not take."""
    table = task.table
    taken: dict[str, str] = {}
    for name in table.column_names:
        if reason := _name_fault(name, limits):
            yield Fault(f"{limits.program} takes no column with the name {name!r}: {reason}", RENAME)
        same = name if limits.sensitive_to_case else name.lower()
        if (other := taken.setdefault(same, name)) != name:
            yield Fault(f"{limits.program} takes {other!r} and {name!r} for the same name", RENAME)
        if is_text(table.schema.field(name).type):
            count = pc.sum(pc.greater(pc.binary_length(table[name]), limits.text)).as_py()
            if count:
                what = f"column {name!r} has {count:,} cells of more than {limits.text:,} bytes"
                yield Fault(f"{what}, which {limits.program} does not hold", "export CSV or Parquet.")


def _name_fault(name: str, limits: StudyLimits) -> str:
    """
    >>> _name_fault("net pay", SPSS)
    'it begins with a letter and has letters, digits and a few marks, no blanks'
    """
    if re.fullmatch(limits.reserved, name, re.IGNORECASE):
        return "it is a word of the program itself"
    length = len(name.encode()) if limits is SPSS else len(name)
    if length > limits.most_letters:
        return f"it is longer than {limits.most_letters}"
    if not re.fullmatch(limits.name, name):
        return "it begins with a letter and has letters, digits and a few marks, no blanks"
    return ""


def write_study(task: ExportTask, path: Path) -> None:
    """The whole table, with what its labels say as far as the program has room for it."""
    library, limits, labels = pyreadstat(), LIMITS[path.suffix.lower()], task.labels
    about: dict[str, Any] = {
        "column_labels": {name: _cut(one.title, limits.title) for name, one in labels.items() if one.title},
        "variable_value_labels": value_labels(task, limits),
    }
    if limits is STATA:
        write = library.write_dta
    else:
        write = library.write_sav
        about["missing_ranges"] = {name: _ranges(one) for name, one in labels.items() if one.missing}
        about["variable_format"] = dict(_formats(task.table))
        about["compress"] = path.suffix.lower() == ".zsav"
    try:
        write(_frame(task.table), str(path.absolute()), **about)
    except (library.ReadstatError, library.PyreadstatError):
        what = f"{limits.program} does not take this table, or the disk is full"
        raise ShoalError(what, "export CSV or Parquet.") from None


def value_labels(task: ExportTask, limits: StudyLimits) -> dict[str, dict[Code, str]]:
    """The labels of each column that can have some: in Stata, columns of whole numbers."""
    table = task.table
    found = {name: one for name, one in task.labels.items() if one.values}
    if limits is STATA:
        found = {
            name: one for name, one in found.items() if pa.types.is_integer(table.schema.field(name).type)
        }
    return {
        name: {code: _cut(label, limits.label) for code, label in one.values.items()}
        for name, one in found.items()
    }


def labelled_columns(limits: StudyLimits, task: ExportTask) -> tuple[str, ...]:
    """The columns whose labels are written."""
    return tuple(value_labels(task, limits))


def read_study_back(task: ExportTask, path: Path) -> Iterator[pa.Table]:
    """The rows of the file, with the codes that it declares to be missing."""
    for part in study_batches(path, ROWS_AT_ONCE, task.table.schema, user_missing=True):
        yield part.cast(task.table.schema)


def _frame(table: pa.Table) -> Any:
    try:
        import polars
    except ImportError:
        what = "files of SPSS and Stata are written by the package polars, which is not installed"
        raise ShoalError(what, "pip install 'shoal[study]'") from None
    return polars.from_arrow(table)


def _formats(table: pa.Table) -> Iterator[tuple[str, str]]:
    """As many decimals as a column of numbers has; SPSS shows two by default."""
    for name in table.column_names:
        if pa.types.is_floating(table.schema.field(name).type):
            numbers = numbers_from_arrow(table[name])
            digits = len(str(int(np.abs(numbers.units).max(initial=0))))
            decimals = min(numbers.scale, WIDEST - 2)
            yield name, f"F{min(max(digits, decimals + 1) + 2, WIDEST)}.{decimals}"


def _ranges(labels: ColumnLabels) -> list[Any]:
    """SPSS has no infinite numbers; its lowest and highest stand for them."""
    most = float_info.max
    ends = [tuple(min(max(end, -most), most) if not isinstance(end, str) else end for end in pair)
            for pair in labels.missing]  # fmt: skip
    return [low if low == high else {"lo": low, "hi": high} for low, high in ends]


def _cut(text: str, most: int) -> str:
    """As much of a text as fits into so many bytes."""
    return text.encode()[:most].decode(errors="ignore")
