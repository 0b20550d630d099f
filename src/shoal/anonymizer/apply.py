"""Apply a recoding to other rows of the same columns; rows that it leaves too alone are suppressed."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from shoal.anonymizer.anonymized_table import AnonymizedTable
from shoal.anonymizer.choose import method_faults
from shoal.anonymizer.fit import refuse_leaving, smallest_class
from shoal.anonymizer.gather import gather
from shoal.anonymizer.leaf_matrix import column_with_zeros, column_words
from shoal.anonymizer.levels.leaf_records import leaf_records
from shoal.anonymizer.levels.level_figures import level_figures
from shoal.anonymizer.levels.level_search import classes_at, lattice_of
from shoal.anonymizer.levels.plan import PublishedLevels, publish_levels
from shoal.anonymizer.local.local_columns import LocalCells, LocalColumns, LocalNumbers, LocalWords
from shoal.anonymizer.local.local_facts import local_facts
from shoal.anonymizer.local.local_loss import local_figures
from shoal.anonymizer.local.plan import class_rows
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows
from shoal.anonymizer.parts.staging import stage_rows
from shoal.anonymizer.parts.table_facts import drop_leaving_rows, summarize_columns
from shoal.anonymizer.recoding import LabelColumn, NumberColumn, Recoding, RecodingColumn, WordColumn
from shoal.anonymizer.registry import SearchResult
from shoal.anonymizer.sensitive.method_diversity import method_diversity
from shoal.arrays import Ints
from shoal.engines.memory.rows import MemoryRows
from shoal.engines.steps.gather_rows import gather_rows
from shoal.errors import Fault, Infeasible, ShoalError
from shoal.kernels.keyed_hash import Key
from shoal.methods.boxes.place_rows import Boxes, place_rows
from shoal.methods.diversity import Diversity
from shoal.methods.ranges import Ranges
from shoal.policy.model.column_faults import column_faults
from shoal.policy.model.hierarchy_spec import HierarchySpec
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.categories import categories_of
from shoal.table.columns.numbered_rows import ids_of, matrix_of
from shoal.table.columns.numbers import BEYOND
from shoal.table.columns.word_set import cell_of
from shoal.table.table import Table

WHY = "a saved recoding was applied"
LARGEST = 2**63 - 1
NOWHERE = (1, 0)  # a range without a value


def apply_to_table(table: Table, recoding: Recoding, key: Key) -> AnonymizedTable:
    """Recode the rows of a table by the levels or the classes that a method found on another one."""
    policy = recoding.policy
    if faults := column_faults(policy, table.names) + method_faults(policy):
        raise ShoalError(faults)
    return _by_levels(table, recoding, key) if recoding.levels else _by_classes(table, recoding, key)


def policy_with_recoding_labels(table: Table, recoding: Recoding) -> Policy:
    """The policy with the recoding's own labels for these rows, whatever its rules would give them."""
    written = {
        name: HierarchySpec(
            paths=tuple(map(tuple, saved.over(list(_words(table, recoding, name)), name).paths()))
        )
        for name, saved in recoding.hierarchies.items()
        if name in recoding.policy.hierarchies
    }
    return recoding.policy.model_copy(update={"hierarchies": {**recoding.policy.hierarchies, **written}})


def _words(table: Table, recoding: Recoding, name: str) -> Mapping[str | None, int]:
    return categories_of(column_with_zeros(table, recoding.policy, name)).word_counts()


def _by_levels(table: Table, recoding: Recoding, key: Key) -> AnonymizedTable:
    policy, rows = recoding.policy, MemoryRows.of(table)
    saved = {name: one.hierarchy for name, one in recoding.levels.items()}
    every = leaf_records(rows, policy, saved)
    leaves = every.leaves
    leaving = {name: True for name in leaves.names if policy.missing_counts.get(name) == "suppress"}
    refuse_leaving(policy, len(table), len(drop_leaving_rows(leaving, rows.table)))
    found, labelled = every.labelled(())
    gone = len(table) - len(labelled)
    if gone == len(table):
        _refuse_too_many(table, recoding, gone)
    lattice = lattice_of(found, policy, labelled, len(table))
    levels = tuple(recoding.levels[name].level for name in labelled.names)
    node = lattice.at(levels, max(policy.method.most_suppressed(len(table)) - gone, 0))
    if node.suppressed > node.limit:
        node = lattice.at(levels)
    _refuse_too_many(table, recoding, node.suppressed + gone)
    figures = level_figures(policy, labelled, lattice, SearchResult([node]), len(table), recoding.method, WHY)
    shown = PublishedLevels.of(leaves, labelled, levels, classes_at(lattice, node)[0])
    return gather(publish_levels(rows, shown, figures, key), key)


def _refuse_too_many(table: Table, recoding: Recoding, suppressed: int) -> None:
    policy, rows = recoding.policy, len(table)
    if suppressed < rows and suppressed <= policy.method.most_suppressed(rows):
        return
    needed = -(-suppressed * 10_000 // rows) / 10_000
    allow = f"allow --suppression {needed:g}, " if suppressed < rows else ""
    what = (
        f"{suppressed:,} of {rows:,} records have no class under this recoding that is large and diverse "
        f"enough, more than the policy lets go ({100 * policy.method.suppression:g} %)"
    )
    hint = f"give more rows at once, {allow}or make a new recoding of these rows with `shoal run`."
    raise Infeasible([Fault(what, hint), *_unlabelled(table, recoding)])


def _unlabelled(table: Table, recoding: Recoding) -> list[Fault]:
    """Values that are new since the recoding was made, and that it cannot label: their records are left out,
    and more rows would not help them."""
    hint = "the recoding was made without these values: make a new one of rows that have them."
    faults = list[Fault]()
    for name, saved in recoding.hierarchies.items():
        words = column_words(table, recoding.policy, name)
        hierarchy = saved.over(list(words.words), name)
        of_word = hierarchy.codes(words.words)
        if len(rows := np.flatnonzero(of_word[words.codes] < 0)):
            faults.append(table.fault(name, rows, "new values, for which the recoding has no label", hint))
    return faults


def _by_classes(table: Table, recoding: Recoding, key: Key) -> AnonymizedTable:
    policy, rows = recoding.policy, MemoryRows.of(table)
    found = local_facts(rows, policy, summarize_columns(rows, policy), recoding.hierarchies)
    staged = gather_rows(stage_rows(rows, found.facts))
    known = (matrix_of(staged, list(found.facts.words)) >= 0).all(axis=1)
    staged = staged.take(arrow_from_numpy(np.flatnonzero(known)))
    local, input_rows = found.part(staged), ids_of(staged)
    diversity = method_diversity(table, policy, input_rows, may_leave=policy.method.suppression > 0)
    placed = place_rows(*_on_one_scale(table, recoding, local), key)
    kept = _passing(placed, smallest_class(policy), diversity)
    _refuse_too_many(table, recoding, len(table) - len(kept))
    kept = kept[np.argsort(placed[kept], kind="stable")]
    ranges = _ranges(recoding, placed[kept])
    columns = [
        _with_class_span(saved, column) for saved, column in zip(recoding.columns, local.columns, strict=True)
    ]
    shown = LocalColumns(columns, ranges.low, local.notes)
    of_class = placed[kept][ranges.starts[:-1]]
    cells = [_cells(saved, columns[at], ranges, at, of_class, policy)
             for at, saved in enumerate(recoding.columns)]  # fmt: skip
    staying = staged.take(arrow_from_numpy(kept))
    published = MemoryRows(class_rows(found.facts.names, shown, ranges, cells, staying))
    figures = partial(local_figures, policy, shown, len(table), recoding.method, WHY, shown.notes)
    return gather(AnonymizedRows(published, len(table), len(kept), figures), key)


def _on_one_scale(table: Table, recoding: Recoding, local: LocalColumns) -> tuple[Ints, Boxes]:
    """Values and classes in the same units and the same codes; values under one label stand together."""
    boxes = recoding.boxes()
    values, low, high = local.values.copy(), boxes.low, boxes.high
    for at, (saved, column) in enumerate(zip(recoding.columns, local.columns, strict=True)):
        if isinstance(saved, NumberColumn) and isinstance(column, LocalNumbers):
            finest = max(saved.scale, column.scale)
            values[:, at] = _scaled(table, saved.name, values[:, at], finest - column.scale)
            low[:, at] = _scaled(table, saved.name, low[:, at], finest - saved.scale)
            high[:, at] = _scaled(table, saved.name, high[:, at], finest - saved.scale)
        elif isinstance(saved, WordColumn) and isinstance(column, LocalWords):
            values[:, at] = _codes(column.words, saved.words)[values[:, at]]
        elif isinstance(saved, LabelColumn) and isinstance(column, LocalWords):
            under = column.ends()
            ends = np.array([under.get(one, NOWHERE) for one in saved.labels])
            low[:, at], high[:, at] = ends[list(saved.shown)].T
    return values, boxes


def _scaled(table: Table, name: str, units: Ints, digits: int) -> Ints:
    if int(np.abs(units).max(initial=0)) * 10**digits > LARGEST:
        raise ShoalError([table.fault(name, np.arange(len(table)), BEYOND)])
    return np.asarray(units * 10**digits)


def _codes(words: Sequence[str | None], known: tuple[str | None, ...]) -> Ints:
    places = {word: at for at, word in enumerate(known)}
    return np.array([places.get(word, len(known)) for word in words], np.int64)


def _passing(placed: Ints, k: int, diversity: Diversity | None) -> Ints:
    """The rows whose class has k of them, different enough."""
    rows = np.flatnonzero(placed >= 0)
    rows = rows[np.argsort(placed[rows], kind="stable")]
    parts = np.split(rows, np.flatnonzero(np.diff(placed[rows])) + 1)
    staying = [part for part in parts if len(part) >= k and (diversity is None or diversity.holds(part))]
    return np.sort(np.concatenate(staying)) if staying else np.zeros(0, np.int64)


def _ranges(recoding: Recoding, placed: Ints) -> Ranges:
    """The classes of these rows, in order. What is no number is exact, or has ends that differ."""
    ends = [_ends(column) for column in recoding.columns]
    low, high = (np.column_stack([pair[side] for pair in ends])[placed] for side in (0, 1))
    starts = np.append(np.flatnonzero(np.diff(placed, prepend=-1)), len(placed))
    return Ranges(np.arange(len(placed)), starts, low, high)


def _ends(column: RecodingColumn) -> tuple[Ints, Ints]:
    match column:
        case NumberColumn():
            return np.array(column.low), np.array(column.high)
        case WordColumn():
            above = np.array([len(codes) - 1 for codes in column.sets])
        case LabelColumn():
            above = np.array([level for level, _ in column.labels])[list(column.shown)]
        case _:
            above = np.zeros(0, np.int64)
    return np.zeros(len(above), np.int64), above


def _with_class_span(saved: RecodingColumn, column: LocalNumbers | LocalWords) -> LocalNumbers | LocalWords:
    """Losses are measured by what the classes span, which the new rows need not."""
    if not isinstance(saved, NumberColumn):
        return column
    return LocalNumbers(saved.name, saved.scale, min(saved.low), max(saved.high))


def _cells(
    saved: RecodingColumn,
    column: LocalNumbers | LocalWords,
    ranges: Ranges,
    at: int,
    of_class: Ints,
    policy: Policy,
) -> LocalCells:
    """What the classes show, whatever rows they have now."""
    sizes = np.diff(ranges.starts)
    if isinstance(saved, WordColumn):
        sets = [saved.sets[one] for one in of_class.tolist()]
        losses = np.array([len(codes) - 1 for codes in sets]) / max(len(saved.words) - 1, 1)
        return LocalCells.of_texts(
            [cell_of([saved.words[code] for code in codes]) for codes in sets], losses, sizes
        )
    if isinstance(saved, LabelColumn) and isinstance(column, LocalWords):
        return column.label_cells(list(saved.labels), np.array(saved.shown)[of_class], sizes)
    return column.cells(ranges, at, ranges.low, policy)
