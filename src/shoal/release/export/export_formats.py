"""The formats of an export: what each makes of a readable table, writes, and reads back."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa

from shoal.errors import Fault, ShoalError
from shoal.release.export.csv_export import csv_faults, read_csv_back, write_csv
from shoal.release.export.excel_export import excel_columns, excel_faults, read_excel_back, write_excel
from shoal.release.export.export_task import ExportTask
from shoal.release.export.parquet_export import read_parquet_back, write_parquet
from shoal.release.export.readable_table import readable_table, typed_columns
from shoal.release.export.study_export import (
    SPSS,
    STATA,
    StudyLimits,
    labelled_columns,
    read_study_back,
    spss_columns,
    stata_columns,
    study_faults,
    write_study,
)

Faults = Callable[[ExportTask], Iterable[Fault]]
Write = Callable[[ExportTask, Path], None]
Labelled = Callable[[ExportTask], tuple[str, ...]]
ReadBack = Callable[[ExportTask, Path], Iterator[pa.Table]]


@dataclass(frozen=True)
class ExportFormat:
    """``columns``: a readable table with the types that are written. ``faults``: what the format does not
    hold. ``read_back``: the cells of a written file, in these types. ``labelled_in``: the columns that get
    labels of their values; None if it has no place for them."""

    columns: Callable[[pa.Table], pa.Table]
    faults: Faults
    write: Write
    read_back: ReadBack
    labelled_in: Labelled | None = None

    @property
    def labels(self) -> bool:
        return self.labelled_in is not None

    def labelled(self, task: ExportTask) -> tuple[str, ...]:
        return () if self.labelled_in is None else self.labelled_in(task)


def _no_faults(_task: ExportTask) -> Iterable[Fault]:
    return ()


def _of_study(limits: StudyLimits, columns: Callable[[pa.Table], pa.Table]) -> ExportFormat:
    labelled = partial(labelled_columns, limits)
    return ExportFormat(columns, partial(study_faults, limits), write_study, read_study_back, labelled)


_SPSS = _of_study(SPSS, spss_columns)
EXPORTS = {
    ".csv": ExportFormat(readable_table, csv_faults, write_csv, read_csv_back),
    ".parquet": ExportFormat(typed_columns, _no_faults, write_parquet, read_parquet_back),
    ".sav": _SPSS,
    ".zsav": _SPSS,
    ".dta": _of_study(STATA, stata_columns),
    ".xlsx": ExportFormat(excel_columns, excel_faults, write_excel, read_excel_back),
}


def export_format(path: Path) -> ExportFormat:
    """The format that the name of a file says."""
    found = EXPORTS.get(path.suffix.lower())
    if found is None:
        raise ShoalError(
            f"the name {path.name!r} does not say how to write it", f"let it end in {' '.join(EXPORTS)}."
        )
    return found
