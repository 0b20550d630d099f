"""A run that turns red has found a change in the project: every run tries the same drawn tables.

``make test-slow`` draws new ones each time, and more of them (SHOAL_EXPLORE=1).
"""

import os

from hypothesis import Phase, settings

from tests.postgres import postgres

__all__ = ["postgres"]

# An example that fails is shown as it was drawn: making it smaller can take many minutes.
settings.register_profile(
    "repeatable", derandomize=True, max_examples=50, phases=(Phase.explicit, Phase.generate)
)
if "SHOAL_EXPLORE" not in os.environ:
    settings.load_profile("repeatable")
