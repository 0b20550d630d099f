"""What the owner of a file says about it, where the file itself leaves it open.

A first line may be the names of the columns or the first person, and a cell over several lines may be a long
remark or other people's rows behind a stray quote. Nothing but the owner's word decides that.

Nor does a file of any kind say everything about its cells: how numbers and dates are spelled, which codes
mean that nothing is known. Rules say so, and change the rows as they are read.
"""

import csv
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from shoal.errors import ShoalError

if TYPE_CHECKING:
    import pyarrow as pa


class RowRule(Protocol):
    """A change of rows that looks at each of them alone, so that a table and its batches come out alike.

    What it needs a column for that is not there, it leaves alone: who asks for the column says that it is
    missing. The types of what it gives depend on the types of what it is given, not on the cells. Cells that
    it cannot read are ``UnreadableCells``. ``keeps_rows``: it leaves none of them out.
    """

    @property
    def keeps_rows(self) -> bool: ...

    def __call__(self, rows: "pa.Table") -> "pa.Table": ...


@dataclass(frozen=True)
class Reading:
    """``header``: the first row is names, whatever it looks like; or it is not. ``names``: it is not, and
    these are the names. ``multiline``: columns whose cells may hold line ends and as many delimiters as a
    row. ``known``: names that are expected; a first row with one of them is names. ``sheet``, ``table`` and
    ``query``: which table is meant where a file or a database holds several. ``rules`` change the rows of
    files of every kind and of frames, one after the other."""

    header: bool | None = None
    names: tuple[str, ...] = ()
    multiline: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    sheet: str | None = None
    table: str | None = None
    query: str | None = None
    rules: tuple[RowRule, ...] = ()

    def __post_init__(self) -> None:
        if self.header and self.names:
            raise ShoalError(
                "the first row is said to be names, and other names are given",
                "say one of the two: the first row is names, or what the columns are called.",
            )
        if sum(choice is not None for choice in (self.sheet, self.table, self.query)) > 1:
            hint = "give one of sheet, table and query, and leave the others out."
            raise ShoalError("a table was chosen in several ways", hint)
        if any(not name.strip() for name in self.names) or len(set(self.names)) < len(self.names):
            raise ShoalError(
                "the names that are given for the columns are not all different words",
                "give every column a name of its own.",
            )

    @property
    def without_header(self) -> bool:
        """Is the first row a record?"""
        return bool(self.names) or self.header is False

    def expecting(self, names: Collection[str]) -> "Reading":
        """The same for another file, of which nothing is said but that it has some of these columns."""
        return replace(AS_IT_LOOKS, multiline=self.multiline, known=frozenset(names), rules=self.rules)

    @property
    def keeps_rows(self) -> bool:
        """Does every row of the source become one?"""
        return all(rule.keeps_rows for rule in self.rules)

    @property
    def as_written(self) -> "Reading":
        """The same, with every cell as it stands in the file."""
        return replace(self, rules=())

    def ruled(self, rows: "pa.Table") -> "pa.Table":
        """Rows as they come from a file, by the rules."""
        for rule in self.rules:
            rows = rule(rows)
        return rows


def split_names(text: str) -> list[str]:
    """Names with commas between them.

    >>> split_names('age, "net, pay"')
    ['age', 'net, pay']
    """
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]


AS_IT_LOOKS = Reading()
