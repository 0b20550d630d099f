"""NCP by hand, two ways."""

import numpy as np
import pytest

from shoal.anonymizer.fit import QuasiMatrix
from shoal.anonymizer.ranges.range_loss import range_losses
from shoal.policy.model.guarantee import KAnonymity
from shoal.policy.model.policy import Policy


def policy(**domains):
    return Policy(columns={"a": "quasi", "b": "quasi"}, guarantees=[KAnonymity(k=2)], domains=domains)


def fitted(values, scales=(0, 0)):
    values = np.array(values, np.int64)
    return QuasiMatrix(["a", "b"], list(scales), values, np.arange(len(values)))


FOUR_ROWS = fitted([[0, 100], [10, 100], [20, 300], [40, 500]])


def test_ncp_shares_one_domain_and_ncp_range_gives_each_column_its_own():
    """a is opened by 10 in all in a range of 40, b by 200 in a range of 400; both lie in 0..500."""
    losses = range_losses(FOUR_ROWS, policy(), np.array([10.0, 200.0]), suppressed=0)
    assert losses["ncp"] == pytest.approx((10 / 500 + 200 / 500) / 8)
    assert losses["ncp_range"] == pytest.approx((10 / 40 + 200 / 400) / 8)


def test_exact_cells_cost_nothing():
    assert range_losses(FOUR_ROWS, policy(), np.zeros(2), suppressed=0) == {"ncp": 0.0, "ncp_range": 0.0}


def test_declared_domains_take_the_place_of_the_datas():
    losses = range_losses(FOUR_ROWS, policy(a=[0, 100], b=[-500, 500]), np.array([10.0, 200.0]), 0)
    assert losses["ncp"] == pytest.approx((10 / 1000 + 200 / 1000) / 8)
    assert losses["ncp_range"] == pytest.approx((10 / 100 + 200 / 1000) / 8)


def test_a_constant_column_costs_nothing_and_divides_by_nothing():
    losses = range_losses(fitted([[7, 0], [7, 4]]), policy(), np.array([0.0, 8.0]), 0)
    assert losses["ncp_range"] == pytest.approx((0 + 8 / 4) / 4)
    assert losses["ncp"] == pytest.approx(8 / 7 / 4)


def test_a_table_of_one_value_has_no_loss():
    losses = range_losses(fitted([[7, 7], [7, 7]]), policy(), np.zeros(2), 0)
    assert losses == {"ncp": 0.0, "ncp_range": 0.0}


def test_every_cell_of_a_suppressed_record_counts_one():
    """Five input records, one of them gone: two cells of ten are lost."""
    losses = range_losses(FOUR_ROWS, policy(), np.zeros(2), suppressed=1)
    assert losses == {"ncp": pytest.approx(0.2), "ncp_range": pytest.approx(0.2)}


def test_widths_in_different_scales_are_compared_as_numbers():
    """Column b holds 1.00 .. 5.00 in hundredths."""
    losses = range_losses(fitted([[0, 100], [4, 500]], scales=(0, 2)), policy(), np.array([4.0, 400.0]), 0)
    assert losses["ncp"] == pytest.approx((4 / 5 + 4 / 5) / 4)
    assert losses["ncp_range"] == pytest.approx((4 / 4 + 4 / 4) / 4)
