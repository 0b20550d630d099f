"""What the paper says about the shape of its six figures, asked of ours.

Every function takes the points of a figure and returns claims with yes or no; nothing is known here
about how the points came about.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from results import Claim, line
from shoal.report.charts.loss_charts import Point

Points = Sequence[Point]

METHOD = "aggranon"
BASELINE = "mondrian textbook"  # a column whose median does not divide is not cut
BASELINES = (BASELINE, "mondrian")
OURS = ("residual", "aligned")
ORDER_OF_MAGNITUDE = 10
ALIKE = 1.5  # times may differ by this factor and still count as equal


def loss_against_k(points: Points) -> Iterator[Claim]:
    for series in (METHOD, BASELINE):
        found = line(points, series)
        faster = [b for a, b in pairwise(found) if found[b] * a >= found[a] * b]
        why = f"only from k = {max(faster)} on" if faster else ""
        yield Claim(f"NCP of {series} grows with k", _rises(found.values()))
        yield Claim("sublinearly", not faster, why)
    yield from _below_baselines(points, "k")


def loss_against_size(points: Points) -> Iterator[Claim]:
    yield Claim(f"NCP of {METHOD} falls with |D|", _falls(line(points, METHOD).values()))
    yield from _below_baselines(points, "|D|")


def loss_against_d(points: Points) -> Iterator[Claim]:
    losses = list(line(points, METHOD).values())
    yield Claim(f"NCP of {METHOD} falls with d", _falls(losses))
    yield Claim(f"dramatically (to {losses[-1] / losses[0]:.1%})", losses[-1] < losses[0] / 2)


def time_against_k(points: Points) -> Iterator[Claim]:
    times = list(line(points, METHOD).values())
    text = f"time of {METHOD} falls with k (largest k / smallest k {times[-1] / times[0]:.2f})"
    yield Claim(text, _falls(times), "ours includes sorting and laying out the table, whatever k is")
    yield _faster(points)


def time_against_size(points: Points) -> Iterator[Claim]:
    each = [1e6 * seconds / rows for rows, seconds in line(points, METHOD).items()]
    text = f"time of {METHOD} grows linearly with |D| ({min(each):.2f} to {max(each):.2f} µs per record)"
    yield Claim(text, max(each) <= ALIKE * min(each))
    yield _faster(points)


def time_against_d(points: Points) -> Iterator[Claim]:
    times = line(points, METHOD).values()
    spread = max(times) / min(times)
    yield Claim(
        f"time of {METHOD} almost insensitive to d (largest / smallest {spread:.2f})", spread <= ALIKE
    )


def our_ratios(points: Points) -> Iterator[str]:
    """Our methods as a share of the paper's, from the least to the largest share."""
    for series in dict.fromkeys(point.series for point in points):
        shares = against(points, series, METHOD)
        if shares and series.startswith(OURS):
            yield f"{series}/{METHOD} {min(shares):.3g} to {max(shares):.3g}"


def against(points: Points, series: str, base: str) -> list[float]:
    """One series as a share of another, wherever both are known and the other is not zero."""
    ours, theirs = line(points, series), line(points, base)
    return [ours[x] / theirs[x] for x in ours if theirs.get(x)]


def _below_baselines(points: Points, x: str) -> Iterator[Claim]:
    for base in BASELINES:
        shares = against(points, METHOD, base)
        share = f"{min(shares):.3g} to {max(shares):.3g} of it"
        why = "" if base == BASELINE else "not the paper's: it cuts beside a median that does not divide"
        yield Claim(f"{METHOD} below {base} at every {x} ({share})", max(shares) < 1, why)


def _faster(points: Points) -> Claim:
    times = float(np.median(against(points, BASELINE, METHOD)))
    text = f"{METHOD} faster than {BASELINE} by an order of magnitude (median {times:.2g} times)"
    return Claim(
        text, times >= ORDER_OF_MAGNITUDE, "the paper compared C++ with Java, ours are compiled alike"
    )


def _rises(values: Iterable[float]) -> bool:
    return all(a < b for a, b in pairwise(values))


def _falls(values: Iterable[float]) -> bool:
    return all(a > b for a, b in pairwise(values))
