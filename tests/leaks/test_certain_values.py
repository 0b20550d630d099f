"""A column that tells the cell of some people for certain, and of the others nothing, is not passed over."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.leaks.prediction import agreement_of_others

ROWS, PLACES = 400, 24


def people(seed, part):
    """Places and, in this part of them, a job that nobody has elsewhere; other jobs are anywhere."""
    draw = np.random.default_rng(seed)
    place = draw.integers(0, PLACES, ROWS)
    anywhere = [f"job {at}" for at in draw.integers(0, 12, ROWS)]
    jobs = [f"job of {at}" if at < part * PLACES else anywhere[row] for row, at in enumerate(place)]
    return pa.table(
        {"age": draw.integers(20, 80, ROWS), "place": [f"P{at:02d}" for at in place], "job": jobs}
    )


def published(table, accept=()):
    policy = shoal.Policy(
        columns={"age": "quasi", "place": "quasi", "job": "other"},
        hierarchies={"age": {"intervals": [10, 20]}, "place": {"mask": "right"}},
        guarantees=[{"kind": "k-anonymity", "k": 5}],
        method={"name": "datafly", "suppression": 0.1},
        leaks={"accept": list(accept)},
    )
    return shoal.anonymize(table, policy, seed=1)


@pytest.mark.parametrize("seed", range(3))
def test_a_job_that_is_certain_for_two_people_in_five_is_refused(seed):
    with pytest.raises(
        shoal.ShoalError,
        match=r"column 'job' is published as it is and, where nearly all others with the same value agree, "
        r"fills (\d+) of \1 hidden cells of 'place' \(of 400 in all\): they are as good as published; "
        "the classes alone let one guess",
    ):
        published(people(seed, part=0.4))


@pytest.mark.parametrize("seed", range(3))
def test_one_that_is_certain_for_one_person_in_five_is_said_with_how_many(seed):
    (leak,) = published(people(seed, part=0.2)).result.leaks
    assert (leak.columns, leak.protected, leak.fills) == (("job",), "place", False)
    assert leak.filled >= 40
    assert "they are as good as published" in leak.sentence


@pytest.mark.parametrize("seed", range(3))
def test_jobs_that_are_anywhere_are_not_spoken_of(seed):
    assert published(people(seed, part=0)).result.leaks == ()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20))
def test_agreement_is_that_of_the_other_rows(rows):
    keys, codes = (np.array(side) for side in zip(*rows, strict=True))
    expected = []
    for row, (key, _) in enumerate(rows):
        others = Counter(code for at, (one, code) in enumerate(rows) if one == key and at != row)
        expected.append(max(others.values()) / others.total() if others else 0.0)
    assert agreement_of_others(keys, codes).tolist() == pytest.approx(expected)
