"""Classes of equal keys, numbered in the order of the keys."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels import classes
from tests.draws import draws

SMALL, ANY = st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1)


@draws(80)
@given(st.data(), st.sampled_from([4, 60, classes.MOST_COMBINATIONS]))
def test_few_and_many_combinations_are_numbered_alike(data: st.DataObject, most: int) -> None:
    rows = data.draw(st.integers(1, 8))
    columns = [
        data.draw(st.lists(kind, min_size=rows, max_size=rows))
        for kind in data.draw(st.lists(st.sampled_from([SMALL, ANY]), min_size=1, max_size=4))
    ]
    shown = list(zip(*columns, strict=True))
    number = {one: at for at, one in enumerate(sorted(set(shown)))}
    keys = [np.array(column, np.int64) for column in columns]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(classes, "MOST_COMBINATIONS", most)
        assert classes.class_numbers(keys).tolist() == [number[one] for one in shown]
        assert classes.class_sizes(keys).tolist() == [shown.count(one) for one in number]
