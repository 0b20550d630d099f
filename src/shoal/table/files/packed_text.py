"""Text that is packed: by gzip, or as the only file of a zip archive."""

import zlib
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import BadZipFile, ZipFile

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.table.files.file_endings import PACKED

NOT_UNPACKED = (OSError, EOFError, BadZipFile, zlib.error, RuntimeError, NotImplementedError)
SIGNS = {".gz": b"\x1f\x8b", ".zip": b"PK\x03\x04"}
PACKERS = {".gz": "gzip", ".zip": "a zip archive"}


def is_packed(path: Path) -> bool:
    """
    >>> is_packed(Path("pay.csv.gz")), is_packed(Path("pay.csv"))
    (True, False)
    """
    return path.suffix.lower() in PACKED


def file_kind(path: Path) -> str:
    """The end of a name that says how to read a file: ``.csv`` of ``pay.CSV.gz``; in a zip archive, of the
    file inside."""
    packer = path.suffix.lower()
    if packer == ".zip":
        return Path(member_of(path)).suffix.lower()
    return (path.with_suffix("") if packer == ".gz" else path).suffix.lower()


def unpacked(path: Path, content: BinaryIO) -> Any:
    """A stream of what this file holds."""
    kind = path.suffix.lower()
    if kind == ".gz":
        return pa.input_stream(content, compression="gzip")
    if kind == ".zip":
        try:
            return ZipFile(content).open(member_of(path))
        except NOT_UNPACKED:
            raise not_unpacked(path) from None
    return content


def member_of(path: Path) -> str:
    """The name of the only file in a zip archive, hidden ones aside."""
    try:
        with ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not _is_beside(name)]
            locked = any(one.flag_bits & 1 for one in archive.infolist() if one.filename in names)
    except NOT_UNPACKED:
        raise not_unpacked(path) from None
    if len(names) != 1:
        what = f"{path.name} holds {len(names):,} files, and one table is needed"
        raise ShoalError(what, "unpack it, and give the table or, if all are one table, the folder.")
    if locked:
        raise ShoalError(f"{path.name} is encrypted", "unpack it with its password, and give the table.")
    return names[0]


def _is_beside(name: str) -> bool:
    """Folders, and what a system puts beside the files of a user."""
    return name.endswith("/") or name.startswith("__MACOSX/") or name.rpartition("/")[2].startswith(".")


def not_unpacked(path: Path) -> ShoalError:
    """The error for a file that cannot be unpacked or read to its end."""
    kind = path.suffix.lower()
    if kind not in PACKED:
        return ShoalError(f"{path.name} cannot be read to its end", "check the disk, and copy it again.")
    with path.open("rb") as file:
        packed = file.read(4).startswith(SIGNS[kind])
    if packed:
        what = f"{path.name} is cut off or damaged: it cannot be unpacked to its end"
        return ShoalError(what, "copy or download it again, or compress the table again.")
    what = f"{path.name} ends in {path.suffix} but is not {PACKERS[kind]}"
    return ShoalError(what, "rename the file, or compress it again.")
