"""What the common cell of a class costs, against plain definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.boxes import common_cell
from shoal.methods.boxes.common_cell import LABEL, RANGE, SET, CellForm, Costs, class_costs
from tests.draws import draws


def cost(column: CellForm, values: list[int]) -> float:
    """Of one class of these values."""
    rows = np.array(values)[:, np.newaxis]
    order, starts = np.arange(len(values)), np.array([0, len(values)])
    return float(class_costs(*Costs([column]).arrays, rows, order, starts)[0])


@pytest.mark.parametrize("few", [0, 256])
@draws(100)
@given(data=st.data(), steps=st.lists(st.sampled_from([0.1, 0.3, 0.7, 1.0]), min_size=1, max_size=20))
def test_a_label_costs_as_much_as_the_dearest_step_between_its_first_and_last_leaf(few, data, steps):
    leaves = data.draw(st.lists(st.integers(0, len(steps)), min_size=1, max_size=6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(common_cell, "FEW", few)  # with a table of all pairs, and without
        found = cost(CellForm(LABEL, 2.0, np.array(steps)), leaves)
    assert found == pytest.approx(2 * max(steps[min(leaves) : max(leaves)], default=0.0))


@draws(100)
@given(values=st.lists(st.integers(0, 125), min_size=1, max_size=9))
def test_a_set_costs_one_unit_for_every_value_beyond_the_first(values):
    assert cost(CellForm(SET, 0.5), values) == pytest.approx(0.5 * (len(set(values)) - 1))


def test_a_range_costs_its_width_and_columns_add_up():
    costs = Costs([CellForm(RANGE, 0.1), CellForm(SET, 1.0)])
    rows = np.array([[-5, 0], [5, 0], [2, 1]])
    found = class_costs(*costs.arrays, rows, np.array([0, 1, 2]), np.array([0, 2, 3]))
    assert found.tolist() == pytest.approx([1.0, 0.0])
