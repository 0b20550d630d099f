"""Runs of floats hold whole clusters, however the floats were dealt out."""

from functools import reduce

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.verify.aggregate.image import Image, comparable_ends
from shoal.verify.parts.float_runs import FloatRuns
from tests.draws import draws

NEAR = st.sampled_from([-2.0, -1e-300, -0.0, 0.0, 1.0, 1.0009765625, 3.5, 1e200])
SHIFTS = st.integers(-4, 4)


@draws(100)
@given(st.lists(st.tuples(NEAR, SHIFTS), min_size=1, max_size=20), st.integers(1, 3))
def test_floats_that_count_as_equal_lie_in_one_run(drawn: list[tuple[float, int]], batches: int) -> None:
    values = np.array([value * (1 + shift * 6e-10) for value, shift in drawn])
    runs = reduce(FloatRuns.joined, (FloatRuns.of(values[at::batches]) for at in range(batches)))
    found = runs.run_of(values)
    clusters, _ = comparable_ends(Image(values, values, None))
    for cluster in np.unique(clusters):
        assert len(set(found[clusters == cluster].tolist())) == 1


def test_floats_that_are_apart_lie_in_several() -> None:
    values = np.linspace(-5, 5, 1001)
    assert len(set(FloatRuns.of(values).run_of(values).tolist())) > 800
