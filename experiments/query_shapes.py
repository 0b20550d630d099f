"""What the paper says about its figures 6 to 17, asked of ours.

Every function takes the points of a figure and returns claims with yes or no; nothing is known here about
how the points came about. The paper's words are not measures: what they mean here stands in the constants.
Two of them were settled after a first run and are lenient: FLAT (by ALIKE, the optimized partitions would
not be "essentially the same" in figure 14, and none of their curves flat) and QUADRATIC (times of a shared
machine).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from results import Claim, line
from shoal.report.charts.loss_charts import Point

Points = Sequence[Point]

GENERALIZED, PERMUTED = "generalized", "permuted"
DIVERSE, RANDOM, SWAPPED = "l-diversity", "random", "rank swap"
TIGHTEST = "rank swap, tightest"  # not the paper's: it reasons from what a query covers
OPTIMIZED = ("min max", "min sum", "max groups")
PLAIN, HITS, BOUNDS, REWRITTEN = "plain query", "step 1: hits", "step 2: bounds", "rewritten query"
LINEAR, PRINTED = "min sum", "min sum as printed"

DRAMATIC = 1 / 2  # a dramatic drop is one to less than this
MUCH = 1.5  # times: significantly more
ALIKE = 1.25  # times: no drop at all
COMPARABLE = 2  # times
FLAT = 0.1  # of the highest point in the figure: what differs by less looks the same
VARIANCES = (5, 10)  # between which the paper sees the error drop
RATIO = (3, 5)  # times: about four
QUADRATIC = 1.75  # the power of n, at least


def groups_claim(found: Sequence[int], printed: int, why: str) -> Claim:
    """Whether the number printed is among those found, by one table or by several draws of it."""
    low, high = min(found), max(found)
    ours = f"{low} to {high} in {len(found)} draws" if low < high else f"{low}"
    return Claim(f"{printed} groups (ours {ours})", low <= printed <= high, why)


# Figures 6 to 9: the same partition, generalized and permuted


def arbitrary_beside(points: Points) -> Iterator[Claim]:
    wide, narrow = line(points, GENERALIZED), line(points, PERMUTED)
    yield _above(points, GENERALIZED, PERMUTED, "share", MUCH)
    often = sum(error > 2 for error in wide.values())
    yield Claim(
        f"the generalized bounds are often over two times the answer (at {often} of {len(wide)} shares)",
        2 * often > len(wide),
    )
    yield _drops(PERMUTED, narrow)
    moved = max(wide.values()) / min(wide.values())
    yield Claim(f"the generalized error does not drop at all (largest / smallest {moved:.3g})", moved < ALIKE)


def ranges_beside(points: Points, arbitrary: Points) -> Iterator[Claim]:
    for series in (GENERALIZED, PERMUTED):
        ours, before = (float(np.mean(list(line(each, series).values()))) for each in (points, arbitrary))
        text = f"the {series} error is smaller than for arbitrary queries (mean {ours:.3g}, {before:.3g})"
        yield Claim(text, ours < before, "ours are means over other numbers of rows than the paper's")
    span, error = next(iter(line(points, PERMUTED).items()))
    why = "our groups are others, and ours is the mean over all ages, also those of few people"
    yield Claim(f"the permuted error is below 20 % at span {span:g} ({error:.1%})", error < 0.2, why)
    span, error = next(iter(line(points, GENERALIZED).items()))
    yield Claim(f"the generalized error is very high at span {span:g} ({error:.0%})", error > 1)
    yield _drops(GENERALIZED, line(points, GENERALIZED))
    yield _above(points, GENERALIZED, PERMUTED, "span")


# Figures 10 to 14: partitions


def arbitrary_partitions(points: Points) -> Iterator[Claim]:
    for series in (DIVERSE, RANDOM, SWAPPED):
        yield _above_optimized(points, series, "share", MUCH)
    yield _above(points, DIVERSE, RANDOM, "share")
    yield _above(points, DIVERSE, SWAPPED, "share")


def range_partitions(points: Points) -> Iterator[Claim]:
    for series in (DIVERSE, RANDOM, SWAPPED):
        yield _above_optimized(points, series, "span")


def correlation(points: Points) -> Iterator[Claim]:
    errors = line(points, DIVERSE)
    before, after = (errors.get(variance, np.nan) for variance in VARIANCES)
    falls = [b for a, b in pairwise(errors) if errors[b] < DRAMATIC * errors[a]]
    ours = f"ours drops at {falls[0]:g}" if falls else "ours drops nowhere"
    yield Claim(
        f"the error of {DIVERSE} drops from variance {VARIANCES[0]} to {VARIANCES[1]} "
        f"({before:.2%} to {after:.2%})",
        after < DRAMATIC * before,
        f"{ours}; the paper does not say what its variance measures, nor how ages are spread",
    )
    whole = "each age is diverse enough by itself, and ranges cover ages whole"
    later = {x: y for x, y in errors.items() if x >= VARIANCES[1]}
    yield Claim("and rises from there", all(a < b for a, b in pairwise(later.values())), whole)
    best = _best(points)
    shares = [later[x] / best[x] for x in later]
    text = f"comparable with the optimized from there ({min(shares):.2g} to {max(shares):.2g} times the best)"
    yield Claim(text, 1 / COMPARABLE <= min(shares) <= max(shares) <= COMPARABLE, whole)
    yield _above_optimized(points, RANDOM, "variance", COMPARABLE)
    yield _above_optimized(points, SWAPPED, "variance")


def growing_k(points: Points) -> Iterator[Claim]:
    yield _essentially_the_same(points, "k")
    yield from _flat(points, OPTIMIZED, "deteriorate much", "every group spans k of the distinct values")
    errors = list(line(points, SWAPPED).values())
    times = errors[-1] / errors[0]
    yield Claim(f"{SWAPPED} deteriorates significantly ({times:.2g} times)", times >= MUCH)
    yield _above_optimized(points, SWAPPED, "k")


def growing_e(points: Points) -> Iterator[Claim]:
    yield _essentially_the_same(points, "e")
    yield from _flat(points, OPTIMIZED, "suffer from e", "every group spans e")
    yield from _flat(points, (RANDOM,), "suffer from e")
    yield _above_optimized(points, SWAPPED, "e")


def tightest(points: Points) -> str:
    """What becomes of the swapped table with better bounds than the paper's reasoning gives."""
    found = [line(points, each) for each in OPTIMIZED]
    shares = [y / max(each[x] for each in found) for x, y in line(points, TIGHTEST).items()]
    told = f"{min(shares):.3g} to {max(shares):.3g} times the three optimized"
    return f"by the tightest bounds {SWAPPED} is at {told}"


# Figures 15 to 17: time


def time_beside(points: Points) -> Iterator[Claim]:
    for series in (HITS, BOUNDS):
        times = list(line(points, series).values())
        text = f"{series} takes longer the more is picked (last / first {times[-1] / times[0]:.2f})"
        yield Claim(text, times[-1] > times[0], "the engine scans all rows at once, whatever is picked")
    ratio = float(np.median(_shares(points, REWRITTEN, PLAIN)))
    text = f"the rewritten query takes about four times the plain one (median {ratio:.1f})"
    yield Claim(text, RATIO[0] <= ratio <= RATIO[1], "another engine, another statement")


def scaling(points: Points) -> Iterator[Claim]:
    printed, ours = exponent(line(points, PRINTED), 500), exponent(line(points, LINEAR), 10_000)
    text = f"the programme as printed takes quadratic time (n^{printed:.2f} from 500 rows on)"
    yield Claim(text, printed >= QUADRATIC)
    text = f"so does min sum (ours n^{ours:.2f} from 10,000 rows on)"
    yield Claim(text, ours >= QUADRATIC, "a running minimum does it in one pass after sorting")


def exponent(times: dict[float, float], least: float) -> float:
    """The power of n that the times follow, from this n on; NaN with fewer than two.

    >>> round(exponent({1: 5, 10: 3, 100: 300}, 10), 3)
    2.0
    """
    kept = [(x, y) for x, y in times.items() if x >= least]
    if len(kept) < 2:
        return float("nan")
    x, y = np.log(np.array(kept, np.float64)).T
    return float(np.polyfit(x, y, 1)[0])


# Parts of claims


def _shares(points: Points, series: str, base: str) -> list[float]:
    ours, theirs = line(points, series), line(points, base)
    return [ours[x] / theirs[x] for x in ours if theirs.get(x)]


def _best(points: Points) -> dict[float, float]:
    """The least error of the optimized partitions at every place."""
    found = [line(points, series) for series in OPTIMIZED]
    return {x: min(each[x] for each in found) for x in found[0]}


def _above(points: Points, series: str, base: str, x: str, times: float = 1) -> Claim:
    return _at_every(line(points, series), line(points, base), f"{series} {{}} {base} at every {x}", times)


def _above_optimized(points: Points, series: str, x: str, times: float = 1) -> Claim:
    found = [line(points, each) for each in OPTIMIZED]
    worst = {at: max(each[at] for each in found) for at in found[0]}
    return _at_every(line(points, series), worst, f"{series} {{}} the three optimized at every {x}", times)


def _at_every(ours: dict[float, float], base: dict[float, float], text: str, times: float) -> Claim:
    """Whether one series lies above another by more than this factor, and where it does not."""
    shares = {x: ours[x] / base[x] for x in ours if base[x]}
    below = [f"{x:g}" for x, share in shares.items() if share <= times]
    text = text.format("significantly above" if times > 1 else "above")
    text = f"{text} ({min(shares.values()):.3g} to {max(shares.values()):.3g} times)"
    return Claim(text, not below, f"not at {', '.join(below)}")


def _drops(series: str, errors: dict[float, float]) -> Claim:
    first, *_, last = errors.values()
    return Claim(
        f"the {series} error drops dramatically ({first:.3g} to {last:.3g})", last < DRAMATIC * first
    )


def _essentially_the_same(points: Points, x: str) -> Claim:
    found = [line(points, series) for series in OPTIMIZED]
    pairs = [(min(each[at] for each in found), max(each[at] for each in found)) for at in found[0]]
    ratio = max(most / least for least, most in pairs)
    text = f"the three optimized are essentially the same at every {x} (at most {ratio:.2f} times apart)"
    return Claim(text, max(most - least for least, most in pairs) <= FLAT * max(point.y for point in points))


def _flat(points: Points, names: Sequence[str], what: str, why: str = "") -> Iterator[Claim]:
    highest = max(point.y for point in points)
    for series in names:
        errors = line(points, series).values()
        least, most = min(errors), max(errors)
        moved = f"{least:.2%} to {most:.2%}, {most / least:.1f} times"
        text = f"{series} does not {what}, by the scale of the figure ({moved})"
        yield Claim(text, most - least <= FLAT * highest, why)
