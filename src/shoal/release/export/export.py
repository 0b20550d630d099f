"""A release as one file for another program, written whole or not at all, and only as it is.

What was written is read back and compared with the release, cell by cell, before the file appears.
"""

import csv
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.errors import ShoalError, refuse_faults
from shoal.progress import unwatched
from shoal.release.export.export_form import ExportForm
from shoal.release.export.export_formats import export_format
from shoal.release.export.export_task import ExportTask
from shoal.release.export.published_labels import published_labels
from shoal.release.export.range_ends import with_range_ends
from shoal.release.export.readable_table import in_fifteen_digits, readable_table
from shoal.release.storage.atomic_file import atomic_file
from shoal.release.storage.new_file import refuse_existing
from shoal.table.columns.numbers import is_text
from shoal.table.columns.spelling import same_values
from shoal.table.files.labels import labels_of

if TYPE_CHECKING:
    from shoal.release.opened_release import OpenedRelease

Step = Callable[..., None]  # what is under way, and how much of it is done where that is known
AS_PUBLISHED = ExportForm()


@dataclass(frozen=True)
class ExportResult:
    """What is in the file: its records, its columns, and those of them that have labels."""

    file: str
    records: int
    columns: tuple[str, ...]
    labelled: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def export_release(
    opened: "OpenedRelease",
    path: str | PathLike[str],
    form: ExportForm = AS_PUBLISHED,
    force: bool = False,
    on_step: Step = unwatched,
) -> ExportResult:
    """Write the table of a release that was opened into one file, whose name says the format.

    The release is verified first. ``force`` replaces an existing file."""
    target = Path(path)
    check_export(target, form, force)
    if opened.folder.resolve() in target.resolve().parents:
        raise ShoalError("the file would lie inside the release", "choose another place.")
    refuse_seeded(opened.manifest.seeded)
    on_step("verifying")
    return export_table(opened.read_as_written().arrow, target, form, force, on_step)


def check_export(target: Path, form: ExportForm, force: bool) -> None:
    """What can be known to go wrong, before any work is done."""
    chosen = export_format(target)
    refuse_existing(target, force)
    if form.is_for_csv and target.suffix.lower() != ".csv":
        what = f"a {target.suffix} file has no delimiter, decimal mark, encoding or apostrophes to choose"
        raise ShoalError(what, "leave these out, or export .csv.")
    if form.labels is not None and not chosen.labels:
        raise ShoalError(f"a {target.suffix} file has no place for labels", "export .sav or .dta.")


def refuse_seeded(seeded: bool) -> None:
    """A file has no manifest, which would say that the release is unsafe."""
    if seeded:
        raise ShoalError(
            "this release was made with a seed, so that its random choices can be repeated",
            "run it again without --seed, then export.",
        )


def export_table(
    published: pa.Table, target: Path, form: ExportForm, force: bool, on_step: Step = unwatched
) -> ExportResult:
    """The same for a published table that was verified."""
    chosen = export_format(target)
    readable = readable_table(published)
    release = readable_table(with_range_ends(readable)) if form.ends else readable
    table = chosen.columns(release)
    labels = {} if form.labels is None else published_labels(labels_of(Path(form.labels)), table)
    task = ExportTask(table, form, labels, partial(on_step, "writing"))
    refuse_faults(chosen.faults(task))
    on_step("writing")
    with atomic_file(target, force) as new:
        chosen.write(task, new)
        insist_on_same_cells(release, chosen.read_back(task, new), partial(on_step, "comparing"))
    return ExportResult(str(target), len(table), tuple(table.column_names), chosen.labelled(task))


def insist_on_same_cells(
    release: pa.Table, parts: Iterator[pa.Table], on_share: Callable[[float], None]
) -> None:
    """Refuse a file whose cells are not those of the release: words letter by letter, numbers and days by
    their values."""
    done = 0
    try:
        for part in parts:
            on_share(done / len(release))
            expected = release.slice(done, len(part))
            wrong = [name for name in release.column_names if not _same(part[name], expected[name])]
            if wrong or len(expected) < len(part):
                raise _not_as_published(wrong)
            done += len(part)
    except (
        ValueError,
        TypeError,
        LookupError,
        csv.Error,
    ):  # cells of another kind, or rows of another length
        raise _not_as_published([]) from None
    if done < len(release):
        raise _not_as_published([])


def _same(written: pa.ChunkedArray, published: pa.ChunkedArray) -> bool:
    if is_text(written.type):
        return bool(written.equals(published))
    if pa.types.is_floating(written.type):
        return in_fifteen_digits(written) == in_fifteen_digits(published.cast(pa.float64()))
    return bool(same_values(written.combine_chunks()).equals(same_values(published.combine_chunks())))


def _not_as_published(columns: list[str]) -> ShoalError:
    where = f"column {columns[0]!r}" if columns else "the rows"
    return ShoalError(
        f"the file did not become the release: {where} reads otherwise than it was written",
        "nothing was kept; export another format, and tell us about it.",
    )
