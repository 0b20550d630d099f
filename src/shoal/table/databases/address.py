"""The address of a database, whose password is nobody else's business.

A text that is shown never holds the password: neither what a message says, nor what a command repeats.
"""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

SCHEMES = ("postgresql://", "postgres://")


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
