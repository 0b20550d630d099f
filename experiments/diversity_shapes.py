"""What the slides say about their Adult experiments, asked of ours.

Every function takes counts or points and returns claims with yes or no, or figures in words; nothing is
known here about how they came about.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from results import Claim, line
from shoal.report.charts.loss_charts import Point

OCCUPATION, SALARY = "occupation", "salary-class"
PRINTED_COUNTS = {OCCUPATION: (12, 1), SALARY: (9, 8)}  # minimal 6-anonymous tables, and vulnerable ones
K = 6
FIRST = 5  # columns of the slides' list are quasi where their number does not vary
HEAVY = 2  # times as long


@dataclass(frozen=True)
class Homogeneity:
    """How many groups and records of a table give their sensitive value away."""

    groups: int
    homogeneous: int
    records: int
    exposed: int


def ranked(shares: Mapping[str, Sequence[float]]) -> tuple[Point, ...]:
    return tuple(
        Point(f"{name} sensitive", place, share)
        for name, several in shares.items()
        for place, share in enumerate(sorted(several, reverse=True), 1)
    )


def homogeneity_claims(counts: Mapping[str, Sequence[Homogeneity]]) -> Iterator[Claim]:
    vulnerable = {name: sum(each.homogeneous > 0 for each in several) for name, several in counts.items()}
    whys = {
        OCCUPATION: "the slides do not print their trees, ours may differ inside",
        SALARY: "which tables are k-anonymous does not depend on the sensitive column, so 12 and 9 tables "
        f"cannot be of the same {FIRST} quasi columns",
    }
    for name, (tables, prone) in PRINTED_COUNTS.items():
        ours = (len(counts[name]), vulnerable[name])
        text = f"{name} sensitive: {prone} of {tables} minimal {K}-anonymous tables vulnerable"
        yield Claim(f"{text} (ours {ours[1]} of {ours[0]})", (tables, prone) == ours, whys[name])
    often = any(2 * vulnerable[name] > len(several) for name, several in counts.items())
    yield Claim("vulnerable tables are routinely produced", often)


def exposures(counts: Mapping[str, Sequence[Homogeneity]]) -> Iterator[str]:
    """In the worst table for each sensitive column."""
    for name, several in counts.items():
        worst = max(several, key=lambda each: each.exposed)
        yield (
            f"at worst {worst.homogeneous:,} of {worst.groups:,} groups with {worst.exposed:,} of "
            f"{worst.records:,} records ({name})"
        )


def time_claims(points: Sequence[Point]) -> Iterator[Claim]:
    """The slides ask whether l-diversity is a heavy overhead, and show curves as the answer."""
    base, *others = dict.fromkeys(point.series for point in points)
    for series in others:
        shares = shares_of(points, series, base)
        told = f"{min(shares):.2f} to {max(shares):.2f} times {base}"
        yield Claim(f"{series} is no heavy overhead ({told})", max(shares) <= HEAVY)


def ratios(points: Sequence[Point]) -> Iterator[str]:
    base, *others = dict.fromkeys(point.series for point in points)
    for series in others:
        shares = shares_of(points, series, base)
        yield f"{series} {min(shares):.3g} to {max(shares):.3g} times {base}"


def shares_of(points: Sequence[Point], series: str, base: str) -> list[float]:
    ours, theirs = line(points, series), line(points, base)
    return [ours[x] / theirs[x] for x in ours if theirs[x]]
