"""Does every range that an attacker may hold contain k values? All positions are tried."""

from fractions import Fraction
from itertools import pairwise


def has_company_everywhere(values: list[int], v: int, share: float, k: int) -> bool:
    """Ranges of width 2 d |v| that contain v; the count changes only where an end meets a value."""
    width = 2 * Fraction(share) * abs(v)
    turning = {v - width, Fraction(v)}
    turning |= {Fraction(u) for u in values} | {u - width for u in values}
    starts = sorted(start for start in turning if v - width <= start <= v)
    between = [(a + b) / 2 for a, b in pairwise(starts)]
    return all(sum(start <= u <= start + width for u in values) >= k for start in [*starts, *between])
