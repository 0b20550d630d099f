"""Can a workbook be held? Another process opens it first, with no more memory than there is.

A few letters of some kinds say that a cell stands in a million rows, and where memory runs out, the library
ends the process it is in, without an error that anybody could catch.
"""

import subprocess
import sys
from pathlib import Path

from shoal.errors import ShoalError
from shoal.table.files.limits import BYTES_PER_CELL, Limits

SELF = 1 << 28  # bytes that such a process takes by itself
CAUGHT = (0, 1)  # how it ends where the library has read the workbook, or says what is wrong with it
TRIAL = """
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]), int(sys.argv[2])))
except (ImportError, OSError, ValueError):
    pass  # a system without limits: this process ends, and not the one that asks
from python_calamine import CalamineWorkbook
with CalamineWorkbook.from_path(sys.argv[1]) as book:
    for name in book.sheet_names:
        try:
            book.get_sheet_by_name(name)
        except BaseException:
            pass  # no table, or a broken one: whoever reads it says so
"""


def refuse_endless(path: Path, limits: Limits) -> None:
    """Refuse a workbook that takes more memory than the limits come from."""
    most = str(SELF + BYTES_PER_CELL * limits.cells)
    command = [sys.executable, "-P", "-c", TRIAL, str(path.absolute()), most]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)  # noqa: S603
    if done.returncode not in CAUGHT:
        raise ShoalError(
            f"{path.name} unfolds to more than fits into memory here",
            "save the sheet as CSV, or use a machine with more memory.",
        )
