"""k-anonymity (Samarati and Sweeney, 1998): every published combination occurs at least k times.

A class is what an attacker can separate: identical published quasi cells. A missing or suppressed
cell is a value of its own and matches only its like. The other reading, in which such a cell
matches anything, is reported beside it.

A policy may ask for ``stars = "any"`` instead: every record matches k records, itself included, where a
star (but no missing cell) matches anything. If that is too costly to decide, it does not hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints
from shoal.kernels.classes import class_numbers, one_of_each
from shoal.policy.model.guarantee import KAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.table import Table
from shoal.verify.attackers import Attacker, classes_of
from shoal.verify.cells.cell_codes import STARRED, CellCodes, cell_codes
from shoal.verify.cells.class_size_summary import ClassSizeSummary
from shoal.verify.cells.column_format import ColumnFormat
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.cells.wildcard import compatible_counts, fewest_compatible
from shoal.verify.verdict import SHOWN_CLASSES, Verdict, smallest_classes, times


@dataclass(frozen=True)
class ClassRepresentatives:
    """A record of every class as it is published, and how many there are: with hidden cells, which may match
    records of any class, all classes have to be seen side by side."""

    cells: pa.Table
    records: Ints

    def joined(self, other: "ClassRepresentatives") -> "ClassRepresentatives":
        cells = pa.concat_tables([self.cells, other.cells])
        return ClassRepresentatives(cells, np.concatenate([self.records, other.records]))


@dataclass(frozen=True)
class KAnonymityMeasure:
    """How large the classes are; ``ways`` are those in which the quasi columns are read."""

    sizes: ClassSizeSummary
    representatives: ClassRepresentatives | None
    ways: Mapping[str, ColumnFormat]

    def joined(self, other: "KAnonymityMeasure") -> "KAnonymityMeasure":
        mine, theirs = self.representatives, other.representatives
        joined = mine.joined(theirs) if mine and theirs else None
        return KAnonymityMeasure(self.sizes.joined(other.sizes), joined, self.ways)


def hidden_quasi(published: PublishedTable, policy: Policy) -> bool:
    """Is any quasi cell suppressed or missing?"""
    return any(cell_codes(published, name).hidden.any() for name in policy.having("quasi"))


def measure_k_anonymity(
    published: PublishedTable, asked: KAnonymity, policy: Policy, attacker: Attacker, hidden: bool
) -> KAnonymityMeasure:
    """Measure the classes that lie in this part; ``hidden`` says whether the table has hidden quasi cells."""
    classes = classes_of(published, attacker, policy)
    records = np.bincount(classes)
    representatives = None
    if hidden or asked.stars == "any":
        cells = published.table.arrow.select(policy.having("quasi"))
        representatives = ClassRepresentatives(cells.take(arrow_from_numpy(one_of_each(classes))), records)
    return KAnonymityMeasure(ClassSizeSummary.of(records, asked.k), representatives, published.ways)


def verdict_k_anonymity(asked: KAnonymity, policy: Policy, found: KAnonymityMeasure) -> Verdict:
    """Judge by the smallest class, and tell the reading in which hidden cells match anything."""
    strict = _strict(asked, found.sizes)
    representatives = found.representatives
    if representatives is None:
        return strict
    classes = PublishedTable(Table(representatives.cells), found.ways)
    columns = [cell_codes(classes, name) for name in policy.having("quasi")]
    records = representatives.records
    verdict = replace(strict, achieved={**strict.achieved, **_other_reading(columns, records)})
    return _where_stars_match(columns, records, asked, verdict) if asked.stars == "any" else verdict


def _strict(asked: KAnonymity, sizes: ClassSizeSummary) -> Verdict:
    k = sizes.least
    sentence = (
        f"Every combination of published quasi values is shared by at least {k:,} records"
        f" ({asked.k:,} were asked for)."
        if k >= asked.k
        else f"{sizes.below:,} records share their published quasi values with fewer than {asked.k:,} "
        f"records; the rarest combination occurs {times(k)}."
    )
    achieved = {"k": k, "classes": sizes.classes, "records_below": sizes.below}
    return Verdict(asked.kind, k >= asked.k, {"k": asked.k}, achieved, sentence, sizes.smallest)


def _other_reading(columns: list[CellCodes], records: Ints) -> dict[str, int | None]:
    """What k would be if hidden cells matched anything: reported, never relied on."""
    if not any(column.hidden.any() for column in columns):
        return {}
    hidden = np.column_stack([column.hidden > 0 for column in columns])
    codes = np.column_stack([column.codes for column in columns])
    return {"k_wildcard": fewest_compatible(codes, hidden, records)}


def _where_stars_match(
    columns: list[CellCodes], records: Ints, asked: KAnonymity, strict: Verdict
) -> Verdict:
    """The verdict under the reading in which a star matches anything."""
    codes = np.column_stack([class_numbers([column.codes]) for column in columns])
    matched = compatible_counts(
        codes, np.column_stack([column.hidden == STARRED for column in columns]), records
    )
    k = None if matched is None else int(matched.min())
    below = None if matched is None else int(records[matched < asked.k].sum())
    sentence = (
        "Whether every record matches enough records, where a star matches anything, is too costly to decide."
        if k is None
        else f"Every record matches at least {k:,} records ({asked.k:,} were asked for), where a star "
        f"matches anything; counted as values of their own, the rarest combination occurs "
        f"{times(strict.achieved['k'])}."
        if k >= asked.k
        else f"{below:,} records match fewer than {asked.k:,} records even where a star matches anything; "
        f"the fewest is {k:,}."
    )
    worst = (
        () if matched is None else smallest_classes(np.repeat(matched, np.minimum(records, SHOWN_CLASSES)))
    )
    return replace(
        strict,
        holds=k is not None and k >= asked.k,
        asked={"k": asked.k, "stars": asked.stars},
        achieved={**strict.achieved, "k_any": k, "records_below": below},
        sentence=sentence,
        worst=worst,
    )
