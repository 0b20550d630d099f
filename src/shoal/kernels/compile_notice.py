"""Nobody waits for minutes without a word: what the log says, once, while kernels are compiled."""

from functools import cache
from logging import getLogger
from time import process_time

PATIENCE = 3  # seconds of the processor since the first kernel that had to be compiled

LOG = getLogger("shoal")
COMPILING = (
    "shoal is compiling methods, as it has no machine code for this processor and version of Numba: "
    "once, up to a minute for each. `shoal warm` compiles all of them now."
)
UNWRITABLE = (
    "shoal finds no folder to keep machine code in, so that every run compiles again. "
    "Set XDG_CACHE_HOME to a folder that can be written, or run `shoal warm` as who installed it."
)


def notice_compiling() -> None:
    """Say that kernels are compiled, as soon as that takes long."""
    if process_time() - _begin() > PATIENCE:
        _say_once(COMPILING)


def notice_unwritable() -> None:
    """Say that what was compiled is lost at the end of the process."""
    _say_once(UNWRITABLE)


@cache
def _begin() -> float:
    return process_time()


@cache
def _say_once(sentence: str) -> None:
    LOG.warning(sentence)
