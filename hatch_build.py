"""Lets a wheel bring machine code along: set SHOAL_MACHINE_CODE=1 before `python -m build --wheel`.

Without it the wheel is the same for all machines, and `shoal warm` or the first runs compile.
"""

import os
import platform
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LINUX = "manylinux_2_17"  # nothing here is linked against a C library; Numba asks for a newer one


class MachineCode(BuildHookInterface[Any]):
    """Compile every kernel, and say for which Python and machine the wheel is."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Compiling needs what running needs."""
        return list(self.metadata.core.dependencies) if self._wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files of machine code."""
        if version == "editable" or not self._wanted():
            return
        for file in self._compiled():
            build_data["force_include"][str(file)] = f"shoal/kernels/machine_code/{file.name}"
        build_data["pure_python"] = False
        build_data["tag"] = _tag()

    def _wanted(self) -> bool:
        return self.target_name == "wheel" and os.environ.get("SHOAL_MACHINE_CODE") == "1"

    def _compiled(self) -> list[Path]:
        environment = {**os.environ, "PYTHONPATH": str(Path(self.root, "src"))}
        script = str(Path(self.root, "tools", "machine_code.py"))
        command = [sys.executable, script]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)  # noqa: S603
        return [Path(line) for line in done.stdout.decode().splitlines()]


def _tag() -> str:
    """What wheels call this Python and machine: code is found by the exact version of both."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    place = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if platform.system() == "Linux":
        place = place.replace("linux", LINUX, 1)
    return f"{python}-{python}{getattr(sys, 'abiflags', '')}-{place}"
