"""What a format is given to write."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from shoal.progress import unwatched
from shoal.release.export.export_form import ExportForm
from shoal.table.files.labels import ColumnLabels


@dataclass(frozen=True)
class ExportTask:
    """A table with the columns that the format holds, how it is written, and the labels of its columns.
    ``on_share`` is told how much of it is done."""

    table: pa.Table
    form: ExportForm
    labels: Mapping[str, ColumnLabels] = field(default_factory=dict)
    on_share: Callable[[float], None] = unwatched
