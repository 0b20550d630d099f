"""Where a command works: in memory, on the disk of this machine, or on Spark."""

import gc
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.row_progress import RowProgress
from shoal.errors import ShoalError
from shoal.release.engine_choice import is_in_memory, open_engine
from shoal.startup import show_pandas

if TYPE_CHECKING:
    from shoal.engines.protocol import Engine

ENDED = 143  # how a shell counts a command that was asked to end


@contextmanager
def running_engine(
    engine: str,
    memory: str | None,
    temp: Path | None,
    master: str | None,
    step: Callable[..., None],
    out: Path | None = None,
) -> Iterator[tuple["Engine", RowProgress]]:
    """An engine that runs for as long as the block lasts; beyond memory a signal to end leaves it in good
    order."""
    watched = RowProgress(step)
    if is_in_memory(engine):
        from shoal.engines.memory.engine import MemoryEngine  # brings Arrow up

        yield MemoryEngine(), watched
        return
    gc.enable()  # a command may live long here: what it no longer needs must go
    if engine == "spark":
        show_pandas()  # Spark asks for it
        step("starting Spark")
    place = temp if temp is not None or engine == "disk" or out is None else out.parent
    with _left_if_ended(), open_engine(engine, memory, place, master, watched) as running:
        yield running, watched


@contextmanager
def _left_if_ended() -> Iterator[None]:
    """Leave in good order when asked to end; else the process would stop with whatever is half-written."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(ENDED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def refuse_in_memory_only(asked: dict[str, Any], engine: str) -> None:
    """Options that need the whole table at once."""
    given = [name for name, value in asked.items() if value]
    if given and not is_in_memory(engine):
        raise ShoalError(
            f"{' and '.join(given)} needs the whole table in memory; this run is on the engine {engine!r}",
            "leave it out, or choose --engine memory.",
        )
