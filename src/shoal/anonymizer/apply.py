"""Apply a recoding to other rows of the same columns; rows that it leaves too alone are suppressed."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from shoal.anonymizer.anonymize import published_ranges, request_of
from shoal.anonymizer.anonymized import Anonymized
from shoal.anonymizer.fit import Fitted, fit
from shoal.anonymizer.labels import filled, fit_labels
from shoal.anonymizer.leaks import leak_faults
from shoal.anonymizer.loss import paid_by, range_losses
from shoal.anonymizer.recode import laid_out, lattice_of
from shoal.anonymizer.recoding import NumberColumn, Recoding, WordColumn
from shoal.anonymizer.registry import Found
from shoal.anonymizer.sets import Sets, label
from shoal.errors import Infeasible, ShoalError
from shoal.methods.diversity import Diversity
from shoal.methods.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.place import Boxes, place
from shoal.methods.ranges import Ints, Ranges
from shoal.policy.hierarchies import HierarchySpec
from shoal.policy.policy import Policy
from shoal.table.categories import Categories, categories_of
from shoal.table.numbers import BEYOND
from shoal.table.table import Table

WHY = "a saved recoding was applied"
LARGEST = 2**63 - 1


def apply_to_table(table: Table, recoding: Recoding, key: Key) -> Anonymized:
    return _by_levels(table, recoding, key) if recoding.levels else _by_classes(table, recoding, key)


def settled_policy(table: Table, recoding: Recoding) -> Policy:
    """The policy with the recoding's own labels for these rows, whatever its rules would give them."""
    written = {
        name: HierarchySpec(
            paths=tuple(map(tuple, saved.hierarchy.over(list(_words(table, recoding, name)), name).paths()))
        )
        for name, saved in recoding.levels.items()
        if saved.hierarchy.rule is not None
    }
    return recoding.policy.model_copy(update={"hierarchies": {**recoding.policy.hierarchies, **written}})


def _words(table: Table, recoding: Recoding, name: str) -> Mapping[str | None, int]:
    return categories_of(filled(table, recoding.policy, name)).stripped_counts()


def _by_levels(table: Table, recoding: Recoding, key: Key) -> Anonymized:
    policy = recoding.policy
    labelled = fit_labels(table, policy, {name: one.hierarchy for name, one in recoding.levels.items()})
    lattice = lattice_of(table, policy, labelled)
    node = lattice.at(tuple(recoding.levels[name].level for name in labelled.names))
    _refuse_too_many(policy, node.suppressed + len(table) - len(labelled), len(table))
    return replace(
        laid_out(table, policy, key, labelled, lattice, Found([node]), recoding.method, WHY), recoding=None
    )


def _refuse_too_many(policy: Policy, suppressed: int, rows: int) -> None:
    if suppressed < rows and suppressed <= policy.method.most_suppressed(rows):
        return
    needed = -(-suppressed * 10_000 // rows) / 10_000
    allow = f"allow --suppression {needed:g}, " if suppressed < rows else ""
    raise Infeasible(
        f"{suppressed:,} of {rows:,} records have no class under this recoding that is large and diverse "
        f"enough, more than the policy lets go ({policy.method.suppression:.4%})",
        f"give more rows at once, {allow}or make a new recoding of these rows with `shoal run`.",
    )


def _by_classes(table: Table, recoding: Recoding, key: Key) -> Anonymized:
    policy = recoding.policy
    fitted = fit(table, policy, recoding.words)
    request = request_of(table, fitted, policy, key)
    if leaks := leak_faults(table, policy, fitted, request.known):
        raise ShoalError(leaks)
    boxes = recoding.boxes()
    placed = place(*_on_one_scale(table, recoding, fitted, boxes), key)
    kept = _passing(placed, request.k, request.diversity)
    suppressed = len(table) - len(kept)
    _refuse_too_many(policy, suppressed, len(table))
    kept = kept[np.argsort(placed[kept], kind="stable")]
    ranges = _ranges(placed[kept], boxes)
    sets = {at: _sets(column, placed[kept]) for at, column in enumerate(recoding.columns)
            if isinstance(column, WordColumn)}  # fmt: skip
    shown = _shown(recoding, fitted, kept, ranges)
    widths, exact = ranges.summary()
    for at, found in sets.items():
        widths[at] = found.width
        exact += int((found.sizes[found.label_of] == 1).sum()) - len(kept)  # words have no ends
    scale = _with_domains(recoding, boxes)
    positions = np.argsort(hash_rows(key, Purpose.SHUFFLE, len(table))[shown.input_rows])
    input_rows = shown.input_rows[positions]
    return Anonymized(
        table=published_ranges(table, policy, shown, ranges, sets, positions, input_rows),
        input_rows=input_rows,
        class_of=ranges.class_of()[positions],
        classes=ranges.classes,
        suppressed=suppressed,
        method=recoding.method,
        why=WHY,
        loss=range_losses(shown, scale, widths, suppressed),
        exact_cells=exact / ranges.low.size,
        paid=paid_by(shown, scale, widths),
        fallen=0.0,
        notes=fitted.notes,
    )


def _on_one_scale(table: Table, recoding: Recoding, fitted: Fitted, boxes: Boxes) -> tuple[Ints, Boxes]:
    """Values and classes in the same units and the same codes."""
    values, low, high = fitted.values.copy(), boxes.low.copy(), boxes.high.copy()
    for at, column in enumerate(recoding.columns):
        if isinstance(column, WordColumn):
            values[:, at] = _codes(fitted.categories[at].words, column.words)[fitted.values[:, at]]
        elif isinstance(column, NumberColumn):
            finest = max(column.scale, fitted.scales[at])
            values[:, at] = _scaled(table, column.name, values[:, at], finest - fitted.scales[at])
            low[:, at] = _scaled(table, column.name, low[:, at], finest - column.scale)
            high[:, at] = _scaled(table, column.name, high[:, at], finest - column.scale)
    return values, replace(boxes, low=low, high=high)


def _scaled(table: Table, name: str, units: Ints, digits: int) -> Ints:
    if int(np.abs(units).max(initial=0)) * 10**digits > LARGEST:
        raise ShoalError([table.fault(name, np.arange(len(table)), BEYOND)])
    return np.asarray(units * 10**digits)


def _codes(words: tuple[str | None, ...], known: tuple[str | None, ...]) -> Ints:
    places = {word: at for at, word in enumerate(known)}
    return np.array([places.get(word, len(known)) for word in words], np.int64)


def _passing(placed: Ints, k: int, diversity: Diversity | None) -> Ints:
    """The rows whose class has k of them, different enough."""
    rows = np.flatnonzero(placed >= 0)
    rows = rows[np.argsort(placed[rows], kind="stable")]
    parts = np.split(rows, np.flatnonzero(np.diff(placed[rows])) + 1)
    staying = [part for part in parts if len(part) >= k and (diversity is None or diversity.holds(part))]
    return np.sort(np.concatenate(staying)) if staying else np.zeros(0, np.int64)


def _ranges(placed: Ints, boxes: Boxes) -> Ranges:
    starts = np.append(np.flatnonzero(np.diff(placed, prepend=-1)), len(placed))
    return Ranges(np.arange(len(placed)), starts, boxes.low[placed], boxes.high[placed])


def _sets(column: WordColumn, placed: Ints) -> Sets:
    labels = tuple(label([column.words[code] for code in codes]) for codes in column.sets)
    return Sets(labels, placed, np.array([len(codes) for codes in column.sets]))


def _shown(recoding: Recoding, fitted: Fitted, kept: NDArray[np.int64], ranges: Ranges) -> Fitted:
    """The rows that stay, on the recoding's own scales and with its own words."""
    scales = [column.scale if isinstance(column, NumberColumn) else 0 for column in recoding.columns]
    words = {at: Categories(np.zeros(0, np.int64), column.words)
             for at, column in enumerate(recoding.columns) if isinstance(column, WordColumn)}  # fmt: skip
    return Fitted(fitted.names, scales, ranges.low, fitted.input_rows[kept], words)


def _with_domains(recoding: Recoding, boxes: Boxes) -> Policy:
    """Losses are measured by what the classes span, which the new rows need not."""
    domains = {}
    for at, column in enumerate(recoding.columns):
        if isinstance(column, NumberColumn):
            ends = int(boxes.low[:, at].min()), int(boxes.high[:, at].max())
            domains[column.name] = tuple(Decimal(end).scaleb(-column.scale) for end in ends)
        elif isinstance(column, WordColumn):
            domains[column.name] = (Decimal(0), Decimal(max(len(column.words) - 1, 1)))
    return recoding.policy.model_copy(update={"domains": domains | recoding.policy.domains})
