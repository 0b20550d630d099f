"""A published table opened for questions, in memory or from its folder."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.policy.policy import Policy

if TYPE_CHECKING:
    from shoal.query.answer import Answer

Ask = Callable[[str], "Answer"]


def open_table(table: pa.Table, policy: Policy) -> Ask:
    """Questions to a published table that is at hand."""
    from shoal.query.answer import answer  # the engine is loaded only by who asks
    from shoal.query.database import open_database

    if not policy.permutes:
        raise ShoalError("this release is not permuted", "ask a permuted release.")
    connection, schema = open_database(table, policy.having("sensitive"))
    return lambda sql: answer(connection, schema, sql)
