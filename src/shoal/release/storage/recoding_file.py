"""A recoding on disk: private to its owner, with a fingerprint against accidents."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from shoal.anonymizer.recoding import Recoding, SavedColumn
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.integrity.manifest import fingerprint
from shoal.release.storage.private_file import private_file_write, refuse_existing_file
from shoal.table.files.small_file import read_small
from shoal.version import __version__

FORMAT_VERSION = 1
MOST_BYTES = 500 * 10**6
WHAT = "recoding file"
HEADER = '{"shoal_recoding": "PRIVATE'
NOTICE = "PRIVATE: holds labels and limits that came from your table"
COLUMNS: TypeAdapter[tuple[SavedColumn, ...]] = TypeAdapter(tuple[SavedColumn, ...])


@contextmanager
def recoding_file_write(recoding: Recoding, path: Path, force: bool = False) -> Iterator[None]:
    """A file that takes its place when the block ends well."""
    refuse_existing_recoding(path, force)
    content = _content(recoding)
    text = json.dumps(content | {"sha256": fingerprint(content)}, ensure_ascii=False) + "\n"
    with private_file_write(path, WHAT, lambda file: file.write(text)):
        yield


def refuse_existing_recoding(path: Path, force: bool) -> None:
    """Raise where a recoding file would write over another file."""
    refuse_existing_file(path, WHAT, HEADER, force)


def _content(recoding: Recoding) -> dict[str, Any]:
    return {
        "shoal_recoding": NOTICE,
        "format_version": FORMAT_VERSION,
        "software": f"shoal {__version__}",
        "policy": recoding.policy.public(),
        "method": recoding.method,
        "columns": COLUMNS.dump_python(recoding.columns, mode="json", exclude_none=True),
    }


def load_recoding(path: str | PathLike[str]) -> Recoding:
    """Read a recoding that `--save-recoding` has written."""
    try:
        content = json.loads(read_small(path, MOST_BYTES, "a recoding file"))
        if content["shoal_recoding"] != NOTICE:
            raise ValueError
        if content["format_version"] > FORMAT_VERSION:
            raise ShoalError("this recoding was saved by a newer shoal", "update shoal, then try again.")
        if content.pop("sha256") != fingerprint(content):
            raise ShoalError(
                f"the recoding file {str(path)!r} does not match its own fingerprint",
                "give the file as --save-recoding wrote it, or make a new one.",
            )
        columns = COLUMNS.validate_python(content["columns"])
        return Recoding(Policy(**content["policy"]), content["method"], columns)
    except FileNotFoundError:
        what = f"there is no recoding file {str(path)!r}"
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ValidationError, RecursionError):
        what = f"{str(path)!r} is not a recoding file"
    raise ShoalError(what, "give the file that --save-recoding wrote.")
