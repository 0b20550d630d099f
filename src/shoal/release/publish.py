"""A release into PostgreSQL: all of its tables and views in one schema, whole or not at all."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any

from shoal.errors import Fault, ShoalError
from shoal.release.integrity.manifest import FILE_NAME
from shoal.release.opened_release import OpenedRelease, open_release
from shoal.release.postgres.connect import connection_to, name_fault
from shoal.release.postgres.load import RELEASE, load
from shoal.release.postgres.source import Source, open_source
from shoal.table.databases.postgres_connection import check_url

SCHEMA = "shoal"


@dataclass(frozen=True)
class LoadResult:
    """What is in the schema now: the rows of each table, and the views."""

    schema: str
    tables: dict[str, int]
    views: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def publish(
    folder: str | PathLike[str],
    url: str,
    schema: str = SCHEMA,
    force: bool = False,
    on_step: Callable[..., None] = lambda *_: None,
    key: str | PathLike[str] | None = None,
) -> LoadResult:
    """Load a release into a schema of the database at ``postgresql://user:password@host:port/database``.

    The release is verified first; with the owner's public ``key``, its signature too. ``force`` replaces an
    earlier release in the schema, and nothing else.
    """
    check_url(url)
    check_schema(schema)
    opened = open_release(folder, key)
    if opened.manifest.seeded:
        raise ShoalError(
            "this release was made with a seed, so that its random choices can be repeated",
            "run it again without --seed, then publish.",
        )
    on_step("connecting")
    with connection_to(url) as connection:
        on_step("verifying")
        _refuse_broken(opened)
        with open_source(opened) as source:
            _refuse_clash(source)
            load(connection, schema, source, _manifest(opened), force, on_step)
    return LoadResult(
        schema,
        {**{table.name: table.rows for table in source.tables}, RELEASE: 1},
        tuple(view.name for view in source.views),
    )


def check_schema(schema: str) -> None:
    """Raise unless this can be the name of a schema of one's own in PostgreSQL."""
    if fault := name_fault("schema", schema):
        raise ShoalError([fault])
    if schema.startswith("pg_") or schema == "information_schema":
        raise ShoalError(f"PostgreSQL keeps the schema {schema!r} to itself", "choose another name.")


def _refuse_broken(opened: OpenedRelease) -> None:
    broken = [verdict for verdict in opened.verify() if not verdict.holds]
    if broken:
        raise ShoalError(
            Fault(verdict.sentence, "ask for the original release; this one is not published.")
            for verdict in broken
        )


def _refuse_clash(source: Source) -> None:
    if RELEASE in source.names:
        raise ShoalError(
            f"the release has a table {RELEASE!r}, which is the place of its manifest", "rename the table."
        )


def _manifest(opened: OpenedRelease) -> str:
    """The manifest in JSON as the standard has it, where infinity is a word."""
    text = (opened.folder / FILE_NAME).read_text(encoding="utf-8")
    return json.dumps(json.loads(text, parse_constant=str))
