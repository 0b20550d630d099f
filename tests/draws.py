"""How many tables a property is tried on: the same few in every run, many new ones where somebody explores.

``make test-slow`` explores (SHOAL_EXPLORE=1): new tables each time, and as many as each test asks for.
"""

import os
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

EXPLORING = "SHOAL_EXPLORE" in os.environ
PROPERTY = 25  # tables of one property, in a run that does not explore
CASE = 10  # tables of one of many cases of a property, such as a method with a guarantee


def draws(most: int, usual: int = PROPERTY, **more: Any) -> settings:
    """Settings of a property that is tried on the usual number of tables, and on the most when exploring."""
    assert most >= usual >= CASE, "a property is tried on enough tables"
    return settings(max_examples=most if EXPLORING else usual, deadline=None, **more)


def one_drawn(strategy: st.SearchStrategy[Any]) -> Any:
    """The first thing that is drawn from a strategy, the same in every run that does not explore."""
    found = []

    @settings(max_examples=1, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(strategy)
    def draw(thing: Any) -> None:
        found.append(thing)

    draw()
    return found[0]
