"""Could so many hits be luck? Chernoff's bound: in n tries with chance p each, a share q > p or more of hits
has at most the probability exp(-n KL(q, p)), whatever n is."""

from math import exp, log

CERTAIN = 1e-9  # chances closer to 0 or 1 than this count as this far away


def luck(hits: float, tries: float, chance: float) -> float:
    """An upper bound on the probability of so many hits or more.

    >>> luck(5, 10, 0.5)
    1.0
    >>> luck(20, 20, 0.5) == 0.5**20
    True
    """
    if tries <= 0:
        return 1.0
    share, chance = min(hits / tries, 1.0), min(max(chance, CERTAIN), 1 - CERTAIN)
    if share <= chance:
        return 1.0
    nats = share * log(share / chance)
    if share < 1:
        nats += (1 - share) * log((1 - share) / (1 - chance))
    return exp(-tries * nats)
