"""A connection to PostgreSQL, and what to say when there is none or it fails.

Nothing here repeats the URL or what the driver says of it: a password may be part of both. Nor what the
server says of a row: cells may be part of that.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shoal.errors import Fault, ShoalError

SCHEME = "postgresql://"
SHAPE = "write postgresql://user:password@host:port/database."
SECONDS_TO_CONNECT = 10
REFUSALS = (
    ("password authentication", "the server does not take this user and password", "check both in the URL."),
    (
        "no password",
        "the server asks for a password",
        "write it in the URL (as %XX where it is no letter or digit), in PGPASSWORD or in ~/.pgpass.",
    ),
    ("pg_hba", "the server does not let this user in from here", "ask its owner for access."),
    ("does not exist", "the server has no such database or user", "check the URL, or create it first."),
    ("resolve", "the host of the URL is not known", "check its spelling."),
    ("refused", "no PostgreSQL server listens at this host and port", "check the URL, or start the server."),
    (
        "timeout",
        f"the server did not answer in {SECONDS_TO_CONNECT} seconds",
        "check host, port and network.",
    ),
    ("SSL", "the server and the URL disagree about encryption", "set ?sslmode=require or disable."),
)
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
    settings = _settings(url)
    try:
        connection = psycopg.connect(**settings)
    except psycopg.Error as error:
        raise _no_connection(str(error)) from None
    try:
        with connection:
            yield connection
    except psycopg.Error as error:
        raise _failed(error) from None


def check_url(url: str) -> None:
    """
    >>> check_url("mysql://ann:secret@localhost/research")
    Traceback (most recent call last):
    shoal.errors.ShoalError: this is no address of a PostgreSQL database
    Hint: write postgresql://user:password@host:port/database.
    """
    if not url.startswith(SCHEME):
        raise ShoalError("this is no address of a PostgreSQL database", SHAPE)


def driver() -> Any:
    """The package psycopg; an error that says how to install it where it is missing."""
    try:
        import psycopg
    except ImportError:
        raise ShoalError(
            "PostgreSQL needs the package psycopg, which is not installed", "pip install 'shoal[postgres]'"
        ) from None
    return psycopg


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


def _settings(url: str) -> dict[str, Any]:
    from psycopg.conninfo import conninfo_to_dict

    psycopg = driver()
    check_url(url)
    try:
        settings = conninfo_to_dict(url)
    except psycopg.Error:
        raise ShoalError("the address of the database cannot be read", SHAPE) from None
    return {
        "connect_timeout": SECONDS_TO_CONNECT,
        **settings,
        "client_encoding": "UTF8",
        "application_name": "shoal",
    }


def _no_connection(said: str) -> ShoalError:
    for words, what, hint in REFUSALS:
        if words.lower() in said.lower():
            return ShoalError(what, hint)
    return ShoalError("the database cannot be reached", "check the URL, and try it with psql.")


def _failed(error: Any) -> ShoalError:
    if error.sqlstate in FAILURES:
        return ShoalError(*FAILURES[error.sqlstate])
    if error.sqlstate is None:
        return ShoalError("the connection to PostgreSQL was lost", "nothing was kept; try again.")
    return ShoalError(
        f"PostgreSQL has refused the release ({type(error).__name__}, {error.sqlstate})",
        "nothing was kept; its own log says more.",
    )
