"""How large a table may be, by the memory there is."""

from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.table.files.limits import Limits, available_memory

SMALL = Limits(bytes=1000, cells=100, columns=10)


def machine(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


MEMORY = {"proc/meminfo": "MemTotal: 9000 kB\nMemAvailable: 4000 kB\n"}


def test_memory_is_what_the_system_has_to_give(tmp_path: Path) -> None:
    assert available_memory(machine(tmp_path, MEMORY)) == 4000 * 1024


def test_a_container_is_given_less(tmp_path: Path) -> None:
    group = {
        "proc/self/cgroup": "0::/mine\n",
        "sys/fs/cgroup/mine/memory.max": "1000000\n",
        "sys/fs/cgroup/mine/memory.current": "600000\n",
        "sys/fs/cgroup/mine/memory.stat": "anon 500000\ninactive_file 100000\n",
    }
    assert available_memory(machine(tmp_path, MEMORY | group)) == 500_000


def test_a_container_of_the_older_kind_is_seen_too(tmp_path: Path) -> None:
    group = {
        "proc/self/cgroup": "4:memory:/some\n0::/\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "1000000\n",
        "sys/fs/cgroup/memory/memory.usage_in_bytes": "1500000\n",
    }
    assert available_memory(machine(tmp_path, MEMORY | group)) == 0


def test_a_group_without_a_limit_changes_nothing(tmp_path: Path) -> None:
    group = {"sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/memory.current": "600000\n"}
    assert available_memory(machine(tmp_path, MEMORY | group)) == 4000 * 1024


def test_a_system_that_says_nothing_has_some_memory(tmp_path: Path) -> None:
    assert available_memory(tmp_path) > 1 << 20


def test_what_keeps_the_limits_passes_and_one_more_does_not() -> None:
    SMALL.refuse_bytes("t.csv", 1000)
    SMALL.refuse_cells("t.csv", 10, 10)
    with pytest.raises(ShoalError, match=r"t.csv holds more than 1 KB"):
        SMALL.refuse_bytes("t.csv", 1001)
    with pytest.raises(ShoalError, match=r"t.csv has more than 100 cells"):
        SMALL.refuse_cells("t.csv", 11, 10)
    with pytest.raises(ShoalError, match=r"t.csv has more than 10 columns"):
        SMALL.refuse_cells("t.csv", 1, 11)
