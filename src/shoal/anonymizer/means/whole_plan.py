"""Microaggregation: classes of similar records show the means, medians and modes of their quasi values.

A method forms groups of at least k records; groups that fall short of the other guarantees are merged with
near ones. Groups that would show the same cells are one class for whoever reads them, so they are merged
too, and judged again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal.anonymizer.anonymized_table import AnonymizedTable
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.means.fit_columns import fit_mean_columns
from shoal.anonymizer.means.mean_columns import AxisColumn as Column
from shoal.anonymizer.means.mean_columns import LineColumn, MeanCells, MeanColumns
from shoal.anonymizer.registry import METHODS, AverageRequest
from shoal.anonymizer.sensitive.confidential_columns import confidential_columns, rarity_notes
from shoal.anonymizer.sensitive.method_diversity import method_diversity
from shoal.arrays import Floats, Ints
from shoal.errors import Infeasible
from shoal.kernels.codes import dense_codes
from shoal.kernels.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.diversity import Diversity
from shoal.methods.means.coprime_groups import coprime_groups, dissolve_group
from shoal.methods.means.kpqr import kpqr
from shoal.methods.means.linkage import linkage_shares
from shoal.methods.means.sse import information_loss
from shoal.policy.model.policy import Policy
from shoal.table.columns.bridge import arrow_from_numpy
from shoal.table.table import Table

Progress = Callable[[float, str], None]
MOST_FOR_BOTH = 200_000
MOST_DISSOLVED = 10  # groups, so that those of other sizes can keep the totals


@dataclass(frozen=True)
class MeanClasses:
    """The class of every record that stays, and what it shows in every quasi column."""

    class_of: Ints
    shown: list[MeanCells]
    loss: float  # 100 SSE / SST

    def __len__(self) -> int:
        return len(self.shown[0].numbers)

    def moved(self, keys: MeanColumns) -> dict[str, bool]:
        """The columns in which some means lie far from the true ones."""
        pairs = zip(keys.columns, self.shown, strict=True)
        return {column.name: shown.moved for column, shown in pairs}


def average_table(
    table: Table, policy: Policy, key: Key, choice: Choice, on_progress: Progress
) -> AnonymizedTable:
    keys = fit_mean_columns(table, policy)
    points = keys.points(policy)
    request = AverageRequest(
        points=points,
        k=smallest_class(policy),
        key=key,
        diversity=method_diversity(table, policy, keys.input_rows) or Diversity.none(len(keys)),
        confidential=confidential_columns(table, policy, keys.input_rows),
        options=dict(policy.method.options),
        on_progress=on_progress,
    )
    if policy.method.name != "auto":
        made = _laid_out(table, policy, key, keys, mean_classes(keys, policy, request, choice), choice)
    else:
        made = _better_one(table, policy, key, keys, request)
    return replace(made, notes=(*made.notes, *rarity_notes(policy, request.confidential)))


def _better_one(
    table: Table, policy: Policy, key: Key, keys: MeanColumns, request: AverageRequest
) -> AnonymizedTable:
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
        return _laid_out(table, policy, key, keys, tried[best], Choice(rows[best], why))
    lost = tried[others[0]].loss
    why = f"100 SSE / SST is {tried[best].loss:.4g} with it, and {lost:.4g} with {others[0]}"
    made = _laid_out(table, policy, key, keys, tried[best], Choice(rows[best], why))
    return replace(made, loss=made.loss | {"sse_sst_other": lost})


def mean_classes(keys: MeanColumns, policy: Policy, request: AverageRequest, choice: Choice) -> MeanClasses:
    """Groups that keep every guarantee, no two of which show the same.

    Those that show the same are merged for good: there are fewer in every round, so there is a last one.
    """
    assert choice.method.average is not None  # noqa: S101 - it was chosen for that
    groups, again = choice.method.average(request), False
    request.on_progress(1.0, f"{choice.method.name}: groups that fall short are merged and improved")
    while True:
        found = _settled(request, groups, only_merge=again)
        if found is None:
            raise Infeasible(
                "the guarantees together cannot be kept, not even by the whole table as one class",
                "ask for less of one of them.",
            )
        found, shown = _shown(keys, policy, request, found, only_merge=again)
        classes = dense_codes([np.unique(column.numbers, return_inverse=True)[1] for column in shown])
        if int(classes.max()) + 1 == len(classes):
            return MeanClasses(found, shown, information_loss(request.points, found))
        groups, again = classes[found], True


def _shown(
    keys: MeanColumns, policy: Policy, request: AverageRequest, groups: Ints, only_merge: bool
) -> tuple[Ints, list[MeanCells]]:
    """What the groups show; where totals are to be kept and cannot be, or only by means far from the true
    ones, groups of other sizes are tried."""
    found: dict[int, tuple[Ints, list[MeanCells]]] = {}
    failing: set[str] = set()
    for changed in _of_other_sizes(request, groups, only_merge):
        shown = [column.shown(changed, policy) for column in keys.columns]
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
        changed = None if changed is None else _settled(request, changed, only_merge)
        if changed is None:
            break
        yield (varied := changed)
    coprime = coprime_groups(request.points, groups, request.k)
    coprime = None if coprime is None else _settled(request, coprime, only_merge)
    if coprime is not None:
        yield coprime


def _settled(request: AverageRequest, groups: Ints, only_merge: bool) -> Ints | None:
    asked = request.diversity, request.confidential
    return kpqr(request.points, request.k, *asked, groups, only_merge)


def _laid_out(
    table: Table, policy: Policy, key: Key, keys: MeanColumns, classes: MeanClasses, choice: Choice
) -> AnonymizedTable:
    positions = np.argsort(hash_rows(key, Purpose.SHUFFLE, len(table))[keys.input_rows])
    input_rows, class_of = keys.input_rows[positions], classes.class_of[positions]
    own, of_class = arrow_from_numpy(input_rows), arrow_from_numpy(class_of)
    quasi = {column.name: shown.cells.take(of_class)
             for column, shown in zip(keys.columns, classes.shown, strict=True)}  # fmt: skip
    published = {
        name: quasi[name] if name in quasi else table.column(name).take(own)
        for name in table.names
        if policy.publishes(name)
    }
    spread = Spread.of(keys, policy, classes.class_of)
    suppressed = len(table) - len(keys)
    return AnonymizedTable(
        table=pa.Table.from_arrays(list(published.values()), names=list(published)),
        input_rows=input_rows,
        class_of=class_of,
        classes=len(classes),
        suppressed=suppressed,
        method=choice.method.name,
        why=choice.why,
        loss={"sse_sst": classes.loss}
        | spread.losses(suppressed)
        | {"average_class": len(keys) / len(classes)},
        exact_cells=spread.exact_cells,
        paid=spread.paid(),
        fallen=0.0,
        notes=(*keys.notes, *mean_notes(policy, classes.moved(keys), len(keys), len(classes), suppressed)),
        linkage=lambda: linkage_shares(
            keys.points(policy), keys.points(policy, classes.shown), classes.class_of
        ),
    )


def mean_notes(
    policy: Policy, moved: dict[str, bool], records: int, classes: int, suppressed: int
) -> list[str]:
    """What a recipient of means should know: where they are of little use or far from the truth, and that
    preserved totals tell what left. ``moved`` are the quasi columns, and which have means far from it."""
    notes = []
    if classes == 1 and records > 2 * smallest_class(policy):
        notes.append(
            "all records are one class, so every quasi column shows one value: ask for less (a larger t, a "
            'smaller r or p), or for numbers use distance = "ordered"'
        )
    if far := [repr(name) for name, some in moved.items() if some]:
        notes.append(
            f"to keep the totals, some means of {', '.join(far)} lie more than a unit of the last decimal "
            "beside the true ones"
        )
    if suppressed:
        exactly = all(policy.keeps_total(name) for name in moved)
        kept = "exactly" if exactly else "up to rounding"
        notes.append(
            f"{suppressed:,} records were left out, and the means keep the totals of the others {kept}: "
            "whoever knows the totals of all records can tell what those that left add up to"
        )
    return notes


@dataclass(frozen=True)
class Spread:
    """How far the original values of a class lie apart, as shares of each column's span (NCP)."""

    columns: list[Column]
    policy: Policy
    widths: Floats  # per column, summed over records
    exact: int  # cells in classes whose values are all equal
    rows: int

    @classmethod
    def of(cls, keys: MeanColumns, policy: Policy, class_of: Ints) -> "Spread":
        order = np.argsort(class_of, kind="stable")
        starts = np.flatnonzero(np.diff(class_of[order], prepend=-1))
        sizes = np.bincount(class_of)
        spreads = [column.spreads(class_of, order, starts) for column in keys.columns]
        widths = np.array([float(spread @ sizes) for spread in spreads])
        exact = sum(int(sizes[spread == 0].sum()) for spread in spreads)
        return cls(keys.columns, policy, widths, exact, len(class_of))

    @property
    def by_column(self) -> Floats:
        """Mean over records, as a share of the column's span."""
        spans = np.array([column.span(self.policy) for column in self.columns])
        return np.asarray(self.widths / self.rows / spans)

    @property
    def common(self) -> float:
        """The same for all columns by their common domain, where all are numbers."""
        lines = [column for column in self.columns if isinstance(column, LineColumn) and not column.is_date]
        if len(lines) < len(self.columns):
            return float(self.by_column.mean())
        ends = [column.ends(self.policy) for column in lines]
        widest = max(high for _, high in ends) - min(low for low, _ in ends) or 1.0
        return float((self.widths / self.rows).mean() / widest)

    @property
    def exact_cells(self) -> float:
        return self.exact / (self.rows * len(self.columns))

    def losses(self, suppressed: int) -> dict[str, float]:
        """A record that left has lost everything."""
        share = suppressed / (self.rows + suppressed)
        return {
            "ncp": self.common * (1 - share) + share,
            "ncp_range": float(self.by_column.mean()) * (1 - share) + share,
        }

    def paid(self) -> dict[str, float]:
        shares = self.by_column
        total = float(shares.sum()) or 1.0
        return {column.name: float(share / total)
                for column, share in zip(self.columns, shares, strict=True)}  # fmt: skip
