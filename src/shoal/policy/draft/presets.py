"""Presets: what regulators and owners often ask for, as guarantees and thresholds, each number explained.

A preset is a start for the owner's own decision. None of them makes a release lawful.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor

from shoal.errors import ShoalError, nearest


@dataclass(frozen=True)
class PresetGuarantee:
    """A guarantee as it goes into a policy, and why. One on sensitive values is written once for every
    sensitive column; one that is ``optional`` as a comment, for the owner to switch on."""

    entries: Mapping[str, str | int | float]
    why: str
    on_sensitive: bool = False
    optional: bool = False

    @property
    def kind(self) -> str:
        return str(self.entries["kind"])


@dataclass(frozen=True)
class Thresholds:
    """What a report judges a release by: the largest risk of any record, and whether sensitive columns need a
    guarantee of their own."""

    largest_risk: float
    why: str
    sensitive: bool = False


@dataclass(frozen=True)
class Preset:
    """A named set of guarantees and thresholds to start a policy with."""

    name: str
    title: str
    about: str
    demands: tuple[PresetGuarantee, ...]
    thresholds: Thresholds
    suppression: float
    why_suppression: str
    uncovered: tuple[str, ...]  # what the owner still has to decide
    hints: tuple[str, ...] = ()  # about columns and hierarchies


def smallest_class(largest_risk: float) -> int:
    """The smallest class whose members are found with no more than this chance.

    >>> smallest_class(0.09), smallest_class(0.05), smallest_class(1 / 11)
    (12, 20, 11)
    """
    size = max(floor(1 / largest_risk) - 1, 1)
    while 1 / size > largest_risk:
        size += 1
    return size


SEVERAL = (
    "with several sensitive columns, whoever knows the others must still find as many, which small tables "
    "often cannot give; alone = true lets the others count as unknown"
)
NOT_LAW = "Whether a release is lawful: that is for you, and for those who advise you, to decide."
ROLES = "Which columns others may know: a column that is not quasi is not counted in any class."
TWICE = "Several releases of the same people, which can be laid side by side."
SAMENESS = "What a class gives away if its members are alike in a sensitive column: add a guarantee on it."

PUBLIC = Preset(
    name="public",
    title="Open data",
    about=(
        "For tables that anybody may download: no contract, no log of who looks, no way to take them back. "
        "So the strictest of these presets."
    ),
    demands=(
        PresetGuarantee(
            {"kind": "k-anonymity", "k": 20},
            "at least 20 records alike: 1/20 = 0.05 is the smallest of the thresholds in common use for "
            "public releases (0.05 to 0.09)",
        ),
        PresetGuarantee(
            {"kind": "l-diversity", "l": 3},
            "at least 3 different values, so that ruling out one of them still leaves a doubt; our choice; "
            + SEVERAL,
            on_sensitive=True,
        ),
    ),
    thresholds=Thresholds(0.05, "nobody is found with a chance above 1 in 20", sensitive=True),
    suppression=0.05,
    why_suppression="our choice: the rarest records cost most to hide",
    uncovered=(ROLES, TWICE, NOT_LAW),
)

EMA_0070 = Preset(
    name="ema-0070",
    title="European Medicines Agency, policy 0070",
    about=(
        "The agency's guidance on publishing clinical data names 0.09 as the threshold for a public release, "
        "counted for the record most at risk."
    ),
    demands=(
        PresetGuarantee(
            {"kind": "k-anonymity", "k": 12},
            "at least 12 records alike: 1/12 = 0.083 is at most 0.09, and 1/11 = 0.0909 is not",
        ),
    ),
    thresholds=Thresholds(0.09, "the guidance's threshold for the largest risk"),
    suppression=0.05,
    why_suppression="our choice: the guidance names no share",
    uncovered=(
        SAMENESS,
        "What leaving patients out does to the results of a trial.",
        "Whether patients of similar trials may count as the population: the figures of a journalist.",
        "Words in reports, dates of events and rare adverse events, which also point to patients.",
        ROLES,
        NOT_LAW,
    ),
    hints=("Dates of visits are usually published as days since the first one.",),
)

HIPAA_LIKE = Preset(
    name="hipaa-like",
    title="In the manner of HIPAA's expert determination",
    about=(
        "Expert determination asks for a risk that is very small and names no number: an expert has to "
        "justify one. Counts of 1 to 10 are not shown under the cell-size rule of the Centers for Medicare & "
        "Medicaid Services, which many take over."
    ),
    demands=(
        PresetGuarantee(
            {"kind": "k-anonymity", "k": 11},
            "at least 11 records alike, as no cell from 1 to 10 is shown under that rule",
        ),
    ),
    thresholds=Thresholds(1 / 11, "1 in 11, which is the cell-size rule as a risk"),
    suppression=0.05,
    why_suppression="our choice: no rule names a share",
    uncovered=(
        "The expert: somebody qualified has to find the risk very small for this recipient, and document it.",
        SAMENESS,
        ROLES,
        NOT_LAW,
    ),
    hints=(
        "Hints from the list of the other way, safe harbor (which is not what this preset does):",
        "- of zip codes the first three digits, and 000 where fewer than 20,000 people live there;",
        "- ages above 89 become one group, 90 or older;",
        "- dates about a person become years;",
        "- names, numbers, addresses and the like are identifiers.",
    ),
)

WP29 = Preset(
    name="wp29",
    title="Article 29 Working Party, opinion 05/2014",
    about=(
        "The opinion asks three questions and names no numbers. Can somebody be singled out? Can records be "
        "linked? Can something be inferred about somebody? Classes answer the first, guarantees on sensitive "
        "values the third."
    ),
    demands=(
        PresetGuarantee(
            {"kind": "k-anonymity", "k": 11},
            "singling out: at least 11 records alike; the opinion warns of small k and sets none, more than "
            "10 is our choice",
        ),
        PresetGuarantee(
            {"kind": "l-diversity", "l": 3},
            f"inference: at least 3 different values among those alike; our choice; {SEVERAL}",
            on_sensitive=True,
        ),
        PresetGuarantee(
            {"kind": "t-closeness", "t": 0.2},
            "inference: no class differs much from the whole table, which the opinion calls a refinement of "
            "l-diversity; 0.2 is a common choice, and costs much in small tables",
            on_sensitive=True,
            optional=True,
        ),
    ),
    thresholds=Thresholds(1 / 11, "1 in 11, our choice for singling out", sensitive=True),
    suppression=0.05,
    why_suppression="our choice: the opinion names no share",
    uncovered=(
        "Linkability: with other releases of the same people, or with columns of the role other. Classes "
        "make links uncertain, they do not rule them out.",
        ROLES,
        NOT_LAW,
    ),
)

PRESETS = (PUBLIC, EMA_0070, HIPAA_LIKE, WP29)


def find_preset(name: str) -> Preset:
    """
    >>> find_preset("ema-0070").thresholds.largest_risk
    0.09
    """
    found = {preset.name: preset for preset in PRESETS}
    if name not in found:
        raise ShoalError(f"there is no preset {name!r}", nearest(name, found, "shoal"))
    return found[name]
