"""The query of an owner, if it is one SELECT that does nothing but read.

It is parsed, and only its tree becomes SQL again: without anything that writes, locks or leads elsewhere,
without a function that may do so, and without what gives other rows each time, such as chance and clocks.
"""

from typing import Any

import sqlglot
from sqlglot import ErrorLevel, exp
from sqlglot.errors import SqlglotError

from shoal.errors import ShoalError

SHAPE = 'give one SELECT, as --query "select age, pay from people where pay > 0".'
INTO_A_VIEW = "leave it out, or put it into a view of the database and read that."
CHANGES = (exp.DML, exp.DDL, exp.Into, exp.Lock, exp.Command)
CHANCES = (exp.Rand, exp.Randn, exp.Uuid, exp.TableSample)
CLOCKS = (
    exp.CurrentDate,
    exp.CurrentDatetime,
    exp.CurrentTime,
    exp.CurrentTimestamp,
    exp.Localtime,
    exp.Localtimestamp,
)


def checked_select(query: str, dialect: str) -> str:
    """
    >>> checked_select("select age from people;", "sqlite")
    'SELECT age FROM people'
    """
    tree = _only_tree(query, dialect)
    if not isinstance(tree, exp.Query) or tree.find(*CHANGES):
        raise ShoalError("the query does something else than to read", SHAPE)
    if tree.find(*CHANCES):
        raise ShoalError("the query gives other rows each time", "leave samples, random() and uuid() out.")
    if tree.find(*CLOCKS):
        raise ShoalError("the query gives other rows another day", "write the day or time that is meant.")
    if unknown := next(tree.find_all(exp.Anonymous), None):
        what = f"the query calls {unknown.name!r}, of which nobody knows that it only reads"
        raise ShoalError(what, INTO_A_VIEW)
    return _sql_of(tree, dialect)


def _only_tree(query: str, dialect: str) -> Any:
    try:
        trees = [tree for tree in sqlglot.parse(query, read=dialect) if tree is not None]
    except (SqlglotError, RecursionError):
        raise ShoalError("the query cannot be read as SQL", SHAPE) from None
    if len(trees) != 1:
        raise ShoalError(f"the query holds {len(trees)} statements", SHAPE)
    return trees[0]


def _sql_of(tree: Any, dialect: str) -> str:
    """The query that runs says what was checked, all of it and nothing else."""
    try:
        sql = str(tree.sql(dialect=dialect, unsupported_level=ErrorLevel.RAISE))
        kept = sqlglot.parse(sql, read=dialect) == [tree]
    except (SqlglotError, RecursionError):
        kept = False
    if not kept:
        hint = "spell it in plainer SQL, or put it into a view of the database and read that."
        raise ShoalError("the query would run as another one", hint)
    return sql
