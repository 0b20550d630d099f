"""k-anonymity (Samarati and Sweeney, 1998): every published combination occurs at least k times.

A class is what an attacker can separate: identical published quasi cells. A missing or suppressed
cell is a value of its own and matches only its like. The other reading, in which such a cell
matches anything, is reported beside it.

A policy may ask for ``stars = "any"`` instead: every record matches k records, itself included, where a
star (but no missing cell) matches anything. If that is too costly to decide, it does not hold.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.policy.guarantee import KAnonymity
from shoal.policy.policy import Policy
from shoal.verify.attackers import classes_of
from shoal.verify.cells import Published
from shoal.verify.classes import class_numbers, one_of_each
from shoal.verify.comparable import Comparable, comparable
from shoal.verify.verdict import Verdict, smallest_classes, times
from shoal.verify.wildcard import compatible, fewest_compatible

STARRED = 1


def verify_k_anonymity(published: Published, asked: KAnonymity, policy: Policy) -> Verdict:
    columns = [comparable(published, name) for name in policy.having("quasi")]
    classes = classes_of(published, asked, policy)
    sizes = np.bincount(classes)
    k = int(sizes.min())
    below = int(sizes[sizes < asked.k].sum())
    sentence = (
        f"Every combination of published quasi values is shared by at least {k:,} records"
        f" ({asked.k:,} were asked for)."
        if k >= asked.k
        else f"{below:,} records share their published quasi values with fewer than {asked.k:,} "
        f"records; the rarest combination occurs {times(k)}."
    )
    verdict = Verdict(
        kind=asked.kind,
        holds=k >= asked.k,
        asked={"k": asked.k},
        achieved={"k": k, "classes": len(sizes), "records_below": below, **_other_reading(columns, classes)},
        sentence=sentence,
        worst=smallest_classes(sizes),
    )
    return _where_stars_match(columns, asked, verdict) if asked.stars == "any" else verdict


def _other_reading(columns: list[Comparable], classes: NDArray[np.int64]) -> dict[str, int | None]:
    """What k would be if hidden cells matched anything: reported, never relied on."""
    if not any(column.hidden.any() for column in columns):
        return {}
    shown = one_of_each(classes)
    hidden = np.column_stack([column.hidden[shown] > 0 for column in columns])
    codes = np.column_stack([column.codes[shown] for column in columns])
    return {"k_wildcard": fewest_compatible(codes, hidden, np.bincount(classes))}


def _where_stars_match(columns: list[Comparable], asked: KAnonymity, strict: Verdict) -> Verdict:
    """The verdict under the reading in which a star matches anything."""
    codes = np.column_stack([class_numbers([column.codes]) for column in columns])
    matched = compatible(codes, np.column_stack([column.hidden == STARRED for column in columns]))
    k = None if matched is None else int(matched.min())
    below = None if matched is None else int((matched < asked.k).sum())
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
    return replace(
        strict,
        holds=k is not None and k >= asked.k,
        asked={"k": asked.k, "stars": asked.stars},
        achieved={**strict.achieved, "k_any": k, "records_below": below},
        sentence=sentence,
        worst=() if matched is None else smallest_classes(matched),
    )
