"""``[reading]``: what the owner says about a file where the file itself leaves it open."""

from collections.abc import Collection
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from shoal.table.files.reading import Reading


class ReadingSpec(BaseModel):
    """The keys of ``[reading]``.

    >>> ReadingSpec(names=["age", "pay"]).of(["age", "pay"]).names
    ('age', 'pay')
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    header: bool | None = Field(default=None, description="Is the first row the names of the columns?")
    names: tuple[str, ...] = Field(default=(), description="Of the columns of a file without a header.")
    multiline: tuple[str, ...] = Field(
        default=(), description="Columns whose cells may hold line ends and as many delimiters as a row."
    )
    sheet: str | None = Field(default=None, description="Which sheet of a workbook the table is.")
    table: str | None = Field(default=None, description="Which table of a database it is.")
    query: str | None = Field(default=None, description="Or the SELECT that gives it; never published.")

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.header is False and not self.names:
            raise ValueError('without a header, names = ["age", "pay"] says what the columns are called')
        self.of(())
        return self

    def of(self, columns: Collection[str]) -> Reading:
        """How to read a file with these columns."""
        return Reading(
            self.header, self.names, self.multiline, frozenset(columns), self.sheet, self.table, self.query
        )
