"""What the (k,p,q,r) paper prints and says, asked of ours.

Every function takes what the methods lost, seed by seed, and returns claims with yes or no, or figures in
words; nothing is known here about how the losses came about.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import floor

from results import Claim
from shoal.report.charts.loss_charts import Point

ONE_GROUP = "k-anonymous, mdav one-group"
MDAV = "k-anonymous, mdav"
REFINED = "k-anonymous, refined"
K_ANONYMOUS = (ONE_GROUP, MDAV, REFINED)
KPQR, PAPER, BETTER = "kpqr", "kpqr-paper", "better of both"
NEAREST = "printed steps, any nearest value"
MERGED = "p-sensitive, mdav and merging"
RANDOM_START = "p-sensitive, random start"
P_SENSITIVE = (MERGED, RANDOM_START)

RS = (0.1, 0.3, 0.5, 0.7, 0.9)
KS_AND_PS = {3: 2, 4: 3, 7: 5}
PRINTED_K, PRINTED_KPQR, PRINTED_P = "printed k-anonymous", "printed (k,p,q,r)", "printed p-sensitive"
Printed = Mapping[str, Mapping[float, float]]
_MDAV_LOSS: Mapping[float, float] = dict(zip(KS_AND_PS, (5.58, 7.52, 11.53), strict=True))
TABLE_1: Printed = {
    PRINTED_K: dict.fromkeys(RS, 9.21),
    PRINTED_KPQR: dict(zip(RS, (11.98, 12.09, 13.01, 30.85, 68.518), strict=True)),
    PRINTED_P: dict.fromkeys(RS, 12.31),
}
TABLE_2: Printed = {
    PRINTED_K: _MDAV_LOSS,
    PRINTED_KPQR: dict(zip(KS_AND_PS, (11.87, 11.58, 14.69), strict=True)),
    PRINTED_P: dict(zip(KS_AND_PS, (7.24, 9.81, 14.42), strict=True)),
}
TABLE_3: Printed = {
    PRINTED_K: _MDAV_LOSS,
    PRINTED_KPQR: dict(zip(KS_AND_PS, (9.47, 12.13, 18.97), strict=True)),
    PRINTED_P: dict(zip(KS_AND_PS, (16.42, 22.72, 30.42), strict=True)),
}
OURS_OF = {PRINTED_K: (ONE_GROUP,), PRINTED_KPQR: (PAPER, NEAREST), PRINTED_P: (RANDOM_START,)}

UNKNOWN_STEPS = "how the values were dealt and what was done where a step is not defined is not printed"
RAISING = (
    "to raise the variance while values are added, as printed, uses up the far ones, and what is left goes "
    "into one large group (of five readings of the steps, taking any nearest value comes closest to what is "
    "printed)"
)
BY_MDAV = "groups that are improved after merging may lose less than those of mdav"
CHEAPER = "ours lose less, and no reading of the printed steps that we tried loses as much"


@dataclass(frozen=True)
class Runs:
    """What a method lost, and how many classes it made, seed by seed."""

    losses: tuple[float, ...]
    classes: tuple[int, ...] = ()

    @property
    def mean(self) -> float:
        return sum(self.losses) / len(self.losses)


Found = Mapping[str, Mapping[float, Runs]]  # by series, and by place on the x axis


def points_of(found: Found, printed: Printed) -> tuple[Point, ...]:
    """Means with their ranges; what was measured once, and what is printed, has none."""
    ours = [
        Point(series, x, runs.mean, *([min(runs.losses), max(runs.losses)] if len(runs.losses) > 1 else []))
        for series, at in found.items()
        for x, runs in at.items()
    ]
    places = {point.x for point in ours}
    theirs = [Point(series, x, loss) for series, at in printed.items() for x, loss in at.items()]
    return (*ours, *(point for point in theirs if point.x in places))


# What the paper says


HARDLY_BINDS = "a small r asks hardly more than p does, and chance weighs more there"


def rises_with_r(found: Found) -> Iterator[Claim]:
    for series in (KPQR, PAPER, BETTER):
        means = [found[series][r].mean for r in sorted(found[series])]
        rises = all(a < b for a, b in pairwise(means))
        yield Claim(f"information loss of {series} rises with r", rises, "" if rises else HARDLY_BINDS)


def k_loses_least(found: Found) -> Iterator[Claim]:
    """Whatever the seed."""
    others = [series for series in found if series not in K_ANONYMOUS]
    for name, those, why in (("mdav", (MDAV, ONE_GROUP), BY_MDAV), ("refined", (REFINED,), "")):
        met = all(
            min(found[series][x].mean for series in those) <= min(found[other][x].losses)
            for other in others
            for x in found[other]
        )
        yield Claim(f"the least loss is that of k-anonymity, by {name}", met, why)


def similar(found: Found, printed: Printed) -> Iterator[Claim]:
    """As similar as the printed figures are, which the paper calls roughly similar."""
    theirs = [printed[PRINTED_KPQR][x] / printed[PRINTED_P][x] for x in printed[PRINTED_P]]
    for base in P_SENSITIVE:
        ours = _ratios(found, BETTER, base)
        told = f"{min(ours):.2f} to {max(ours):.2f} of it, printed {min(theirs):.2f} to {max(theirs):.2f}"
        met = 1 / max(theirs) <= min(ours) and max(ours) <= max(theirs)
        yield Claim(f"(k,p,q,r) loses roughly what {base} does ({told})", met)
    ours = _ratios(found, BETTER, RANDOM_START)
    yield Claim("a bit more, because of r", min(ours) > 1, "groups by mdav cost less than random ones")


def outperforms(found: Found) -> Iterator[Claim]:
    for base in P_SENSITIVE:
        shares = [
            ours / theirs
            for x, runs in found[BETTER].items()
            for ours, theirs in zip(runs.losses, found[base][x].losses, strict=True)
        ]
        told = f"{min(shares):.2f} to {max(shares):.2f} of it"
        yield Claim(
            f"(k,p,q,r) loses less than {base} at every k and for every seed ({told})", max(shares) < 1
        )


def many_classes(found: Found) -> Claim:
    """Ours, not the paper's: groups stay small."""
    shares = [
        classes / found[ONE_GROUP][x].classes[0]
        for x, runs in found[BETTER].items()
        for classes in runs.classes
    ]
    told = f"{min(shares):.2f} to {max(shares):.2f}"
    return Claim(f"{BETTER} has at least half as many classes as mdav ({told})", min(shares) >= 0.5)


# What it prints


def near_printed(found: Found, printed: Printed, why: Mapping[str, str]) -> Iterator[Claim]:
    """Whether the printed figures lie where ours do, over all seeds; those of mdav are cut, not rounded."""
    for series in OURS_OF[PRINTED_K]:
        at = {x: runs.mean for x, runs in found[series].items() if x in printed[PRINTED_K]}
        met = all(floor(100 * loss) / 100 == printed[PRINTED_K][x] for x, loss in at.items())
        told = ", ".join(dict.fromkeys(f"{loss:.3f}" for loss in at.values()))
        yield Claim(f"{series} loses what is printed, cut to two decimals ({told})", met)
    for theirs in (PRINTED_KPQR, PRINTED_P):
        for series in OURS_OF[theirs]:
            inside = [
                x for x, runs in found[series].items()
                if min(runs.losses) <= printed[theirs][x] <= max(runs.losses)
            ]  # fmt: skip
            told = f"at {len(inside)} of {len(found[series])} places"
            text = f"{theirs} losses lie in the range of {series} over seeds ({told})"
            yield Claim(text, len(inside) == len(found[series]), why.get(series, UNKNOWN_STEPS))


def ratios_to_printed(found: Found, printed: Printed) -> Iterator[str]:
    for series in (BETTER, PAPER):
        shares = [runs.mean / printed[PRINTED_KPQR][x] for x, runs in found[series].items()]
        yield f"{series} {min(shares):.2f} to {max(shares):.2f} times the printed loss"


def _ratios(found: Found, series: str, base: str) -> list[float]:
    return [runs.mean / found[base][x].mean for x, runs in found[series].items()]
