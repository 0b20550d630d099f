"""How many tables are drawn: few in every run, many where `make test-slow` explores."""

import os

MORE = 10


def times(count: int) -> int:
    return MORE * count if "SHOAL_EXPLORE" in os.environ else (count + 1) // 2
