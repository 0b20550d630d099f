"""The files of SPSS, Stata and SAS, and the one door to the library that reads them.

The library names no cell in its errors, but a file that is damaged, cut off or encrypted all sound alike
there; what went wrong is told here, by the name of the file. On the head of some damaged files of SPSS the
library ends the process that it is called in, so another process looks at foreign files first.
"""

import subprocess
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError
from shoal.table.files.file_signatures import START, refuse_disguised
from shoal.table.files.packed_text import file_kind

SPSS, STATA, SAS = "SPSS", "Stata", "SAS"
TRANSPORT = "read_xport"
CAUGHT = (0, 1)  # how a process ends that read the file, or could not and said so
LOOK = """
import pyreadstat, sys
pyreadstat.read_sav(sys.argv[1], metadataonly=True, user_missing=True, output_format="dict")
"""
TRANSPORT_RECORD = 80  # bytes: a transport file consists of whole ones


@dataclass(frozen=True)
class StudyKind:
    """The program that a file is of, the function of pyreadstat that reads it, and what it is in messages, as
    `refuse_disguised` calls it."""

    program: str
    reader: str
    what: str


KINDS = {
    ".sav": StudyKind(SPSS, "read_sav", "an SPSS file"),
    ".zsav": StudyKind(SPSS, "read_sav", "an SPSS file"),
    ".dta": StudyKind(STATA, "read_dta", "a Stata file"),
    ".sas7bdat": StudyKind(SAS, "read_sas7bdat", "a SAS file"),
    ".xpt": StudyKind(SAS, TRANSPORT, "a SAS transport file"),
}


def study_kind(path: Path) -> StudyKind:
    """The kind of a file, by its name."""
    return KINDS[file_kind(path)]


def pyreadstat() -> Any:
    """The library, which is loaded when there is something to read or write."""
    try:
        import pyreadstat as library
    except ImportError:
        raise ShoalError(
            "files of SPSS, Stata and SAS need the package pyreadstat, which is not installed",
            "pip install 'shoal[study]'",
        ) from None
    return library


def read_study_part(
    path: Path, user_missing: bool = False, **asked: Any
) -> tuple[Mapping[str, Sequence[Any]], Any]:
    """Some rows as lists by column, dates as the numbers that they are stored as; and what the file says of
    its columns. ``user_missing``: codes that it declares to be missing are told, too."""
    library, kind = pyreadstat(), study_kind(path)
    if user_missing and kind.reader != TRANSPORT:  # which declares none
        asked["user_missing"] = True
    _refuse_disguised(path, kind)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # two columns of one name
            found: tuple[Mapping[str, Sequence[Any]], Any] = getattr(library, kind.reader)(
                str(path.absolute()), output_format="dict", disable_datetime_conversion=True, **asked
            )
    except (library.ReadstatError, library.PyreadstatError, UnicodeError, OverflowError, Warning):
        raise _unreadable(path) from None
    if kind.reader == TRANSPORT and path.stat().st_size % TRANSPORT_RECORD:
        raise _unreadable(path)
    return found


def read_study_head(path: Path, user_missing: bool = False) -> Any:
    """What a file says of its columns, also if it is not ours and may be damaged."""
    kind = study_kind(path)
    pyreadstat()  # which may be missing
    _refuse_disguised(path, kind)
    if kind.program == SPSS and not _can_be_read(path.absolute(), path.stat().st_mtime_ns):
        raise _unreadable(path)
    return read_study_part(path, user_missing, metadataonly=True)[1]


@lru_cache(maxsize=64)
def _can_be_read(path: Path, _changed: int) -> bool:
    """Does a process survive to read the head of a file?"""
    command = [sys.executable, "-P", "-c", LOOK, str(path)]
    return subprocess.run(command, capture_output=True, check=False).returncode in CAUGHT  # noqa: S603


def _refuse_disguised(path: Path, kind: StudyKind) -> None:
    with path.open("rb") as file:
        refuse_disguised(path, file.read(START), expected=kind.what)


def _unreadable(path: Path) -> ShoalError:
    kind = study_kind(path)
    return ShoalError(
        f"{path.name} cannot be read as {kind.what}: it is damaged, cut off, or not of this kind",
        f"copy it again, or save it again with {kind.program}.",
    )
