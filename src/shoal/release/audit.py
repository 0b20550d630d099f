"""The owner's private link between input and output, never part of a release.

Whoever holds it can undo the release, so the file is readable by its owner alone. It also keeps the
secret behind the random choices: a later release made with it opens the same cells.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ShoalError

HEADER = "# shoal audit: PRIVATE, undoes the release"
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Audit:
    """Input row and class of every published row, in published order; rows count from 1."""

    secret: bytes
    input_rows: Ints  # from 0
    class_of: Ints

    def write(self, path: Path, force: bool = False) -> None:
        flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if force else os.O_EXCL)
        output_rows = np.arange(1, len(self.input_rows) + 1)
        rows = np.column_stack([self.input_rows + 1, output_rows, self.class_of + 1])
        try:
            handle = os.open(path, flags, 0o600)
        except FileExistsError:
            raise ShoalError(
                f"the audit file {str(path)!r} exists", "choose another name, or add --force."
            ) from None
        except OSError:
            raise ShoalError(f"the audit file {str(path)!r} cannot be written", "check the folder.") from None
        os.fchmod(handle, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"{HEADER}\n# secret {self.secret.hex()}\ninput_row,output_row,class\n")
            np.savetxt(file, rows, fmt="%d", delimiter=",")
            file.flush()
            os.fsync(file.fileno())

    @classmethod
    def load(cls, path: Path) -> "Audit":
        try:
            with path.open(encoding="utf-8") as file:
                if file.readline().rstrip("\n") != HEADER:
                    raise ValueError
                secret = bytes.fromhex(file.readline().removeprefix("# secret "))
                file.readline()
                rows = np.loadtxt(file, dtype=np.int64, delimiter=",", ndmin=2)
        except FileNotFoundError:
            raise ShoalError(f"there is no audit file {str(path)!r}") from None
        except (OSError, ValueError):
            raise ShoalError(
                f"{str(path)!r} is not an audit file", "give the file that --audit wrote."
            ) from None
        rows = rows[np.argsort(rows[:, 1])]
        return cls(secret, rows[:, 0] - 1, rows[:, 2] - 1)
