"""Kernels in files of their own, as they are before and after an edit."""

import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

HEAD = "import numpy as np\nfrom shoal.kernels.compiled import compiled, inlined\n\n"


def load_kernels(folder: Path, **sources: str) -> ModuleType:
    """Write modules and import them afresh, as a new process would; the last one is returned."""
    sys.path.insert(0, str(folder))
    try:
        for name, source in sources.items():
            file = folder / f"{name}.py"
            file.write_text(HEAD + source, encoding="utf-8")
            spec = spec_from_file_location(name, file)
            assert spec is not None
            assert spec.loader is not None
            sys.modules[name] = module = module_from_spec(spec)
            spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


def forget_kernels(*names: str) -> Callable[[], None]:
    """What takes such modules away again."""
    return lambda: [sys.modules.pop(name, None) for name in names] and None
