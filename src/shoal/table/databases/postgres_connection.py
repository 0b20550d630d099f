"""A connection to PostgreSQL, and what to say when there is none.

Nothing here repeats the URL or what the driver says of it: a password may be part of both.
"""

from typing import Any

from shoal.errors import ShoalError
from shoal.table.databases.address import is_address

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


def connected(url: str, options: str = "") -> Any:
    """A new connection, with settings of the server for this session alone (as ``-c name=value``)."""
    psycopg, settings = driver(), _settings(url)
    given = " ".join(filter(None, (settings.get("options"), options)))
    try:
        return psycopg.connect(**settings | ({"options": given} if given else {}))
    except psycopg.Error as error:
        raise _no_connection(str(error)) from None


def check_url(url: str) -> None:
    """
    >>> check_url("mysql://ann:secret@localhost/research")
    Traceback (most recent call last):
    shoal.errors.ShoalError: this is no address of a PostgreSQL database
    Hint: write postgresql://user:password@host:port/database.
    """
    if not is_address(url):
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
