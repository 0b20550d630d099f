"""Is ``data.csv``, byte for byte, what shoal writes of the rows in it?

A cell in quotes that needs none, another line end, a blank line or a mark at the start reads like any other
and still tells records apart, or hides something. So what was read is written again and compared.
"""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from shoal.table.columns.spelling import is_in_one_spelling
from shoal.table.files.data_file import csv_header, csv_lines

OTHER_BYTES = "{name} is not written as shoal writes it: its quotes, line ends or blank lines differ"
OTHER_LETTERS = "column {column!r} has blanks around cells, letters not composed, or odd missing cells"


def csv_faults(path: Path, batches: Iterable[pa.Table]) -> list[str]:
    """``batches`` are the rows that were read from the file, as they are written there."""
    untidy: list[str] = []
    with path.open("rb") as file:
        same, header = True, b""
        for table in batches:
            if not header:
                header = csv_header(table.column_names)
                same = file.read(len(header)) == header
            untidy += [column for column in untidy_columns(table) if column not in untidy]
            same = same and all(file.read(len(lines)) == lines for lines in csv_lines(table))
        same = same and not file.read(1)
    faults = [OTHER_LETTERS.format(column=column) for column in untidy]
    return faults if same else [OTHER_BYTES.format(name=path.name), *faults]


def untidy_columns(table: pa.Table) -> list[str]:
    """The columns that shoal would have written with other letters, though with the same values.

    >>> untidy_columns(pa.table({"ill": ["flu", "flu "], "pay": [1, 2]}))
    ['ill']
    """
    return [name for name in table.column_names if not is_in_one_spelling(table[name])]
