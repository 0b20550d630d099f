"""Numba behind one small door: every kernel is compiled once, cached, and frees the other core.

Kernels run on plain threads over disjoint ranges of rows, so that one compiled function serves one
core and two, and nothing has to be compiled twice.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.types import unliteral

from shoal.kernels.code_cache import CodeCache

Function = TypeVar("Function", bound=Callable[..., Any])

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
HOW = {"nogil": True, "no_cfunc_wrapper": True}  # nobody calls a kernel from C
SMALL = 20_000  # below this many items a second thread costs more than it brings


def compiled(function: Function) -> Function:
    """Compile a loop over arrays on its first call and keep the machine code on disk."""
    return cast(Function, _kept(numba.njit(**HOW)(function)))


def inlined(function: Function) -> Function:
    """Compile into every kernel that calls it: a plain loop over it then works on several items at once."""
    return cast(Function, _kept(numba.njit(**HOW, forceinline=True)(function)))


def _kept(kernel: Any) -> Any:
    kernel._cache = CodeCache(kernel)
    return _once(kernel)


def _once(kernel: Any) -> Any:
    """The kernel, not compiled again for every constant, such as 0 and -1, that other kernels pass to it.

    Numba has no option for that, so what it asks a kernel when another one calls it is replaced. It does not
    promise to ask: its version has an upper bound, and a test in tests/kernels fails when it asks no more.
    """
    typed = kernel.get_call_template

    def typed_once(given: Any, named: Any) -> Any:
        return typed(tuple(map(unliteral, given)), {name: unliteral(named[name]) for name in named})

    kernel.get_call_template = typed_once
    return kernel


def over_ranges(work: Callable[[int, int], None], total: int, weight: int = 1) -> None:
    """Run ``work(start, stop)`` over 0..total, on all cores when there is enough to do.

    >>> seen = np.zeros(5)
    >>> over_ranges(lambda start, stop: seen.__setitem__(slice(start, stop), 1), 5)
    >>> int(seen.sum())
    5
    """
    if CORES == 1 or total * weight < SMALL:
        work(0, total)
        return
    cuts = np.linspace(0, total, 4 * CORES + 1).astype(int).tolist()
    with ThreadPoolExecutor(CORES) as pool:
        for task in [pool.submit(work, start, stop) for start, stop in pairwise(cuts)]:
            task.result()
