"""How large a table may be, so that a file that unpacks without end is refused and not read.

The limits come from the memory there is: text may fill half of it, and a cell is counted as 16 bytes, the
8 that a number needs and as much again to work with.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shoal.display import sized
from shoal.errors import ShoalError

MOST_COLUMNS = 10_000
BYTES_PER_CELL = 16
ASSUMED_MEMORY = 4 << 30  # where a system does not say


@dataclass(frozen=True)
class Limits:
    """The most bytes of content, unpacked, the most cells and the most columns of one table.

    >>> Limits.of_memory(1 << 30)
    Limits(bytes=536870912, cells=67108864, columns=10000)
    """

    bytes: int
    cells: int
    columns: int = MOST_COLUMNS

    @classmethod
    def of_memory(cls, memory: int) -> "Limits":
        return cls(memory // 2, memory // BYTES_PER_CELL)

    @classmethod
    def of_machine(cls) -> "Limits":
        return cls.of_memory(available_memory())

    def refuse_bytes(self, name: str, count: int) -> None:
        if count > self.bytes:
            raise ShoalError(
                f"{name} holds more than {sized(self.bytes)}, which is all that fits into memory here",
                "give fewer rows or columns, or use a machine with more memory.",
            )

    def refuse_cells(self, name: str, rows: int, columns: int) -> None:
        if columns > self.columns:
            raise ShoalError(
                f"{name} has more than {self.columns:,} columns", "leave out those that are not needed."
            )
        if rows * columns > self.cells:
            raise ShoalError(
                f"{name} has more than {self.cells:,} cells, which is all that fits into memory here",
                "give fewer rows or columns, or use a machine with more memory.",
            )


UNLIMITED = Limits(1 << 62, 1 << 62)


def available_memory(root: Path = Path("/")) -> int:
    """Bytes that can still be used, inside a container those that it is given."""
    found = [
        *_of_system(root / "proc/meminfo"),
        *_of_groups(root / "sys/fs/cgroup", root / "proc/self/cgroup"),
    ]
    if found:
        return max(min(found), 0)
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return ASSUMED_MEMORY


def _of_system(meminfo: Path) -> Iterator[int]:
    for line in _text(meminfo).splitlines():
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024


def _of_groups(mounted: Path, own: Path) -> Iterator[int]:
    """What the control groups of this process leave, in both of their versions."""
    for line in ["::", *_text(own).splitlines()]:
        _, controllers, inside = line.split(":", 2)
        folder = mounted / "memory" if controllers == "memory" else mounted
        yield from _of_group(folder / inside.lstrip("/"))
    yield from _of_group(mounted / "memory")


def _of_group(folder: Path) -> Iterator[int]:
    for limit, used in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
        most, taken = _text(folder / limit).strip(), _text(folder / used).strip()
        if most.isdigit() and taken.isdigit():
            yield int(most) - int(taken) + _freed_at_need(folder / "memory.stat")


def _freed_at_need(stat: Path) -> int:
    """Files that the system keeps in memory while nobody else wants it."""
    figures = dict(line.split(maxsplit=1) for line in _text(stat).splitlines() if " " in line)
    return int(figures.get("total_inactive_file", figures.get("inactive_file", "0")))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
