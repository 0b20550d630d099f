"""The paper's statements are answered from the points alone: the right points say yes, others no."""

from collections.abc import Iterable

import pytest

from query_shapes import (
    arbitrary_beside,
    arbitrary_partitions,
    correlation,
    exponent,
    groups_claim,
    growing_e,
    growing_k,
    range_partitions,
    ranges_beside,
    scaling,
    tightest,
    time_beside,
)
from results import Claim
from shoal.report.charts.loss_charts import Point


def curve(places: tuple[float, ...], **series: tuple[float, ...]) -> list[Point]:
    """An underscore in a name is a space."""
    return [
        Point(name.replace("_", " "), x, y)
        for name, values in series.items()
        for x, y in zip(places, values, strict=True)
    ]


def answers(claims: Iterable[Claim]) -> str:
    return "".join("y" if claim.met else "n" for claim in claims)


SHARES = (10, 50, 90)
BESIDE = curve(SHARES, generalized=(2.1, 2.1, 2.1), permuted=(0.5, 0.3, 0.1))
OPTIMIZED = {"min_max": (0.02, 0.02, 0.02), "min_sum": (0.02, 0.021, 0.02), "max_groups": (0.02, 0.02, 0.02)}


def test_generalized_and_permuted_tables() -> None:
    assert answers(arbitrary_beside(BESIDE)) == "yyyy"
    assert answers(arbitrary_beside(curve(SHARES, generalized=(3, 1.5, 1), permuted=(2.5, 2, 2)))) == "nnnn"
    ranges = curve((5, 20, 40), generalized=(1.5, 0.4, 0.2), permuted=(0.15, 0.1, 0.05))
    assert answers(ranges_beside(ranges, BESIDE)) == "yyyyyy"
    wide = curve((5, 20, 40), generalized=(0.9, 0.8, 0.7), permuted=(0.3, 0.4, 0.9))
    assert answers(ranges_beside(wide, BESIDE)) == "ynnnnn"


def test_partitions_and_where_they_fail() -> None:
    rivals = {"random": (0.3, 0.3, 0.3), "rank_swap": (0.1, 0.1, 0.1)}
    good = curve(SHARES, **{"l-diversity": (0.5, 0.5, 0.5)}, **rivals, **OPTIMIZED)
    assert answers(arbitrary_partitions(good)) == "yyyyy"
    assert answers(range_partitions(good)) == "yyy"
    near = {"l-diversity": (0.5, 0.2, 0.5), "random": (0.3, 0.3, 0.3), "rank_swap": (0.1, 0.025, 0.01)}
    points = curve(SHARES, **near, **OPTIMIZED)
    assert answers(arbitrary_partitions(points)) == "yynny"
    swapped, over_random = list(arbitrary_partitions(points))[2:4]
    assert str(swapped).endswith("at every share (0.5 to 5 times): no (not at 50, 90)")
    assert str(over_random) == "l-diversity above random at every share (0.667 to 1.67 times): no (not at 50)"


def test_the_drop_with_the_variance() -> None:
    rivals = {"random": (0.8, 0.8, 0.8), "rank_swap": (0.1, 0.1, 0.1)}
    paper = curve((5, 10, 20), **{"l-diversity": (0.2, 0.02, 0.03)}, **rivals, **OPTIMIZED)
    assert answers(correlation(paper)) == "yyyyy"
    early = curve((1, 5, 10), **{"l-diversity": (0.2, 0.0, 0.0)}, **rivals, **OPTIMIZED)
    drop, _, comparable, *_ = correlation(early)
    assert "(0.00% to 0.00%): no (ours drops at 5; " in str(drop)
    assert "(0 to 0 times the best): no (" in str(comparable)


def test_flat_is_a_tenth_of_the_figure() -> None:
    rivals = {"random": (0.9, 0.9, 0.9), "rank_swap": (0.1, 0.2, 0.3)}
    assert answers(growing_k(curve((4, 20, 40), **rivals, **OPTIMIZED))) == "yyyyyy"
    assert answers(growing_e(curve((40, 80, 200), **rivals, **OPTIMIZED))) == "yyyyyy"
    steep = OPTIMIZED | {"min_sum": (0.02, 0.1, 0.2)}
    points = curve((40, 80, 200), random=(0.9, 0.5, 0.9), rank_swap=(0.1, 0.1, 0.1), **steep)
    assert answers(growing_e(points)) == "nynynn"
    assert answers(growing_k(points)) == "nynynn"


def test_the_tightest_bounds_of_a_swapped_table_are_told_beside() -> None:
    points = curve(SHARES, **{"rank_swap,_tightest": (0.01, 0.042, 0.03)}, **OPTIMIZED)
    assert tightest(points) == "by the tightest bounds rank swap is at 0.5 to 2 times the three optimized"


def test_times_of_queries() -> None:
    steps = {"step_1:_hits": (1, 2, 3), "step_2:_bounds": (1, 1, 2)}
    assert (
        answers(time_beside(curve(SHARES, plain_query=(1, 1, 1), rewritten_query=(4, 4, 4), **steps)))
        == "yyy"
    )
    falling = {name: times[::-1] for name, times in steps.items()}
    assert (
        answers(time_beside(curve(SHARES, plain_query=(1, 1, 1), rewritten_query=(9, 9, 9), **falling)))
        == "nnn"
    )


def test_exponents_of_partitioning() -> None:
    sizes = (500, 10_000, 100_000)
    linear = tuple(n / 1_000 for n in sizes)
    square = tuple(n * n / 1_000 for n in sizes)
    points = curve(sizes, min_sum=linear, min_sum_as_printed=square)
    assert [str(claim) for claim in scaling(points)] == [
        "the programme as printed takes quadratic time (n^2.00 from 500 rows on): yes",
        "so does min sum (ours n^1.00 from 10,000 rows on): no "
        "(a running minimum does it in one pass after sorting)",
    ]
    assert exponent({100: 1}, 10) != exponent({100: 1}, 10)
    assert exponent({10: 1, 100: 10}, 10) == pytest.approx(1)


def test_numbers_of_groups() -> None:
    assert str(groups_claim([21], 25, "who knows")) == "25 groups (ours 21): no (who knows)"
    assert str(groups_claim([37, 39, 37], 38, "")) == "38 groups (ours 37 to 39 in 3 draws): yes"
    assert not groups_claim([36, 37], 38, "").met
