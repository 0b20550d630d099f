"""What a file of SPSS, Stata or SAS says of its columns: what codes stand for, and which mean that nothing is
known. It is read without the rows.

A table is worked on with its codes alone, so that the same table as CSV gives the same release. Its labels
come back where a release is exported.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError
from shoal.table.files.file_endings import STUDY
from shoal.table.files.file_states import refuse_changes
from shoal.table.files.study.study_kinds import read_study_head

Code = int | float | str
LETTERS = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
)  # missing numbers have them as tags


@dataclass(frozen=True)
class ColumnLabels:
    """``values``: what codes stand for. ``missing``: the first and the last of the codes, often the same one,
    that the file declares to be missing."""

    title: str = ""
    values: Mapping[Code, str] = field(default_factory=dict)
    missing: tuple[tuple[Code, Code], ...] = ()


def labels_of(path: Path) -> dict[str, ColumnLabels]:
    """What a file says of each of its columns; a file of another kind has no labels."""
    if path.suffix.lower() not in STUDY:
        hint = f"give a file of SPSS, Stata or SAS: {' '.join(STUDY)}."
        raise ShoalError(f"{path.name} is no file with labels", hint)
    if not path.is_file():
        raise ShoalError(f"there is no file {str(path)!r}", "check the path of the file with labels.")
    with refuse_changes([path]):
        about = read_study_head(path, user_missing=True)
    return {name: _labels(about, name) for name in about.column_names}


def _labels(about: Any, name: str) -> ColumnLabels:
    """Letters that tell kinds of missing numbers apart are no codes: all of these are missing cells."""
    numeric = about.readstat_variable_types[name] != "string"
    values = about.variable_value_labels.get(name, {}).items()
    return ColumnLabels(
        about.column_names_to_labels[name] or "",
        {_code(code): label for code, label in values if not (numeric and code in LETTERS)},
        tuple(_ranges(about.missing_ranges.get(name, ()))),
    )


def _ranges(found: Iterable[Any]) -> Iterable[tuple[Code, Code]]:
    for one in found:
        yield (_code(one["lo"]), _code(one["hi"])) if isinstance(one, dict) else (_code(one), _code(one))


def _code(code: Code) -> Code:
    """Whole numbers are kept as floats.

    >>> _code(2.0), _code(2.5), _code("north")
    (2, 2.5, 'north')
    """
    return int(code) if isinstance(code, float) and code.is_integer() else code
