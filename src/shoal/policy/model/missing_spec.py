"""``[missing]``: which codes of a column say that nothing is known, and how missing cells count."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

Missing = Literal["value", "zero", "suppress", "error"]
Code = int | Decimal | date | str


class MissingSpec(BaseModel):
    """The codes of a column, and how its missing cells count."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    codes: tuple[Code, ...] = Field(default=(), description="Values that say that nothing is known.")
    count: Missing | None = Field(default=None, description="How missing cells count.")


def _form(given: Any) -> str:
    return (
        "as-list" if isinstance(given, list | tuple) else "as-text" if isinstance(given, str) else "as-table"
    )


MissingEntry = Annotated[
    Annotated[Missing, Tag("as-text")]
    | Annotated[tuple[Code, ...], Tag("as-list")]
    | Annotated[MissingSpec, Tag("as-table")],
    Discriminator(_form),
]


def count_of(entry: MissingEntry | None) -> Missing | None:
    """How missing cells count, if an entry says so."""
    if isinstance(entry, MissingSpec):
        return entry.count
    return None if entry is None or isinstance(entry, tuple) else entry


def with_count(entry: MissingEntry | None, count: Missing) -> Any:
    """An entry as it would be with another count, and with its codes.

    >>> with_count((-9,), "suppress"), with_count(None, "zero")
    ({'codes': (-9,), 'count': 'suppress'}, 'zero')
    """
    codes = entry.codes if isinstance(entry, MissingSpec) else entry if isinstance(entry, tuple) else ()
    return {"codes": codes, "count": count} if codes else count


def codes_of(entry: MissingEntry) -> tuple[str, ...]:
    """The codes of an entry as they are compared, by their values.

    >>> codes_of((-9, Decimal("99.0"), "NA"))
    ('-9', '99.0', 'NA')
    """
    codes = entry.codes if isinstance(entry, MissingSpec) else entry if isinstance(entry, tuple) else ()
    return tuple(map(str, codes))
