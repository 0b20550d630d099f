"""Columns published as they are that give an aggregate away, and with it everything it protects.

Whoever knows f and finds a column from which f can be computed needs no ranges: the column tells the
records apart. So a column may neither equal f or a quasi column, nor determine one of them, nor follow f
step by step (a tax that grows with the total). Numbers inside text count as numbers.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.anonymizer.fit import Fitted
from shoal.errors import Fault, ShoalError
from shoal.methods.knowledge import Known
from shoal.methods.ranges import Ints
from shoal.policy.policy import Policy
from shoal.table.bridge import arrow_from_numpy
from shoal.table.numbers import NotNumeric, Numbers, numbers_from_arrow
from shoal.table.table import Table

Codes = NDArray[Any]
Floats = NDArray[np.float64]
NEAR = 0.7  # a rank correlation from which on guesses inside a group become good
ENOUGH = 1_000_000
FEW = 10  # with fewer different totals, a dependency is as likely an accident
CLOSE = 4  # a table of so many places per row is faster than sorting the rows
SOME = 10_000  # the first rows most often tell that there is no dependency


@dataclass(frozen=True)
class Sample:
    """Rows of a table, all of them or some: what must not be told of them in ``secrets``, by its rank, and in
    ``words``; ``quasi`` are the quasi columns of numbers."""

    table: Table
    rows: Ints
    secrets: dict[str, Codes]
    words: dict[str, Codes] = field(default_factory=dict)
    quasi: tuple[str, ...] = ()

    @classmethod
    def of_knowledge(cls, table: Table, fitted: Fitted, known: Known) -> "Sample":
        """Beside what somebody knows."""
        quasi = {name: at for at, name in enumerate(fitted.names) if at not in fitted.categories}
        secrets = {f"quasi column {name!r}": fitted.values[:, at] for name, at in quasi.items()}
        secrets |= dict(zip(known.names, known.values(fitted.values), strict=False))
        ranked = {what: np.unique(values, return_inverse=True)[1] for what, values in secrets.items()}
        words = {fitted.names[at]: fitted.values[:, at] for at in known.also}
        return cls(table, fitted.input_rows, ranked, words, tuple(quasi))

    @classmethod
    def of_permuted(cls, table: Table, policy: Policy, rows: Ints) -> "Sample":
        """Beside what is permuted."""
        secrets = {
            name: np.unique(_codes(table, name, rows)[0], return_inverse=True)[1]
            for name in policy.having("sensitive")
        }
        return cls(table, rows, secrets)


Samples = Sequence[Sample]  # the last one has rows drawn at random, one before it values with all their rows


def leak_faults(table: Table, policy: Policy, fitted: Fitted, known: Known) -> list[Fault]:
    """One fault per published column and piece of knowledge that it gives away."""
    if not known.aggregates:
        return []
    every = Sample.of_knowledge(table, fitted, known)
    return given_away({name: [every] for name in published_as_they_are(policy)}, known.names)


def published_as_they_are(policy: Policy) -> list[str]:
    return [*policy.having("sensitive"), *policy.having("other")]


def given_away(samples: Mapping[str, Samples], aggregates: Sequence[str]) -> list[Fault]:
    """The same from samples of every column that is published as it is."""
    faults = []
    for name, looks in samples.items():
        if equal := _equal_column(name, looks):
            faults.append(_fault(name, f"equals quasi column {equal!r}"))
            continue
        codes, ordered = _coded(name, looks)
        told = [f"determines {what}" for what in looks[0].secrets
                if _determines(codes, _secret(what, looks), ordered)]  # fmt: skip
        told += [f"follows {what}" for what in aggregates
                 if ordered and _follows(codes[-1], looks[-1].secrets[what])]  # fmt: skip
        told += [f"says the same as quasi column {other!r}" for other in looks[0].words
                 if all(_same_partition(own, look.words[other])
                        for own, look in zip(codes, looks, strict=True))]  # fmt: skip
        if told:
            faults.append(_fault(name, told[-1] if told[0].startswith("determines quasi") else told[0]))
    return faults


def permutation_leaks(table: Table, policy: Policy, rows: Ints) -> list[Fault]:
    """Columns published as they are from which a permuted one can be computed: they undo the permutation."""
    every = Sample.of_permuted(table, policy, rows)
    return undone({name: [every] for name in beside_permuted(policy)})


def beside_permuted(policy: Policy) -> list[str]:
    """The columns that are published as they are beside permuted ones."""
    return [*policy.having("quasi"), *policy.having("other")]


def undone(samples: Mapping[str, Samples]) -> list[Fault]:
    """The same from samples of every column that is published as it is."""
    coded = {name: _coded(name, looks) for name, looks in samples.items()}
    faults = []
    for secret in next(iter(samples.values()))[0].secrets if samples else ():
        for name, (codes, ordered) in coded.items():
            looks = samples[name]
            copied = all(_same_cells(look.table, name, secret, look.rows) for look in looks)
            ranks = _secret(secret, looks)
            if copied or _determines(codes, ranks, ordered) or (ordered and _follows(codes[-1], ranks[-1])):
                faults.append(
                    Fault(
                        f"column {name!r} is published as it is and gives the permuted {secret!r} away",
                        f'make {name!r} an "identifier" (left out) or "sensitive" (permuted too).',
                    )
                )
    return faults


def _coded(name: str, looks: Samples) -> tuple[list[Codes], bool]:
    found = [_codes(look.table, name, look.rows) for look in looks]
    return [codes for codes, _ in found], all(ordered for _, ordered in found)


def _secret(what: str, looks: Samples) -> list[Codes]:
    return [look.secrets[what] for look in looks]


def near_leaks(table: Table, policy: Policy, rows: Ints, groups: Ints) -> list[str]:
    """A note for every column of numbers that is published as it is and goes with a permuted one inside the
    groups: whoever sorts both has good guesses. Of many rows, some of the groups are looked at."""
    some = groups % (len(groups) // ENOUGH + 1) == 0
    rows, groups = rows[some], groups[some]
    exact = _group_ranks(table, [*policy.having("quasi"), *policy.having("other")], rows, groups)
    secrets = _group_ranks(table, policy.having("sensitive"), rows, groups)
    return [
        f"inside the groups {name!r} goes with the permuted {secret!r} (rank correlation {found:.2f}): "
        f"whoever sorts both by size guesses well; leave {name!r} out, or permute it too"
        for secret, own in secrets.items()
        for name, ranks in exact.items()
        if (found := _correlation(own, ranks)) >= NEAR
    ]


def _group_ranks(table: Table, names: list[str], rows: Ints, groups: Ints) -> dict[str, Floats]:
    """Of every column of numbers, the mean rank of each cell inside its group, from the middle."""
    coded = {name: _codes(table, name, rows) for name in names}
    return {name: _ranks_in(groups, codes) for name, (codes, ordered) in coded.items() if ordered}


def _ranks_in(groups: Ints, codes: Codes) -> Floats:
    """
    >>> _ranks_in(np.array([0, 0, 0, 4, 4]), np.array([7, 9, 7, 1, 0])).tolist()
    [-0.5, 1.0, -0.5, 0.5, -0.5]
    """
    order = np.lexsort((codes, groups))
    new = (np.diff(codes[order], prepend=-1) != 0) | (np.diff(groups[order], prepend=-1) != 0)
    run = np.cumsum(new) - 1
    ranks = np.empty(len(order))
    ranks[order] = (np.bincount(run, np.arange(len(order))) / np.bincount(run))[run]
    middle = np.bincount(groups, ranks) / np.maximum(np.bincount(groups), 1)
    return np.asarray(ranks - middle[groups])


def _correlation(own: Floats, other: Floats) -> float:
    spread = float(np.sqrt((own @ own) * (other @ other)))
    return abs(float(own @ other)) / spread if spread else 0.0


def _fault(name: str, what: str) -> Fault:
    return Fault(
        f"column {name!r} is published as it is and {what}, so the guarantee would be empty",
        f'make {name!r} an "identifier" (left out) or "quasi" (protected).',
    )


def _codes(table: Table, name: str, rows: Ints) -> tuple[Codes, bool]:
    """One number per different cell, and whether the numbers follow the order of the cells."""
    with suppress(ShoalError):
        return _ranks(table.numbers(name).units[rows]), True
    encoded = table.encoded(name)
    numbers = encoded.numbers[rows]
    with suppress(NotNumeric):
        inside = _numbers_inside(encoded.cells)
        if inside.missing.sum() <= encoded.cells.null_count:
            return _ranks(inside.units[numbers]), True
    return numbers, False


def _ranks(units: Ints) -> Codes:
    """The different units numbered in their order; where they lie close together, without sorting them."""
    lowest = int(units.min())
    width = int(units.max()) - lowest + 1
    if width > CLOSE * len(units):
        return np.unique(units, return_inverse=True)[1]
    places = units - lowest
    present = np.zeros(width, bool)
    present[places] = True
    return (np.cumsum(present, dtype=np.int32) - 1)[places]


def _numbers_inside(cells: pa.Array) -> Numbers:
    """Text such as ``CHF 63,451`` as the number that it holds."""
    return numbers_from_arrow(pc.replace_substring_regex(cells.cast(pa.string()), r"[^0-9.\-]", ""))


def _equal_column(name: str, looks: Samples) -> str | None:
    """The first quasi column that it is a copy of in all samples, with more than one value in the last."""
    for other in looks[-1].quasi:
        if all(_copies(look, name, other) for look in looks) and _varies(looks[-1], name):
            return other
    return None


def _copies(look: Sample, name: str, other: str) -> bool:
    try:
        mine = look.table.numbers(name)
    except ShoalError:
        return False
    theirs = look.table.numbers(other)
    return mine.scale == theirs.scale and np.array_equal(mine.units, theirs.units)


def _varies(look: Sample, name: str) -> bool:
    return len(np.unique(look.table.numbers(name).units[look.rows])) > 1


def _same_cells(table: Table, name: str, other: str, rows: Ints) -> bool:
    """Is one column a copy of the other, with more than two values? Two may agree by accident."""
    try:
        mine, theirs = (table.points(column) for column in (name, other))
    except ShoalError:
        texts = [table.column(column).cast(pa.string()).combine_chunks() for column in (name, other)]
        kept = [text.take(arrow_from_numpy(rows)) for text in texts]
        return bool(kept[0].equals(kept[1])) and len(kept[0].unique()) > 2
    units = mine.units[rows]
    same = mine.scale == theirs.scale and np.array_equal(units, theirs.units[rows])
    return same and len(np.unique(units)) > 2


def _follows(codes: Codes, totals: Codes) -> bool:
    """Does the column grow (or fall) with f, in many steps? Then it tells f to within a step, unless one of
    its values leaves most of f open."""
    different = _different(totals)
    many = min(_different(codes), different) >= 2 * FEW
    return many and _in_order(codes, totals) and 2 * _most_open(codes, totals) <= different


def _different(codes: Codes) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


def _most_open(codes: Codes, totals: Codes) -> int:
    """The most different totals beside one value of the column."""
    pairs = np.unique(codes.astype(np.int64) * (int(totals.max()) + 1) + totals)
    return int(np.bincount(np.unique(pairs // (int(totals.max()) + 1), return_inverse=True)[1]).max())


def _same_partition(codes: Codes, others: Codes) -> bool:
    """Do the two columns tell the same records apart?"""
    different = int(others.max()) + 1
    pairs = len(np.unique(codes.astype(np.int64) * different + others))
    enough = different > 1 and len(codes) >= 2 * max(FEW, different)  # fewer may agree by accident
    return enough and pairs == different == len(np.unique(codes))


def _determines(codes: list[Codes], totals: list[Codes], ordered: bool) -> bool:
    """Is f a function of the column? A column with a value of its own per row counts only if in order."""
    pairs = list(zip(codes, totals, strict=True))
    if max(int(beside.max()) for beside in totals) + 1 < FEW:
        return False
    if not all(_tells(own[:SOME], beside[:SOME]) and _tells(own, beside) for own, beside in pairs):
        return False
    if any(2 * _different(own) <= len(own) for own in codes):
        return True
    return ordered and all(_in_order(own, beside) for own, beside in pairs)


def _tells(codes: Codes, totals: Codes) -> bool:
    """Has every value of the column one total beside it?"""
    beside = np.zeros(int(codes.max()) + 1, totals.dtype)
    beside[codes] = totals
    return bool((beside[codes] == totals).all())


def _in_order(codes: Codes, totals: Codes) -> bool:
    return all(_rises_or_falls(codes[part], totals[part]) for part in (slice(SOME), slice(None)))


def _rises_or_falls(codes: Codes, totals: Codes) -> bool:
    steps = np.diff(codes[np.lexsort((codes, totals))])
    back = np.diff(codes[np.lexsort((-codes, totals))])
    return bool((steps >= 0).all() or (back <= 0).all())
