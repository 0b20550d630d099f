"""What forms call the parameters of guarantees, and the promises that can be added, in plain words."""

from collections.abc import Mapping
from dataclasses import dataclass

LABELS = {
    "k": "Records that are alike, at least",
    "stars": "A star in a cell",
    "knows": "What somebody knows of a person",
    "within": "Known to within, in percent",
    "band": "Where that range lies",
    "also": "Known exactly besides",
    "variant": "How different the values are",
    "l": "Different values, at least",
    "c": "Factor c",
    "c2": "Percent of a class that protected values make up",
    "allowed": "Values that may be known, one a line",
    "protected": "Values that must not be ruled out, one a line",
    "sensitive": "Sensitive column",
    "alone": "Other sensitive columns count as unknown",
    "p": "Different values, at least",
    "alpha": "Largest share of one value in a class",
    "t": "Largest distance from the whole table",
    "distance": "How far values are apart",
    "order": "Words from low to high, one a line",
    "e": "Span of the values in a group, at least",
    "gap": "Values differ by, at least",
    "q": "A value is rare below this share of all records",
    "r": "Variance there, as a share of the whole table's",
}
LABELS_OF_KIND = {
    ("kf-anonymity", "k"): "Records that fit, at least",
    ("ke-anonymity", "k"): "Different values in a group, at least",
    ("kpqr-anonymity", "p"): "Different values where a rare one occurs, at least",
}
WORDS = {
    ("stars", "own"): "is a value of its own",
    ("stars", "any"): "matches anything (protects less)",
    ("band", "centred"): "around the value",
    ("band", "any"): "anywhere that contains it",
    ("variant", "distinct"): "different values (distinct)",
    ("variant", "entropy"): "evenly mixed (entropy)",
    ("variant", "recursive"): "none too frequent (recursive)",
    ("variant", "pd-recursive"): "none too frequent, some may be known (pd-recursive)",
    ("variant", "npd-recursive"): "none too frequent, some never ruled out (npd-recursive)",
    ("distance", "equal"): "all alike (equal)",
    ("distance", "ordered"): "by rank (ordered)",
    ("distance", "hierarchical"): "by the hierarchy (hierarchical)",
    ("distance", "number"): "as numbers (number)",
}


def parameter_label(kind: str, name: str) -> str:
    """
    >>> parameter_label("kf-anonymity", "k")
    'Records that fit, at least'
    """
    return LABELS_OF_KIND.get((kind, name), LABELS.get(name, name))


@dataclass(frozen=True)
class GuaranteeTemplate:
    """A guarantee to add: what an owner would say, and the numbers to begin with."""

    name: str  # as `shoal explain` calls it
    group: str
    says: str
    entries: Mapping[str, str | int | float]

    @property
    def kind(self) -> str:
        return str(self.entries["kind"])


TOTAL = "Someone knows a total of several columns"
ALL = "Someone knows all quasi columns"
GIVES_AWAY = "The class must not give a sensitive value away"
PERMUTE = "Analysts ask for sums and averages: permute"
MEANS = "Class means, with rare values protected"
DIVERSE: dict[str, str | int | float] = {"kind": "l-diversity", "l": 3}
RECURSIVE: dict[str, str | int | float] = DIVERSE | {"c": 4}

GUARANTEE_TEMPLATES = (
    GuaranteeTemplate(
        "kf-anonymity", TOTAL, "and still finds several records that fit", {"kind": "kf-anonymity", "k": 10}
    ),
    GuaranteeTemplate(
        "k-anonymity", ALL, "and still finds several records that are alike", {"kind": "k-anonymity", "k": 10}
    ),
    GuaranteeTemplate("l-diversity", GIVES_AWAY, "several different values in every class", DIVERSE),
    GuaranteeTemplate(
        "entropy-l-diversity",
        GIVES_AWAY,
        "values evenly mixed in every class",
        DIVERSE | {"variant": "entropy", "l": 2},
    ),
    GuaranteeTemplate(
        "recursive-l-diversity",
        GIVES_AWAY,
        "no value too frequent in a class",
        RECURSIVE | {"variant": "recursive"},
    ),
    GuaranteeTemplate(
        "pd-recursive-l-diversity",
        GIVES_AWAY,
        "no value too frequent, except those that may be known",
        RECURSIVE | {"variant": "pd-recursive"},
    ),
    GuaranteeTemplate(
        "npd-recursive-l-diversity",
        GIVES_AWAY,
        "no value too frequent, and some that must not be ruled out",
        RECURSIVE | {"variant": "npd-recursive", "c2": 5},
    ),
    GuaranteeTemplate(
        "t-closeness",
        GIVES_AWAY,
        "values spread in every class as in the whole table",
        {"kind": "t-closeness", "t": 0.2},
    ),
    GuaranteeTemplate(
        "p-sensitivity",
        GIVES_AWAY,
        "several different values of every sensitive column",
        {"kind": "p-sensitivity", "p": 2},
    ),
    GuaranteeTemplate(
        "alpha-k-anonymity",
        GIVES_AWAY,
        "records alike, and no value too large a share of them",
        {"kind": "alpha-k-anonymity", "alpha": 0.5, "k": 10},
    ),
    GuaranteeTemplate(
        "ke-anonymity",
        PERMUTE,
        "amounts change places inside groups of different values",
        {"kind": "ke-anonymity", "k": 10, "e": 1000},
    ),
    GuaranteeTemplate(
        "kpqr-anonymity",
        MEANS,
        "classes show means; where a rare value occurs, so do others",
        {"kind": "kpqr-anonymity", "k": 10, "p": 3, "q": 0.1, "r": 0.1},
    ),
)
