"""A faster start and end for a process that runs our kernels and nothing else.

Numba looks for SciPy's linear algebra as it starts, which costs a quarter of a second and which no
kernel of ours needs. In a process of our own we let it look in vain; a library must not do that.
"""

import os
import sys
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from threading import Thread
from typing import Any, NoReturn


class _Without(MetaPathFinder):
    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        if name == "scipy" or name.startswith("scipy."):
            raise ModuleNotFoundError(name)
        return None


def start_kernels() -> Thread | None:
    """Bring Numba up, without SciPy, while the main thread goes on to read the table."""
    if "numba" in sys.modules or "scipy" in sys.modules:
        return None
    finder = _Without()
    sys.meta_path.insert(0, finder)
    from shoal.methods.keyed_hash import Purpose, hash_rows, seeded_key

    def first_call() -> None:
        try:
            hash_rows(seeded_key(0), Purpose.TIES, 1)
        finally:
            sys.meta_path.remove(finder)

    thread = Thread(target=first_call)
    thread.start()
    return thread


def leave(code: int) -> NoReturn:
    """End at once: everything is written, and taking the process apart would cost a fifth of a run."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(BrokenPipeError):  # the reader has seen enough
            stream.flush()
    os._exit(code)
