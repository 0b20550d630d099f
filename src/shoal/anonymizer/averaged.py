"""Microaggregation: classes of similar records show the means, medians and modes of their quasi values.

A method forms groups of at least k records; groups that fall short of the other guarantees are merged with
near ones. Groups that would show the same cells are one class for whoever reads them, so they are merged
too, and judged again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal.anonymizer.anonymized import Anonymized
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.diversity import method_diversity
from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.fit_keys import fit_keys
from shoal.anonymizer.keys import Floats, Keys, LineKey, Shown
from shoal.anonymizer.rarity import confidential_columns
from shoal.anonymizer.registry import METHODS, AverageRequest
from shoal.errors import Infeasible
from shoal.methods.codes import numbered
from shoal.methods.coprime_groups import coprime_groups
from shoal.methods.diversity import Diversity
from shoal.methods.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.kpqr import kpqr
from shoal.methods.linkage import linked
from shoal.methods.ranges import Ints
from shoal.methods.sse import information_loss
from shoal.policy.policy import Policy
from shoal.table.bridge import arrow_from_numpy
from shoal.table.table import Table

Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class Classes:
    """The class of every record that stays, and what it shows in every quasi column."""

    class_of: Ints
    shown: list[Shown]
    loss: float  # 100 SSE / SST

    def __len__(self) -> int:
        return len(self.shown[0].numbers)


def average_table(
    table: Table, policy: Policy, key: Key, choice: Choice, on_progress: Progress
) -> Anonymized:
    keys = fit_keys(table, policy)
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
        return _laid_out(table, policy, key, keys, _classes(keys, policy, request, choice), choice)
    return _better_one(table, policy, key, keys, request)


def _better_one(table: Table, policy: Policy, key: Key, keys: Keys, request: AverageRequest) -> Anonymized:
    """Both ways to (k,p,q,r): the one that loses less, and what the other would lose if it can."""
    rows = {row.name: row for row in METHODS}
    tried, refused = {}, []
    for name in ("kpqr", "kpqr-paper"):
        try:
            tried[name] = _classes(keys, policy, request, Choice(rows[name], ""))
        except Infeasible as error:
            refused.append(error)
    if not tried:
        raise refused[0]
    best, *others = sorted(tried, key=lambda name: tried[name].loss)
    if not others:
        why = "the other method for rare values cannot keep the totals here"
        return _laid_out(table, policy, key, keys, tried[best], Choice(rows[best], why))
    other = others[0]
    why = f"100 SSE / SST is {tried[best].loss:.4g} with it, and {tried[other].loss:.4g} with {other}"
    made = _laid_out(table, policy, key, keys, tried[best], Choice(rows[best], why))
    return replace(made, loss=made.loss | {"sse_sst_other": tried[other].loss})


def _classes(keys: Keys, policy: Policy, request: AverageRequest, choice: Choice) -> Classes:
    """Groups that keep every guarantee, no two of which show the same.

    Those that show the same are merged for good: there are fewer in every round, so there is a last one.
    """
    assert choice.method.average is not None  # noqa: S101 - it was chosen for that
    groups, again = choice.method.average(request), False
    while True:
        found = _kept(request, groups, only_merge=again)
        if found is None:
            raise Infeasible(
                "the guarantees together cannot be kept, not even by the whole table as one class",
                "ask for less of one of them.",
            )
        found, shown = _shown(keys, policy, request, found, only_merge=again)
        classes = numbered([np.unique(column.numbers, return_inverse=True)[1] for column in shown])
        if int(classes.max()) + 1 == len(classes):
            return Classes(found, shown, information_loss(request.points, found))
        groups, again = classes[found], True


def _kept(request: AverageRequest, groups: Ints, only_merge: bool) -> Ints | None:
    asked = request.diversity, request.confidential
    return kpqr(request.points, request.k, *asked, groups, only_merge)


def _shown(
    keys: Keys, policy: Policy, request: AverageRequest, groups: Ints, only_merge: bool
) -> tuple[Ints, list[Shown]]:
    """What the groups show; where that cannot keep the totals, groups of other sizes do."""
    shown = [column.shown(groups, policy) for column in keys.columns]
    if all(column is not None for column in shown):
        return groups, [column for column in shown if column is not None]
    changed = coprime_groups(request.points, groups, request.k)
    if changed is not None:
        changed = _kept(request, changed, only_merge)
    shown = [] if changed is None else [column.shown(changed, policy) for column in keys.columns]
    if changed is None or not all(column is not None for column in shown):
        raise Infeasible(
            "with classes of these sizes whole means cannot keep the totals of all columns",
            "ask for another k, or leave totals out: means with decimals keep them up to rounding.",
        )
    return changed, [column for column in shown if column is not None]


def _laid_out(
    table: Table, policy: Policy, key: Key, keys: Keys, classes: Classes, choice: Choice
) -> Anonymized:
    positions = np.argsort(hash_rows(key, Purpose.SHUFFLE, len(table))[keys.input_rows])
    input_rows, class_of = keys.input_rows[positions], classes.class_of[positions]
    own, of_class = arrow_from_numpy(input_rows), arrow_from_numpy(class_of)
    quasi = {column.name: shown.cells.take(of_class)
             for column, shown in zip(keys.columns, classes.shown, strict=True)}  # fmt: skip
    published = {
        name: quasi[name] if name in quasi else table.column(name).take(own)
        for name in table.names
        if policy.columns[name] != "identifier"
    }
    spread = _Spread.of(keys, policy, classes.class_of)
    suppressed = len(table) - len(keys)
    return Anonymized(
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
        exact_cells=spread.exact,
        paid=spread.paid(),
        fallen=0.0,
        notes=(*keys.notes, *_notes(policy, keys, classes, suppressed)),
        linkage=lambda: linked(keys.points(policy), keys.points(policy, classes.shown), classes.class_of),
    )


def _notes(policy: Policy, keys: Keys, classes: Classes, suppressed: int) -> list[str]:
    """Where totals cost accuracy, and that preserved totals tell what left."""
    notes = []
    pairs = zip(keys.columns, classes.shown, strict=True)
    if moved := [repr(column.name) for column, shown in pairs if shown.moved]:
        notes.append(
            f"to keep the totals, some means of {', '.join(moved)} lie more than a unit of the last decimal "
            "beside the true ones"
        )
    if suppressed:
        kept = "exactly" if policy.method.options.get("totals") else "up to rounding"
        notes.append(
            f"{suppressed:,} records were left out, and the means keep the totals of the others {kept}: "
            "whoever knows the totals of all records can tell what those that left add up to"
        )
    return notes


@dataclass(frozen=True)
class _Spread:
    """How far the original values of a class lie apart, as shares of each column's span (NCP)."""

    names: list[str]
    by_column: Floats  # mean over records
    common: float  # the same for all columns by their common domain, where all are numbers
    exact: float  # share of cells in classes whose values are all equal
    rows: int

    @classmethod
    def of(cls, keys: Keys, policy: Policy, class_of: Ints) -> "_Spread":
        order = np.argsort(class_of, kind="stable")
        starts = np.flatnonzero(np.diff(class_of[order], prepend=-1))
        sizes = np.bincount(class_of)
        spreads = [column.spreads(class_of, order, starts) for column in keys.columns]
        by_column = np.array([float(spread @ sizes) for spread in spreads]) / len(class_of)
        spans = np.array([column.span(policy) for column in keys.columns])
        shares = by_column / spans
        common = float(shares.mean())
        lines = [column for column in keys.columns if isinstance(column, LineKey) and not column.is_date]
        if len(lines) == len(keys.columns):
            ends = [column.ends(policy) for column in lines]
            widest = max(high for _, high in ends) - min(low for low, _ in ends) or 1.0
            common = float(by_column.mean() / widest)
        exact = float(np.mean([sizes[spread == 0].sum() for spread in spreads])) / len(class_of)
        return cls([column.name for column in keys.columns], shares, common, exact, len(class_of))

    def losses(self, suppressed: int) -> dict[str, float]:
        """A record that left has lost everything."""
        share = suppressed / (self.rows + suppressed)
        return {
            "ncp": self.common * (1 - share) + share,
            "ncp_range": float(self.by_column.mean()) * (1 - share) + share,
        }

    def paid(self) -> dict[str, float]:
        total = float(self.by_column.sum()) or 1.0
        return dict(zip(self.names, (self.by_column / total).tolist(), strict=True))
