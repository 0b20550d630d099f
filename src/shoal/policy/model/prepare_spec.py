"""``[prepare]``: what is done to a table before all else: columns derived or changed, rows left out."""

from collections.abc import Callable, Iterator
from datetime import date as date_type
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from shoal.errors import ShoalError

OF_NUMBERS = ("bottom", "top", "round", "cut")


class ColumnPreparation(BaseModel):
    """What becomes of the cells of a column: an age first, then rounding, limits, and classes.

    >>> ColumnPreparation(cut=[18, 65], labels=["young", "grown", "old"]).labels
    ('young', 'grown', 'old')
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    bottom: Decimal | None = Field(
        default=None, allow_inf_nan=False, description="Smaller numbers become this."
    )
    top: Decimal | None = Field(default=None, allow_inf_nan=False, description="Larger numbers become this.")
    round: Decimal | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="Numbers become multiples of this."
    )
    date: Literal["year", "month"] | None = Field(default=None, description="What stays of dates.")
    age_at: date_type | None = Field(default=None, description="Dates of birth become ages on this day.")
    text: Literal["upper", "lower", "trim"] | None = Field(default=None, description="How words are written.")
    cut: tuple[Decimal, ...] | None = Field(
        default=None, min_length=1, description="Numbers become labels, one below each of these."
    )
    labels: tuple[str, ...] | None = Field(default=None, description="One more than cut has numbers.")

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        for wrong, why in (*self._mixed(), *self._crossed()):
            if wrong:
                raise ValueError(why)
        return self

    def _mixed(self) -> Iterator[tuple[bool, str]]:
        given = {key for key in type(self).model_fields if getattr(self, key) is not None} - {"labels"}
        kinds = [given & {"date"}, given & {"text"}, given & {"age_at", *OF_NUMBERS}]
        yield not given, "say what becomes of it: bottom, top, round, date, age_at, text or cut"
        yield sum(map(bool, kinds)) > 1, "numbers, dates and words are prepared each alone"

    def _crossed(self) -> Iterator[tuple[bool, str]]:
        points, labels = self.cut or (), self.labels or ()
        falls = any(one >= two for one, two in pairwise(points))
        above = self.bottom is not None and self.top is not None and self.bottom > self.top
        yield above, "bottom is above top"
        yield falls, "the numbers of cut do not grow"
        yield (
            len(labels) != len(points) + bool(points),
            'cut needs one label more than it has numbers: cut = [18], labels = ["young", "old"]',
        )
        yield len(set(labels)) < len(labels), "two labels are the same"


class Derivation(BaseModel):
    """A calculation, and how many decimals its result is rounded to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: str = Field(description="For example weight / (height * height).")
    round: int | None = Field(default=None, ge=0, le=15, description="Decimals of the result.")

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        from shoal.table.rules.row_expression import divides, parse_arithmetic  # which loads a parser of SQL

        if divides(_told(parse_arithmetic, self.value)) and self.round is None:
            raise ValueError("a quotient is rounded: say to how many decimals, for example round = 1")
        return self


def _form(given: Any) -> str:
    return "as-text" if isinstance(given, str) else "as-table"


def derivation(entry: "str | Derivation") -> Derivation:
    """What an entry says; a text is a calculation alone."""
    return entry if isinstance(entry, Derivation) else Derivation(value=entry)


DerivationEntry = Annotated[
    Annotated[str, Tag("as-text")] | Annotated[Derivation, Tag("as-table")], Discriminator(_form)
]


class PrepareSpec(BaseModel):
    """The parts of ``[prepare]``, in the order in which they are done: derive, columns, leave_out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    leave_out: str | None = Field(default=None, description="A condition of rows that are left out.")
    columns: dict[str, ColumnPreparation] = Field(default={}, description="What becomes of their cells.")
    derive: dict[str, DerivationEntry] = Field(default={}, description="New columns, computed from others.")

    @field_validator("leave_out")
    @classmethod
    def _is_condition(cls, text: str | None) -> str | None:
        if text is not None:
            from shoal.table.rules.row_expression import parse_condition

            _told(parse_condition, text)
        return text

    @field_validator("derive")
    @classmethod
    def _are_calculations(cls, given: dict[str, DerivationEntry]) -> dict[str, DerivationEntry]:
        for entry in given.values():
            derivation(entry)
        return given

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """The labels of columns that are cut, from low to high."""
        return {name: one.labels for name, one in self.columns.items() if one.labels is not None}

    def words_of(self, name: str) -> str:
        """What becomes of a column, in a few words.

        >>> PrepareSpec(columns={"age": {"top": 90}}).words_of("age")
        'top 90'
        """
        words = []
        if name in self.derive:
            made = derivation(self.derive[name])
            words.append(made.value if made.round is None else f"{made.value}, to {made.round} decimals")
        if name in self.columns:
            given = self.columns[name].model_dump(exclude_none=True)
            words += [f"{key.replace('_', ' ')} {_listed(value)}" for key, value in given.items()]
        return "; ".join(words)

    def named(self) -> dict[str, tuple[str, ...]]:
        """The columns that each part names."""
        if self == PrepareSpec():
            return {}
        from shoal.table.rules.row_expression import columns_of, parse_arithmetic, parse_condition

        read = [
            name
            for one in self.derive.values()
            for name in columns_of(parse_arithmetic(derivation(one).value))
        ]
        return {
            "[prepare] leave_out": ()
            if self.leave_out is None
            else columns_of(parse_condition(self.leave_out)),
            "[prepare.columns]": tuple(self.columns),
            "[prepare.derive]": tuple(dict.fromkeys([*self.derive, *read])),
        }


def _listed(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_listed, value))
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def _told(parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except ShoalError as error:
        raise ValueError(error) from error
