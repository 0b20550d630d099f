"""Machine code of every kernel for all families of processors: made where it is missing, its files listed.

What a wheel brings along. Progress goes to stderr, the files to stdout.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from shoal.kernels.code_cache import BESIDE_THE_CODE
from shoal.kernels.processor import portable_processors
from shoal.warm_up.compile_ahead import compile_ahead


def shipped_files() -> Iterator[Path]:
    """What a run may load: found by runs in which nothing is left to be compiled."""
    for processor in portable_processors():

        def tell(task: str, share: float, processor: str = processor) -> None:
            print(f"{processor}: {share:4.0%} {task}", file=sys.stderr)

        while (files := compile_ahead(processor, tell)).compiled:
            pass
        yield from (BESIDE_THE_CODE / name for name in sorted(files.loaded))


if __name__ == "__main__":
    for file in shipped_files():
        print(file)
