"""A run that turns red has found a change in the project: every run tries the same drawn tables."""

import gc

import pytest
from hypothesis import Phase, settings

from tests.browser import browser
from tests.draws import EXPLORING, PROPERTY
from tests.postgres import postgres
from tests.spark import on_spark, spark
from tests.web.quick_worker import QUICK_LOOKS

__all__ = ["browser", "postgres", "spark"]

# An example that fails is shown as it was drawn: making it smaller can take many minutes.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=PROPERTY,
    phases=(Phase.explicit, Phase.generate),
)
if not EXPLORING:
    settings.load_profile("repeatable")

gc.disable()  # until all tests are collected: nothing that is loaded before is garbage


@pytest.fixture(autouse=True, scope="session")
def quick_looks():
    """Releases are attacked and reported in many tests; what takes long has tests of its own."""
    with pytest.MonkeyPatch.context() as patch:
        for limit, much in QUICK_LOOKS.items():
            patch.setattr(limit, much)
        yield


def pytest_collection_finish():
    """From here on there is garbage; looking for it while half a million objects were loaded took a sixth."""
    gc.enable()


@pytest.hookimpl(trylast=True)  # when those that are left out are gone
def pytest_collection_modifyitems(config, items):
    """Tests on Spark come first, so that one worker gets all of them and none is taken away from it.

    Those that take long begin the shares of the other workers, so that nobody waits for them in the end.
    """
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    long = [item for item in items if item.get_closest_marker("long") and not on_spark(item)]
    others = [item for item in items if item not in set(long)]
    starts = share_starts(len(items), workers)
    items[:] = sorted(others, key=lambda item: not on_spark(item))
    for share, start in enumerate(starts):
        items[start:start] = long[share :: len(starts)]


def share_starts(tests, workers):
    """Where pytest-xdist cuts a list into shares for its workers; the first share is left to Spark."""
    first = tests // workers if workers > 1 else 0
    others = max(workers - 1, 1)
    return [first + (tests - first) * other // others for other in range(others)]
