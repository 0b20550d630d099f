"""Anonymize a Spark frame where it is: on the session and the workers of whoever has it.

The published rows are stored in a work folder, verified from there, and given back as a frame over it:

    import shoal.spark

    with shoal.spark.anonymize(frame, "policy.toml", work="/shared/work") as release:
        release.table.show()
        release.write("/shared/release")

Driver and workers must see the work folder. It holds people's data until the release is closed.
"""

import tempfile
from contextlib import ExitStack
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.spark.engine import SparkEngine
from shoal.engines.spark.own_engine import PART_ROWS
from shoal.engines.spark.session import on_this_machine
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.large_release import LargeRelease, work_release
from shoal.release.storage.hidden_folder import hidden_folder
from shoal.table.databases.address import refuse_address

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SparkRelease = LargeRelease  # its name in earlier versions


def anonymize(
    source: "DataFrame | str | PathLike[str]",
    policy: Policy | str | PathLike[str],
    seed: int | None = None,
    secret: bytes | None = None,
    work: str | PathLike[str] | None = None,
    part_rows: int = PART_ROWS,
    session: "SparkSession | None" = None,
) -> LargeRelease:
    """Anonymize a frame under a policy on its own session; a table's name or a path need a ``session``.

    A seed makes it repeatable and unsafe to publish. ``work`` is a folder that every machine sees, by default
    that for temporary files of this one. At most about ``part_rows`` rows are held by a worker at once.
    """
    running = _session_of(source, session)
    found = source if session is None else _named(session, source)
    with ExitStack() as stack:
        folder = stack.enter_context(hidden_folder(_work_folder(running, work), "shoal-work"))
        engine = stack.enter_context(SparkEngine(running, folder, part_rows))
        opened = partial(engine.published_frame, session=running)
        return work_release(stack, opened, engine, found, Policy.of(policy), folder, seed, secret)


def _session_of(source: Any, session: "SparkSession | None") -> "SparkSession":
    if session is None and isinstance(source, str | PathLike):
        raise ShoalError("a table's name or a path was given without a session", "add session=spark.")
    running = source.sparkSession if session is None else session
    if type(running).__module__.startswith("pyspark.sql.connect"):
        raise ShoalError(
            "this session only talks to a Spark far away (Spark Connect)",
            "run shoal where the driver is, on a session of its own.",
        )
    found: SparkSession = running
    return found


def _named(session: "SparkSession", source: Any) -> Any:
    if not isinstance(source, str | PathLike) or Path(source).exists():
        return source
    refuse_address(source)
    if not session.catalog.tableExists(str(source)):
        raise ShoalError(f"there is no table or file {str(source)!r}", "check its name.")
    return session.table(str(source))


def _work_folder(session: "SparkSession", work: str | PathLike[str] | None) -> Path:
    master = str(session.sparkContext.master)
    if work is None and not on_this_machine(master):
        raise ShoalError(
            f"the workers of {master!r} may not see the temporary files of this machine",
            "give a folder that every machine sees, as work=...",
        )
    folder = Path(tempfile.gettempdir() if work is None else work).absolute()
    if not folder.is_dir():
        raise ShoalError(f"there is no folder {str(folder)!r}", "make it, or choose another for work=...")
    return folder
