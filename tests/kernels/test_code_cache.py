"""Machine code is found where it can be read, kept where that is possible, and never another kernel's."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from numba.core.registry import cpu_target

from shoal.kernels import code_cache, compile_notice
from shoal.kernels.code_cache import CodeCache
from shoal.kernels.compile_notice import CompileNotice
from tests.kernels.kernel_files import load_kernels

INNER = "LIMIT = 5\n\n@compiled\ndef inner(value):\n    return value + LIMIT\n"
OUTER = "from inner_kernels import inner\n\n@compiled\ndef outer(value):\n    return inner(value) * 2\n"


@pytest.fixture
def package(tmp_path, monkeypatch) -> Path:
    """The folder beside the code; the user's is in `home`."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    monkeypatch.setattr(code_cache, "BESIDE_THE_CODE", tmp_path / "machine_code")
    return tmp_path / "machine_code"


@pytest.fixture
def twelve(tmp_path, monkeypatch):
    """A kernel in a process that seems to be new, called; was it compiled?"""

    def call(inner=INNER, outer=OUTER, expected=12):
        monkeypatch.setattr(CodeCache, "compiled", set())
        kernels = load_kernels(tmp_path, inner_kernels=inner, outer_kernels=outer)
        assert kernels.outer(1) == expected
        return bool(CodeCache.compiled)

    return call


@pytest.fixture
def read_only(package, tmp_path):
    """No folder can be made where a file stands, not even by root."""
    package.write_text("")
    return tmp_path / "home" / ".cache" / "shoal" / "machine_code"


def test_what_was_compiled_once_is_not_compiled_again(package, twelve):
    assert twelve()
    assert not twelve()
    assert len(list(package.iterdir())) == 2
    assert all(len(file.name) < 100 for file in package.iterdir())


def test_a_constant_that_changed_in_another_file_is_noticed_and_the_old_code_goes(package, twelve):
    twelve()
    assert twelve(inner=INNER.replace("5", "6"), expected=14)
    assert len(list(package.iterdir())) == 2


@pytest.mark.usefixtures("package")
def test_lines_that_moved_compile_nothing(twelve):
    twelve()
    assert not twelve(inner="\n# moved\n" + INNER, outer="\n\n" + OUTER)


def test_a_package_that_cannot_be_written_leaves_it_to_the_users_cache(read_only, twelve):
    assert twelve()
    assert not twelve()
    assert len(list(read_only.iterdir())) == 2
    assert read_only.stat().st_mode & 0o077 == 0


def test_the_users_cache_is_where_the_desktop_says(read_only, twelve, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    twelve()
    assert not read_only.exists()
    assert len(list((tmp_path / "elsewhere" / "shoal" / "machine_code").iterdir())) == 2


@pytest.mark.usefixtures("read_only")
def test_without_a_home_it_is_compiled_in_memory_and_the_log_says_so(twelve, monkeypatch, caplog):
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(Path, "home", _no_home)
    monkeypatch.setattr(CodeCache, "notice", CompileNotice())
    assert twelve()
    assert twelve()
    assert [record.message for record in caplog.records] == [compile_notice.UNWRITABLE]


def _no_home():
    raise RuntimeError("Could not determine home directory.")


@pytest.mark.usefixtures("package")
def test_long_compiling_is_said_once(twelve, monkeypatch, caplog):
    monkeypatch.setattr(CodeCache, "notice", CompileNotice())
    monkeypatch.setattr(compile_notice, "PATIENCE", -1)
    twelve()
    assert [(one.levelno, one.message) for one in caplog.records] == [
        (logging.WARNING, compile_notice.COMPILING)
    ]


def test_a_cache_that_others_can_write_is_not_run(read_only, twelve):
    twelve()
    read_only.chmod(0o777)
    assert twelve()


def test_damaged_files_are_compiled_again(package, twelve):
    twelve()
    for file in package.iterdir():
        content = file.read_bytes()
        file.write_bytes(content[: len(content) // 2])
    assert twelve()
    assert not twelve()


def pretend(monkeypatch, processor, features):
    monkeypatch.setattr(numba.config, "CPU_NAME", processor)
    monkeypatch.setattr(numba.config, "CPU_FEATURES", features)
    monkeypatch.setattr(cpu_target.target_context.codegen(), "_tm_features", features)


@pytest.mark.usefixtures("package")
def test_code_for_a_family_runs_on_another_processor_of_it_and_code_for_one_processor_does_not(
    twelve, monkeypatch
):
    pretend(monkeypatch, "x86-64", "")
    assert twelve()
    pretend(monkeypatch, "nehalem", "+sse4.2")
    assert not twelve()
    assert twelve(outer=OUTER.replace("* 2", "* 3"), expected=18)
    pretend(monkeypatch, "znver5", "+sse4.2,+avx512f")
    assert twelve(outer=OUTER.replace("* 2", "* 3"), expected=18)


BESIDE = """
import os
before = dict(os.environ)
import numba, numpy as np
exec(FIRST)

@numba.njit(cache=True)
def own(values):
    total = 0.0
    for value in values:
        total += value
    return total

assert own(np.ones(3)) == 3
assert type(own._cache) is numba.core.caching.FunctionCache
assert (own.stats.cache_hits.total(), own.stats.cache_misses.total()) == COUNTS
assert numba.config.CPU_NAME is None
assert numba.core.caching.CacheImpl._locator_classes[1] is numba.core.caching.InTreeCacheLocator
native = numba.core.codegen.ll.get_host_cpu_name()
assert own.targetctx.codegen().magic_tuple()[1] == native
(entry,) = own._cache._cache_file._load_index()
assert entry[1][1] == native
assert dict(os.environ) == before
"""
SHOAL = "from shoal.kernels.keyed_hash import *\nhash_rows(seeded_key(0), Purpose.TIES, 9)"


def test_who_uses_numba_beside_shoal_notices_nothing(tmp_path):
    """A function of the user's own is compiled for the native processor and kept as ever."""
    script = tmp_path / "own.py"
    script.write_text(BESIDE)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA")}
    for first, counts in ((SHOAL, (0, 1)), ("", (1, 0)), (SHOAL, (1, 0))):
        known = {"FIRST": first, "COUNTS": counts}
        program = f"import runpy; runpy.run_path({str(script)!r}, {known!r})"
        subprocess.run([sys.executable, "-c", program], env=environment, check=True)


SUMS = """
import sys, numpy as np
from shoal.kernels import code_cache
from shoal.kernels.compiled import compiled
code_cache._folders = lambda: iter(())

@compiled
def sums(values, weights):
    total, products = 0.0, np.empty(len(values))
    for i in range(len(values)):
        total += values[i] * weights[i]
        products[i] = values[i] * weights[i] + weights[0]
    return total, products

random = np.random.default_rng(1)
total, products = sums(*random.normal(size=(2, 10_001)))
assembly = "".join(sums.inspect_asm().values())
print(total.hex(), hash(products.tobytes()), "vfmadd" in assembly, "ymm" in assembly)
"""


def test_newer_processors_compute_the_same_bits():
    """No product and sum are rounded as one, though the newer family could."""
    said = {}
    for processor in ("x86-64", "x86-64-v3"):
        environment = {
            **os.environ, "NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": "", "PYTHONHASHSEED": "0"
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", SUMS], env=environment, check=True, capture_output=True, text=True
        )
        *said[processor], fused, wide = done.stdout.split()
        assert fused == "False"
        assert wide == str(processor == "x86-64-v3")
    assert said["x86-64"] == said["x86-64-v3"]
