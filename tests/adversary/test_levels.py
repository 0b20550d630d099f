"""Two runs of one policy have the same level: nothing that is drawn decides it, unless classes differ."""

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.adversary.attacks import ATTACKS, open_scene, run_attacks
from shoal.release.release import Release
from tests.adversary.test_readings import FAMILIES

RUNS = 10
AS_RUN = [
    one.name for one in ATTACKS if one.name != "minimality"
]  # which takes as long as all others together
SETTLED = ("mondrian", "residual", "optimal", "suppress-cells", "min-sum")  # draw nothing but the order


def people(follow: float) -> pa.Table:
    """60 people whose quasi values follow the sensitive one with some probability."""
    random = np.random.default_rng(1)
    sensitive = random.integers(0, 5, 60)

    def column() -> np.ndarray:
        told = sensitive * 4 + random.integers(0, 2, 60)
        return np.where(random.random(60) < follow, told, random.integers(0, 20, 60))

    numbers = {name: column() for name in "abc"}
    return pa.table({**numbers, "town": random.choice(["Ayr", "Bergen", "Como"], 60), "s": sensitive})


def released(name: str, follow: float) -> Release:
    policy = shoal.Policy(**FAMILIES[name])
    return shoal.anonymize(people(follow).select(list(policy.columns)), policy)  # with a fresh secret


@pytest.mark.parametrize("follow", [0.0, 0.2])
@pytest.mark.parametrize("name", SETTLED)
def test_ten_runs_of_one_policy_have_one_level(name: str, follow: float) -> None:
    levels = {
        tuple((one.attack, one.knows, one.level) for one in run_attacks(open_scene(None, made), AS_RUN))
        for made in (released(name, follow) for _ in range(RUNS))
    }
    assert len(levels) == 1


def test_the_order_of_records_tells_nothing_of_what_groups_teach() -> None:
    accuracy = set()
    for _ in range(RUNS):
        [found] = run_attacks(open_scene(None, released("mondrian", 0.2)), ["definetti"])
        accuracy.add(found.figures["accuracy"])
    assert len(accuracy) == 1
