"""What the rules write into: the parts of the rewritten statement that they share.

``hits`` counts the rows that fit the exact conditions, for each group of the release and each key of
GROUP BY; where there is neither, it is the size of the group. A pass reads it once beside the lists of the
groups, for all aggregates that need no more.
"""

from dataclasses import dataclass, field

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.parse import SENSITIVE, check_nodes, column_names, sensitive_columns
from shoal.query.permuted.counted_lists import CountedLists, counted_lists_of
from shoal.query.permuted.lists import Lists, lists_of
from shoal.query.schema import GROUP, GROUPS, TABLE, Schema
from shoal.query.sql_text import sql_text
from shoal.query.syntax import column, days, equal_columns, select, trusted_sql

HITS = "hits"
MET = "met"  # the first pass: one row per key, whatever else is asked


@dataclass
class Pass:
    """Figures over one source, side by side: aggregates, with one row per key, or figures of each row.

    Only rows that fit one of the conditions ``where`` are read, if there are any.
    """

    name: str
    source: exp.Select
    figures: dict[str, exp.Expression] = field(default_factory=dict)
    where: list[exp.Expression] = field(default_factory=list)
    row_per_hit: bool = False  # the source has one row for each hit

    def add(self, name: str, figure: str | exp.Expression) -> str:
        """A figure under this name, or the one it already has; gives its column."""
        tree = trusted_sql(figure) if isinstance(figure, str) else figure
        for known, other in self.figures.items():
            if other == tree:
                return f"{self.name}.{known}"
        taken = sum(known == name or known.startswith(f"{name}_") for known in self.figures)
        named = f"{name}_{taken}" if taken else name
        self.figures[named] = tree
        return f"{self.name}.{named}"

    def statement(self) -> exp.Select:
        statement = self.source.select(*(exp.alias_(tree, name) for name, tree in self.figures.items()))
        return statement.where(exp.or_(*self.where)) if self.where else statement


@dataclass
class Scope:
    """The rewritten statement as it grows: its sources, passes and steps, each added once."""

    schema: Schema
    keys: tuple[exp.Expression, ...]
    where: exp.Expression | None
    condition: exp.Expression | None  # on a sensitive column
    sources: dict[str, exp.Query] = field(default_factory=dict)  # what passes read
    passes: dict[str, Pass] = field(default_factory=dict)
    steps: dict[str, exp.Query | Pass] = field(default_factory=dict)  # what reads passes
    ends: list[str] = field(default_factory=list)  # steps with one row per key

    def __post_init__(self) -> None:
        if self.condition is not None:
            self.sensitive_column(self.condition)
        self.sources[HITS] = self._hits()
        self.passes[MET] = Pass(MET, self.keyed(HITS))
        self.size = self.passes[MET].add("hits", "SUM(hits.hits)")  # NULL, not 0, where no row fits
        self.total = self.size if self.keys else f"COALESCE({self.size}, 0)"

    def _hits(self) -> exp.Select:
        if self.where is None and not self.keys:
            return select("group_size AS hits", GROUP).from_(GROUPS)
        rows = self.of_data(
            self.keyed_data().select("COUNT(*) AS hits", column(GROUP, TABLE), dialect="duckdb")
        )
        return self.by_key(rows.group_by(column(GROUP, TABLE)))  # the order of rows: counters stay at hand

    @property
    def key_names(self) -> tuple[str, ...]:
        return tuple(f"key_{number}" for number in range(len(self.keys)))

    def keyed_data(self) -> exp.Select:
        return select(
            *(exp.alias_(key.copy(), name) for key, name in zip(self.keys, self.key_names, strict=True))
        )

    def of_data(self, statement: exp.Select) -> exp.Select:
        """The statement over the rows that fit the exact conditions."""
        statement = statement.from_(TABLE)
        return statement.where(self.where.copy()) if self.where is not None else statement

    def by_key(self, statement: exp.Select) -> exp.Select:
        return statement.group_by(*(key.copy() for key in self.keys)) if self.keys else statement

    def source(self, name: str, statement: exp.Query) -> str:
        """A table that passes read; the same table is added once."""
        return _added(self.sources, name, statement)

    def step(self, name: str, statement: exp.Query) -> str:
        """A table that reads passes."""
        return _added(self.steps, name, statement)

    def end(self, name: str, statement: exp.Select) -> str:
        """A step with one row per key, which joins the answer."""
        added = self.step(name, statement)
        if added not in self.ends:
            self.ends.append(added)
        return added

    def grow(self, name: str, source: exp.Select, end: bool = False) -> Pass:
        """A step that takes further figures, under the name that it was begun with."""
        if name not in self.steps and end:
            self.ends.append(name)
        found = self.steps.setdefault(name, Pass(name, source))
        if not isinstance(found, Pass):
            raise TypeError(f"{name} is a finished step")
        return found

    def sensitive_column(self, value: exp.Expression) -> str:
        """The one sensitive column of an expression that depends on nothing else."""
        used = sensitive_columns(value, self.schema)
        if len(used) != 1 or len(set(column_names(value))) != 1:
            raise ShoalError(
                f"{sql_text(value)!r} combines columns whose rows do not belong together in this release",
                "use one sensitive column at a time, and no other column beside it.",
            )
        check_nodes(value, SENSITIVE)
        return used[0]

    def listed_column(self, value: exp.Expression) -> str:
        """The one sensitive column of an expression, whose values add up or lie in order."""
        name = self.sensitive_column(value)
        if name in self.schema.words:
            raise ShoalError(
                f"{name!r} holds words, or has empty cells: its values neither add up nor lie in order",
                f"count by it: select count(*) from data where {name} = '...'.",
            )
        return name

    def lists(self, value: exp.Expression) -> Lists:
        """The lists of a sensitive column, or of an expression of it."""
        name = self.listed_column(value)
        if value == column(name, TABLE):
            return CountedLists(name=name) if name in self.schema.counted else Lists(GROUPS, name)
        return self.made_lists(value)

    def made_lists(self, value: exp.Expression, where: exp.Expression | None = None) -> Lists:
        """Lists that are not stored: of an expression, or of what fits a condition."""
        name, number = self.sensitive_column(value), self.number(value)
        if name in self.schema.counted:
            return CountedLists(
                self.source("lists", counted_lists_of(number, name, self.schema, where)), "value"
            )
        return Lists(self.source("lists", lists_of(number, where=where)))

    def number(self, value: exp.Expression) -> exp.Expression:
        """What is listed of a sensitive column, over ``data``: dates as numbers of days."""
        name = self.sensitive_column(value)
        if name not in self.schema.dates:
            return value
        if value != column(name, TABLE):
            raise ShoalError(f"{name!r} holds dates, which cannot be calculated with", f"use {name!r} alone.")
        return days(value)

    def keyed(self, table: str) -> exp.Select:
        """One row per key, read from the table."""
        names = [f"{table}.{name}" for name in self.key_names]
        statement = select(*names).from_(table)
        return statement.group_by(*names) if names else statement

    def hit_groups(self, lists: Lists) -> Pass:
        """The pass over the hit groups and their lists; that over ``groups`` is the first pass."""
        if lists.table == GROUPS:
            found = self.passes[MET]
            found.source = self.join_lists(lists, HITS, keyed=True)
            return found
        return self.look(f"{MET}_{lists.table}", self.join_lists(lists, HITS, keyed=True))

    def look(self, name: str, source: exp.Select, row_per_hit: bool = False) -> Pass:
        return self.passes.setdefault(name, Pass(name, source, row_per_hit=row_per_hit))

    def merge_counts(self) -> str | None:
        """Nothing but the hits is counted in the first pass: another one that can takes its place."""
        first, *others = self.passes.values()
        counting = next((found for found in others if found.row_per_hit), None)
        if counting is None or len(first.figures) > 1 or self.steps:
            return None
        counting.figures["hits"] = trusted_sql("COUNT(*)")
        self.passes = {MET: counting, **{found.name: found for found in others if found is not counting}}
        return counting.name

    def join_lists(self, lists: Lists, table: str, keyed: bool = False) -> exp.Select:
        """The lists of each group in a table, on the left: the engine copies what stands on the right."""
        names = [f"{table}.{name}" for name in self.key_names]
        found = select(*names).from_(lists.table).join(table, on=f"{lists.table}.{GROUP} = {table}.{GROUP}")
        return found.group_by(*names) if keyed and names else found

    def joined(self, table: str, other: str, left: bool = False) -> exp.Select:
        """The keys of a table, beside another one that has one row per key."""
        names = [f"{table}.{name}" for name in self.key_names]
        on = equal_columns(table, other, self.key_names)
        return select(*names).from_(table).join(other, on=on, join_type="left" if left else "")


def _added(
    tables: dict[str, exp.Query] | dict[str, exp.Query | Pass], name: str, statement: exp.Query
) -> str:
    for known, other in tables.items():
        if known.startswith(f"{name}_") and other == statement:
            return known
    named = f"{name}_{sum(known.startswith(f'{name}_') for known in tables)}"
    tables[named] = statement
    return named
