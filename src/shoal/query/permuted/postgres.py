"""The same questions, put to a release in PostgreSQL (``shoal publish`` loads it)."""

from decimal import Decimal
from typing import Any

from shoal.errors import ShoalError
from shoal.query.answer import Answer, answer_from_rows
from shoal.query.permuted.rewrite import rewrite
from shoal.query.schema import SECONDS, Schema
from shoal.query.time_limit import no_answer


def answer_in_postgres(
    connection: Any, schema_name: str, query_schema: Schema, sql: str, seconds: float = SECONDS
) -> Answer:
    """Ask the tables of a schema, through a connection of psycopg.

    The statement may read and nothing else, sees this schema alone, and is given up after some seconds.
    """
    import psycopg
    from psycopg.sql import SQL, Identifier

    rewritten = rewrite(sql, query_schema)
    try:
        with connection.transaction(force_rollback=True):
            connection.execute("SET TRANSACTION READ ONLY")
            connection.execute(SQL("SET LOCAL search_path TO {}").format(Identifier(schema_name)))
            connection.execute("SELECT set_config('statement_timeout', %s, true)", [f"{seconds:.3f}s"])
            rows = connection.execute(rewritten.sql("postgres")).fetchall()
    except psycopg.errors.QueryCanceled:
        raise no_answer(seconds) from None
    except psycopg.Error as error:
        raise ShoalError(
            f"the query cannot be computed ({type(error).__name__})",
            "compare numbers with numbers and words with words, and keep numbers small.",
        ) from None
    return answer_from_rows((tuple(map(_number, row)) for row in rows), rewritten)


def _number(cell: Any) -> Any:
    """A sum of whole numbers is a ``numeric`` without decimals: a whole number again.

    >>> _number(Decimal("109")), _number(Decimal("109.00"))
    (109, Decimal('109.00'))
    """
    whole = isinstance(cell, Decimal) and cell.as_tuple().exponent == 0
    return int(cell) if whole else cell
