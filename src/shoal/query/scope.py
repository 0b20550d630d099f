"""What the rules write into: the parts of the rewritten statement that they share.

``hits`` counts the rows that fit the exact conditions, for each group of the release and each key of
GROUP BY. A rule reads ``hits`` and a help table and adds a table of its own, with one row per key.
"""

from dataclasses import dataclass, field

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.help_table import FIGURES, help_of, stored
from shoal.query.parse import SENSITIVE, check_nodes, column_names, sensitive_columns
from shoal.query.schema import GROUP, HELP, TABLE, Schema
from shoal.query.syntax import column, select


@dataclass
class Scope:
    schema: Schema
    keys: tuple[exp.Expression, ...]
    where: exp.Expression | None
    condition: exp.Expression | None  # on a sensitive column
    tables: dict[str, exp.Select] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.condition is not None:
            self.sensitive_column(self.condition)
        counted = self.by_key(self.of_data(self.keyed_data()).select("COUNT(*) AS hits", dialect="duckdb"))
        self.tables["hits"] = counted.select(column(GROUP, TABLE)).group_by(column(GROUP, TABLE))

    @property
    def key_names(self) -> tuple[str, ...]:
        return tuple(f"key_{number}" for number in range(len(self.keys)))

    def keyed_data(self) -> exp.Select:
        return select(
            *(exp.alias_(key.copy(), name) for key, name in zip(self.keys, self.key_names, strict=True))
        )

    def of_data(self, statement: exp.Select) -> exp.Select:
        """From the rows that fit the exact conditions."""
        statement = statement.from_(TABLE)
        return statement.where(self.where.copy()) if self.where is not None else statement

    def by_key(self, statement: exp.Select) -> exp.Select:
        return statement.group_by(*(key.copy() for key in self.keys)) if self.keys else statement

    def add(self, name: str, statement: exp.Select) -> str:
        """A table of the statement under a name of its own; the same table is added once."""
        text = statement.sql("duckdb")
        for known, other in self.tables.items():
            if known.startswith(f"{name}_") and other.sql("duckdb") == text:
                return known
        number = sum(known.startswith(f"{name}_") for known in self.tables)
        self.tables[f"{name}_{number}"] = statement
        return f"{name}_{number}"

    def sensitive_column(self, value: exp.Expression) -> str:
        """The one sensitive column of an expression that depends on nothing else."""
        used = sensitive_columns(value, self.schema)
        if len(used) != 1 or len(set(column_names(value))) != 1:
            raise ShoalError(
                f"{value.sql('duckdb')!r} combines columns whose rows do not belong together in this release",
                "use one sensitive column at a time, and no other column beside it.",
            )
        check_nodes(value, SENSITIVE)
        return used[0]

    def help(self, value: exp.Expression) -> str:
        """The help table of a sensitive column, or of an expression of it."""
        name = self.sensitive_column(value)
        if value == column(name, TABLE):
            figures = (exp.alias_(column(stored(name, figure)), figure) for figure in FIGURES)
            return self.add("help", select(GROUP, "hits", "group_size", *figures).from_(HELP))
        return self.add("help", help_of(value))

    def keyed(self, table: str = "hits") -> exp.Select:
        """One row per key, read from the table."""
        names = [f"{table}.{name}" for name in self.key_names]
        statement = select(*names).from_(table)
        return statement.group_by(*names) if names else statement

    def met(self, help: str) -> exp.Select:
        """One row per key, from the hit groups and what the help table says about their hits."""
        return self.keyed().join(help, using=[GROUP, "hits"])
