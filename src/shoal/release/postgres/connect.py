"""A connection to PostgreSQL that a release is loaded over, and what to say when that fails.

Nothing here repeats the URL or what the driver says of it: a password may be part of both. Nor what the
server says of a row: cells may be part of that.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shoal.errors import Fault, ShoalError
from shoal.table.databases.postgres_connection import connected, driver

FAILURES = {
    "42501": ("this user may not create tables there", "ask for the CREATE privilege, or name a --schema."),
    "55P03": ("the tables of the schema are in use", "wait until other sessions have ended, then try again."),
    "57014": ("the server has cancelled the statement", "raise its statement_timeout, then try again."),
    "57P01": ("the server has ended the connection", "nothing was kept; try again."),
    "2BP01": (
        "something else in the database is built on the earlier release",
        "drop it first, or name another --schema.",
    ),
    "53100": ("the disk of the server is full", "make room there, then try again."),
    "22P05": ("the database cannot hold every character", "create it with encoding UTF8."),
    "22021": ("a text has a character that PostgreSQL cannot hold", "leave out the character with code 0."),
    "23505": ("a group occurs twice in the table of groups", "ask for the original release."),
    "23502": ("a group of the table of groups has no number", "ask for the original release."),
    "54000": ("a row is too large for PostgreSQL", "publish fewer columns."),
    "25006": ("the server takes no changes", "give the URL of the primary server."),
}


@contextmanager
def connection_to(url: str) -> Iterator[Any]:
    """A connection whose changes are kept if the block ends well, and undone otherwise."""
    psycopg = driver()
    connection = connected(url)
    try:
        with connection:
            yield connection
    except psycopg.Error as error:
        raise _failed(error) from None


def name_fault(kind: str, name: str) -> Fault | None:
    """PostgreSQL cuts long names short, and two of them may then be one.

    >>> name_fault("column", "net pay")
    >>> name_fault("column", "x" * 64).what[-47:]
    'has a name of 64 bytes, and PostgreSQL takes 63'
    """
    size = len(name.encode())
    if not name or "\0" in name:
        return Fault(f"a {kind} has a name that PostgreSQL cannot hold", "give it a name of letters.")
    if size > 63:
        return Fault(f"{kind} {name!r} has a name of {size} bytes, and PostgreSQL takes 63", "shorten it.")
    return None


def _failed(error: Any) -> ShoalError:
    if error.sqlstate in FAILURES:
        return ShoalError(*FAILURES[error.sqlstate])
    if error.sqlstate is None:
        return ShoalError("the connection to PostgreSQL was lost", "nothing was kept; try again.")
    return ShoalError(
        f"PostgreSQL has refused the release ({type(error).__name__}, {error.sqlstate})",
        "nothing was kept; its own log says more.",
    )
