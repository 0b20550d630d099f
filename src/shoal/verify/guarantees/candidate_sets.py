"""The sets of records that somebody may hold who knows an aggregate up to a share."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.policy.model.guarantee import KfAnonymity
from shoal.policy.model.policy import Policy
from shoal.verify.aggregate.band import candidate_counts
from shoal.verify.aggregate.image import Image
from shoal.verify.attackers import Attacker
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.guarantees.kf_anonymity import (
    aggregate_cells,
    aggregate_images,
    exact_ends,
    has_centred_band,
)


@dataclass(frozen=True)
class CandidateSets:
    """F of every record and the number of its sensitive value: whoever knows f up to a share may hold any of
    them together. Sixteen to 24 bytes a record, all of which meet in one place."""

    ends: Image
    values: Ints
    share: Fraction

    @classmethod
    def of(
        cls,
        published: PublishedTable,
        attacker: Attacker,
        policy: Policy,
        values: Ints,
        starred: Bools,
        *more: Any,
    ) -> Self | None:
        """The sets that an attacker may hold; None where these are whole classes, or where stars hide what is
        in them. ``more`` are the further fields of a class of its own."""
        if not isinstance(attacker, KfAnonymity) or not has_centred_band(attacker) or starred.any():
            return None
        known, suppressed = aggregate_cells(published, attacker, policy)
        if suppressed.any():
            return None
        return cls(aggregate_images(attacker, known), values, Fraction(attacker.within or 0), *more)

    def joined(self, other: Self) -> Self:
        values = np.concatenate([self.values, other.values])
        return replace(self, ends=self.ends.append(other.ends), values=values)

    def counts(self) -> Iterator[Ints]:
        """How often each value occurs in each set, some of the sets at a time."""
        return candidate_counts(*exact_ends(self.ends), self.share, self.values)
