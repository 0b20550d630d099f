"""``[types]``: what the owner says that a column is, and how its cells are spelled."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

Kind = Literal["number", "category", "ordered", "date", "text"]
OF_WORDS: tuple[Kind, ...] = ("category", "ordered", "text")
KEYS: dict[Kind, tuple[str, ...]] = {
    "number": ("decimal", "thousands"),
    "date": ("format", "years_from"),
    "ordered": ("order",),
}


class TypeSpec(BaseModel):
    """The kind of a column, and what goes with it.

    >>> TypeSpec(kind="ordered", order=["none", "primary"]).of_words
    True
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    decimal: Literal[".", ","] | None = Field(default=None, description="The decimal mark of numbers.")
    thousands: Literal[".", ",", "'", "\u2019", " ", "\u00a0", "\u202f"] | None = Field(
        default=None, description="The mark between thousands; a blank stands for all kinds of blanks."
    )
    format: str | None = Field(default=None, description="Of dates, in the words of strftime.")
    years_from: int | None = Field(
        default=None, ge=1, le=9900, description="The first year that two digits may mean."
    )
    order: tuple[str, ...] | None = Field(
        default=None, min_length=1, description="The words, from low to high."
    )

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        given = {key for key in self.model_fields_set if getattr(self, key) is not None} - {"kind"}
        if odd := sorted(given - {*KEYS.get(self.kind, ())}):
            raise ValueError(f"{odd[0]!r} does not go with the kind {self.kind!r}")
        if self.kind == "number" and self.thousands == (self.decimal or "."):
            raise ValueError("the mark between thousands is the decimal mark: one of them is another")
        if self.kind == "ordered" and (self.order is None or len(set(self.order)) < len(self.order)):
            raise ValueError('an ordered column needs its different words: order = ["low", "high"]')
        if self.format is not None and (fault := _format_fault(self.format, self.years_from)):
            raise ValueError(fault)
        return self

    @property
    def of_words(self) -> bool:
        return self.kind in OF_WORDS


def _format_fault(format: str, years_from: int | None) -> str | None:
    from shoal.table.rules.date_format import format_fault

    return format_fault(format, years_from)


def _form(given: Any) -> str:
    return "as-text" if isinstance(given, str) else "as-table"


TypeEntry = Annotated[
    Annotated[Literal["number", "category", "date", "text"], Tag("as-text")]
    | Annotated[TypeSpec, Tag("as-table")],
    Discriminator(_form),
]


def spec_of(entry: TypeEntry) -> TypeSpec:
    """What an entry says; a text is a kind alone."""
    return entry if isinstance(entry, TypeSpec) else TypeSpec(kind=entry)
