"""The help table: what each number of hits in each group says about the sensitive values.

A query meets some rows of a group; how many, the exact columns tell. Which sensitive values belong to
them, nobody knows: any choice of that many values of the group may be the true one. The help table
holds, for every group and every number of hits, the bounds over all these choices (Koudas et al., ICDE
2007, section 5.2). It is made from the permuted table alone.
"""

import duckdb
from sqlglot import exp

from shoal.errors import Fault, ShoalError
from shoal.query.schema import GROUP, HELP, TABLE, Schema
from shoal.query.syntax import column, select

FIGURES = (
    "sum_lower",
    "sum_upper",
    "min_lower",
    "min_upper",
    "max_lower",
    "max_upper",
    "mean",
    "variance",
)
NUMERIC = ("INTEGER", "INT", "DECIMAL", "DOUBLE", "FLOAT")


def build(connection: duckdb.DuckDBPyConnection, schema: Schema) -> None:
    """Write the table ``help`` beside ``data``.

    For a sensitive column ``salary`` it has ``salary_sum_lower``, ``salary_sum_upper``, and so on, for each
    ``shoal_group``, ``hits`` from 1 to the group's size, and ``group_size``.
    """
    if faults := [fault for name in (GROUP, *schema.sensitive) for fault in _faults(connection, name)]:
        raise ShoalError(faults)
    create = exp.Create(this=exp.to_table(HELP), kind="TABLE", expression=_all_columns(schema))
    connection.execute(create.sql("duckdb"))


def help_of(value: exp.Expression) -> exp.Select:
    """The help table of an expression over ``data``, under plain names (``FIGURES``).

    The h-th smallest value of a group is ``max_lower`` at h hits, the h-th largest ``min_upper``.
    """
    return (
        select(GROUP, "low.hits", "group_size", "sum_lower", "sum_upper", "min_lower", "min_upper")
        .select("max_lower", "max_upper", "mean", "variance", copy=False)
        .from_(_ranked(value, downwards=False).subquery("low"))
        .join(_ranked(value, downwards=True).subquery("high"), using=[GROUP, "hits"])
    )


def _ranked(value: exp.Expression, downwards: bool) -> exp.Select:
    """One end: the values of each group in order, what the first of them add up to, and moments."""
    named = ("sum_upper", "min_upper", "max_upper") if downwards else ("sum_lower", "max_lower", "min_lower")
    running, reached, extreme = named
    order = "value DESC" if downwards else "value"
    window = f"OVER (PARTITION BY {GROUP} ORDER BY {order} ROWS UNBOUNDED PRECEDING)"
    whole = f"OVER (PARTITION BY {GROUP})"
    ranked = select(
        GROUP,
        f"ROW_NUMBER() {window} AS hits",
        f"SUM(value) {window} AS {running}",
        f"value AS {reached}",
        f"FIRST_VALUE(value) {window} AS {extreme}",
    ).from_(_values(value).subquery("chosen"))
    if downwards:
        return ranked
    return ranked.select(
        f"COUNT(*) {whole} AS group_size",
        f"AVG(value) {whole} AS mean",
        f"VAR_POP(value) {whole} AS variance",
        dialect="duckdb",
    )


def _values(value: exp.Expression) -> exp.Select:
    return select(column(GROUP, TABLE), exp.alias_(value.copy(), "value")).from_(TABLE)


def _all_columns(schema: Schema) -> exp.Select:
    """The helps of all sensitive columns side by side, each figure under its column's name."""
    tables = [f"help_{number}" for number in range(len(schema.sensitive))]
    chosen = select(column(GROUP), column("hits"), column("group_size", tables[0])).from_(tables[0])
    for name, table in zip(schema.sensitive, tables, strict=True):
        if table != tables[0]:
            chosen = chosen.join(table, using=[GROUP, "hits"])
        chosen = chosen.select(
            *(exp.alias_(column(figure, table), stored(name, figure), quoted=True) for figure in FIGURES)
        )
        chosen = chosen.with_(table, as_=help_of(column(name, TABLE)))
    return chosen


def stored(name: str, figure: str) -> str:
    """Where the help table keeps a figure of a sensitive column."""
    return f"{name}_{figure}"


def _faults(connection: duckdb.DuckDBPyConnection, name: str) -> list[Fault]:
    """What would make bounds wrong: missing values, and what is not a finite number."""
    kind, missing, odd = _counts(connection, name)
    hint = "leave these records out of the release."
    if name != GROUP and not any(word in kind for word in NUMERIC):
        return [Fault(f"sensitive column {name!r} is not numeric", "permute numeric columns only.")]
    if missing:
        return [Fault(f"column {name!r} has {missing} missing values", hint)]
    return [Fault(f"column {name!r} has {odd} values that are not finite numbers", hint)] if odd else []


def _counts(connection: duckdb.DuckDBPyConnection, name: str) -> tuple[str, int, int]:
    cells = column(name, TABLE)
    query = select(
        exp.func("ANY_VALUE", exp.func("TYPEOF", cells)),
        exp.Sub(this=exp.Count(this=exp.Star()), expression=exp.Count(this=cells.copy())),
        exp.Count(this=cells.copy()),
    ).from_(TABLE)
    kind, missing, present = connection.execute(query.sql("duckdb")).fetchone() or ("", 0, 0)
    if not present or kind not in ("DOUBLE", "FLOAT"):
        return str(kind or NUMERIC[0]), int(missing), 0
    finite = select("COUNT(*)").from_(TABLE).where(exp.func("ISFINITE", cells.copy()))
    (count,) = connection.execute(finite.sql("duckdb")).fetchone() or (0,)
    return str(kind), int(missing), int(present) - int(count)
