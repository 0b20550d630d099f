"""Class means: groups of similar records inside cells, on the scale of the whole table; in memory the table
is one cell."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.means.key_facts import KeyFacts, key_facts, squared_distances
from shoal.anonymizer.means.mean_classes import BetterClasses, MeanClasses, better_classes, mean_classes
from shoal.anonymizer.means.mean_columns import MeanColumns
from shoal.anonymizer.means.mean_loss import Spread, mean_notes
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows
from shoal.anonymizer.parts.class_merge import first_rows
from shoal.anonymizer.parts.cut_cells import cell_notes, cut_cells, sort_by_row
from shoal.anonymizer.parts.cuts import parts_of_tree
from shoal.anonymizer.parts.sensitive_codes import SensitiveCodes, sensitive_codes
from shoal.anonymizer.parts.staging import stage_rows
from shoal.anonymizer.parts.table_facts import summarize_columns, table_and_staying_rows
from shoal.anonymizer.plan_request import PlanRequest
from shoal.anonymizer.registry import AverageRequest
from shoal.anonymizer.sensitive.confidential_columns import confidential_columns, rarity_notes
from shoal.arrays import Floats, Ints
from shoal.engines.protocol import Rows
from shoal.engines.steps.gather_rows import gather_rows
from shoal.engines.steps.part_statistics import CLASS, STATISTICS, PartStatistics
from shoal.errors import ShoalError
from shoal.kernels.keyed_hash import Key
from shoal.methods.means.linkage import linkage_shares
from shoal.methods.means.rare_values import ConfidentialColumn
from shoal.methods.means.refined import TIME_LIMIT
from shoal.methods.means.sse import sse
from shoal.policy.model.guarantee import KpqrAnonymity
from shoal.policy.model.policy import Policy
from shoal.progress import Progress, unwatched
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW, ids_of


@dataclass(frozen=True)
class MeansPlanInput:
    """What is asked of the plan. ``squares`` are those of the whole table, see `squared_distances`; one
    ``alone`` is a cell that is the whole table."""

    policy: Policy
    key_facts: KeyFacts
    key: Key
    sensitive: SensitiveCodes
    choice: Choice
    squares: tuple[float, ...]
    alone: bool
    confidential: tuple[ConfidentialColumn, ...] = ()
    on_progress: Progress = unwatched

    @property
    def variances(self) -> tuple[float, ...]:
        return tuple(square / self._rows for square in self.squares)

    @property
    def total(self) -> float:
        """The squared distances of all records to the centre, standardized and weighted."""
        weights = [self.policy.method.weights.get(column.name, 1.0) for column in self.key_facts.columns]
        return self._rows * sum(
            weight for weight, square in zip(weights, self.squares, strict=True) if square
        )

    @property
    def _rows(self) -> int:
        return self.key_facts.facts.staying - (self.policy.method.options.get("standardize") == "sample")

    def request(self, table: pa.Table, points: Floats) -> AverageRequest:
        """Cells share the time that is given to the whole."""
        options = dict(self.policy.method.options)
        if "time_limit" in self.choice.method.options and not self.alone:
            share = len(table) / self.key_facts.facts.staying
            options["time_limit"] = float(options.get("time_limit", TIME_LIMIT)) * share
        return AverageRequest(
            points=points,
            k=smallest_class(self.policy),
            key=self.key,
            diversity=self.sensitive.diversity(table),
            confidential=list(self.confidential),
            options=options,
            on_progress=self.on_progress,
        )

    def keys(self, table: pa.Table) -> MeanColumns:
        """The quasi columns of a cell."""
        return self.key_facts.part(table, None if self.alone else self.variances)


def means_plan(rows: Rows, request: PlanRequest) -> AnonymizedRows:
    """Publish the mean of every class, whose records are similar and lie in one cell."""
    policy, key = request.policy, request.key
    rare = any(isinstance(asked, KpqrAnonymity) for asked in policy.guarantees)
    if rare and not rows.whole:
        raise ShoalError(
            "kpqr-anonymity works in memory only: which values are rare depends on the whole table",
            "ask for another guarantee, such as l-diversity, or choose a machine with more memory.",
        )
    leaving = [name for name, rule in policy.missing_counts.items() if rule == "suppress"]
    found = key_facts(rows, policy, summarize_columns(rows, policy, leaving))
    facts, sensitive = found.facts, sensitive_codes(rows, policy, found.facts.leaving)
    confidential = confidential_columns(*table_and_staying_rows(rows, facts.leaving), policy) if rare else []
    ready = stage_rows(rows, facts, sensitive)
    low, high = facts.ends.values
    tree = cut_cells(ready, facts.ends.names, policy, key, (facts.staying, low, high), sensitive)
    asked = MeansPlanInput(
        policy,
        found,
        key,
        sensitive,
        request.choice,
        squared_distances(ready, found.columns),
        len(tree.parts) == 1,
        tuple(confidential),
        request.on_progress if rows.whole else unwatched,
    )
    better = _better(asked, ready) if policy.method.name == "auto" else None
    schema = _schema(asked, ready.schema)
    published = parts_of_tree(ready, tree, facts.ends.names).map(
        partial(_published_part, asked, None if better is None else better.classes, schema), schema
    )
    notes = (*cell_notes(tree), *rarity_notes(policy, confidential))
    return AnonymizedRows(
        published,
        facts.rows,
        facts.staying,
        partial(_figures, asked, better, notes),
        partial(_linkage, asked, ready) if rows.whole else None,
    )


def _better(asked: MeansPlanInput, staged: Rows) -> BetterClasses:
    """Classes by that method of those that serve (k,p,q,r) which loses less of these rows in memory."""
    table = sort_by_row(gather_rows(staged))
    keys = asked.keys(table)
    return better_classes(keys, asked.policy, asked.request(table, keys.points(asked.policy)))


def _linkage(asked: MeansPlanInput, staged: Rows, class_of: Ints) -> tuple[float, float]:
    """How often the nearest class is a record's own; ``class_of`` is that of every staged row."""
    keys = asked.keys(sort_by_row(gather_rows(staged)))
    shown = [column.mean_cells(class_of, asked.policy) for column in keys.columns]
    cells = [one for one in shown if one is not None]
    return linkage_shares(keys.points(asked.policy), keys.points(asked.policy, cells), class_of)


def _schema(asked: MeansPlanInput, carried: pa.Schema) -> pa.Schema:
    kinds = asked.key_facts.kinds(asked.policy)
    columns = [(name, kinds[name] if name in kinds else carried.field(name).type)
               for name in asked.key_facts.facts.names]  # fmt: skip
    return pa.schema([*columns, (ROW, pa.int64()), (CLASS, pa.int64()), (STATISTICS, pa.string())])


def _published_part(
    asked: MeansPlanInput, known: MeanClasses | None, schema: pa.Schema, _number: int, table: pa.Table
) -> pa.Table:
    """What the classes of a cell show; they may be ``known`` already."""
    table = sort_by_row(table)
    keys = asked.keys(table)
    request = asked.request(table, keys.points(asked.policy))
    classes = known or mean_classes(keys, asked.policy, request, asked.choice)
    of_class, ids = arrow_from_numpy(classes.class_of), ids_of(table)
    quasi = {column.name: shown.cells.take(of_class)
             for column, shown in zip(keys.columns, classes.cells, strict=True)}  # fmt: skip
    columns = {name: quasi.get(name, table.column(name)) for name in asked.key_facts.facts.names}
    spread = Spread.of(keys, asked.policy, classes.class_of)
    lost = classes.loss if asked.alone else sse(request.points, classes.class_of)
    sums = lost, *map(float, classes.moved(keys).values())
    widths = tuple(spread.widths.tolist())
    statistics = PartStatistics(len(ids), len(classes), widths, spread.exact, sums=sums)
    published = pa.table(columns).append_column(ROW, arrow_from_numpy(ids))
    return statistics.on(published, first_rows(classes.class_of, ids)).cast(schema)


def _figures(
    asked: MeansPlanInput,
    better: BetterClasses | None,
    notes: tuple[str, ...],
    statistics: PartStatistics | None,
) -> ReleaseFigures:
    """Figures of class means; ``notes`` say what else there is to say."""
    assert statistics is not None  # noqa: S101 - there are rows
    policy, found = asked.policy, asked.key_facts
    choice = asked.choice if better is None else better.choice
    spread = Spread(
        list(found.columns), policy, np.array(statistics.widths), statistics.exact, statistics.rows
    )
    lost, *far = statistics.sums
    moved = {column.name: some > 0 for column, some in zip(found.columns, far, strict=True)}
    suppressed = found.facts.suppressed
    share = 100 * lost / asked.total if asked.total else 0.0
    loss = {"sse_sst": lost if asked.alone else share}
    loss |= spread.losses(suppressed) | {"average_class": statistics.rows / statistics.classes}
    if better is not None and better.other_loss is not None:
        loss["sse_sst_other"] = better.other_loss
    return ReleaseFigures(
        classes=statistics.classes,
        suppressed=suppressed,
        method=choice.method.name,
        why=choice.why,
        loss=loss,
        exact_cells=spread.exact_cells,
        paid=spread.paid(),
        notes=(
            *found.notes,
            *mean_notes(policy, moved, statistics.rows, statistics.classes, suppressed),
            *notes,
        ),
    )
