"""Class means beyond memory: groups of similar records inside cells, on the scale of the whole table."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.anonymizer.anonymize import unwatched
from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.fit import smallest_class
from shoal.anonymizer.means.key_facts import KeyFacts, key_facts, squared_distances
from shoal.anonymizer.means.whole_plan import Spread, mean_classes, mean_notes
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows
from shoal.anonymizer.parts.cut_cells import cell_notes, cut_cells, first_rows, sort_by_row
from shoal.anonymizer.parts.cuts import parts_of_tree
from shoal.anonymizer.parts.sensitive_codes import SensitiveCodes, sensitive_codes
from shoal.anonymizer.parts.staging import stage_rows
from shoal.anonymizer.registry import AverageRequest
from shoal.arrays import Floats
from shoal.engines.protocol import Rows
from shoal.engines.steps.part_statistics import CLASS, STATISTICS, PartStatistics
from shoal.errors import ShoalError
from shoal.kernels.keyed_hash import Key
from shoal.methods.means.refined import TIME_LIMIT
from shoal.methods.means.sse import sse
from shoal.policy.model.guarantee import KpqrAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.columns.bridge import arrow_from_numpy
from shoal.table.columns.number_summary import NumberSummary
from shoal.table.columns.numbered_rows import ROW, ids_of


@dataclass(frozen=True)
class MeansPlanInput:
    """What is asked of the plan. ``squares`` are those of the whole table, see `squared_distances`; one
    ``alone`` is a cell that is the whole table."""

    policy: Policy
    found: KeyFacts
    key: Key
    sensitive: SensitiveCodes
    choice: Choice
    squares: tuple[float, ...]
    alone: bool

    @property
    def variances(self) -> tuple[float, ...]:
        return tuple(square / self._rows for square in self.squares)

    @property
    def total(self) -> float:
        """The squared distances of all records to the centre, standardized and weighted."""
        weights = [self.policy.method.weights.get(column.name, 1.0) for column in self.found.columns]
        return self._rows * sum(
            weight for weight, square in zip(weights, self.squares, strict=True) if square
        )

    @property
    def _rows(self) -> int:
        return self.found.facts.staying - (self.policy.method.options.get("standardize") == "sample")

    def request(self, table: pa.Table, points: Floats) -> AverageRequest:
        """Cells share the time that is given to the whole."""
        options = dict(self.policy.method.options)
        if "time_limit" in self.choice.method.options and not self.alone:
            share = len(table) / self.found.facts.staying
            options["time_limit"] = float(options.get("time_limit", TIME_LIMIT)) * share
        return AverageRequest(
            points=points,
            k=smallest_class(self.policy),
            key=self.key,
            diversity=self.sensitive.diversity(table),
            confidential=[],
            options=options,
            on_progress=unwatched,
        )


def means_plan(
    rows: Rows, policy: Policy, key: Key, choice: Choice, seen: dict[str, NumberSummary]
) -> AnonymizedRows:
    if any(isinstance(asked, KpqrAnonymity) for asked in policy.guarantees):
        raise ShoalError(
            "kpqr-anonymity works in memory only: which values are rare depends on the whole table",
            "ask for another guarantee, such as l-diversity, or choose a machine with more memory.",
        )
    found = key_facts(rows, policy, seen)
    facts, sensitive = found.facts, sensitive_codes(rows, policy, found.facts.leaving)
    ready = stage_rows(rows, facts, sensitive)
    low, high = facts.ends.values
    tree = cut_cells(ready, facts.ends.names, policy, key, (facts.staying, low, high), sensitive)
    squares = squared_distances(ready, found.columns)
    asked = MeansPlanInput(policy, found, key, sensitive, choice, squares, len(tree.parts) == 1)
    schema = _schema(asked, ready.schema)
    published = parts_of_tree(ready, tree, facts.ends.names).map(partial(_published, asked, schema), schema)
    figures = partial(_figures, asked, cell_notes(tree))
    return AnonymizedRows(published, facts.rows, facts.staying, figures)


def _schema(asked: MeansPlanInput, carried: pa.Schema) -> pa.Schema:
    kinds = asked.found.kinds(asked.policy)
    columns = [(name, kinds[name] if name in kinds else carried.field(name).type)
               for name in asked.found.facts.names]  # fmt: skip
    return pa.schema([*columns, (ROW, pa.int64()), (CLASS, pa.int64()), (STATISTICS, pa.string())])


def _published(asked: MeansPlanInput, schema: pa.Schema, _number: int, table: pa.Table) -> pa.Table:
    """What the classes of a cell show."""
    table = sort_by_row(table)
    keys = asked.found.part(table, None if asked.alone else asked.variances)
    request = asked.request(table, keys.points(asked.policy))
    classes = mean_classes(keys, asked.policy, request, asked.choice)
    of_class, ids = arrow_from_numpy(classes.class_of), ids_of(table)
    quasi = {column.name: shown.cells.take(of_class)
             for column, shown in zip(keys.columns, classes.shown, strict=True)}  # fmt: skip
    columns = {name: quasi.get(name, table.column(name)) for name in asked.found.facts.names}
    spread = Spread.of(keys, asked.policy, classes.class_of)
    sums = sse(request.points, classes.class_of), *map(float, classes.moved(keys).values())
    told = PartStatistics(len(ids), len(classes), tuple(spread.widths.tolist()), spread.exact, sums=sums)
    published = pa.table(columns).append_column(ROW, arrow_from_numpy(ids))
    return told.on(published, first_rows(classes.class_of, ids)).cast(schema)


def _figures(asked: MeansPlanInput, notes: tuple[str, ...], told: PartStatistics | None) -> ReleaseFigures:
    """Of class means, as in memory; ``notes`` say what is different here."""
    assert told is not None  # noqa: S101 - there are rows
    policy, found = asked.policy, asked.found
    spread = Spread(list(found.columns), policy, np.array(told.widths), told.exact, told.rows)
    lost, *far = told.sums
    moved = {column.name: some > 0 for column, some in zip(found.columns, far, strict=True)}
    suppressed = found.facts.suppressed
    return ReleaseFigures(
        classes=told.classes,
        suppressed=suppressed,
        method=asked.choice.method.name,
        why=asked.choice.why,
        loss={"sse_sst": 100 * lost / asked.total if asked.total else 0.0}
        | spread.losses(suppressed)
        | {"average_class": told.rows / told.classes},
        exact_cells=spread.exact_cells,
        paid=spread.paid(),
        notes=(*found.notes, *mean_notes(policy, moved, told.rows, told.classes, suppressed), *notes),
    )
