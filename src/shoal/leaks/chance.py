"""Could so many hits be luck? The upper tail of a binomial distribution, bounded by its first term.

In n tries with chance p each, terms fall at least by r = (n - h) p / ((h + 1) (1 - p)), so that h hits or
more have at most the probability of exactly h, divided by 1 - r. Tries that depend on each other count for
fewer, so n and h need not be whole. Where what to look at was chosen among several, the probability that
some choice has so many hits is at most their sum.
"""

from math import exp, lgamma, log, log1p

CERTAIN = 1e-9  # chances closer to 0 or 1 than this count as this far away


def log_of_choices(of: int, chosen: int) -> float:
    """The logarithm of how many ways there are to choose so many, at most as many as it says.

    >>> round(exp(log_of_choices(5, 2)))
    50
    """
    return lgamma(of + 1) - lgamma(chosen + 1) - lgamma(of - chosen + 1) + log(max(of, 1))


def luck(hits: float, tries: float, chance: float, choices: float = 0.0) -> float:
    """An upper bound on the probability of so many hits or more, in one of exp(choices) choices.

    >>> luck(5, 10, 0.5)
    1.0
    >>> round(luck(20, 20, 0.5) * 2**20, 6)
    1.0
    """
    chance, hits = min(max(chance, CERTAIN), 1 - CERTAIN), min(hits, tries)
    if tries <= 0 or hits <= chance * tries:
        return 1.0
    missed = tries - hits
    falling = missed * chance / ((hits + 1) * (1 - chance))
    ways = lgamma(tries + 1) - lgamma(hits + 1) - lgamma(missed + 1)
    exactly = exp(min(choices + ways + hits * log(chance) + missed * log1p(-chance), 0.0))
    return min(exactly / (1 - falling), 1.0)
