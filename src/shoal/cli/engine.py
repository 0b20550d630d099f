"""Where a command works: in memory, on the disk of this machine, or on Spark."""

import gc
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.progress import RowProgress
from shoal.engines.table_size import fits_in_memory, parse_bytes
from shoal.errors import ShoalError
from shoal.release.storage.hidden_folder import hidden_folder
from shoal.startup import show_pandas
from shoal.table.files.limits import available_memory

if TYPE_CHECKING:
    from shoal.engines.protocol import Engine

ENGINES = ("auto", "memory", "disk", "spark")
ENDED = 143  # how a shell counts a command that was asked to end


def engine_for(data: Path, engine: str, memory: str | None) -> str:
    """The engine that is meant: that which is named, else memory as long as the table fits."""
    if engine not in ENGINES:
        raise ShoalError(f"there is no engine {engine!r}", f"choose one of {', '.join(ENGINES)}.")
    if engine != "auto":
        return engine
    return "memory" if fits_in_memory(data, None if memory is None else parse_bytes(memory)) else "disk"


@contextmanager
def running_engine(
    engine: str,
    memory: str | None,
    temp: Path | None,
    master: str | None,
    step: Callable[..., None],
    out: Path | None = None,
) -> Iterator[tuple["Engine", RowProgress]]:
    """For as long as the block lasts; a signal to end leaves it in good order."""
    gc.enable()  # a command may live long here: what it no longer needs must go
    watched = RowProgress(step)
    if temp is not None and not temp.is_dir():
        raise ShoalError(
            f"there is no folder {str(temp)!r}", "make it, or choose another for temporary files."
        )
    if engine == "disk":
        from shoal.engines.disk.engine import DiskEngine  # brings kernels up

        room = available_memory() // 2 if memory is None else parse_bytes(memory)
        with _left_if_ended():
            yield DiskEngine.with_memory(room, temp, watched), watched
        return
    show_pandas()  # Spark asks for it
    from shoal.engines.spark.own_engine import spark_engine

    place = Path(tempfile.gettempdir()) if out is None else out.parent
    name = "shoal" if out is None else out.name
    with _left_if_ended(), hidden_folder(temp or place, name) as folder:
        step("starting Spark")
        with spark_engine(master, folder) as running:
            yield running, watched


@contextmanager
def _left_if_ended() -> Iterator[None]:
    """Else the process would end where it stands, with whatever is half-written."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(ENDED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def refuse_in_memory_only(asked: dict[str, Any], engine: str) -> None:
    """Options that need the whole table at once."""
    given = [name for name, value in asked.items() if value]
    if given:
        raise ShoalError(
            f"{' and '.join(given)} needs the whole table in memory; this run is on the engine {engine!r}",
            "leave it out, or choose --engine memory.",
        )
