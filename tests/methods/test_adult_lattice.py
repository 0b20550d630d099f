"""The lattice of a real table, node by node, where the data is at hand."""

import csv
import os
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from shoal.hierarchy.read import read_hierarchy
from shoal.methods.levels.incognito import incognito
from shoal.methods.levels.lattice import Lattice, Scale
from shoal.methods.levels.optimal import optimal

ADULT = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "../shared/data")) / "adult"
PLACES = {"sex": 9, "age": 0, "race": 8, "marital-status": 5, "education": 3, "native-country": 13,
          "workclass": 1, "occupation": 6, "salary-class": 14}  # fmt: skip

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not ADULT.is_dir(), reason="needs the Adult table")]


@pytest.fixture(scope="module")
def adult():
    with (ADULT / "adult.data").open() as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file) if len(row) == 15]
    rows = [row for row in rows if "?" not in row]
    codes, scales = [], []
    for name, place in PLACES.items():
        hierarchy = read_hierarchy(ADULT / "hierarchies" / f"adult_hierarchy_{name}.csv", name)
        codes.append(hierarchy.codes([row[place] for row in rows]))
        losses = tuple(hierarchy.losses(height) for height in range(hierarchy.height + 1))
        groups = tuple(level.group_of for level in hierarchy.levels)
        scales.append(Scale(groups, losses, tuple(1 - loss for loss in losses)))
    return np.column_stack(codes), scales


@pytest.fixture(scope="module", params=[5, 50])
def nodes(request, adult):
    """The lattice for a k, and all its nodes."""
    lattice = Lattice(*adult, request.param)
    levels = product(*(range(scale.height + 1) for scale in lattice.scales))
    return lattice, [lattice.at(level) for level in levels]


@pytest.mark.parametrize("share", [0, 0.02, 1])
def test_the_best_node_is_the_best_of_all(nodes, share):
    lattice, everything = nodes
    assert len(everything) == lattice.nodes == 12_960
    limit = min(int(share * len(lattice.codes)), len(lattice.codes) - lattice.k)
    allowed = [node for node in everything if node.suppressed <= limit]
    found = optimal(lattice, limit)
    assert found.proved
    assert found.node.loss == pytest.approx(min(node.loss for node in allowed))
    places = {node.levels for node in allowed}  # with k alone, whatever lies above an allowed node is allowed
    minimal = {levels for levels in places if not places & set(_just_below(levels))}
    assert {node.levels for node in incognito(lattice, limit)[0]} == minimal


def _just_below(levels):
    return [(*levels[:at], level - 1, *levels[at + 1 :]) for at, level in enumerate(levels)]


@pytest.mark.parametrize(("share", "ncp"), [(0, 0.6355), (0.02, 0.3575), (1, 0.2277)])
def test_the_known_losses_are_found(adult, share, ncp):
    lattice = Lattice(*adult, 5)
    limit = min(int(share * len(lattice.codes)), len(lattice.codes) - 5)
    assert optimal(lattice, limit).node.loss / lattice.codes.size == pytest.approx(ncp, abs=5e-5)
