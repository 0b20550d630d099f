"""The same verdicts of a table that does not fit into memory: by parts in which every class lies whole.

Four steps, each of which sees one batch or one part at a time; what it hands over is small, can be pickled,
and is joined in any order:

1. ``batch_traits`` every batch, joined: how each column is read (``column_formats``);
2. ``whole_table_statistics`` every batch, joined: the values of sensitive columns that a guarantee asks of
the whole table; 3. for each of ``part_attackers`` the policy: rows are put into parts (``part_of_rows``), and
every part is ``measure_part``, joined; 4. ``verdicts_from_measures`` what was measured.

``verify_parts`` does all of it in memory: engines do the same with rows that are elsewhere. Verdicts are
those of ``verify_table``, to the letter. What has to be seen side by side meets in one place: a record of
every class, if quasi cells are hidden; the ends of F of all records, if it is known up to a share.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.policy.model.guarantee import (
    AlphaKAnonymity,
    KAnonymity,
    KeAnonymity,
    KfAnonymity,
    KpqrAnonymity,
    LDiversity,
    PSensitivity,
    TCloseness,
)
from shoal.policy.model.policy import Policy
from shoal.table.columns.bridge import arrow_from_numpy
from shoal.table.table import Table
from shoal.verify.attackers import Attacker, attackers
from shoal.verify.cells.cell_counts import CellCounts
from shoal.verify.cells.column_traits import FormatsByColumn, batch_traits, column_formats, join_traits
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.guarantees.alpha_k_anonymity import measure_alpha_k_anonymity, verdict_alpha_k_anonymity
from shoal.verify.guarantees.k_anonymity import hidden_quasi, measure_k_anonymity, verdict_k_anonymity
from shoal.verify.guarantees.ke_anonymity import measure_ke_anonymity, verdict_ke_anonymity
from shoal.verify.guarantees.kf_anonymity import measure_kf_anonymity, verdict_kf_anonymity
from shoal.verify.guarantees.kpqr_anonymity import measure_kpqr_anonymity, verdict_kpqr_anonymity
from shoal.verify.guarantees.l_diversity import measure_l_diversity, needs_values, verdict_l_diversity
from shoal.verify.guarantees.p_sensitivity import (
    columns_needing_values,
    measure_p_sensitivity,
    verdict_p_sensitivity,
)
from shoal.verify.guarantees.t_closeness import measure_t_closeness, verdict_t_closeness
from shoal.verify.parts.float_runs import FloatRuns
from shoal.verify.parts.part_keys import low_end_runs, part_keys
from shoal.verify.verdict import Verdict

ALIKE = KAnonymity(k=2)  # whatever its k, it is the same person


@dataclass(frozen=True)
class WholeTableStatistics:
    """What is asked of the whole table: all values of some columns, whether quasi cells are hidden, and for
    whom aggregates that are floats lie in which runs."""

    values: Mapping[str, CellCounts]
    hidden: bool
    runs: Mapping[Attacker, FloatRuns]

    def joined(self, other: "WholeTableStatistics") -> "WholeTableStatistics":
        values = {name: found.joined(other.values[name]) for name, found in self.values.items()}
        runs = {one: found.joined(other.runs[one]) for one, found in self.runs.items()}
        return WholeTableStatistics(values, self.hidden or other.hidden, runs)


@dataclass(frozen=True)
class PartVerifier:
    """How a guarantee is verified by parts: whose classes lie whole in them, the columns of which all values
    have to be known, what is measured of a part, and the verdict."""

    kind: type[Any]
    attackers: Callable[[Any, Policy], list[Attacker]]
    values: Callable[[Any, Policy], list[str]]
    measure: Callable[[PublishedTable, Any, Policy, Attacker, WholeTableStatistics], Any]
    verdict: Callable[[Any, Policy, Any], Verdict]


def _by_quasi_cells(_asked: Any, _policy: Policy) -> list[Attacker]:
    return [ALIKE]


def _own(asked: Any, _policy: Policy) -> list[Attacker]:
    return [asked]


def _all(_asked: Any, policy: Policy) -> list[Attacker]:
    return attackers(policy)


def _none(_asked: Any, _policy: Policy) -> list[str]:
    return []


def _columns(asked: Any, _policy: Policy) -> list[str]:
    return list(asked.columns)


PART_VERIFIERS: tuple[PartVerifier, ...] = (
    PartVerifier(
        KAnonymity,
        _by_quasi_cells,
        _none,
        lambda part, asked, policy, one, whole: measure_k_anonymity(part, asked, policy, one, whole.hidden),
        verdict_k_anonymity,
    ),
    PartVerifier(
        KfAnonymity,
        _own,
        _none,
        lambda part, asked, policy, _one, _whole: measure_kf_anonymity(part, asked, policy),
        verdict_kf_anonymity,
    ),
    PartVerifier(
        LDiversity,
        _all,
        lambda asked, policy: list(asked.columns) if needs_values(asked, policy) else [],
        lambda part, asked, policy, one, whole: measure_l_diversity(part, asked, policy, one, whole.values),
        verdict_l_diversity,
    ),
    PartVerifier(
        PSensitivity,
        _all,
        columns_needing_values,
        lambda part, asked, policy, one, whole: measure_p_sensitivity(part, asked, policy, one, whole.values),
        verdict_p_sensitivity,
    ),
    PartVerifier(
        AlphaKAnonymity,
        _by_quasi_cells,
        _none,
        lambda part, asked, policy, one, whole: measure_alpha_k_anonymity(
            part, asked, policy, one, whole.hidden
        ),
        verdict_alpha_k_anonymity,
    ),
    PartVerifier(
        TCloseness,
        _all,
        _columns,
        lambda part, asked, policy, one, whole: measure_t_closeness(part, asked, policy, one, whole.values),
        verdict_t_closeness,
    ),
    PartVerifier(
        KeAnonymity,
        _own,
        _none,
        lambda part, asked, _policy, _one, _whole: measure_ke_anonymity(part, asked),
        verdict_ke_anonymity,
    ),
    PartVerifier(
        KpqrAnonymity,
        _by_quasi_cells,
        _columns,
        lambda part, asked, policy, one, whole: measure_kpqr_anonymity(
            part, asked, policy, one, whole.values
        ),
        verdict_kpqr_anonymity,
    ),
)

Measures = Mapping[int, Any]  # figures by the place of their guarantee


def part_attackers(policy: Policy) -> list[Attacker]:
    """Those whose classes have to lie whole in parts, each on its own."""
    found = [one for asked in policy.guarantees for one in _row(asked).attackers(asked, policy)]
    return list(dict.fromkeys(found))


def whole_table_statistics(batch: Table, policy: Policy, ways: FormatsByColumn) -> WholeTableStatistics:
    """What this batch adds to what has to be known of the whole table."""
    names = [name for asked in policy.guarantees for name in _row(asked).values(asked, policy)]
    published = PublishedTable(batch, ways)
    values = {name: CellCounts.of(published, name) for name in dict.fromkeys(names)}
    runs = {one: low_end_runs(published, one, policy) for one in part_attackers(policy)}
    some = {one: found for one, found in runs.items() if found is not None}
    return WholeTableStatistics(values, hidden_quasi(published, policy), some)


def part_of_rows(
    batch: Table,
    policy: Policy,
    ways: FormatsByColumn,
    attacker: Attacker,
    parts: int,
    whole: WholeTableStatistics | None = None,
) -> Any:
    """The part of every row, from 0 on, so that the classes of this attacker lie whole in parts. Without what
    is known of the ``whole`` table, some parts may be larger."""
    runs = None if whole is None else whole.runs.get(attacker)
    keys = part_keys(PublishedTable(batch, ways), attacker, policy, runs)
    return (keys % np.uint64(parts)).astype(np.int64)


def measure_part(
    part: Table, policy: Policy, ways: FormatsByColumn, attacker: Attacker, whole: WholeTableStatistics
) -> Measures:
    """Every guarantee that is about the classes of this attacker, in one part."""
    published = PublishedTable(part, ways)
    return {
        place: _row(asked).measure(published, asked, policy, attacker, whole)
        for place, asked in enumerate(policy.guarantees)
        if attacker in _row(asked).attackers(asked, policy)
    }


def join_measures(one: Measures, two: Measures) -> Measures:
    """Of two parts, or of two attackers."""
    both = dict(one)
    for place, figures in two.items():
        both[place] = both[place].joined(figures) if place in both else figures
    return both


def verdicts_from_measures(policy: Policy, found: Measures) -> list[Verdict]:
    return [_row(asked).verdict(asked, policy, found[place]) for place, asked in enumerate(policy.guarantees)]


def verify_parts(batches: Callable[[], Iterable[Table]], policy: Policy, parts: int) -> list[Verdict]:
    """One verdict per guarantee of a table that comes in batches."""
    ways = column_formats(reduce(join_traits, (batch_traits(batch, policy) for batch in batches())))
    whole = reduce(
        WholeTableStatistics.joined, (whole_table_statistics(batch, policy, ways) for batch in batches())
    )
    found = [
        measure_part(part, policy, ways, attacker, whole)
        for attacker in part_attackers(policy)
        for part in _parted(batches(), policy, ways, attacker, parts, whole)
    ]
    return verdicts_from_measures(policy, reduce(join_measures, found))


def _parted(
    batches: Iterable[Table],
    policy: Policy,
    ways: FormatsByColumn,
    attacker: Attacker,
    parts: int,
    whole: WholeTableStatistics,
) -> list[Table]:
    """The rows of every part that has some."""
    pieces: list[list[Any]] = [[] for _ in range(parts)]
    for batch in batches:
        numbers = part_of_rows(batch, policy, ways, attacker, parts, whole)
        for number in np.unique(numbers).tolist():
            pieces[number].append(batch.arrow.filter(arrow_from_numpy(numbers == number)))
    return [Table(pa.concat_tables(piece)) for piece in pieces if piece]


def _row(asked: Any) -> PartVerifier:
    return next(row for row in PART_VERIFIERS if row.kind is type(asked))
