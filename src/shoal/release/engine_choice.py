"""Where the rows of a table are worked on: every door chooses in the same way, by size or as it is told."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.table_size import fits_in_memory, parse_bytes
from shoal.errors import ShoalError
from shoal.release.storage.hidden_folder import hidden_folder
from shoal.table.files.limits import available_memory

if TYPE_CHECKING:
    from shoal.engines.disk.engine import DiskEngine
    from shoal.engines.protocol import Engine
    from shoal.engines.row_progress import RowProgress

ENGINES = ("auto", "memory", "disk", "spark")


def engine_for(source: Any, engine: str = "auto", memory: str | None = None) -> str:
    """The engine that is meant: that which is named, else memory as long as the table fits.

    >>> engine_for("pay.csv", "disk")
    'disk'
    """
    if engine not in ENGINES:
        raise ShoalError(f"there is no engine {engine!r}", f"choose one of {', '.join(ENGINES)}.")
    if engine != "auto":
        return engine
    return "memory" if fits_in_memory(source, None if memory is None else parse_bytes(memory)) else "disk"


def is_in_memory(engine: "str | Engine") -> bool:
    """Does this engine, or the one of this name, read a table whole? Some answers need that.

    >>> is_in_memory("disk")
    False
    """
    if isinstance(engine, str):
        return engine == "memory"
    from shoal.engines.memory.engine import MemoryEngine  # brings Arrow up

    return isinstance(engine, MemoryEngine)


def disk_engine(
    memory: str | None = None, folder: Path | None = None, watched: "RowProgress | None" = None
) -> "DiskEngine":
    """The engine on this machine's disk, with half of the memory there is or as much as is said."""
    from shoal.engines.disk.engine import DiskEngine  # brings kernels up

    room = available_memory() // 2 if memory is None else parse_bytes(memory)
    return DiskEngine.with_memory(room, folder, watched)


@contextmanager
def open_engine(
    engine: str,
    memory: str | None = None,
    temp: str | PathLike[str] | None = None,
    master: str | None = None,
    watched: "RowProgress | None" = None,
) -> Iterator["Engine"]:
    """An engine beyond memory for as long as the block lasts. Temporary files go
    into a folder that is said, or into that of the system."""
    place = Path(tempfile.gettempdir() if temp is None else temp)
    if not place.is_dir():
        raise ShoalError(
            f"there is no folder {str(place)!r}", "make it, or choose another for temporary files."
        )
    if engine == "disk":
        yield disk_engine(memory, place, watched)
        return
    from shoal.engines.spark.own_engine import spark_engine

    with hidden_folder(place, "shoal") as folder, spark_engine(master, folder) as running:
        yield running
