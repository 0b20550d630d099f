"""k^f-anonymity (Gkountouna, Lepenioti, Terrovitis): who knows f of a record finds k candidates.

F of a published record is the exact range of f over what is published. Structural k^f: every record
shares its F, both ends, with at least k - 1 others. With ``within``, F need not be equal: for every
value that a record admits, k records must meet the attacker's band around it.

On a grid, equal ends need not be equal images: x + 2y over (0, [0, 1]) and ([0, 2], 0) both reach
from 0 to 2, but only the second reaches 1. So images are compared as sets of grid points too.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Fault, ShoalError
from shoal.policy.guarantee import KfAnonymity
from shoal.policy.policy import Policy
from shoal.verify.band import fewest_anywhere, fewest_centred
from shoal.verify.cells import BadCells, Cells, Published
from shoal.verify.classes import class_sizes
from shoal.verify.grid import grid_signature
from shoal.verify.image import TOLERANCE, Image, image_of
from shoal.verify.verdict import Verdict, smallest_classes

Ints = NDArray[np.int64]


def verify_kf_anonymity(published: Published, asked: KfAnonymity, policy: Policy) -> Verdict:
    cells, suppressed = aggregate_cells(published, asked, policy)
    if asked.within is None:
        sizes = _class_sizes(asked, cells, suppressed)
        k, below, worst = (
            int(sizes.min()),
            int(sizes[sizes < asked.k].sum()),
            smallest_classes(sizes),
        )
    else:
        k, below, worst = _met_by_bands(asked, cells, suppressed)
    return Verdict(
        kind=asked.kind,
        holds=k >= asked.k,
        asked=asked.model_dump(mode="json", exclude_defaults=True, exclude={"kind"}),
        achieved={"k": k, "records_below": below},
        sentence=_sentence(asked, k, below),
        worst=worst,
    )


def _sentence(asked: KfAnonymity, k: int, below: int) -> str:
    about = f" to within {asked.within * 100:f} %" if asked.within else ""
    known = f"someone who knows {asked.knows[0]} of a person{about}"
    if k >= asked.k:
        return f"In this table {known} finds at least {k:,} records that fit ({asked.k:,} were asked for)."
    return (
        f"In this table {known} may find only {k:,} records that fit, {asked.k:,} were asked for; "
        f"{below:,} records are concerned."
    )


def aggregate_cells(
    published: Published, asked: KfAnonymity, policy: Policy
) -> tuple[dict[str, Cells], NDArray[np.bool_]]:
    """The cells that f reads, and the records where one of them is suppressed."""
    cells: dict[str, Cells] = {}
    faults: list[Fault] = []
    for name in asked.columns:
        try:
            cells[name] = published.cells(name)
        except BadCells as error:
            faults.append(error.fault)
            continue
        if cells[name].missing.any() and policy.missing.get(name) != "zero":
            rows = np.flatnonzero(cells[name].missing)
            hint = 'f of these records is unknown; [missing] may count them as "zero".'
            faults.append(published.table.fault(name, rows, "missing", hint))
    if faults:
        raise ShoalError(faults)
    suppressed = np.zeros(len(published), bool)
    for column in cells.values():
        suppressed |= column.suppressed
    return cells, suppressed


def images(asked: KfAnonymity, cells: dict[str, Cells]) -> Image:
    try:
        return image_of(asked.tree, cells)
    except ZeroDivisionError:
        raise ShoalError(
            f"the divisor in {asked.knows[0]!r} can be zero in some published record",
            "divide only by columns whose values are all positive or all negative.",
        ) from None


def _class_sizes(asked: KfAnonymity, cells: dict[str, Cells], suppressed: NDArray[np.bool_]) -> Ints:
    """Sizes of the classes of equal F; records with a suppressed cell form one of their own."""
    image = images(asked, cells)
    low, high = settled(image)
    keys = [low, high, *grid_signature(asked.tree, cells)]
    if suppressed.any():
        keys = [np.where(suppressed, 0, key) for key in keys] + [suppressed.astype(np.int64)]
    return class_sizes(keys)


def settled(image: Image) -> tuple[Any, Any]:
    """Ends as whole numbers; floats within a billionth of each other become the same number."""
    if image.unit is not None:
        return image.low, image.high
    return _clustered(image.low), _clustered(image.high)


def _clustered(values: Any) -> Ints:
    order = np.argsort(values)
    ordered = values[order]
    apart = np.diff(ordered) > TOLERANCE * np.maximum(np.abs(ordered[1:]), np.abs(ordered[:-1]))
    labels = np.empty(len(values), np.int64)
    labels[order] = np.concatenate([[0], np.cumsum(apart)])
    return labels


def _met_by_bands(
    asked: KfAnonymity, cells: dict[str, Cells], suppressed: NDArray[np.bool_]
) -> tuple[int, int, tuple[int, ...]]:
    """Suppressed records meet no band, and are judged among themselves."""
    low, high = exact_ends(images(asked, cells))
    low, high = low[~suppressed], high[~suppressed]
    fewest, at_lows = len(suppressed), np.zeros(0, np.int64)
    if len(low):
        share = Fraction(asked.within or 0)
        fewest, at_lows = fewest_centred(low, high, share)
        if asked.band == "any":
            fewest = fewest_anywhere(low, high, share)
    if suppressed.any():
        fewest = min(fewest, int(suppressed.sum()))
    return fewest, int((at_lows < asked.k).sum()), smallest_classes(at_lows)


def exact_ends(image: Image) -> tuple[Any, Any]:
    """Whole-number ends; floats are laid on a grid of 15 digits, rounded apart (low down, high up)
    no further than their own tolerance."""
    if image.unit is not None:
        return image.low, image.high
    largest = float(max(np.abs(image.low).max(), np.abs(image.high).max(), 1e-300))
    factor = 10.0 ** (15 - np.ceil(np.log10(largest)))
    return (
        np.rint(image.low * factor).astype(np.int64),
        np.rint(image.high * factor).astype(np.int64),
    )
