"""The claims of the paper, asked of losses written by hand."""

from kpqr_shapes import (
    BETTER,
    KPQR,
    MDAV,
    MERGED,
    NEAREST,
    ONE_GROUP,
    PAPER,
    RANDOM_START,
    REFINED,
    TABLE_2,
    TABLE_3,
    Runs,
    k_loses_least,
    many_classes,
    near_printed,
    outperforms,
    points_of,
    ratios_to_printed,
    rises_with_r,
    similar,
)
from shoal.report.charts.loss_charts import Point

K = (3, 4, 7)


def at_k(*losses: tuple[float, ...]) -> dict[float, Runs]:
    return {k: Runs(several, (10,) * len(several)) for k, several in zip(K, losses, strict=True)}


def as_printed() -> dict[str, dict[float, Runs]]:
    """Around the printed figures of table 2."""
    return {
        ONE_GROUP: at_k((5.587,), (7.527,), (11.536,)),
        MDAV: at_k((5.548,), (7.522,), (11.508,)),
        REFINED: at_k((4.8, 4.9), (6.1, 6.2), (9.2, 9.3)),
        PAPER: at_k((11.0, 12.0), (11.0, 12.0), (14.0, 15.0)),
        NEAREST: at_k((11.0, 12.0), (11.0, 12.0), (15.0, 16.0)),
        BETTER: at_k((11.0, 12.0), (11.0, 12.0), (14.6, 15.0)),
        MERGED: at_k((7.0, 8.0), (9.0, 10.0), (14.0, 15.0)),
        RANDOM_START: at_k((7.0, 8.0), (9.0, 10.0), (14.0, 14.5)),
    }


def test_points_are_means_with_ranges_and_printed_ones_have_none() -> None:
    found = {BETTER: {3: Runs((1.0, 3.0), (5, 6))}, ONE_GROUP: {3: Runs((1.5,), (7,))}}
    printed = {"printed": {3: 2.5, 4: 9.0}}
    ours = Point(BETTER, 3, 2.0, 1.0, 3.0), Point(ONE_GROUP, 3, 1.5)
    assert points_of(found, printed) == (*ours, Point("printed", 3, 2.5))


def test_loss_rises_with_r_where_every_mean_is_larger() -> None:
    rising = {0.1: Runs((1.0, 2.0)), 0.9: Runs((1.5, 2.5))}
    found = {KPQR: rising, PAPER: rising, BETTER: {0.9: Runs((1.0,)), 0.1: Runs((1.0,))}}
    assert [claim.met for claim in rises_with_r(found)] == [True, True, False]


def test_k_anonymity_must_lose_least_for_every_seed() -> None:
    found = as_printed()
    assert [claim.met for claim in k_loses_least(found)] == [True, True]
    found[MERGED] = at_k((5.5, 9.0), (9.0, 10.0), (14.0, 15.0))
    assert [claim.met for claim in k_loses_least(found)] == [False, True]
    found[MERGED] = at_k((4.5, 9.0), (9.0, 10.0), (14.0, 15.0))
    assert [claim.met for claim in k_loses_least(found)] == [False, False]


def test_similar_is_what_the_paper_calls_so() -> None:
    found = as_printed()
    assert [claim.met for claim in similar(found, TABLE_2)] == [True, True, True]
    found[BETTER] = at_k((4.0,), (9.0,), (14.0,))
    claims = list(similar(found, TABLE_2))
    assert [claim.met for claim in claims] == [False, False, False]
    assert "0.53 to 0.97 of it, printed 1.02 to 1.64" in claims[0].text


def test_one_seed_that_loses_more_refutes_the_outperforming() -> None:
    found = as_printed() | {BETTER: at_k((6.0, 7.0), (8.0, 9.0), (13.0, 14.0))}
    assert [claim.met for claim in outperforms(found)] == [True, True]
    found[BETTER] = at_k((6.0, 7.0), (8.0, 11.0), (13.0, 14.0))
    assert [claim.met for claim in outperforms(found)] == [False, False]


def test_classes_are_counted_beside_those_of_mdav() -> None:
    found = as_printed()
    assert many_classes(found).met
    found[BETTER] = {3: Runs((11.0, 12.0), (9, 4))}
    claim = many_classes(found)
    assert (claim.met, "(0.40 to 0.90)" in claim.text) == (False, True)


def test_printed_losses_are_looked_for_in_the_ranges() -> None:
    claims = list(near_printed(as_printed(), TABLE_2, {NEAREST: "because"}))
    assert [claim.met for claim in claims] == [True, True, False, True]
    assert str(claims[0]).endswith("cut to two decimals (5.587, 7.527, 11.536): yes")
    assert str(claims[2]).endswith("over seeds (at 2 of 3 places): no (because)")
    assert not next(
        near_printed(as_printed() | {ONE_GROUP: at_k((5.59,), (7.52,), (11.53,))}, TABLE_2, {})
    ).met


def test_ratios_to_the_printed_losses() -> None:
    found = {BETTER: at_k((9.47,), (12.13,), (37.94,)), PAPER: at_k((9.47,), (12.13,), (18.97,))}
    assert list(ratios_to_printed(found, TABLE_3)) == [
        "better of both 1.00 to 2.00 times the printed loss",
        "kpqr-paper 1.00 to 1.00 times the printed loss",
    ]
