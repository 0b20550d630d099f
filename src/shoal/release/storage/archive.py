"""A release folder as one zip file, made while it is sent."""

import hashlib
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from shoal.errors import ShoalError
from shoal.release.integrity.manifest import FILE_NAME, SIGNATURE, Manifest
from shoal.release.integrity.release_files import is_file_in, matches_fingerprint

CHUNK = 1 << 20
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same release gives the same archive, whenever it is made
READABLE = 0o644 << 16
FAST = 1  # the level of compression: whoever sends should not wait for the packer


def zip_stream(folder: str | PathLike[str]) -> Iterator[bytes]:
    """The files of a release, and nothing else that lies beside them, in one folder named like it.

    Every file is checked before the first byte is given, and once more while it is packed.
    """
    path = Path(folder)
    hashes = dict(sorted(Manifest.load(path).files.items()))
    for name, expected in hashes.items():
        _insist_as_written(path, name, expected)
    own = [FILE_NAME, *([SIGNATURE] if is_file_in(path, SIGNATURE) else [])]
    return _packed(path, hashes, {name: (path / name).read_bytes() for name in own})


def _top(folder: Path) -> str:
    return folder.resolve().name or "release"


def _insist_as_written(folder: Path, name: str, expected: str) -> None:
    if not matches_fingerprint(folder, name, expected):
        raise _changed(name)


def _changed(name: str) -> ShoalError:
    return ShoalError(f"{name} does not match the manifest", "`shoal verify` says more.")


class _PendingBytes:
    """A file that the archive is written to, and what has come since it was last taken."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Nothing is held back."""

    def taken(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def _packed(folder: Path, hashes: dict[str, str], seals: dict[str, bytes]) -> Iterator[bytes]:
    sent, top = _PendingBytes(), _top(folder)
    with ZipFile(sent, "w", ZIP_DEFLATED, compresslevel=FAST) as archive:  # type: ignore[call-overload]
        for name, content in seals.items():
            archive.writestr(_entry(f"{top}/{name}", len(content)), content)
        for name, expected in hashes.items():
            path, digest = folder / name, hashlib.sha256()
            entry = _entry(f"{top}/{name}", path.stat().st_size)
            with path.open("rb") as file, archive.open(entry, "w") as packed:
                for chunk in _chunks(file):
                    digest.update(chunk)
                    packed.write(chunk)
                    yield sent.taken()
            if digest.hexdigest() != expected:
                raise _changed(name)
    yield sent.taken()


def _entry(name: str, size: int) -> ZipInfo:
    entry = ZipInfo(name, LONG_AGO)
    entry.compress_type, entry.external_attr, entry.file_size = ZIP_DEFLATED, READABLE, size
    entry._compresslevel = FAST  # type: ignore[attr-defined]
    return entry


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk
