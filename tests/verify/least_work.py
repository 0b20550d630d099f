"""The distance of two distributions as a transport problem, which is solved by linear programming."""

from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

TREE = {"infection": {"airway": ["flu", "cold"], "skin": ["mange"]}, "mind": {"mood": ["burnout", "grief"]}}
WORDS = ["flu", "cold", "mange", "burnout", "grief"]
LEVEL = {  # of the lowest label above both, as a share of the highest
    frozenset(pair): share
    for pair, share in {
        ("flu", "cold"): Fraction(1, 3),
        ("flu", "mange"): Fraction(2, 3),
        ("cold", "mange"): Fraction(2, 3),
        ("burnout", "grief"): Fraction(1, 3),
    }.items()
}


def apart(distance: str, words: list[str]):
    """How far each two of these values, which are in order, are apart."""
    if distance == "equal":
        return [[float(a != b) for a in words] for b in words]
    if distance == "ordered":
        steps = max(len(words) - 1, 1)
        return [[abs(a - b) / steps for a in range(len(words))] for b in range(len(words))]
    return [[0.0 if a == b else float(LEVEL.get(frozenset([a, b]), 1)) for a in words] for b in words]


def least_work(costs, here: list[float], there: list[float]) -> float:
    """The transport problem, by a solver that knows nothing of distributions."""
    size = len(here)
    leave = [[float(row == place // size) for place in range(size * size)] for row in range(size)]
    arrive = [[float(column == place % size) for place in range(size * size)] for column in range(size)]
    solved = linprog(np.ravel(costs), A_eq=leave + arrive, b_eq=[*here, *there], method="highs")
    return float(solved.fun)
