"""A number per record that is the same for all records of a class, whatever batch they stand in.

Records that an attacker cannot tell apart have the same number; others may have it too. It depends on the
record and on how its columns are read, never on what else is in the batch: words by their letters, numbers in
units of the whole column's scale, aggregates by the ends of F in units of that.

Ends that are quotients or roots count as equal if they differ by less than a billionth, which only a look at
all of them can tell. So of one such aggregate the run of its low end (``float_runs``) is the number; of
several, and beside others, they are left out.
"""

from hashlib import blake2b
from typing import Any

import numpy as np

from shoal.arrays import Hashes, Ints
from shoal.kernels.splitmix import splitmix64
from shoal.policy.model.guarantee import KeAnonymity, KfAnonymity
from shoal.policy.model.policy import GROUP, Policy
from shoal.table.columns.numbers import is_text
from shoal.table.columns.same_value import fifteen_digits
from shoal.verify.aggregate.grid import any_total_fits
from shoal.verify.aggregate.image import image_of
from shoal.verify.attackers import Attacker
from shoal.verify.cells.cell_codes import encoded_cells, possible_values
from shoal.verify.cells.published_table import Cells, PublishedTable
from shoal.verify.guarantees.kf_anonymity import (
    aggregate_cells,
    aggregate_images,
    cells_of_rows,
    refuse_division_by_zero,
)
from shoal.verify.parts.float_runs import FloatRuns

HIDDEN = 2**64 - 1


def part_of_rows(
    published: PublishedTable, attacker: Attacker, policy: Policy, parts: int, runs: FloatRuns | None = None
) -> Ints:
    """The part of every row, from 0 on, so that the classes of this attacker lie whole in parts. Without the
    ``runs`` of the whole table, some parts may be larger."""
    keys = part_keys(published, attacker, policy, runs)
    return (keys % np.uint64(parts)).astype(np.int64)


def part_keys(
    published: PublishedTable, attacker: Attacker, policy: Policy, runs: FloatRuns | None = None
) -> Hashes:
    """``published`` is a batch that knows the ways in which the columns of the whole table are read, ``runs``
    are those of the whole table.

    >>> import pyarrow as pa
    >>> from shoal.policy.model.guarantee import KAnonymity
    >>> from shoal.table.table import Table
    >>> from shoal.verify.cells.column_format import ColumnFormat
    >>> policy = Policy(columns={"pay": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> batches = [Table(pa.table({"pay": [cell]})) for cell in ("1", "1.0")]
    >>> read = [PublishedTable(batch, {"pay": ColumnFormat(True, 1)}) for batch in batches]
    >>> one, two = (part_keys(batch, KAnonymity(k=2), policy) for batch in read)
    >>> bool(one == two)
    True
    """
    if isinstance(attacker, KfAnonymity):
        return _of_image(published, attacker, policy, runs)
    if not isinstance(attacker, KeAnonymity):
        return mixed_keys([cell_keys(published, name) for name in policy.having("quasi")])
    if GROUP not in published.table.names:
        return np.arange(len(published), dtype=np.uint64)
    return mixed_keys([cell_keys(published, GROUP)])


def mixed_keys(keys: list[Any]) -> Hashes:
    """One number of several (splitmix64)."""
    total = np.zeros(len(keys[0]), np.uint64)
    for key in keys:
        total = splitmix64(total ^ _word(key))
    return total


def _word(key: Any) -> Hashes:
    """The last 64 bits of whole numbers of any size."""
    if key.dtype == object:
        return np.array([int(value) & HIDDEN for value in key], np.uint64)
    return np.asarray(key if key.dtype == np.uint64 else key.astype(np.int64).view(np.uint64))


def cell_keys(published: PublishedTable, name: str) -> Hashes:
    """Equal for cells that compare as equal in the whole table."""
    way, column = published.ways[name], published.table.column(name)
    if not way.numbers or (is_text(column.type) and not way.has_values):
        encoded = encoded_cells(column)
        letters = np.array([_letters(values) for values in possible_values(encoded.cells)], np.uint64)
        return letters[encoded.numbers]
    cells = published.cells(name)
    hidden = cells.suppressed + 2 * cells.missing.astype(np.int64)
    if cells.reals is None:
        return mixed_keys([cells.low, cells.high, hidden])
    return mixed_keys([fifteen_digits(cells.reals).view(np.int64), hidden])


def _letters(values: frozenset[str | None] | None) -> int:
    """A number for the values that a cell stands for."""
    text = "*" if values is None else ",".join(sorted(map(repr, values)))
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def low_end_runs(published: PublishedTable, attacker: Attacker, policy: Policy) -> FloatRuns | None:
    """What a batch adds to the runs of low ends; None if there are none to tell records by."""
    if not isinstance(attacker, KfAnonymity) or attacker.joint or not _floats(attacker):
        return None
    cells, suppressed = aggregate_cells(published, attacker, policy)
    if suppressed.all():
        return FloatRuns.of(np.zeros(0))
    return FloatRuns.of(aggregate_images(attacker, cells_of_rows(cells, ~suppressed)).low)


def _floats(attacker: KfAnonymity) -> bool:
    """Is the aggregate a quotient or a root?"""
    one, nowhere = np.ones(1, np.int64), np.zeros(1, bool)
    try:
        image = image_of(
            attacker.trees[0], dict.fromkeys(attacker.columns, Cells(one, one, 0, nowhere, nowhere))
        )
    except ZeroDivisionError:
        return True
    return image.unit is None


def _of_image(
    published: PublishedTable, attacker: KfAnonymity, policy: Policy, runs: FloatRuns | None
) -> Hashes:
    cells, suppressed = aggregate_cells(published, attacker, policy)
    found = np.zeros(len(published), np.uint64)
    if not suppressed.all():
        seen = cells_of_rows(cells, ~suppressed)
        ranges = refuse_division_by_zero(attacker, lambda: [image_of(tree, seen) for tree in attacker.trees])
        ends = [end for image in ranges if image.unit is not None for end in (image.low, image.high)]
        if runs is not None:
            ends = [runs.run_of(ranges[0].low)]
        found[~suppressed] = mixed_keys(ends) if ends else 0
    if suppressed.any():
        hidden = cells_of_rows(cells, suppressed)
        alike = not attacker.joint and any_total_fits(attacker.trees[0], hidden)
        columns = [key for one in hidden.values() for key in (one.low, one.high, one.suppressed)]
        found[suppressed] = 1 if alike else mixed_keys(columns)
    return mixed_keys([found, *(cell_keys(published, name) for name in attacker.also)])
