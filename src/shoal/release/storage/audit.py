"""The owner's private link between input and output, never part of a release.

Whoever holds it can undo the release, so the file is readable by its owner alone. It also keeps the
secret behind the random choices: a later release made with it opens the same cells.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ShoalError
from shoal.release.storage.private_file import refuse_existing_file, written_privately
from shoal.table.files.small_file import plain_file

WHAT = "audit file"
HEADER = "# shoal audit: PRIVATE, undoes the release"
LONGEST_LINE = 1000  # characters of the lines before the rows
SECRET_BYTES = 16
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Audit:
    """Input row and class of every published row, in published order; rows count from 1."""

    secret: bytes
    input_rows: Ints  # from 0
    class_of: Ints

    @contextmanager
    def written(self, path: Path, force: bool = False) -> Iterator[None]:
        """A file that takes its place when the block ends well; its owner's alone from the start."""
        refuse_existing_audit(path, force)
        with written_privately(path, WHAT, self._write_to):
            yield

    def _write_to(self, file: TextIO) -> None:
        output_rows = np.arange(1, len(self.input_rows) + 1)
        rows = np.column_stack([self.input_rows + 1, output_rows, self.class_of + 1])
        file.write(audit_head(self.secret))
        np.savetxt(file, rows, fmt="%d", delimiter=",")

    @classmethod
    def load(cls, path: Path) -> "Audit":
        try:
            with plain_file(path, "an audit file") as content, TextIOWrapper(content, "utf-8") as file:
                if file.readline(LONGEST_LINE).rstrip("\n") != HEADER:
                    raise ValueError
                secret = bytes.fromhex(file.readline(LONGEST_LINE).removeprefix("# secret "))
                file.readline(LONGEST_LINE)
                rows = np.loadtxt(file, dtype=np.int64, delimiter=",", ndmin=2)
            if len(secret) != SECRET_BYTES or rows.shape[1] != 3 or rows.min() < 1:
                raise ValueError
        except FileNotFoundError:
            raise ShoalError(
                f"there is no audit file {str(path)!r}", "give the file that --audit wrote."
            ) from None
        except (OSError, ValueError):
            raise ShoalError(
                f"{str(path)!r} is not an audit file", "give the file that --audit wrote."
            ) from None
        rows = rows[np.argsort(rows[:, 1])]
        return cls(secret, rows[:, 0] - 1, rows[:, 2] - 1)


def audit_head(secret: bytes) -> str:
    """The lines before the first row."""
    return f"{HEADER}\n# secret {secret.hex()}\ninput_row,output_row,class\n"


def input_rows_of(path: Path, published: int, original: int) -> Ints:
    """The link of a release of so many records to a table of so many rows."""
    rows = Audit.load(path).input_rows
    if len(rows) != published or rows.max() >= original:
        raise another_link()
    return rows


def another_link() -> ShoalError:
    return ShoalError(
        "the audit file does not belong to this release and table",
        "give the audit file that was written together with the release.",
    )


def refuse_existing_audit(path: Path, force: bool) -> None:
    refuse_existing_file(path, WHAT, HEADER, force)
