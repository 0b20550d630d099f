"""All explanations, and how to find one."""

from shoal.errors import ShoalError, nearest
from shoal.explain.diversity import DIVERSITY
from shoal.explain.explanation import Explanation, Kind
from shoal.explain.glossary import GLOSSARY
from shoal.explain.guarantees_of_rows import GUARANTEES_OF_ROWS
from shoal.explain.guarantees_of_values import GUARANTEES_OF_VALUES
from shoal.explain.methods_of_levels import METHODS_OF_LEVELS
from shoal.explain.methods_of_means import METHODS_OF_MEANS
from shoal.explain.methods_of_permutation import METHODS_OF_PERMUTATION
from shoal.explain.methods_of_ranges import METHODS_OF_RANGES

EXPLANATIONS: tuple[Explanation, ...] = (
    *GUARANTEES_OF_ROWS,
    *DIVERSITY,
    *GUARANTEES_OF_VALUES,
    *METHODS_OF_RANGES,
    *METHODS_OF_LEVELS,
    *METHODS_OF_PERMUTATION,
    *METHODS_OF_MEANS,
    *GLOSSARY,
)


def explanation(name: str) -> Explanation:
    """What this guarantee, method or word means; a variant of l-diversity is called as in
    `entropy-l-diversity`.

    >>> explanation("quasi").title
    'Quasi column'
    """
    for one in EXPLANATIONS:
        if one.name == name.strip().lower():
            return one
    known = [one.name for one in EXPLANATIONS]
    alike = [word for word in known if name.strip().lower() in word]
    raise ShoalError(f"there is no explanation of {name!r}", nearest(name, alike or known, "shoal explain"))


def explanations(kind: Kind) -> tuple[Explanation, ...]:
    """All of a kind, in the order in which they are best read.

    >>> [one.name for one in explanations("guarantee")][:2]
    ['k-anonymity', 'kf-anonymity']
    """
    return tuple(one for one in EXPLANATIONS if one.kind == kind)
