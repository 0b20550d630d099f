"""The policy: what each column is, what the release promises, and how to get there."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import floor
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from shoal.display import html_list, html_sentence, html_table
from shoal.errors import Fault, ShoalError, refuse_faults
from shoal.policy.model.background_columns import background_columns, sentence_among
from shoal.policy.model.column_references import all_reference_faults, reference_faults, unlisted_columns
from shoal.policy.model.declared_order import by_declared_types, declared_order
from shoal.policy.model.guarantee import (
    AlphaKAnonymity,
    Guarantee,
    KAnonymity,
    KeAnonymity,
    KfAnonymity,
    KpqrAnonymity,
    LDiversity,
    PSensitivity,
    TCloseness,
)
from shoal.policy.model.hierarchy_spec import HierarchySpec, with_files_read
from shoal.policy.model.missing_spec import Missing, MissingEntry, codes_of, count_of, with_count
from shoal.policy.model.prepare_spec import PrepareSpec
from shoal.policy.model.reading_spec import ReadingSpec
from shoal.policy.model.sql_names import sql_name_faults
from shoal.policy.model.type_spec import TypeEntry, TypeSpec, spec_of
from shoal.policy.model.validation_faults import validation_faults
from shoal.policy.model.word_faults import word_faults
from shoal.policy.toml import toml_key, toml_mapping, toml_value
from shoal.table.databases.address import refuse_address
from shoal.table.files.reading import Reading
from shoal.table.files.small_file import read_small

GROUP = "shoal_group"  # the column of a permuted release that numbers the groups
CLASS_MEANS = ("mdav", "vmdav", "refined", "kpqr", "kpqr-paper")  # the methods that publish them
MOST_BYTES = 16 * 10**6  # of a policy file, with all the lines of its hierarchies
Role = Literal["identifier", "drop", "quasi", "sensitive", "other"]
UNPUBLISHED: tuple[Role, ...] = ("identifier", "drop")  # the roles of columns that are never published
Objective = Literal["ncp", "ncp_range", "discernibility", "average_class", "height", "entropy"]


class Method(BaseModel):
    """Which method makes the release; ``auto`` lets shoal choose and say why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = "auto"
    suppression: float = Field(default=0.0, ge=0, le=1, description="Largest share left out.")
    objective: Objective = "ncp"
    weights: dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]] = Field(
        default={}, description="Importance of columns in the loss."
    )
    options: dict[str, Any] = Field(default={}, description="The method's own options.")

    def most_suppressed(self, rows: int) -> int:
        """How many of so many records may be left out, by the share as it is written.

        >>> Method(suppression=0.57).most_suppressed(100)  # as floats, 0.57 * 100 is below 57
        57
        """
        return floor(Fraction(str(self.suppression)) * rows)


class Leaks(BaseModel):
    """What the owner knows of columns that tell something of protected ones."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    accept: tuple[str, ...] = Field(
        default=(), description="Columns that are published although they tell something of protected ones."
    )


class Publish(BaseModel):
    """What the owner knows of columns whose values look as if they named people."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    allow: tuple[str, ...] = Field(
        default=(),
        description="Columns that are published although their values may name people.",
    )


class Policy(BaseModel):
    """Roles, guarantees and method; frozen, and checked as a whole when it is made.

    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 5}])
    >>> policy.having("quasi")
    ['age']
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rows: Literal["people"] | None = Field(
        default=None, description="Every row is a person of its own, even if an identifier repeats."
    )
    columns: dict[str, Role] = Field(min_length=1, description="Every column of the table.")
    reading: ReadingSpec = Field(
        default=ReadingSpec(),
        description="What a file leaves open: its header, which of its tables it is.",
    )
    types: dict[str, TypeEntry] = Field(
        default={}, description="What columns are, and how cells are spelled."
    )
    prepare: PrepareSpec = Field(
        default=PrepareSpec(), description="What is done to the table before anybody looks at it."
    )
    hierarchies: dict[str, HierarchySpec] = Field(
        default={}, description="How columns may be generalized; a text is a file's name."
    )
    domains: dict[str, tuple[Decimal, Decimal]] = Field(
        default={}, description="Publicly known limits of columns."
    )
    missing: dict[str, MissingEntry] = Field(
        default={}, description="Which codes are missing cells (* for all columns), and how these count."
    )
    leaks: Leaks = Leaks()
    publish: Publish = Publish()
    guarantees: tuple[Guarantee, ...] = Field(min_length=1, description="What is promised.")
    method: Method = Method()

    def __init__(self, /, **data: Any) -> None:
        if isinstance(data.get("hierarchies"), dict):
            data["hierarchies"] = with_files_read(data["hierarchies"], Path())
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise ShoalError([*validation_faults(error), *all_reference_faults(data)]) from None
        refuse_faults(self._faults())

    @field_validator("domains")
    @classmethod
    def _ordered(cls, domains: dict[str, tuple[Decimal, Decimal]]) -> dict[str, Any]:
        for name, (low, high) in domains.items():
            if low > high:
                raise ValueError(f"the limits of {name!r} are the wrong way round")
        return domains

    @field_validator("hierarchies")
    @classmethod
    def _groups_in_order(cls, given: dict[str, HierarchySpec], info: ValidationInfo) -> dict[str, Any]:
        return {name: spec.in_order(declared_order(info, name)) for name, spec in given.items()}

    @field_validator("guarantees")
    @classmethod
    def _distances_by_type(cls, given: tuple[Guarantee, ...], info: ValidationInfo) -> tuple[Any, ...]:
        return tuple(by_declared_types(asked, info) for asked in given)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a policy from a TOML file."""
        refuse_address(path)
        try:
            text = read_small(path, MOST_BYTES, "a policy file")
        except FileNotFoundError:
            raise ShoalError(
                f"there is no policy file {str(path)!r}", "`shoal init DATA` writes a draft."
            ) from None
        except (OSError, UnicodeDecodeError):
            raise ShoalError(
                f"{str(path)!r} cannot be read as a policy file",
                "give the table first, then the policy file.",
            ) from None
        return cls.parse(text, Path(path).parent, Path(path).name)

    @classmethod
    def parse(cls, text: str, beside: Path = Path(), name: str = "policy.toml") -> Self:
        """The policy of a TOML text; names of files in it are relative to the folder ``beside``."""
        return cls.from_mapping(toml_mapping(text, name), beside)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any], beside: Path = Path()) -> Self:
        """The policy of what a TOML text holds."""
        data = dict(mapping)
        if isinstance(data.get("hierarchies"), dict):
            data["hierarchies"] = with_files_read(data["hierarchies"], beside)
        return cls(**data)

    @classmethod
    def of(cls, policy: "Policy | str | PathLike[str]") -> "Policy":
        """A policy, or the one in this file."""
        return policy if isinstance(policy, Policy) else cls.load(policy)

    @property
    def how_to_read(self) -> Reading:
        """What is known of a file with the table of this policy, and the rules that change its rows."""
        reading = self.reading.of(self.columns)
        if not (self.types or self.missing_codes or self.prepare != PrepareSpec()):
            return reading
        from shoal.policy.model.reading_rules import reading_rules  # which loads Arrow

        return replace(reading, rules=reading_rules(self))

    def type_of(self, name: str) -> TypeSpec | None:
        """What the owner says that a column is, if anything."""
        return None if name not in self.types else spec_of(self.types[name])

    def of_words(self, name: str) -> bool:
        """Are the cells of a column words, whatever they look like?"""
        declared = self.type_of(name)
        return name in self.prepare.labels or (declared is not None and declared.of_words)

    def order_of(self, name: str) -> tuple[str, ...]:
        """The words of a column from low to high, if the owner says so."""
        declared = self.type_of(name)
        return self.prepare.labels.get(name) or (() if declared is None else declared.order or ())

    def order_of_means(self, name: str) -> list[Any]:
        """The words whose ranks class means of a column are taken of, by the method's option or its type."""
        asked = self.method.options.get("order", {})
        return list(asked.get(name) or self.order_of(name))

    @property
    def spoken(self) -> frozenset[str]:
        """The columns that are published as words or labels even if all of their cells are numbers."""
        return frozenset(self.hierarchies) | frozenset(filter(self.of_words, self.columns))

    @property
    def missing_counts(self) -> dict[str, Missing]:
        """How missing cells count, where the policy says so."""
        everywhere = count_of(self.missing.get("*"))
        counts = {name: count_of(self.missing.get(name)) or everywhere for name in self.columns}
        return {name: count for name, count in counts.items() if count is not None}

    def missing_line(self, name: str, count: Missing) -> str:
        """What a line of [missing] would be that counts the missing cells of a column so."""
        return f"{toml_key(name)} = {toml_value(with_count(self.missing.get(name), count))}"

    @property
    def missing_codes(self) -> dict[str, tuple[str, ...]]:
        """The codes of missing cells by column, and of all columns as ``*``."""
        codes = {name: codes_of(entry) for name, entry in self.missing.items()}
        return {name: found for name, found in codes.items() if found}

    def having(self, role: Role) -> list[str]:
        return [name for name, given in self.columns.items() if given == role]

    @property
    def published(self) -> list[str]:
        """The columns that a release shows, changed or not."""
        return [name for name, role in self.columns.items() if role not in UNPUBLISHED]

    @property
    def unchanged(self) -> list[str]:
        """The columns whose cells a release shows as they are, each in its own row."""
        return [*self.having("quasi" if self.permutes else "sensitive"), *self.having("other")]

    def publishes(self, name: str) -> bool:
        """Does a release show this column, changed or not?"""
        return self.columns[name] not in UNPUBLISHED

    def known_beside(self, asked: LDiversity, name: str) -> tuple[str, ...]:
        """The sensitive columns that count as known when one of them is checked for diversity. Permuted each
        on its own, they tell nothing about each other."""
        return () if self._permutes_apart else tuple(background_columns(asked, self.guarantees, [name]))

    def sentences(self) -> list[str]:
        """What each guarantee promises."""
        return list(map(self.sentence_of, self.guarantees))

    def sentence_of(self, asked: Guarantee) -> str:
        """What a guarantee promises beside the others."""
        return sentence_among(asked, self.guarantees, self._permutes_apart)

    @property
    def permutes(self) -> bool:
        """Are quasi values published as they are, and sensitive ones inside groups of records?"""
        return any(isinstance(asked, KeAnonymity) for asked in self.guarantees)

    @property
    def averages(self) -> bool:
        """Do classes show means, medians and modes of their quasi values?"""
        kinds = [asked.kind for asked in self.guarantees]
        return self.method.name in CLASS_MEANS or (self.method.name == "auto" and "kpqr-anonymity" in kinds)

    def keeps_total(self, name: str) -> bool:
        """Is the total of this column of class means to be exactly what it was?"""
        asked = self.method.options.get("totals", False)
        return name in asked if isinstance(asked, list | tuple) else bool(asked)

    @property
    def _permutes_apart(self) -> bool:
        return self.permutes and not self.permutes_together

    @property
    def permutes_together(self) -> bool:
        """Do the sensitive values of a record stay side by side?"""
        return self.permutes and self.method.options.get("permute") == "together"

    def _repr_html_(self) -> str:
        pairs = zip(self.guarantees, self.sentences(), strict=True)
        promises = [f"{asked.kind}: {sentence}" for asked, sentence in pairs]
        method = f"{self.method.name}, at most {self.method.suppression:.4g} of the records left out"
        return (
            html_table(["column", "role"], self.columns.items())
            + html_list("It promises that", promises)
            + html_sentence("Method:", method)
        )

    def as_shown(self, words_of: Callable[[str], Iterable[str]]) -> "Policy":
        """The policy as a manifest has it: of hierarchies that are written out only what the published words
        of a column show."""
        shown = {name: spec for name, spec in self.hierarchies.items() if spec.written_out}
        told = {name: spec.as_shown(words_of(name), name) for name, spec in shown.items()}
        return self.model_copy(update={"hierarchies": {**self.hierarchies, **told}}) if told else self

    def hidden_labels(self) -> list[str]:
        """The quasi columns whose labels stand for values that a manifest does not name."""
        specs = {name: self.hierarchies[name] for name in self.having("quasi") if name in self.hierarchies}
        return [name for name, spec in specs.items() if spec.shown is not None and spec.shown.hides_leaves]

    def public(self) -> dict[str, Any]:
        """The policy as plain JSON values, for a manifest. A rule holds no cell of a table, nor does what a
        release shows of a hierarchy (`as_shown`). A query may hold one, and is the owner's alone."""
        kinds = [{"kind": guarantee.kind} for guarantee in self.guarantees]
        plain = self.model_dump(mode="json", exclude_defaults=True, exclude={"reading": {"query"}})
        pairs = zip(kinds, plain["guarantees"], strict=True)
        return plain | {"guarantees": [kind | rest for kind, rest in pairs]}

    def _faults(self) -> list[Fault]:
        return [
            *self._unknown_columns(),
            *reference_faults(self.columns, self.guarantees),
            *self._unprotected_columns(),
            *self._nothing_sensitive(),
            *self._distances(),
            *self._stars_beside_others(),
            *self._beside_permutation(),
            *word_faults(self),
        ]

    def _distances(self) -> list[Fault]:
        """Hierarchical distance needs a hierarchy that does not depend on the table."""
        written = {name for name, spec in self.hierarchies.items() if spec.written_out}
        return [
            Fault(
                f"guarantee {place} needs a hierarchy of {name!r} for its distance",
                f"give {name!r} a file or a tree in [hierarchies].",
            )
            for place, asked in enumerate(self.guarantees, 1)
            if isinstance(asked, TCloseness | KpqrAnonymity) and asked.distance == "hierarchical"
            for name in asked.columns
            if name not in written
        ]

    def _stars_beside_others(self) -> list[Fault]:
        """Where a star matches anything there are no classes that could be diverse."""
        return [
            Fault(
                f'guarantee {place} has stars = "any", which cannot stand beside other guarantees',
                'leave it out (stars = "own"), or ask for nothing else.',
            )
            for place, asked in enumerate(self.guarantees, 1)
            if len(self.guarantees) > 1 and isinstance(asked, KAnonymity) and asked.stars == "any"
        ]

    def _beside_permutation(self) -> list[Fault]:
        """Groups of records take the place of classes, and their number that of a column."""
        if not self.permutes:
            return []
        faults = [
            Fault(
                f"guarantee {place} ({asked.kind}) blurs quasi values, ke-anonymity leaves them as they are",
                "ask for one of the two; l-diversity and its like go with both.",
            )
            for place, asked in enumerate(self.guarantees, 1)
            if isinstance(asked, KAnonymity | KfAnonymity | AlphaKAnonymity | KpqrAnonymity)
        ]
        if GROUP in self.columns:
            what = f"{GROUP!r} is the name of the column that says which records form a group"
            faults.append(Fault(what, "rename the column of the table."))
        return faults + sql_name_faults([*self.published, GROUP])

    def _nothing_sensitive(self) -> list[Fault]:
        kinds = [one.kind for one in self.guarantees if isinstance(one, PSensitivity | AlphaKAnonymity)]
        if not kinds or self.having("sensitive"):
            return []
        return [Fault(f"{kinds[0]} needs a sensitive column", 'give one the role "sensitive" in [columns].')]

    def _unknown_columns(self) -> list[Fault]:
        named: Mapping[str, Mapping[str, object]] = {
            "[domains]": self.domains,
            "[types]": self.types,
            "[missing]": self.missing,
            "[hierarchies]": self.hierarchies,
            "[reading] names": dict.fromkeys(self.reading.names),
            "[reading] multiline": dict.fromkeys(self.reading.multiline),
            "[method] weights": self.method.weights,
            "[leaks] accept": dict.fromkeys(self.leaks.accept),
            "[publish] allow": dict.fromkeys(self.publish.allow),
        }
        prepared = {place: dict.fromkeys(names) for place, names in self.prepare.named().items()}
        return unlisted_columns(self.columns, {**named, **prepared})

    def _unprotected_columns(self) -> list[Fault]:
        quasi = self.having("quasi")
        if not quasi:
            return [Fault("no column has the role quasi", "give the columns an attacker may know it.")]
        known = [guarantee for guarantee in self.guarantees if isinstance(guarantee, KfAnonymity)]
        if not known or any(
            isinstance(one, KAnonymity | AlphaKAnonymity | KpqrAnonymity) for one in self.guarantees
        ):
            return []
        protected = {name for guarantee in known for name in (*guarantee.columns, *guarantee.also)}
        return [
            Fault(
                f"quasi column {name!r} is protected by no guarantee",
                "add it to an aggregate in knows or to also, ask for k-anonymity, or give it another role.",
            )
            for name in quasi
            if name not in protected
        ]
