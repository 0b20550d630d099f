"""k^f-anonymity (Gkountouna, Lepenioti, Terrovitis): who knows f of a record finds k candidates.

F of a published record is the exact range of f over what is published. Structural k^f: every record
shares its F, both ends, with at least k - 1 others. With ``within``, F need not be equal: for every
value that a record admits, k records must meet the attacker's band around it.

On a grid, equal ends need not be equal images: x + 2y over (0, [0, 1]) and ([0, 2], 0) both reach
from 0 to 2, but only the second reaches 1. So images are compared as sets of grid points too.

Several aggregates, and columns that are known besides, are checked together: see ``joint_keys``. There a
band is not used; whoever knows less than exactly finds no fewer records.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.errors import Fault, ShoalError, refuse_faults
from shoal.kernels.classes import class_numbers, class_sizes
from shoal.policy.model import expression as ex
from shoal.policy.model.guarantee import KfAnonymity
from shoal.policy.model.policy import Policy
from shoal.verify.aggregate.band import fewest_anywhere, fewest_centred
from shoal.verify.aggregate.certain_records import certain_records
from shoal.verify.aggregate.grid import any_total_fits
from shoal.verify.aggregate.image import Image, image_of
from shoal.verify.aggregate.joint_classes import joint_classes
from shoal.verify.cells.cell_codes import cell_codes
from shoal.verify.cells.class_size_summary import ClassSizeSummary
from shoal.verify.cells.published_table import BadCells, Cells, PublishedTable
from shoal.verify.verdict import Verdict

Result = TypeVar("Result")


@dataclass(frozen=True)
class KfAnonymityMeasure:
    """How large the classes are, and for how many of the records each column is certain (None where cells are
    suppressed). Of a band, there are classes of suppressed cells only, and the ends of F of all other
    records, since a range may meet any of them: sixteen bytes a record, all of which meet in one place."""

    records: int
    sizes: ClassSizeSummary | None
    certain: dict[str, int] | None = None
    ends: Image | None = None
    undecided: int = 0  # records in smaller classes than asked for, which may be larger

    def joined(self, other: "KfAnonymityMeasure") -> "KfAnonymityMeasure":
        return KfAnonymityMeasure(
            self.records + other.records,
            self.sizes.joined(other.sizes) if self.sizes and other.sizes else self.sizes or other.sizes,
            None
            if self.certain is None or other.certain is None
            else {name: count + other.certain[name] for name, count in self.certain.items()},
            self.ends.append(other.ends) if self.ends and other.ends else self.ends or other.ends,
            self.undecided + other.undecided,
        )


def measure_kf_anonymity(published: PublishedTable, asked: KfAnonymity, policy: Policy) -> KfAnonymityMeasure:
    """Measure the classes that lie in this part, or its records if a band has no classes."""
    cells, suppressed = aggregate_cells(published, asked, policy)
    if has_band(asked):
        hidden = class_sizes(_hidden_keys(asked, cells_of_rows(cells, suppressed)))
        sizes = ClassSizeSummary.of(hidden, asked.k) if len(hidden) else None
        ends = None if suppressed.all() else aggregate_images(asked, cells_of_rows(cells, ~suppressed))
        return KfAnonymityMeasure(len(published), sizes, ends=ends)
    classes, undecided = _classes_of_equal_image(published, asked, policy)
    certain = None if suppressed.any() else certain_records(asked.trees, asked.also, cells, classes)
    sizes = ClassSizeSummary.of(np.unique(classes, return_counts=True)[1], asked.k)
    return KfAnonymityMeasure(len(published), sizes, certain, undecided=int(undecided.sum()))


def has_band(asked: KfAnonymity) -> bool:
    """Is the aggregate known up to a share only? Beside other knowledge that is not used."""
    return asked.within is not None and not asked.joint


def has_centred_band(asked: KfAnonymity) -> bool:
    """Is the range of what is known centred at the aggregate, so that the sets that fit it can be listed?"""
    return has_band(asked) and asked.band == "centred"


def verdict_kf_anonymity(asked: KfAnonymity, _policy: Policy, found: KfAnonymityMeasure) -> Verdict:
    """Judge by the fewest records that share what an attacker knows of one of them."""
    below: int | None = None  # a band has no classes to count
    worst, achieved = found.sizes.smallest if found.sizes else (), dict[str, Any]()
    k = min([*worst[:1], *_fewest_met(asked, found.ends)])
    if found.sizes is not None and not has_band(asked):
        below = found.sizes.below
        achieved = {"records_below": below}
        if found.undecided:
            achieved["undecided"] = found.undecided
        if found.certain is not None:
            achieved["certain"] = {
                name: round(count / found.records, 4) for name, count in found.certain.items()
            }
    return Verdict(
        kind=asked.kind,
        holds=k >= asked.k,
        asked=asked.model_dump(mode="json", exclude_defaults=True, exclude={"kind"}),
        achieved={"k": k, **achieved},
        sentence=_sentence(asked, k, below, found.undecided),
        worst=() if below is None else worst,
    )


def _sentence(asked: KfAnonymity, k: int, below: int | None, undecided: int) -> str:
    known = f"someone who knows {asked.knowledge()}"
    if k >= asked.k:
        return f"In this table {known} finds at least {k:,} records that fit ({asked.k:,} were asked for)."
    concerned = "" if below is None else f"; {below:,} records are concerned"
    if undecided:
        concerned += f", of {undecided:,} of which it was too costly to decide whether more fit"
    return (
        f"In this table {known} may find only {k:,} records that fit, {asked.k:,} were asked for{concerned}."
    )


def class_of_equal_image(published: PublishedTable, asked: KfAnonymity, policy: Policy) -> Ints:
    """The class of every record: those that someone who knows f cannot tell apart.

    A suppressed cell is no class of its own: it is all of the column's declared domain. Without one, every
    total fits all records that have a star if f is a plain sum; of another f the cells beside the star may
    give something away, so these have to be alike.
    """
    return _classes_of_equal_image(published, asked, policy)[0]


def _classes_of_equal_image(
    published: PublishedTable, asked: KfAnonymity, policy: Policy
) -> tuple[Ints, Bools]:
    """The classes, and which records are in a smaller class than asked for that may be larger."""
    cells, suppressed = aggregate_cells(published, asked, policy)
    numbers, undecided = np.empty(len(published), np.int64), np.zeros(len(published), bool)
    known = [cell_codes(published, name).codes for name in asked.also]
    shown, starred = np.flatnonzero(~suppressed), np.flatnonzero(suppressed)
    if len(shown):
        besides = [key[shown] for key in known]
        numbers[shown], undecided[shown] = _image_classes(asked, cells_of_rows(cells, ~suppressed), besides)
    if len(starred):
        keys = [*_hidden_keys(asked, cells_of_rows(cells, suppressed)), *(key[starred] for key in known)]
        numbers[starred] = class_numbers(keys) + len(published)
    return numbers, undecided


def aggregate_cells(
    published: PublishedTable, asked: KfAnonymity, policy: Policy
) -> tuple[dict[str, Cells], Bools]:
    """The cells that f reads, and the records where one of them may be any number."""
    cells: dict[str, Cells] = {}
    faults: list[Fault] = []
    for name in asked.columns:
        try:
            cells[name] = published.cells(name)
        except BadCells as error:
            faults.append(error.fault)
            continue
        if cells[name].missing.any() and policy.missing_counts.get(name) != "zero":
            rows = np.flatnonzero(cells[name].missing)
            hint = 'f of these records is unknown; [missing] may count them as "zero".'
            faults.append(published.table.fault(name, rows, "missing", hint))
    refuse_faults(faults)
    cells = {name: column.within(policy.domains.get(name)) for name, column in cells.items()}
    suppressed = np.zeros(len(published), bool)
    for column in cells.values():
        suppressed |= column.suppressed
    return cells, suppressed


def aggregate_images(asked: KfAnonymity, cells: dict[str, Cells]) -> Image:
    """F of every record, of the first aggregate."""
    return refuse_division_by_zero(asked, lambda: image_of(asked.trees[0], cells))


def refuse_division_by_zero(asked: KfAnonymity, compute: Callable[[], Result]) -> Result:
    """The computed result; an aggregate whose divisor can be zero is refused."""
    try:
        return compute()
    except ZeroDivisionError:
        raise ShoalError(
            f"the divisor in {' or '.join(map(repr, asked.knows))} can be zero in some published record",
            "divide only by columns whose values are all positive or all negative.",
        ) from None


def cells_of_rows(cells: dict[str, Cells], taken: Bools) -> dict[str, Cells]:
    """The cells of some rows only, in every column."""
    return {name: column.rows(taken) for name, column in cells.items()}


def _image_classes(asked: KfAnonymity, cells: dict[str, Cells], known: list[Ints]) -> tuple[Ints, Bools]:
    """Classes of records whose cells are all there; a known column is an aggregate of itself."""
    trees = (*asked.trees, *(ex.ColumnTerm(name) for name in asked.also if name in cells))
    return refuse_division_by_zero(asked, lambda: joint_classes(trees, cells, known, asked.k))


def _hidden_keys(asked: KfAnonymity, cells: dict[str, Cells]) -> list[Any]:
    columns = list(cells.values())
    if not asked.joint and any_total_fits(asked.trees[0], cells):
        return [columns[0].low * 0]
    return [key for one in columns for key in (one.low, one.high, one.suppressed)]


def _fewest_met(asked: KfAnonymity, ends: Image | None) -> list[int]:
    """The fewest records that meet a band; nothing if there is no record."""
    if ends is None:
        return []
    fewest = fewest_anywhere if asked.band == "any" else fewest_centred
    return [fewest(*exact_ends(ends), Fraction(asked.within or 0))]


def exact_ends(image: Image) -> tuple[Any, Any]:
    """Whole-number ends; floats are laid on a grid of 15 digits of the largest."""
    if image.unit is not None:
        whole = image.holding(image.reach)
        return whole.low, whole.high
    largest = float(max(np.abs(image.low).max(), np.abs(image.high).max())) or 1.0
    factor = 10.0 ** (15 - np.ceil(np.log10(largest)))
    return (
        np.rint(image.low * factor).astype(np.int64),
        np.rint(image.high * factor).astype(np.int64),
    )
