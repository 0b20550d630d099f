"""A run that turns red has found a change in the project: every run tries the same drawn tables.

``make test-slow`` draws new ones each time, and as many as each test asks for (SHOAL_EXPLORE=1).
"""

import gc
import os

import pytest
from hypothesis import Phase, settings

from tests.browser import browser
from tests.postgres import postgres
from tests.spark import on_spark, spark
from tests.web.quick_worker import QUICK_LOOKS

__all__ = ["browser", "postgres", "spark"]

# An example that fails is shown as it was drawn: making it smaller can take many minutes.
EXPLORING = "SHOAL_EXPLORE" in os.environ
MOST_DRAWN = 25  # tables of one test in a run that is not exploring
SETTINGS = "_hypothesis_internal_use_settings"
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=MOST_DRAWN,
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


def pytest_collection_modifyitems(items):
    """Tests on Spark come first, so that one worker gets all of them and none is taken away from it."""
    items.sort(key=lambda item: not on_spark(item))
    for item in [] if EXPLORING else items:
        asked = getattr(getattr(item, "obj", None), SETTINGS, None)
        if asked is not None and asked.max_examples > MOST_DRAWN:
            setattr(item.obj, SETTINGS, settings(asked, max_examples=MOST_DRAWN))
