"""A first policy for a table: every role a guess, marked as such, for the owner to correct."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from shoal.policy.draft.diversity_proposals import DiversityProposal
from shoal.policy.draft.spelling_proposals import SpellingProposal
from shoal.policy.toml import toml_comment, toml_key, toml_text, toml_value
from shoal.table.columns.word_set import in_quotes
from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.profile.profile import ColumnProfile, Profile
from shoal.table.profile.role_guess import KEY, WEIGHT

DEFAULT_K = 10
FEW_QUASI = 5  # columns whose levels can all be tried at once
NUMERIC = ("integer", "decimal")
NO_QUASI = "# No column looks like something an attacker knows: make one quasi.\n"


@dataclass(frozen=True)
class HierarchyProposal:
    """The right-hand side of a line in [hierarchies], and why; one that does not work is a comment."""

    kind: str
    toml: str
    why: str
    works: bool = True


@dataclass(frozen=True)
class PresetSections:
    """What a preset brings along: comments, guarantees, the share that may be left out and why."""

    head: str
    guarantees: str
    suppression: float
    why_suppression: str


@dataclass(frozen=True)
class DraftParts:
    """How cells are spelled, and what may be promised of sensitive columns; not ``diverse``: a trial has
    shown that it cannot be promised beside the rest."""

    spellings: Mapping[str, SpellingProposal] = field(default_factory=dict)
    diversity: Mapping[str, DiversityProposal] = field(default_factory=dict)
    diverse: bool = True


NO_PARTS = DraftParts()
NOTHING: Mapping[str, HierarchyProposal] = {}


def draft_policy(
    found: Profile,
    source: str,
    proposals: Mapping[str, HierarchyProposal] = NOTHING,
    demanded: PresetSections | None = None,
    reading: Reading = AS_IT_LOOKS,
    more: DraftParts = NO_PARTS,
) -> str:
    """The text of a commented TOML policy.

    Against somebody who knows all quasi values the proposed hierarchies are switched on, if some column
    holds more than plain numbers or has a hierarchy file; else they are comments. Presets are about such a
    somebody.

    >>> from shoal.table.profile.profile import ColumnProfile
    >>> column = ColumnProfile("pay", "integer", 0, 90, 80, "quasi", "many values", additive=True)
    >>> 'knows = ["pay"]' in draft_policy(Profile(100, (column,)), "pay.csv")
    True
    """
    active = _by_hierarchies(found, proposals, by_values=demanded is not None)
    parts = [
        _head(source),
        "" if demanded is None else demanded.head,
        _keys_and_weights(found),
        _rows(found),
        _columns(found),
        _reading(reading),
        _types(more.spellings),
        _hierarchies(proposals, active),
        _missing(found, active, more.spellings),
        _guarantee(found, active, more) if demanded is None else demanded.guarantees,
        _method(found, active, demanded),
    ]
    return "\n".join(part for part in parts if part)


def _head(source: str) -> str:
    return (
        f"# A draft policy for {source}. Every role below is a GUESS: read each line, correct it.\n"
        "#   identifier  names a person; left out of the release\n"
        "#   drop        left out of the release, for another reason\n"
        "#   quasi       an attacker may know it, or an aggregate of it; protected\n"
        "#   sensitive   must not be learned about a person\n"
        "#   other       published as it is\n"
        "# Behind each guess stands how sure it is.\n"
    )


def _keys_and_weights(found: Profile) -> str:
    """Columns that number people or households, and weights, by name: no role is made for them yet."""
    kinds = {"Numbers of people, households or cases": KEY, "Weights of records": WEIGHT}
    named = {
        title: [toml_text(one.name) for one in found.columns if why in one.why]
        for title, why in kinds.items()
    }
    return "".join(toml_comment(f"{title}: {', '.join(names)}.") for title, names in named.items() if names)


def _rows(found: Profile) -> str:
    """That rows count as people, where an identifier repeats: a run asks for a word on that."""
    if not found.repeating:
        return ""
    names = ", ".join(toml_text(column.name) for column in found.repeating)
    return (
        f"# {names} repeats. Visits or years of the same people? Then give one row per person, and take\n"
        "# this line away: it says that every row is a person all the same, and k rows are k people.\n"
        'rows = "people"\n'
    )


def _columns(found: Profile) -> str:
    keys = [toml_key(column.name) for column in found.columns]
    width = max(map(len, keys))
    lines = [
        f'{key:<{width}} = "{column.guess}"'.ljust(width + 17) + f"# guess, {column.sure}: {_about(column)}"
        for key, column in zip(keys, found.columns, strict=True)
    ]
    return "[columns]\n" + "\n".join(lines) + "\n"


def _reading(reading: Reading) -> str:
    """What was said of the file when the draft was made, for those who read it next."""
    said: dict[str, Any] = {
        "header": reading.header or None,
        "sheet": reading.sheet,
        "table": reading.table,
        "query": reading.query,
        "names": list(reading.names) or None,
        "multiline": list(reading.multiline) or None,
    }
    lines = [f"{key} = {toml_value(value)}\n" for key, value in said.items() if value is not None]
    return "[reading]\n" + "".join(lines) if lines else ""


def _about(column: ColumnProfile) -> str:
    missing = f", {column.missing:,} missing" if column.missing else ""
    return f"{column.why} ({column.kind}, {column.distinct:,} different{missing})"


def _quasi(found: Profile) -> list[ColumnProfile]:
    return [column for column in found.columns if column.guess == "quasi"]


def _by_hierarchies(found: Profile, proposals: Mapping[str, HierarchyProposal], by_values: bool) -> bool:
    working = {name: proposal for name, proposal in proposals.items() if proposal.works}
    gaps = any(column.missing for column in _quasi(found))
    if any(proposal.kind == "file" for proposal in working.values()):
        return True
    quasi = _quasi(found)
    masked = {name for name, proposal in working.items() if proposal.kind == "mask"}
    words = any(column.kind not in NUMERIC or column.name in masked for column in quasi)
    total = sum(column.additive for column in quasi) > 1 and not by_values  # one is no total
    return bool(working) and (words or gaps) and not total


def _hierarchies(proposals: Mapping[str, HierarchyProposal], active: bool) -> str:
    if not proposals:
        return ""
    lines = [
        f"{'' if active and proposal.works else '# '}{toml_key(name)} = {proposal.toml}   "
        f"# {'guess: ' if proposal.works else 'cannot be used: '}{proposal.why}"
        for name, proposal in proposals.items()
    ]
    head = "[hierarchies]   # how columns may be generalized, level by level up to *\n"
    if not active:
        head = f'# For kind = "k-anonymity" columns may be generalized level by level:\n# {head}'
    return head + "\n".join(lines) + "\n"


def _types(spellings: Mapping[str, SpellingProposal]) -> str:
    lines = [f"{toml_key(name)} = {one.line}\n" for name, one in spellings.items() if one.entry is not None]
    return "[types]   # how cells are spelled: guesses, with the evidence\n" + "".join(lines) if lines else ""


def _missing(found: Profile, by_hierarchies: bool, spellings: Mapping[str, SpellingProposal]) -> str:
    """How missing cells of quasi columns count, and which codes mean that a cell is missing."""
    counts = {
        column.name: _count_of(by_hierarchies)
        for column in _quasi(found)
        if column.missing and (by_hierarchies or column.kind in NUMERIC)
    }
    lines = []
    for name in dict.fromkeys([*counts, *spellings]):
        codes, unsure = (spellings[name].codes, spellings[name].unsure) if name in spellings else ((), ())
        count, why = counts.get(name, (None, ""))
        if codes or count:
            lines.append(f"{toml_key(name)} = {_entry(codes, count)}   # guess{why}")
        if unsure:
            lines.append(
                f"# {toml_key(name)} = {_entry(unsure, count)}   # do these mean that nothing is known?"
            )
    if not lines:
        return ""
    return "[missing]   # codes that mean that nothing is known, and how missing cells count\n" + "\n".join(
        [*lines, ""]
    )


def _count_of(by_hierarchies: bool) -> tuple[str, str]:
    if by_hierarchies:
        return "value", ': a value of its own; or "suppress", which leaves the record out'
    return "suppress", ': the record is left out; or "zero", if empty means none'


def _entry(codes: tuple[Any, ...], count: str | None) -> str:
    if not codes:
        return toml_value(count)
    return toml_value(list(codes) if count is None else {"codes": list(codes), "count": count})


def _guarantee(found: Profile, by_values: bool, more: DraftParts) -> str:
    quasi = _quasi(found)
    k = max(2, min(DEFAULT_K, found.rows))
    sums = [column for column in quasi if column.additive]
    total = bool(sums) and not by_values
    others = [column for column in quasi if not column.additive]
    first = _total(sums, others, k) if total else _by_all_values(quasi, k)
    return first + _sensitive(found, more) + _permuted(found) + _averaged(found, k)


def _by_all_values(quasi: list[ColumnProfile], k: int) -> str:
    advice = "" if quasi else NO_QUASI
    return (
        f"{advice}# Someone who knows all quasi values of a person still finds k records that fit.\n"
        "[[guarantees]]\n"
        'kind = "k-anonymity"\n'
        f"k = {k}\n"
    )


def _total(sums: list[ColumnProfile], besides: list[ColumnProfile], k: int) -> str:
    """Somebody who knows a total, and the columns that do not add up besides."""
    expression = " + ".join(expression_name(column.name) for column in sums)
    also = ", ".join(toml_text(column.name) for column in besides)
    known = (
        f"also = [{also}]   # guess: known exactly besides\n"
        if besides
        else '# also = ["age"]  # quasi columns that the attacker knows exactly besides\n'
    )
    band = "" if besides else "# within = 0.05   # the attacker knows the total only to within 5 %\n"
    return (
        "# Someone who knows this total of a person still finds k records that fit.\n"
        '# (kind = "k-anonymity", without knows and also: someone who knows all quasi values.)\n'
        "[[guarantees]]\n"
        'kind = "kf-anonymity"\n'
        f"k = {k}\n"
        f"knows = [{toml_text(expression)}]   # guess: leave out what does not add up\n"
        f"{band}{known}"
    )


def _sensitive(found: Profile, more: DraftParts) -> str:
    """Promises about sensitive columns; comments, where their values or a trial speak against them."""
    names = [column.name for column in found.columns if column.guess == "sensitive"]
    return "".join(_diversity(name, more, alone=len(names) > 1) for name in names)


def _diversity(name: str, more: DraftParts, alone: bool) -> str:
    asked = more.diversity.get(name, DiversityProposal(3, "its values were not counted"))
    off = asked.off or ("" if more.diverse else "a trial found no release with it")
    lines = ["[[guarantees]]", 'kind = "l-diversity"', f"l = {asked.l}", f"sensitive = {toml_text(name)}"]
    lines += ["alone = true   # the other sensitive columns count as unknown"] if alone else []
    why = f" Off: {off}." if off else ""
    head = f"\n# No class of records that fit may give {_plain(name)} away.{why}\n"
    return head + "".join(f"{'# ' if off else ''}{line}\n" for line in lines)


def _plain(name: str) -> str:
    return toml_text(name)


def _permuted(found: Profile) -> str:
    """Another way, for amounts that analysts ask about."""
    amounts = [one.name for one in found.columns if one.additive and one.guess in ("quasi", "sensitive")]
    if not amounts:
        return ""
    return (
        "\n# Do analysts need exact columns, and ask for sums and averages? Then, in place of the above,\n"
        '# give the amounts the role "sensitive" and let them be permuted inside groups; `shoal query`\n'
        "# answers with bounds:\n"
        '# [[guarantees]]\n# kind = "ke-anonymity"\n'
        "# k = 10         # different values in a group, at least\n"
        "# e = 1000       # how far they lie apart, at least\n"
        f"# sensitive = {toml_text(amounts[0])}\n"
    )


def _averaged(found: Profile, k: int) -> str:
    """Another way, for figures whose totals must stay right."""
    if not any(one.additive and one.guess == "quasi" for one in found.columns):
        return ""
    return (
        "\n# Are these figures whose means and totals must stay right? Then, in place of the above, let\n"
        "# classes of similar records show their means:\n"
        f'# [[guarantees]]\n# kind = "k-anonymity"\n# k = {k}\n'
        "# and below, in [method]:\n"
        '# name = "mdav"              # or refined, which loses less and takes longer\n'
        "# options = { totals = true } # whole means, and totals exactly as they were\n"
    )


def _method(found: Profile, by_hierarchies: bool, demanded: PresetSections | None) -> str:
    gaps = sum(one.missing for one in _quasi(found) if one.kind in NUMERIC)
    share = min(ceil(100 * gaps / max(found.rows, 1)) / 100, 1.0)
    left_out = (
        "suppression = 0.02     # guess: up to 2 % of the records, the rarest ones, may be left out\n"
        if by_hierarchies
        else f"suppression = {share:<8g} # largest share of records that may be left out\n"
    )
    if demanded is not None:
        share = max(0.0 if by_hierarchies else share, demanded.suppression)
        left_out = f"suppression = {share:<8g} # largest share left out; {demanded.why_suppression}\n"
    name = 'name = "auto"          # shoal picks, and says why\n'
    if by_hierarchies and len(_quasi(found)) > FEW_QUASI:
        name = 'name = "mondrian"      # class by class: so many columns at one level each would say little\n'
    return f"[method]\n{name}{left_out}"


def expression_name(name: str) -> str:
    """A column as it is written in an expression."""
    plain = re.fullmatch(r"[^\W\d]\w*", name)
    return name if plain else in_quotes(name)
