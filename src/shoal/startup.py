"""A faster start and end for a process that runs our kernels and nothing else.

Numba looks which SciPy is there as it starts, which no kernel of ours needs; Arrow looks for pandas at the
first value it is given, which costs half a second and which no command needs. In a process of our own we
let them look in vain; a library must not do that.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from threading import Thread
from typing import Any, NoReturn

COMPILING = "compiling, which only the first run of a method needs: up to a minute"


class _Without(MetaPathFinder):
    """Makes a package look as if it were not installed."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        if name.partition(".")[0] == self.package:
            raise ModuleNotFoundError(name)
        return None


def hide_pandas() -> None:
    """Let imports of pandas fail: libraries that can do without it then start faster."""
    sys.meta_path.insert(0, _Without("pandas"))


def show_pandas() -> None:
    """Let a library that cannot do without pandas find it."""
    sys.meta_path[:] = [
        finder
        for finder in sys.meta_path
        if not (isinstance(finder, _Without) and finder.package == "pandas")
    ]


def start_kernels() -> Thread | None:
    """Bring Numba up, without SciPy, while the main thread goes on to read the table."""
    if "numba" in sys.modules or "scipy" in sys.modules:
        return None
    finder = _Without("scipy")
    sys.meta_path.insert(0, finder)
    try:
        from shoal.kernels.keyed_hash import Purpose, hash_rows, seeded_key
    finally:
        sys.meta_path.remove(finder)
    thread = Thread(target=hash_rows, args=(seeded_key(0), Purpose.TIES, 1))
    thread.start()
    return thread


@contextmanager
def announce_compiling(step: Callable[..., None], then: str = "anonymizing") -> Iterator[Callable[..., None]]:
    """Say so while kernels are compiled: only the first run of a method is slow. Steps told to what comes
    with the block are taken up again afterwards, else ``then`` is."""
    from numba.core import event

    depth, under_way = 0, then

    def tell(text: str, *more: Any) -> None:
        nonlocal under_way
        under_way = text
        step(text, *more)

    class CompileListener(event.Listener):  # type: ignore[misc]
        def on_start(self, _: Any) -> None:
            nonlocal depth
            depth += 1
            if depth == 1:  # a kernel compiles those that it calls
                step(COMPILING)

        def on_end(self, _: Any) -> None:
            nonlocal depth
            depth -= 1
            if not depth:
                step(under_way)

    listener = CompileListener()
    event.register("numba:compile", listener)
    try:
        yield tell
    finally:
        event.unregister("numba:compile", listener)


def exit_at_once(code: int) -> NoReturn:
    """End at once: everything is written, and taking the process apart would cost a fifth of a run."""
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(code)
