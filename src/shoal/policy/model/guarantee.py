"""What a release promises: one frozen class per guarantee, each a sentence about the table."""

from collections.abc import Sequence
from decimal import Decimal
from functools import cached_property
from math import ceil
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from shoal.errors import ShoalError
from shoal.policy.model.expression import Expression, columns_of, parse_expression
from shoal.table.columns.same_value import value_of


class _Guarantee(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))

    @property
    def records(self) -> int:
        """The fewest records of a class that can satisfy it."""
        return ceil(max(getattr(self, asked, 1) for asked in ("k", "l", "p")))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names, each once."""
        named = getattr(self, "sensitive", ())
        return (named,) if isinstance(named, str) else tuple(dict.fromkeys(named))


class KAnonymity(_Guarantee):
    """Every record shares its published quasi cells with at least k - 1 others.

    >>> KAnonymity(k=5).sentence()
    'every combination of published quasi values is shared by at least 5 records'
    >>> KAnonymity(k=5, stars="any").sentence()
    'every record matches at least 5 records, where a star matches anything'
    """

    kind: Literal["k-anonymity"] = "k-anonymity"
    k: int = Field(ge=2, description="Smallest number of records that share their quasi cells.")
    stars: Literal["own", "any"] = Field(
        default="own", description="A star is a value of its own, or matches anything (which protects less)."
    )

    def sentence(self) -> str:
        if self.stars == "any":
            return f"every record matches at least {self.k} records, where a star matches anything"
        return f"every combination of published quasi values is shared by at least {self.k} records"


def _readable(text: str) -> str:
    try:
        parse_expression(text)
    except ShoalError as error:
        raise ValueError(error) from error
    return text


class KfAnonymity(_Guarantee):
    """Whoever knows an aggregate of a record still finds at least k candidates for it.

    >>> KfAnonymity(k=5, knows=["salary + bonus"]).sentence()
    'someone who knows salary + bonus of a person finds at least 5 records that fit'
    >>> KfAnonymity(k=5, knows=["salary + bonus", "bonus"], also=["age"]).sentence()
    'someone who knows salary + bonus, bonus and age of a person finds at least 5 records that fit'
    """

    kind: Literal["kf-anonymity"] = "kf-anonymity"
    k: int = Field(ge=2, description="Smallest number of records that fit the attacker's knowledge.")
    knows: tuple[Annotated[str, AfterValidator(_readable)], ...] = Field(
        min_length=1,
        description="What the attacker knows at once: aggregates, as expressions over quasi columns.",
    )
    within: Decimal | None = Field(
        default=None, gt=0, lt=1, description="The attacker knows the aggregate up to this share."
    )
    band: Literal["centred", "any"] = Field(
        default="centred",
        description="Where the attacker's range sits: around the value, or anywhere containing it.",
    )

    also: tuple[str, ...] = Field(default=(), description="Quasi columns the attacker knows exactly besides.")

    @field_validator("knows", "also")
    @classmethod
    def _each_once(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(given))

    @model_validator(mode="after")
    def _half_at_most(self) -> Self:
        if self.band == "any" and self.within is not None and self.within > Decimal("0.5"):
            raise ValueError('with band = "any", within is at most 0.5')
        return self

    @cached_property
    def trees(self) -> tuple[Expression, ...]:
        return tuple(map(parse_expression, self.knows))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of which aggregates are known."""
        return tuple(dict.fromkeys(name for tree in self.trees for name in columns_of(tree)))

    @property
    def joint(self) -> bool:
        """Does the attacker know more than one aggregate?"""
        return len(self.knows) > 1 or bool(self.also)

    def knowledge(self) -> str:
        """What the attacker knows, in words."""
        band = None if self.joint else self.within  # beside other knowledge it counts as exact
        about = f" to within {band * 100:f} %" if band else ""
        where = ", wherever that range sits," if band and self.band == "any" else ""
        known = [*self.knows, *self.also]
        listed = ", ".join(known[:-1]) + f" and {known[-1]}" if len(known) > 1 else known[0]
        return f"{listed}{about}{where} of a person"

    def sentence(self) -> str:
        return f"someone who knows {self.knowledge()} finds at least {self.k} records that fit"


class LDiversity(_Guarantee):
    """Whoever finds the class of a person is still left with several sensitive values.

    >>> LDiversity(l=3, sensitive="diagnosis").sentence()
    'every class has at least 3 different values of diagnosis'
    >>> LDiversity(l=3, sensitive="diagnosis").sentence(known=["cost"])
    'every class has at least 3 different values of diagnosis (seen by someone who knows cost)'
    """

    kind: Literal["l-diversity"] = "l-diversity"
    variant: Literal["distinct", "entropy", "recursive", "pd-recursive", "npd-recursive"] = Field(
        default="distinct", description="How different the sensitive values of a class have to be."
    )
    l: float = Field(
        ge=1, allow_inf_nan=False, description="Number of values; real for entropy, whole for the others."
    )
    c: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="r1 < c (r_l + ... + r_m), for recursive."
    )
    c2: float | None = Field(default=None, gt=0, le=100, description="Percent of a class, for npd-recursive.")
    allowed: tuple[str, ...] = Field(default=(), description="Values whose disclosure is fine (pd, npd).")
    protected: tuple[str, ...] = Field(default=(), description="Values not to be ruled out (npd).")
    sensitive: str | Annotated[tuple[str, ...], Field(min_length=1)] = Field(
        description="The sensitive column it is about, or several."
    )
    alone: bool = Field(
        default=False, description="Sensitive columns of other l-diversity guarantees count as unknown."
    )

    @property
    def records(self) -> int:
        """Classes whose values may all be known need no others."""
        return 1 if self.allowed else ceil(self.l)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        variant, recursive = self.variant, self.variant.endswith("recursive")
        wrong = [
            (
                variant != "entropy" and self.l != int(self.l),
                f"l is a whole number for {variant} l-diversity",
            ),
            (recursive and self.c is None, f"{variant} l-diversity needs c, for example c = 4.0"),
            (not recursive and self.c is not None, f"{variant} l-diversity has no c"),
            (variant in ("pd-recursive", "npd-recursive") and self.l < 2, f"l is at least 2 for {variant}"),
            (variant == "npd-recursive" and self.c2 is None, "npd-recursive needs c2, for example c2 = 5.0"),
            (
                variant != "npd-recursive" and (self.c2 or self.protected),
                f"{variant} has no c2 and protected",
            ),
            (not variant.endswith("pd-recursive") and self.allowed, f"{variant} has no allowed values"),
            (
                len(self.columns) > 1 and (self.allowed or self.protected),
                "lists of values are about one column: name one, or leave them out",
            ),
        ]
        for is_wrong, what in wrong:
            if is_wrong:
                raise ValueError(what)
        return self

    def about(self, known: Sequence[str] = ()) -> str:
        """The column, or that each of several is meant; ``known`` are columns of other guarantees."""
        if len(self.columns) == 1:
            return f"{self.columns[0]}{_seen_by(known)}"
        others = "" if self.alone else _seen_by(["the others", *known]) if known else " (the others known)"
        return f"each of {', '.join(self.columns)}{others}"

    def sentence(self, known: Sequence[str] = ()) -> str:
        about = self.about(known)
        if self.variant == "distinct":
            return f"every class has at least {self.l:g} different values of {about}"
        if self.variant == "entropy":
            return f"the values of {about} in a class are as mixed as {self.l:g} equally frequent ones"
        which = "value" if self.variant == "recursive" else "value that must not be known"
        told = (
            f"the most frequent {which} of {about} in a class is rarer than {self.c:g} times all "
            f"from number {self.l:g} on"
        )
        if self.variant == "npd-recursive":
            return f"{told}, and every protected one makes up {self.c2:g} % of it"
        return told


def _seen_by(known: Sequence[str]) -> str:
    listed = ", ".join(known[:-1]) + f" and {known[-1]}" if len(known) > 1 else "".join(known)
    return f" (seen by someone who knows {listed})" if known else ""


class PSensitivity(_Guarantee):
    """Every class has several values of every sensitive column (Truta and Vinay, 2006).

    >>> PSensitivity(p=2).sentence()
    'every class has at least 2 different values of every sensitive column'
    """

    kind: Literal["p-sensitivity"] = "p-sensitivity"
    p: int = Field(ge=1, description="Smallest number of different values of each sensitive column.")

    def sentence(self) -> str:
        return f"every class has at least {self.p} different values of every sensitive column"


class AlphaKAnonymity(_Guarantee):
    """k-anonymity, and no sensitive value makes up too much of a class (Wong et al., 2006).

    >>> AlphaKAnonymity(alpha=0.5, k=3).sentence()
    'every combination of quasi values is shared by at least 3 records, none of their sensitive values by \
more than 0.5 of them'
    """

    kind: Literal["alpha-k-anonymity"] = "alpha-k-anonymity"
    alpha: Decimal = Field(gt=0, le=1, description="Largest share of a sensitive value in a class.")
    k: int = Field(ge=2, description="Smallest number of records that share their quasi cells.")

    def sentence(self) -> str:
        return (
            f"every combination of quasi values is shared by at least {self.k} records, none of their "
            f"sensitive values by more than {float(self.alpha):.4g} of them"
        )


class TCloseness(_Guarantee):
    """The sensitive values of a class are spread as in the whole table, or almost (Li et al., 2007).

    >>> TCloseness(t="0.2", sensitive="diagnosis").sentence()
    'the values of diagnosis in a class are spread as in the whole table, up to a distance (equal) of 0.2'
    """

    kind: Literal["t-closeness"] = "t-closeness"
    t: Decimal = Field(ge=0, le=1, description="Largest distance of a class from the whole table.")
    sensitive: str = Field(description="The column it is about, with the role sensitive.")
    distance: Literal["equal", "ordered", "hierarchical"] = Field(
        default="equal",
        description="How far values are apart: all alike, by rank, or by the column's hierarchy.",
    )
    order: tuple[str, ...] = Field(
        default=(), description="All words from low to high, for ordered; ranks are those declared here."
    )

    @model_validator(mode="after")
    def _ordered_only(self) -> Self:
        if self.order and self.distance != "ordered":
            raise ValueError('an order is for distance = "ordered"')
        if len(set(map(value_of, self.order))) < len(self.order):
            raise ValueError("the order names a value twice")
        return self

    def sentence(self) -> str:
        return (
            f"the values of {self.sensitive} in a class are spread as in the whole table, up to a distance "
            f"({self.distance}) of {float(self.t):.4g}"
        )


class KeAnonymity(_Guarantee):
    """Whoever finds a person's group is left with different values that lie apart (Zhang et al., ICDE 2007).

    >>> KeAnonymity(k=5, e=1000, sensitive="salary").sentence()
    'every group has at least 5 different values of salary that span at least 1000'
    """

    kind: Literal["ke-anonymity"] = "ke-anonymity"
    k: int = Field(ge=2, description="Smallest number of different sensitive values in a group.")
    e: Decimal = Field(ge=0, description="Smallest span of a group's values; days for dates.")
    sensitive: str = Field(description="The column of numbers or dates it is about, with the role sensitive.")
    gap: Decimal | None = Field(
        default=None, gt=0, description="The k values of a group also differ by at least this much."
    )

    def sentence(self) -> str:
        apart = "" if self.gap is None else f", at least {self.gap:f} apart,"
        return (
            f"every group has at least {self.k} different values of {self.sensitive}{apart} "
            f"that span at least {self.e:f}"
        )


class KpqrAnonymity(_Guarantee):
    """k-anonymity, and classes with rare sensitive values have several that lie apart (Domingo-Ferrer, Sebé
    and Solanas, 2008).

    >>> KpqrAnonymity(k=5, p=4, q="0.2", r="0.5", sensitive="debt").sentence()
    'every combination of quasi values is shared by at least 5 records; where a value of debt occurs that \
fewer than 0.2 of all records have, at least 4 different ones do, with 0.5 of the variance of the whole table'
    """

    kind: Literal["kpqr-anonymity"] = "kpqr-anonymity"
    k: int = Field(ge=2, description="Smallest number of records that share their quasi cells.")
    p: int = Field(ge=1, description="Smallest number of different values where a rare one occurs.")
    q: Decimal = Field(gt=0, le=1, description="A value is rare if its share of all records is below this.")
    r: Decimal = Field(
        ge=0, description="Where a rare value occurs, least variance as a share of the whole table's."
    )
    sensitive: str | Annotated[tuple[str, ...], Field(min_length=1)] = Field(
        description="The sensitive column it is about, or several, each on its own."
    )
    distance: Literal["number", "equal", "ordered", "hierarchical"] | None = Field(
        default=None,
        description="How far values are apart: as numbers (or dates), all alike, by rank, or by the "
        "column's hierarchy; without it by the order if one is given, numbers as such, words all alike.",
    )
    order: tuple[str, ...] = Field(
        default=(), description="All words from low to high, for ordered; ranks are those declared here."
    )

    @property
    def records(self) -> int:
        """Classes without rare values may have fewer than p records."""
        return self.k

    @model_validator(mode="after")
    def _ordered_only(self) -> Self:
        if self.order and self.distance not in (None, "ordered"):
            raise ValueError('an order is for distance = "ordered"')
        if self.order and len(self.columns) > 1:
            raise ValueError("an order is about one column: write one guarantee for each")
        if len(set(map(value_of, self.order))) < len(self.order):
            raise ValueError("the order names a value twice")
        return self

    def sentence(self) -> str:
        several = len(self.columns) > 1
        about = f"each of {', '.join(self.columns)}" if several else self.columns[0]
        return (
            f"every combination of quasi values is shared by at least {self.k} records; where a value of "
            f"{about} occurs that fewer than {float(self.q):.4g} of all records have, at least {self.p} "
            f"different ones do, with {float(self.r):.4g} of the variance of the whole table"
        )


Guarantee = Annotated[
    KAnonymity
    | KfAnonymity
    | LDiversity
    | PSensitivity
    | AlphaKAnonymity
    | TCloseness
    | KeAnonymity
    | KpqrAnonymity,
    Field(discriminator="kind"),
]
GUARANTEES = (
    KAnonymity,
    KfAnonymity,
    LDiversity,
    PSensitivity,
    AlphaKAnonymity,
    TCloseness,
    KeAnonymity,
    KpqrAnonymity,
)
ON_SENSITIVE = (LDiversity, PSensitivity, TCloseness)  # they say something about classes that others define
