"""What a release promises: one frozen class per guarantee, each a sentence about the table."""

from decimal import Decimal
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from shoal.errors import ShoalError
from shoal.policy.expression import Node, columns_of, parse


class _Guarantee(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))


class KAnonymity(_Guarantee):
    """Every record shares its published quasi cells with at least k - 1 others.

    >>> KAnonymity(k=5).sentence()
    'every combination of published quasi values is shared by at least 5 records'
    """

    kind: Literal["k-anonymity"] = "k-anonymity"
    k: int = Field(ge=2, description="Smallest number of records that share their quasi cells.")

    def sentence(self) -> str:
        return f"every combination of published quasi values is shared by at least {self.k} records"


def _readable(text: str) -> str:
    try:
        parse(text)
    except ShoalError as error:
        raise ValueError(error) from error
    return text


class KfAnonymity(_Guarantee):
    """Whoever knows an aggregate of a record still finds at least k candidates for it.

    >>> KfAnonymity(k=5, knows=["salary + bonus"]).sentence()
    'someone who knows salary + bonus of a person finds at least 5 records that fit'
    """

    kind: Literal["kf-anonymity"] = "kf-anonymity"
    k: int = Field(ge=2, description="Smallest number of records that fit the attacker's knowledge.")
    knows: tuple[Annotated[str, AfterValidator(_readable)], ...] = Field(
        min_length=1,
        max_length=1,
        description="The aggregate the attacker knows, as an expression over quasi columns.",
    )
    within: Decimal | None = Field(
        default=None, gt=0, lt=1, description="The attacker knows the aggregate up to this share."
    )
    band: Literal["centred", "any"] = Field(
        default="centred",
        description="Where the attacker's range sits: around the value, or anywhere containing it.",
    )

    @model_validator(mode="after")
    def _half_at_most(self) -> Self:
        if self.band == "any" and self.within is not None and self.within > Decimal("0.5"):
            raise ValueError('with band = "any", within is at most 0.5')
        return self

    @cached_property
    def tree(self) -> Node:
        return parse(self.knows[0])

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(columns_of(self.tree))

    def sentence(self) -> str:
        about = f" to within {self.within * 100:f} %" if self.within else ""
        where = ", wherever that range sits," if self.within and self.band == "any" else ""
        return (
            f"someone who knows {self.knows[0]}{about}{where} of a person finds at least "
            f"{self.k} records that fit"
        )


Guarantee = Annotated[KAnonymity | KfAnonymity, Field(discriminator="kind")]
GUARANTEES = (KAnonymity, KfAnonymity)
