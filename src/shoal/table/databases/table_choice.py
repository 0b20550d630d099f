"""Which table of a database is meant, as a SELECT that does nothing but read."""

from collections.abc import Sequence

from shoal.display import visible_text
from shoal.errors import ShoalError, nearest
from shoal.table.files.reading import Reading

SHOWN_TABLES = 12
Listed = tuple[str, str, bool]  # a schema, the name of a table or view in it, and whether it is a table


def select_of(name: str, found: Sequence[Listed], reading: Reading, dialect: str) -> str:
    """The SELECT of the table that is meant: the one that is named or asked for, or the only one there is."""
    if reading.query is not None:
        from shoal.table.databases.checked_select import checked_select

        return checked_select(reading.query, dialect)
    schema, table, _ = _only_one(name, found) if reading.table is None else _named(name, found, reading.table)
    return f"select * from {quoted(schema)}.{quoted(table)}"  # noqa: S608


def quoted(name: str) -> str:
    """
    >>> quoted('net "pay"')
    '"net ""pay""\"'
    """
    return '"' + name.replace('"', '""') + '"'


def _only_one(name: str, found: Sequence[Listed]) -> Listed:
    tables = [one for one in found if one[2]]
    if len(tables) == 1:
        return tables[0]
    if not found:
        raise ShoalError(f"{name} holds no tables", "give another database.")
    shown = ", ".join(repr(table) for _, table, _ in tables[:SHOWN_TABLES]) or "views only"
    more = f" and {len(tables) - SHOWN_TABLES:,} more" if len(tables) > SHOWN_TABLES else ""
    what = f"{name} holds {len(tables):,} tables: {visible_text(shown)}{more}"
    raise ShoalError(what, "choose one: --table NAME or --query, or table in the policy's [reading].")


def _named(name: str, found: Sequence[Listed], asked: str) -> Listed:
    fitting = [one for one in found if asked in (one[1], f"{one[0]}.{one[1]}")]
    if not fitting:
        hint = nearest(asked, [table for _, table, _ in found], "the database") if found else ""
        raise ShoalError(f"{name} has no table {asked!r}", visible_text(hint))
    if len(fitting) > 1:
        hint = f"write {visible_text('.'.join(fitting[0][:2]))}, or another of them."
        raise ShoalError(f"{name} has {len(fitting)} tables named {asked!r}, in several schemas", hint)
    return fitting[0]
