"""A wheel works where nothing else of the project is, and nothing has to be compiled there."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

import shoal

ROOT = Path(__file__).parents[2]
HEAVIEST = 30_000_000  # bytes of a wheel
CLEAN = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
pytest.importorskip("hatchling", reason="the environment is older than pyproject.toml: run make setup")

ALL_TASKS = """
from hashlib import sha256
import shoal.warm_up.kernel_tasks as tasks
from shoal.kernels.code_cache import CodeCache

assert "site-packages" in tasks.__file__
results, real = sha256(), tasks.anonymize_in_memory

def noted(*arguments, **options):
    release = real(*arguments, **options)
    if arguments[1].method.name != "refined":  # which refines until its time is over
        results.update(str(release.table.to_pydict()).encode())
    return release

tasks.anonymize_in_memory = noted
for group in tasks.task_groups():
    for task in group.values():
        task()
print(results.hexdigest(), sorted(CodeCache.compiled), len(CodeCache.loaded))
"""


def built(kind: str, folder: Path, **variables: str) -> Path:
    command = [sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", folder, ROOT]
    environment = {key: value for key, value in os.environ.items() if key != "SHOAL_MACHINE_CODE"}
    subprocess.run(command, env=environment | variables, check=True, capture_output=True)
    (file,) = folder.iterdir()
    return file


def test_a_plain_wheel_has_the_whole_package_and_runs(tmp_path: Path) -> None:
    wheel = built("wheel", tmp_path / "dist")
    assert wheel.name == f"shoal-{shoal.__version__}-py3-none-any.whl"
    with ZipFile(wheel) as content:
        names = set(content.namelist())
        content.extractall(tmp_path / "unpacked")  # noqa: S202 - our own
    package = Path(shoal.__file__).parent
    ours = {
        file.relative_to(package.parent).as_posix()
        for file in package.rglob("*")
        if file.is_file() and {"__pycache__", "machine_code"}.isdisjoint(file.parts)
    }
    assert ours <= names
    assert not any("machine_code" in name for name in names)
    assert any(name.endswith("man1/shoal.1") for name in names)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "unpacked")}
    command = [sys.executable, "-m", "shoal", "--version"]
    done = subprocess.run(command, env=environment, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout == f"shoal {shoal.__version__}\n"


def test_the_sdist_has_what_building_needs(tmp_path: Path) -> None:
    with tarfile.open(built("sdist", tmp_path)) as content:
        names = {name.partition("/")[2] for name in content.getnames()}
    needed = {"hatch_build.py", "tools/machine_code.py", "docs/shoal.1", "src/shoal/__init__.py", "LICENSE"}
    assert needed <= names
    assert not any("machine_code/" in name for name in names)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", tmp_path_factory.mktemp("dist"), SHOAL_MACHINE_CODE="1")


@pytest.fixture(scope="module")
def place(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty environment that the wheel was tried in."""
    place, home = tmp_path_factory.mktemp("empty") / "venv", tmp_path_factory.mktemp("home")
    command = ["sh", ROOT / "tools" / "try_wheel.sh", wheel, place, sys.executable]
    done = subprocess.run(command, env={**os.environ, "HOME": str(home)}, check=True, stdout=subprocess.PIPE)
    assert done.stdout.decode().endswith(f"shoal {shoal.__version__}\n")
    assert not (home / ".cache" / "shoal" / "machine_code").exists()
    return place


@pytest.mark.slow
def test_a_wheel_is_light_and_says_whom_it_is_for(wheel: Path) -> None:
    assert wheel.stat().st_size < HEAVIEST
    assert f"-cp{sys.version_info.major}{sys.version_info.minor}-" in wheel.name


@pytest.mark.slow
def test_nothing_is_compiled_on_any_processor_and_the_results_are_the_same(place: Path) -> None:
    """Without a home, with nothing to write to; on this processor, on an old one and on another new one."""
    import llvmlite.binding as llvm

    (folder,) = place.glob("lib/python*/site-packages/shoal/kernels/machine_code")
    before = sorted(folder.iterdir())
    said = set()
    features = llvm.get_host_cpu_features().flatten()
    for more in (
        {},
        {"NUMBA_CPU_NAME": "nehalem", "NUMBA_CPU_FEATURES": "+sse4.2"},
        {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": features},
    ):
        command = [place / "bin" / "python", "-c", ALL_TASKS]
        done = subprocess.run(command, env=CLEAN | more, cwd="/", check=True, capture_output=True, text=True)
        results, compiled, loaded = done.stdout.split()
        assert compiled == "[]", more
        assert int(loaded) > 90
        said.add(results)
    assert len(said) == 1
    assert sorted(folder.iterdir()) == before


@pytest.mark.slow
def test_extras_can_be_installed(wheel: Path, place: Path) -> None:
    asked = f"{wheel}[pandas,polars,charts,postgres,predict,spark]"
    command = [place / "bin" / "python", "-m", "pip", "install", "--quiet", "--quiet", "--dry-run", asked]
    subprocess.run(command, check=True)
