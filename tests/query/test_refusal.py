"""What has no bounds is named, with what is answered instead, by both kinds of releases."""

import pytest

from shoal.errors import ShoalError
from tests.query import generalized_releases, releases


@pytest.mark.parametrize("ask", [releases.ask, generalized_releases.ask])
@pytest.mark.parametrize("call", ["corr(age, salary)", "mode(salary)", "sqrt(avg(salary))", "first(salary)"])
def test_a_function_without_bounds_is_named(ask, call: str) -> None:
    with pytest.raises(ShoalError) as caught:
        ask(f"select {call} from data")
    assert call.split("(")[0] in caught.value.faults[0].what
    assert "cannot be answered with bounds" in caught.value.faults[0].what
    assert "quantile_disc" in caught.value.faults[0].hint
