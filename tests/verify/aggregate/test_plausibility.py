"""What the choice of opened cells gives away, against a plain count over all assignments."""

from collections import defaultdict
from fractions import Fraction
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.verify.aggregate.plausibility import own_record_chance, roundness_of
from tests.draws import draws

NAMES = ("a", "b", "c")
DOMAIN = (-5, 400)


def publish(rows, draw, k=2, seed=0, domains=True):
    policy = shoal.Policy(
        columns=dict.fromkeys(NAMES, "quasi"),
        domains=dict.fromkeys(NAMES, DOMAIN) if domains else {},
        guarantees=[shoal.KfAnonymity(k=k, knows=["a + b + c"])],
        method={"name": "aligned", "options": {"draw": draw}},
    )
    table = pa.table({name: [row[at] for row in rows] for at, name in enumerate(NAMES)})
    return shoal.anonymize(table, policy, seed=seed)


def digits(cell):
    return len(f"{abs(cell):x}") if cell else 0


def chance(cells, opened, least, most, draw):
    """How likely the rule opens this cell of a record, said as plainly as possible."""
    total = sum(cells)
    ranges = [(cell + least - total, cell + most - total) for cell in cells]
    if draw == "eligible":
        fits = [DOMAIN[0] <= low and high <= DOMAIN[1] and (low > 0 or high < 0) for low, high in ranges]
        return Fraction(fits[opened], sum(fits)) if fits[opened] else Fraction(0)
    inner = [cell for cell in cells if cell != 0 and DOMAIN[0] < cell < DOMAIN[1]]
    highest = max(map(digits, inner), default=-1)
    low, high = ranges[opened]
    if cells[opened] not in inner or digits(cells[opened]) != highest:
        return Fraction(0)
    stays = DOMAIN[0] < low and high < DOMAIN[1] and (low > 0 or high < 0)
    if not stays or digits(low) != highest or digits(high) != highest:
        return Fraction(0)
    return Fraction(1, sum(digits(cell) == highest for cell in inner))


def slow_posteriors(release, rows, draw):
    """Everybody's own record, over all ways to give the people of an aligned class its records."""
    classes = defaultdict(list)
    published = release.result.table.to_pylist()
    for record, person in zip(published, release.result.input_rows, strict=True):
        box = [(record[name]["lo"], record[name]["hi"]) for name in NAMES]
        if sum(low < high for low, high in box) == 1:
            ends = sum(low for low, _ in box), sum(high for _, high in box)
            classes[ends].append((box, sum(rows[person])))
    found = []
    for (least, most), members in classes.items():
        shown = {(at, ends) for box, _ in members for at, ends in enumerate(box) if ends[0] < ends[1]}
        if len(shown) == 1:  # a class of common ranges
            continue
        total = Fraction(0)
        own = [Fraction(0)] * len(members)
        for way in permutations(range(len(members))):
            likely = Fraction(1)
            for (box, _), person in zip(members, way, strict=True):
                opened = next(at for at, (low, high) in enumerate(box) if low < high)
                cells = [low for low, _ in box]
                cells[opened] += members[person][1] - least
                likely *= chance(cells, opened, least, most, draw)
            total += likely
            for at, person in enumerate(way):
                own[at] += likely if at == person else 0
        found += [right / total for right in own]
    return found


ROWS = st.lists(st.tuples(*[st.sampled_from([0, 0, 1, 3, 7, 20, 90, 250, -3])] * 3), min_size=4, max_size=8)


@draws(150)
@given(rows=ROWS, draw=st.sampled_from(["blind", "eligible"]), seed=st.integers(0, 9))
def test_the_posterior_is_that_of_all_assignments(rows, draw, seed):
    release = publish(rows, draw, seed=seed)
    expected = slow_posteriors(release, rows, draw)
    achieved = release.verdicts[0].achieved
    if not expected:
        assert "posterior" not in achieved
        return
    assert achieved["posterior"] == pytest.approx(float(max(expected)), abs=1e-6)
    assert achieved["posterior_mean"] == pytest.approx(float(sum(expected) / len(expected)), abs=1e-6)


@draws(100)
@given(rows=ROWS, seed=st.integers(0, 9))
def test_a_blind_draw_leaves_everybody_in_a_class_equally_likely(rows, seed):
    expected = slow_posteriors(publish(rows, "blind", seed=seed), rows, "blind")
    assert all(probability in (Fraction(1, 2), Fraction(1, 3)) for probability in expected)


def test_eligible_cells_can_tell_who_it_is():
    weights = np.array([[[1.0, 1 / 3], [1 / 2, 1.0]]])
    assert own_record_chance(weights).tolist() == pytest.approx([6 / 7, 6 / 7])


def test_large_classes_are_judged_by_the_own_total_alone():
    weights = np.ones((1, 6, 6))
    weights[0, 0, 0] = 2.0  # record 0 is twice as likely to be opened like this by person 0
    even = 2.0 / (7 / 6)
    assert own_record_chance(weights)[0] == pytest.approx(even / (even + 5))


def test_round_hidden_values_make_a_candidate_likelier():
    draw = np.random.default_rng(5)
    heaped = draw.integers(1, 60, (400, 3)) * 1000
    heaped[::2] += draw.integers(1, 999, (200, 3))
    release = publish([tuple(row) for row in heaped.tolist()], "blind", k=3, domains=False)
    achieved = release.verdicts[0].achieved
    assert achieved["posterior"] == pytest.approx(1 / 3, abs=1e-6)
    assert achieved["posterior_heaped"] > 0.5
    assert achieved["posterior_heaped_mean"] > achieved["posterior_mean"]


def test_cents_are_round_when_they_are_whole():
    assert roundness_of(np.array([100_000, 150_000, 12_34]), np.full(3, 100)).tolist() == [0, 1, 6]


def test_other_methods_have_no_such_posterior():
    policy = shoal.Policy(columns={"a": "quasi"}, guarantees=[shoal.KfAnonymity(k=2, knows=["a"])])
    release = shoal.anonymize(pa.table({"a": [1, 2, 3, 4]}), policy)
    assert "posterior" not in release.verdicts[0].achieved
