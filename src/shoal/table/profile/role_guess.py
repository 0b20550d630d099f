"""A guess at the role of a column, its reason, and how sure it is. The owner decides.

Asked is what others know. What neighbours, colleagues and registers know (age, sex, place, job, dates) is
quasi. What people keep to themselves (health, money, beliefs, crime, tests) is sensitive, and so is what was
measured and has many values, of which others hardly know any. What numbers or names somebody, or says for
how many a record stands, is left out. In doubt a column of few values is quasi.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from shoal.table.identifying.column_scan import Finding
from shoal.table.profile.column_names import (
    looks_identifying,
    looks_like_key,
    looks_personal,
    names_anything,
)
from shoal.table.profile.topic_words import (
    looks_known,
    looks_like_design,
    looks_like_number_of,
    looks_like_place,
    looks_like_row_label,
    looks_like_time,
    looks_like_weight,
    topic_of,
)

Sure = Literal["high", "medium", "low"]
MANY_VALUES = 20
SHARED_ROWS = 20  # of a value, on average, from where on it is no name of a person
KEY = "seems to number people, households or cases"
NUMBERS_ROWS = "numbers the rows"
LEFT_OUT = "text that few people share, left out to be safe"
WEIGHT = "a weight: for how many people a record stands; it tells how they were drawn"
EMPTY = "no cell is filled"
ONE_VALUE = "the same in all rows: it tells nothing"
HALF, TENTH, NEARLY_ALL = 0.5, 0.1, 0.9
WEIGHT_OF_A_BODY = ("weight", "wt", "wgt", "gewicht", "poids", "peso", "βάρος")
BODY = (20, 700)  # kilograms and pounds of people
NESTED = ("list", "large_list", "fixed_size_list", "struct", "map")
FREE_TEXT = "free text"
MEASURED = "measured: others hardly know it, and it singles people out"
PLACE_OR_CATEGORY = "few different values, each in many rows: names of places or categories, not of people"


@dataclass(frozen=True)
class ColumnFacts:
    """What is known of a column: of its ``filled`` cells so many are different, so many occur once. ``ends``
    are its smallest and largest number."""

    name: str
    kind: str
    filled: int
    distinct: int
    unique: int
    findings: Sequence[Finding] = ()
    ends: tuple[float, float] | None = None
    certain_key: bool = False
    possible_key: bool = False
    numbers_rows: bool = False
    is_date: bool = False

    @property
    def numeric(self) -> bool:
        return self.ends is not None

    @property
    def mostly_different(self) -> bool:
        return self.distinct >= HALF * self.filled

    @property
    def widely_shared(self) -> bool:
        return self.unique == 0 < self.distinct and SHARED_ROWS * self.distinct <= self.filled


@dataclass(frozen=True)
class RoleGuess:
    """A role, why, and how sure that is."""

    role: str
    why: str
    sure: Sure


def guess_role(facts: ColumnFacts) -> RoleGuess:
    """
    >>> guess_role(ColumnFacts("Konfession", "text", 100, 5, 0))
    RoleGuess(role='sensitive', why='its name is about belief or opinion', sure='high')
    """
    by_value = _by_values(facts)
    return by_value or _by_name(facts) or _by_kind(facts)


def _by_values(facts: ColumnFacts) -> RoleGuess | None:
    if not facts.filled:
        return RoleGuess("drop", EMPTY, "high")
    if facts.kind.startswith(NESTED):
        return RoleGuess("drop", "lists cannot be compared: make one plain column of each part", "high")
    named = [one for one in facts.findings if one.kind != FREE_TEXT]
    if named:
        told = ", ".join(map(str, named))
        whole = named[0].cells >= TENTH * facts.filled
        return RoleGuess("identifier" if whole else "drop", told, "high")
    if facts.certain_key:
        return RoleGuess("identifier", KEY, "high")
    if facts.numbers_rows:
        numbers_people = looks_like_number_of(facts.name)
        return RoleGuess("identifier" if numbers_people else "drop", NUMBERS_ROWS, "high")
    if looks_like_row_label(facts.name) and facts.distinct == facts.filled:
        return RoleGuess("drop", NUMBERS_ROWS, "high")
    if facts.findings:
        return RoleGuess("drop", f"{facts.findings[0]}: whoever writes freely names people", "medium")
    return None


def _by_name(facts: ColumnFacts) -> RoleGuess | None:
    name = facts.name
    if looks_identifying(name) and names_anything(name) and facts.widely_shared:
        return RoleGuess("quasi", PLACE_OR_CATEGORY, "medium")
    if looks_identifying(name) and not looks_like_place(name):
        return RoleGuess("identifier", "its name looks like an identifier", "high")
    number_of = looks_like_key(name) or (looks_like_number_of(name) and facts.distinct > MANY_VALUES)
    if number_of and facts.mostly_different and facts.kind != "decimal":
        return RoleGuess("identifier", "its name looks like an identifier", "medium")
    if looks_like_weight(name) and facts.numeric:
        if _of_a_body(facts):
            return RoleGuess("quasi", "what somebody weighs, if it is that", "low")
        return RoleGuess("drop", WEIGHT, "high" if name.lower() != "weight" else "medium")
    topic = topic_of(name)
    if topic and not facts.is_date and not looks_personal(name) and not looks_like_time(name):
        if not facts.numeric and facts.mostly_different and facts.filled > MANY_VALUES:
            return RoleGuess("identifier" if facts.unique == facts.filled else "drop", LEFT_OUT, "medium")
        return RoleGuess("sensitive", f"its name is about {topic}", "medium" if "tests" in topic else "high")
    if looks_personal(name):
        return RoleGuess("quasi", "others may know this about a person", "high")
    if looks_known(name) and _can_be_grouped(facts):
        return RoleGuess("quasi", "neighbours, colleagues or registers may know this", "medium")
    if looks_like_design(name) and facts.distinct <= MANY_VALUES:
        return RoleGuess("other", "how the study was laid out: check that nobody knows it", "medium")
    return None


def _by_kind(facts: ColumnFacts) -> RoleGuess:
    if facts.distinct <= 1:
        return RoleGuess("other", ONE_VALUE, "high")
    if facts.is_date:
        return RoleGuess("quasi", "dates of events are known to others", "medium")
    if facts.kind == "integer" and facts.distinct >= NEARLY_ALL * max(facts.filled, MANY_VALUES):
        return RoleGuess("identifier", "a number of its own for nearly everybody", "low")
    if facts.numeric and facts.distinct > MANY_VALUES:
        return RoleGuess("sensitive", MEASURED, "low")
    if facts.numeric:
        return RoleGuess("quasi", "others may know it", "low")
    if not _can_be_grouped(facts):
        return RoleGuess("drop", LEFT_OUT, "medium")
    return RoleGuess("quasi", "few different values: others may know it", "low")


def _can_be_grouped(facts: ColumnFacts) -> bool:
    """Numbers, dates, and words that are shared."""
    plain = facts.kind in ("text", "bool", "category")
    shared = facts.distinct <= MANY_VALUES or (
        not facts.mostly_different and facts.unique < TENTH * facts.filled
    )
    return facts.numeric or facts.is_date or (plain and shared)


def _of_a_body(facts: ColumnFacts) -> bool:
    """May ``weight`` be what somebody weighs?"""
    return (
        facts.name.lower() in WEIGHT_OF_A_BODY
        and facts.ends is not None
        and (BODY[0] <= facts.ends[0] and facts.ends[1] <= BODY[1])
    )
