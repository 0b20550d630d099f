"""A published table opened for questions, in memory or from its folder."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.query.schema import SECONDS

if TYPE_CHECKING:
    from shoal.query.answer import Answer

SUPPRESSED = "{count:,} records were suppressed; they are outside every bound, and no count holds them."


class Ask(Protocol):
    """Gives the answer to a question, which may take so many seconds."""

    def __call__(self, sql: str, seconds: float = SECONDS) -> "Answer": ...


def open_database_file(path: Path, policy: Policy, suppressed: int) -> Ask:
    """Questions to the database of a permuted release."""
    from shoal.query.answer import answer
    from shoal.query.permuted.database import open_file

    connection, schema = open_file(path, policy.having("sensitive"))
    return lambda sql, seconds=SECONDS: _with_suppressed(answer(connection, schema, sql, seconds), suppressed)


def open_table(table: pa.Table, policy: Policy, suppressed: int) -> Ask:
    """Questions to a published table that is at hand. The engine is loaded only by who asks."""
    refuse_wide_decimals(table.schema)
    if policy.permutes:
        from shoal.query.answer import answer
        from shoal.query.permuted.column_types import typed_table
        from shoal.query.permuted.database import open_database

        connection, schema = open_database(typed_table(table), policy.having("sensitive"))
        return lambda sql, seconds=SECONDS: _with_suppressed(
            answer(connection, schema, sql, seconds), suppressed
        )
    from shoal.query.generalized.answer import answer_generalized
    from shoal.query.generalized.database import open_generalized

    opened = open_generalized(table, policy, suppressed)
    return lambda sql, seconds=SECONDS: answer_generalized(opened, sql, seconds)


def refuse_wide_decimals(schema: pa.Schema) -> None:
    """The engine holds decimals of 128 bits."""
    if wide := [field.name for field in schema if pa.types.is_decimal256(field.type)]:
        what = f"column {wide[0]!r} has decimals of more than 38 digits, which no question can be asked about"
        raise ShoalError(what, "publish the column with fewer digits.")


def _with_suppressed(found: "Answer", suppressed: int) -> "Answer":
    return replace(found, notes=(SUPPRESSED.format(count=suppressed), *found.notes)) if suppressed else found
