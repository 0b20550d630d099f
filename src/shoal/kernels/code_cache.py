"""Machine code of kernels on disk: a file per kernel, argument types and processor, found by its digest.

It stands in the folder ``machine_code`` beside this file, where a wheel brings it along; what is compiled
later goes there too, or, where that cannot be written, into the user's cache folder. Reading needs no place
to write. Nothing of Numba itself is changed: who uses it beside shoal in one process notices nothing.
"""

import os
import pickle
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import Any, ClassVar, cast

import numba
from llvmlite.binding import parse_assembly, parse_bitcode
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.environment import _rebuild_env
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from shoal.kernels.compile_notice import CompileNotice
from shoal.kernels.kernel_digest import digest_of, kernel_digest, types_digest
from shoal.kernels.processor import families, runnable_targets, target_text

BESIDE_THE_CODE = Path(__file__).parent / "machine_code"
MAKERS = (sys.implementation.cache_tag, getattr(sys, "abiflags", ""), numba.__version__)
NO_ANNOTATION = ""  # the source with its types, for people only
DIGITS = 16  # of a digest in a file name: 64 bits


class CodeCache(NullCache):  # type: ignore[misc]
    """What a dispatcher of Numba asks for machine code before it compiles, and hands what it has compiled."""

    loaded: ClassVar[set[str]] = set()  # names of the files that this process took machine code from,
    compiled: ClassVar[set[str]] = set()  # and of those that it had to compile
    notice: ClassVar[CompileNotice] = CompileNotice()

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for these argument types, ready to be called; None where it has to be compiled."""
        rtsys.initialize(target_context)  # its memory is all that code which is there needs
        for target in runnable_targets(*target_context.codegen().magic_tuple()):
            name = "".join(self._file_name(sig, target))
            for folder in _readable_folders():
                with suppress(OSError, zlib.error):
                    packed = (folder / name).read_bytes()
                    self.loaded.add(name)
                    return _rebuilt(packed, target_context)
        self.notice.begin()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled in the first folder that can be written, if there is one."""
        self.notice.end()
        begin, end = self._file_name(sig, target_text(*data.codegen.magic_tuple()))
        self.compiled.add(begin + end)
        library, fndesc, environment, signature, objectmode, lifted, _, *rest = data._reduce()
        reduced = (library, fndesc, environment, signature, objectmode, lifted, NO_ANNOTATION, *rest)
        packed = zlib.compress(dumps(reduced), zlib.Z_BEST_COMPRESSION)
        for folder in _folders():
            with suppress(OSError):
                _write(folder, begin, end, packed)
                return
        self.notice.unwritable()

    def _file_name(self, sig: Any, target: str) -> tuple[str, str]:
        """What stays as the kernel is edited, and what does not."""
        function, (types, _) = self.kernel.py_func, normalize_signature(sig)
        words = f"{function.__module__}.{function.__qualname__}".removeprefix("shoal.").replace(
            "<locals>.", ""
        )
        asked = digest_of((types_digest(types), target, *MAKERS))
        return f"{words}-{asked[:DIGITS]}-", f"{kernel_digest(self.kernel)[:DIGITS]}.code"


def _rebuilt(packed: bytes, target_context: Any) -> Any:
    """The kernel; what the compiler needs to put it into another one is read when that is to be compiled."""
    library, function, *rest = _Unpickler(BytesIO(zlib.decompress(packed))).load()
    name, kind, (machine_code, bitcode) = library
    target_context.codegen()._engine._defined_symbols.add(function.llvm_cpython_wrapper_name)
    result = CompileResult._rebuild(target_context, (name, kind, (machine_code, _nothing())), function, *rest)
    result.library._get_module_for_linking = cache(partial(parse_bitcode, bitcode))
    return result


@cache
def _nothing() -> bytes:
    return cast(bytes, parse_assembly("").as_bitcode())


class _Unpickler(pickle.Unpickler):
    """Leaves out modules of Numba whose functions are part of a kernel and need nothing of them: they bring
    in the compiler, and SciPy's linear algebra."""

    def find_class(self, module: str, name: str, /) -> Any:
        return _environment if name == _rebuild_env.__name__ else super().find_class(module, name)


def _environment(module: str, constants: Any, name: str) -> Any:
    needed = constants or not module.startswith("numba.")
    return _rebuild_env(module if needed else "numba", constants, name)


def newest_family() -> str:
    """The newest family of processors that this machine belongs to, as far as Numba may use it."""
    triple, _, features = cpu_target.target_context.codegen().magic_tuple()
    return families(triple, features)[0]


def _folders() -> Iterator[Path]:
    yield BESIDE_THE_CODE
    asked = os.environ.get("XDG_CACHE_HOME", "")
    with suppress(RuntimeError):  # a user without a home
        base = Path(asked) if os.path.isabs(asked) else Path.home() / ".cache"
        yield base / "shoal" / "machine_code"


def _readable_folders() -> Iterator[Path]:
    """Machine code is run, so nobody else may have written it; a package is trusted as its code."""
    for folder in _folders():
        if folder == BESIDE_THE_CODE or _is_ours_alone(folder):
            yield folder


def _is_ours_alone(folder: Path) -> bool:
    try:
        state = folder.stat()
    except OSError:
        return False
    others = stat.S_IWGRP | stat.S_IWOTH
    return not hasattr(os, "geteuid") or (state.st_uid == os.geteuid() and not state.st_mode & others)


def _write(folder: Path, begin: str, end: str, packed: bytes) -> None:
    """Let the file appear whole or not at all, in place of what an earlier state of the kernel left."""
    if folder != BESIDE_THE_CODE:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    else:
        folder.mkdir(exist_ok=True)
    part = folder / f"{token_hex(8)}.part"
    try:
        part.write_bytes(packed)
        for stale in folder.glob(f"{begin}*"):
            stale.unlink(missing_ok=True)
        part.replace(folder / f"{begin}{end}")
    finally:
        part.unlink(missing_ok=True)
