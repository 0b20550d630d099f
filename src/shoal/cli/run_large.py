"""``shoal run`` on tables beyond memory: on the disk of this machine, or on Spark."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from time import perf_counter
from typing import Any

from shoal.cli.output import say_json, steps
from shoal.cli.run import tell
from shoal.display import sized
from shoal.engines.disk import Disk
from shoal.engines.large_release import release_large
from shoal.engines.rows import Engine
from shoal.engines.size import bytes_of, fits
from shoal.engines.watched import Watched
from shoal.errors import ShoalError
from shoal.policy.policy import Policy
from shoal.release.audit import Audit
from shoal.release.hidden_folder import hidden_folder
from shoal.release.release import check_targets
from shoal.release.run_result import run_result
from shoal.startup import compiling_told, show_pandas
from shoal.table.limits import available_memory

ENGINES = ("auto", "memory", "disk", "spark")
ENDED = 143  # how a shell counts a command that was asked to end


def engine_for(data: Path, engine: str, memory: str | None) -> str:
    """The engine that is meant: that which is named, else memory as long as the table fits."""
    if engine not in ENGINES:
        raise ShoalError(f"there is no engine {engine!r}", f"choose one of {', '.join(ENGINES)}.")
    if engine != "auto":
        return engine
    return "memory" if fits(data, None if memory is None else bytes_of(memory)) else "disk"


def run_large(
    data: Path,
    policy_file: Path,
    out: Path,
    chosen_format: str,
    audit: Path | None,
    secret_from: Path | None,
    seed: int | None,
    force: bool,
    as_json: bool,
    engine: str,
    memory: str | None,
    temp: Path | None,
    master: str | None,
) -> None:
    started = perf_counter()
    policy = Policy.load(policy_file)
    secret = None if secret_from is None else Audit.load(secret_from).secret
    check_targets(out.absolute(), chosen_format, audit, force)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(ENDED))  # so that what is half-written is taken away
    with (
        steps(quiet=as_json) as step,
        compiling_told(step) if sys.stderr.isatty() else nullcontext(),
        _started(engine, memory, temp, master, out.absolute(), step) as (place, watched),
    ):
        release = release_large(
            place, data, policy, out, chosen_format, audit, force, seed, secret, watched.begin
        )
    seconds = {**release.seconds, "total": perf_counter() - started}
    used = {"name": engine, "bytes_spilled": watched.bytes_spilled}
    if as_json:
        say_json(run_result(release, out, release.verdicts, seconds) | {"engine": used})
    else:
        spilled = watched.bytes_spilled
        more = f"; {sized(spilled)} went through temporary files" if spilled else ""
        tell(release, out, release.verdicts, seconds, where=f" on the engine {engine!r}{more}")


@contextmanager
def _started(
    engine: str,
    memory: str | None,
    temp: Path | None,
    master: str | None,
    out: Path,
    step: Callable[..., None],
) -> Iterator[tuple[Engine, Watched]]:
    watched = Watched(step)
    if temp is not None and not temp.is_dir():
        raise ShoalError(
            f"there is no folder {str(temp)!r}", "make it, or choose another for temporary files."
        )
    if engine == "disk":
        room = available_memory() // 2 if memory is None else bytes_of(memory)
        yield Disk.with_memory(room, temp, watched), watched
        return
    show_pandas()  # Spark asks for it
    from shoal.engines.spark_run import spark_engine

    with hidden_folder(temp or out.parent, out.name) as folder:
        step("starting Spark")
        with spark_engine(master, folder) as place:
            yield place, watched


def refuse_in_memory_only(asked: dict[str, Any], engine: str) -> None:
    """Options that need the whole table at once."""
    given = [name for name, value in asked.items() if value]
    if given:
        raise ShoalError(
            f"{' and '.join(given)} needs the whole table in memory; this run is on the engine {engine!r}",
            "leave it out, or choose --engine memory.",
        )
