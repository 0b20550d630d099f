"""Files of SPSS, Stata and SAS."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from shoal.table.files.file_endings import STUDY
from shoal.table.files.limits import Limits
from shoal.table.files.reading import Reading
from shoal.table.files.study.study_file import first_rows_of_study, study_batches, study_head
from shoal.table.formats.row_batches import Batches
from shoal.table.formats.table_format import TableFormat, batched


def _batches_of(path: Path, limits: Limits, _reading: Reading) -> Batches:
    schema, rows = study_head(path, limits)

    def read(rows_at_once: int) -> Iterator[pa.Table]:
        return study_batches(path, rows_at_once, schema)

    return Batches(schema, rows, read)


def _first_rows(path: Path, limits: Limits, count: int, _reading: Reading) -> pa.Table:
    return first_rows_of_study(path, limits, count)


STUDY_FORMAT = TableFormat(STUDY, batched(STUDY, _batches_of).read, _batches_of, _first_rows)
