"""The address of a database, whose password is nobody else's business.

A text that is shown never holds the password: neither what a message says, nor what a command repeats.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from shoal.errors import ShoalError

SCHEMES = ("postgresql://", "postgres://")
ANY_ADDRESS = re.compile(r"\s*[a-z][a-z0-9+.-]+:/+", re.IGNORECASE)  # a single letter is a drive of Windows


def is_address(text: str) -> bool:
    """Is this the address of a database, and no path?

    >>> is_address("postgresql://ann@localhost/research"), is_address("pay.csv")
    (True, False)
    """
    return text.lower().startswith(SCHEMES)


@dataclass(frozen=True)
class DatabaseAddress:
    """An address as its owner has written it.

    >>> str(DatabaseAddress("postgresql://ann:secret@localhost:5433/research?sslmode=require"))
    'postgresql://ann@localhost:5433/research'
    """

    url: str = field(repr=False)

    def __str__(self) -> str:
        try:
            parts = urlsplit(self.url)
            port = parts.port
        except ValueError:
            return SCHEMES[0]
        if "@" in parts.path + parts.query + parts.fragment:  # a password that is not written as it must be
            return SCHEMES[0]
        user = f"{parts.username}@" if parts.username else ""
        return f"{SCHEMES[0]}{user}{parts.hostname or ''}{f':{port}' if port else ''}{parts.path}"

    @property
    def name(self) -> str:
        """The name of the database, or of the kind of it where that is not said."""
        return str(self).rpartition("://")[2].partition("/")[2] or "postgresql"


def located(text: str) -> Path | DatabaseAddress:
    """The database at an address, or else a path.

    >>> located("mysql://ann:secret@localhost/research")
    Traceback (most recent call last):
    shoal.errors.ShoalError: an address was given that cannot be read here
    Hint: give a file or folder, or for a table postgresql://user:password@host:port/database.
    """
    if is_address(text):
        return DatabaseAddress(text)
    refuse_address(text)
    return Path(text)


def refuse_address(path: str | os.PathLike[str]) -> None:
    """Refuse what is an address and no file, before anything is said of it: it may hold a password."""
    if ANY_ADDRESS.match(str(path)) and not os.path.exists(path):
        hint = "give a file or folder, or for a table postgresql://user:password@host:port/database."
        raise ShoalError("an address was given that cannot be read here", hint)
