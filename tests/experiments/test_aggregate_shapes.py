"""The paper's statements are answered from the points alone: the right points say yes, others no."""

import pytest

from aggregate_shapes import (
    loss_against_d,
    loss_against_k,
    loss_against_size,
    our_ratios,
    time_against_d,
    time_against_k,
    time_against_size,
)
from shoal.report.charts.loss_charts import Point


def curve(**series: tuple[float, ...]) -> list[Point]:
    """Series over x = 2, 4, 8; an underscore in a name is a space."""
    return [
        Point(name.replace("_", " "), x, y)
        for name, values in series.items()
        for x, y in zip((2, 4, 8), values, strict=True)
    ]


PAPER = curve(aggranon=(0.1, 0.15, 0.2), mondrian_textbook=(0.5, 0.6, 0.7), mondrian=(0.3, 0.4, 0.5))


def test_the_papers_losses_say_yes() -> None:
    claims = list(loss_against_k(PAPER))
    assert all(claim.met for claim in claims)
    assert str(claims[-2]) == "aggranon below mondrian textbook at every k (0.2 to 0.286 of it): yes"


def test_other_losses_say_no_and_where() -> None:
    points = curve(aggranon=(0.1, 0.3, 0.25), mondrian_textbook=(0.2, 0.2, 0.3), mondrian=(1, 1, 1))
    grows, sublinear, still, _, below, below_ours = loss_against_k(points)
    assert [claim.met for claim in (grows, sublinear, still, below, below_ours)] == [False] * 4 + [True]
    assert str(sublinear) == "sublinearly: no (only from k = 4 on)"


def test_loss_against_size_falls_or_not() -> None:
    falling = curve(aggranon=(0.3, 0.2, 0.1), mondrian_textbook=(1, 1, 1), mondrian=(0.2, 0.2, 0.2))
    assert [claim.met for claim in loss_against_size(falling)] == [True, True, False]
    assert not next(iter(loss_against_size(PAPER))).met


@pytest.mark.parametrize(
    ("losses", "met"), [((0.3, 0.2, 0.1), [True, True]), ((0.3, 0.25, 0.2), [True, False])]
)
def test_a_dramatic_fall_is_one_to_less_than_half(losses: tuple[float, ...], met: list[bool]) -> None:
    assert [claim.met for claim in loss_against_d(curve(aggranon=losses))] == met


def test_times_are_judged_by_their_shape() -> None:
    falling = curve(aggranon=(3, 2, 1), mondrian_textbook=(40, 30, 5))
    assert [claim.met for claim in time_against_k(falling)] == [True, True]
    linear = curve(aggranon=(2, 4, 8), mondrian_textbook=(2, 4, 8))
    assert [claim.met for claim in time_against_size(linear)] == [True, False]
    assert [claim.met for claim in time_against_d(linear)] == [False]
    assert [claim.met for claim in time_against_d(curve(aggranon=(1, 1.2, 0.9)))] == [True]


def test_our_methods_are_shares_of_the_papers() -> None:
    points = PAPER + curve(residual=(0.01, 0.03, 0.1), aligned_blind=(0.1, 0.15, 0.2))
    assert list(our_ratios(points)) == ["residual/aggranon 0.1 to 0.5", "aligned blind/aggranon 1 to 1"]
