"""Classes of similar records, and the means, medians and modes that they show.

A method forms groups of at least k records; groups that fall short of the other guarantees are merged with
near ones. Groups that would show the same cells are one class for whoever reads them, so they are merged
too, and judged again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.anonymizer.choose import Choice
from shoal.anonymizer.means.mean_columns import MeanCells, MeanColumns
from shoal.anonymizer.registry import METHODS, AverageRequest
from shoal.arrays import Ints
from shoal.errors import Infeasible
from shoal.kernels.codes import dense_codes
from shoal.methods.means.coprime_groups import coprime_groups, dissolve_group
from shoal.methods.means.kpqr import kpqr
from shoal.methods.means.sse import information_loss
from shoal.policy.model.policy import Policy

MOST_FOR_BOTH = 200_000
MOST_DISSOLVED = 10  # groups, so that those of other sizes can keep the totals


@dataclass(frozen=True)
class MeanClasses:
    """The class of every record that stays, and what it shows in every quasi column."""

    class_of: Ints
    cells: list[MeanCells]
    loss: float  # 100 SSE / SST

    def __len__(self) -> int:
        return len(self.cells[0].numbers)

    def moved(self, keys: MeanColumns) -> dict[str, bool]:
        """The columns in which some means lie far from the true ones."""
        pairs = zip(keys.columns, self.cells, strict=True)
        return {column.name: shown.moved for column, shown in pairs}


def mean_classes(keys: MeanColumns, policy: Policy, request: AverageRequest, choice: Choice) -> MeanClasses:
    """Groups that keep every guarantee, no two of which show the same.

    Those that show the same are merged for good: there are fewer in every round, so there is a last one.
    """
    groups, again = choice.method.run(request), False
    request.on_progress(1.0, f"{choice.method.name}: groups that fall short are merged and improved")
    while True:
        found = _groups_for(request, groups, only_merge=again)
        if found is None:
            raise Infeasible(
                "the guarantees together cannot be kept, not even by the whole table as one class",
                "ask for less of one of them.",
            )
        found, shown = _groups_and_cells(keys, policy, request, found, only_merge=again)
        classes = dense_codes([np.unique(column.numbers, return_inverse=True)[1] for column in shown])
        if int(classes.max()) + 1 == len(classes):
            return MeanClasses(found, shown, information_loss(request.points, found))
        groups, again = classes[found], True


def _groups_and_cells(
    keys: MeanColumns, policy: Policy, request: AverageRequest, groups: Ints, only_merge: bool
) -> tuple[Ints, list[MeanCells]]:
    """What the groups show; where totals are to be kept and cannot be, or only by means far from the true
    ones, groups of other sizes are tried."""
    found: dict[int, tuple[Ints, list[MeanCells]]] = {}
    failing: set[str] = set()
    for changed in _of_other_sizes(request, groups, only_merge):
        shown = [column.mean_cells(changed, policy) for column in keys.columns]
        there = [column for column in shown if column is not None]
        pairs = zip(keys.columns, shown, strict=True)
        failing |= {repr(column.name) for column, told in pairs if told is None}
        if len(there) == len(shown):
            found.setdefault(sum(column.moved for column in there), (changed, there))
        if 0 in found:
            return found[0]
    if not found:
        raise Infeasible(
            f"with classes of these sizes whole means cannot keep the total of {', '.join(sorted(failing))}",
            "leave these columns out of totals (totals = [...] names those that it is for): means with "
            "decimals keep totals up to rounding; or try another k.",
        )
    return found[min(found)]


def _of_other_sizes(request: AverageRequest, groups: Ints, only_merge: bool) -> Iterator[Ints]:
    """These groups, then some that keep every guarantee too and have more and more different sizes."""
    yield groups
    varied = groups
    for outside in np.linspace(0, 1, MOST_DISSOLVED).tolist():
        changed = dissolve_group(request.points, varied, request.k, outside)
        changed = None if changed is None else _groups_for(request, changed, only_merge)
        if changed is None:
            break
        yield (varied := changed)
    coprime = coprime_groups(request.points, groups, request.k)
    coprime = None if coprime is None else _groups_for(request, coprime, only_merge)
    if coprime is not None:
        yield coprime


def _groups_for(request: AverageRequest, groups: Ints, only_merge: bool) -> Ints | None:
    asked = request.diversity, request.confidential
    return kpqr(request.points, request.k, *asked, groups, only_merge)


@dataclass(frozen=True)
class BetterClasses:
    """The classes of the method that loses less of two, and what the other would lose, if it can do."""

    choice: Choice
    classes: MeanClasses
    other_loss: float | None


def better_classes(keys: MeanColumns, policy: Policy, request: AverageRequest) -> BetterClasses:
    """Both ways to (k,p,q,r): the one that loses less, and what the other would lose. The printed one takes
    time with the square of the records, so it is not tried on very many."""
    rows = {row.name: row for row in METHODS}
    tried, refused = {}, Infeasible("")
    for name in ("kpqr", "kpqr-paper")[: 1 if len(keys) > MOST_FOR_BOTH else 2]:
        try:
            tried[name] = mean_classes(keys, policy, request, Choice(rows[name], ""))
        except Infeasible as error:
            refused = error
    if not tried:
        raise refused
    best, *others = sorted(tried, key=lambda name: tried[name].loss)
    if not others:
        why = "the other way to (k,p,q,r) cannot keep the totals, or would take too long on so many records"
        return BetterClasses(Choice(rows[best], why), tried[best], None)
    lost = tried[others[0]].loss
    why = f"100 SSE / SST is {tried[best].loss:.4g} with it, and {lost:.4g} with {others[0]}"
    return BetterClasses(Choice(rows[best], why), tried[best], lost)
