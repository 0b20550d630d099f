"""The tables of the query answering paper, and their 4-diverse generalizations."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diversity import COLUMNS, HIERARCHY, QUASI, Census
from diversity import generated as generated_census
from diversity_shapes import OCCUPATION, SALARY
from real_tables import complain
from shoal.anonymizer.anonymized_table import NodeReport
from shoal.anonymizer.leaf_matrix import hierarchy_of
from shoal.arrays import Ints
from shoal.policy.model.guarantee import LDiversity
from shoal.policy.model.policy import Policy
from shoal.release.release import Release, anonymize_in_memory
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.categories import categories_from_arrow
from shoal.table.read import read_table

FILE = "adult/adult_capital_loss_1427.csv"
AGE, LOSS = "age", "capital-loss"
ALL_QUASI = (*QUASI, OCCUPATION, SALARY)  # the paper says eight once and nine once
PRINTED = {"rows": 1_427, "different capital losses": 89, "smallest": 155, "largest": 3_900}
OLD = 80  # the paper leaves out six records "over 80"; there are five, and six from 80 on
AGES, LOSSES = (17, 90), (155, 3_900)  # of synthetic tables: Adult's ages, the capital losses as printed
AGE_WAY = {AGE: {"intervals": [5, 10, 20]}}  # the widths of Adult's hierarchy
L = 4
SEED = 2007
QUICK_ROWS = 800


# Real and generated


def census_for(folder: Path, quick: bool) -> Census:
    """The paper's 1,427 records; a quick run takes a generated table where they are missing."""
    names = [FILE, *(HIERARCHY.format(name) for name in ALL_QUASI)]
    missing = [name for name in names if not (folder / name).is_file()]
    if missing and quick:
        return generated(QUICK_ROWS)
    if missing:
        sys.exit(complain(folder, missing))
    table = read_table(folder / FILE).arrow.rename_columns(list(COLUMNS)).select([*ALL_QUASI, LOSS])
    ways = {name: str((folder / HIERARCHY.format(name)).absolute()) for name in ALL_QUASI}
    return Census(_numbered(table), ways, "The paper's table (Adult, capital loss above 0, no `?`)")


def generated(rows: int) -> Census:
    """A table of the same columns whose capital losses are few and uneven."""
    census = generated_census(rows)
    random = np.random.default_rng(SEED)
    values = np.sort(random.choice(np.arange(LOSSES[0], LOSSES[1] + 1), 89, replace=False))
    losses = values[np.minimum(random.geometric(0.04, rows), len(values)) - 1]
    table = census.table.append_column(LOSS, arrow_from_numpy(losses))
    return Census(_numbered(table), census.ways, "A generated table")


def _numbered(table: pa.Table) -> pa.Table:
    """With ages and capital losses as whole numbers."""
    for name in (AGE, LOSS):
        table = table.set_column(table.column_names.index(name), name, table[name].cast(pa.int64()))
    return table


def without_the_oldest(census: Census) -> Census:
    return replace(census, table=census.table.filter(pc.less(census.table[AGE], OLD)))


def column(census: Census, name: str) -> Ints:
    return np.asarray(census.table[name].to_numpy(), np.int64)


def differences(census: Census) -> list[str]:
    """Where the table is not what the paper prints."""
    losses = column(census, LOSS)
    found = (len(losses), len(np.unique(losses)), int(losses.min()), int(losses.max()))
    return [
        f"{name} {ours:,}, the paper prints {printed:,}"
        for (name, printed), ours in zip(PRINTED.items(), found, strict=True)
        if ours != printed
    ]


# Synthetic


def independent(rows: int) -> Census:
    """Ages and capital losses drawn evenly, one without regard to the other."""
    random = np.random.default_rng(SEED)
    ages = random.integers(*AGES, rows, endpoint=True)
    return _synthetic(ages, random.integers(*LOSSES, rows, endpoint=True))


def correlated(rows: int, variance: float, seed: int = SEED) -> Census:
    """Capital losses that grow evenly with age, plus normal noise of this variance, in whole dollars."""
    random = np.random.default_rng(seed)
    ages = random.integers(*AGES, rows, endpoint=True)
    slope = (LOSSES[1] - LOSSES[0]) / (AGES[1] - AGES[0])
    noise = random.normal(0, np.sqrt(variance), rows)
    return _synthetic(ages, np.rint(LOSSES[0] + slope * (ages - AGES[0]) + noise).astype(np.int64))


def _synthetic(ages: Ints, losses: Ints) -> Census:
    return Census(pa.table({AGE: ages, LOSS: losses}), AGE_WAY, "A synthetic table")


# Generalized


@dataclass(frozen=True)
class Classes:
    """The class of every row of a generalized table, and the ages that its label stands for."""

    groups: Ints
    low: Ints
    high: Ints

    @property
    def count(self) -> int:
        return len(np.unique(self.groups))

    @property
    def widest(self) -> int:
        """The most ages that a label stands for."""
        return int((self.high - self.low).max()) + 1


def diverse_classes(census: Census, quasi: Sequence[str]) -> Classes:
    """Of the minimal 4-diverse full-domain tables that keep something of the age, that with most classes."""
    release = _diverse(census, quasi, "incognito")
    top = hierarchy_of(release.policy, AGE, categories_from_arrow(census.table[AGE])).height
    nodes = [node for node in release.result.nodes if node.levels[AGE] < top] or release.result.nodes
    return max((_classes(census, release.policy, node) for node in nodes), key=lambda each: each.count)


def mondrian_groups(census: Census, quasi: Sequence[str]) -> Ints:
    """Not in the paper: the classes of a local recoding."""
    made = _diverse(census, quasi, "mondrian").result
    groups = np.empty(census.table.num_rows, np.int64)
    groups[made.input_rows] = made.class_of
    return groups


def _diverse(census: Census, quasi: Sequence[str], method: str) -> Release:
    roles = dict.fromkeys(census.table.column_names, "identifier")
    roles |= dict.fromkeys(quasi, "quasi") | {LOSS: "sensitive"}
    ways = {name: way for name, way in census.ways.items() if name in quasi}
    policy = Policy(
        rows="people",
        columns=roles,
        hierarchies=ways,
        guarantees=[LDiversity(l=L, sensitive=LOSS)],
        method={"name": method},
        leaks={"accept": [LOSS]},  # synthetic losses follow the age on purpose
    )
    release = anonymize_in_memory(census.table, policy, seed=SEED)
    if broken := [verdict.sentence for verdict in release.verdicts if not verdict.holds]:
        sys.exit(f"error: a release does not hold: {' '.join(broken)}")
    return release


def _classes(census: Census, policy: Policy, node: NodeReport) -> Classes:
    shown = {name: _labels(census, policy, name, height) for name, height in node.levels.items()}
    _, groups = np.unique(np.column_stack([own for own, _, _ in shown.values()]), axis=0, return_inverse=True)
    own, leaves, label_of = shown[AGE]
    ages = np.array(leaves, np.int64)
    low, high = np.full(label_of.max() + 1, ages.max()), np.full(label_of.max() + 1, ages.min())
    np.minimum.at(low, label_of, ages)
    np.maximum.at(high, label_of, ages)
    return Classes(groups.astype(np.int64), low[own], high[own])


def _labels(
    census: Census, policy: Policy, name: str, height: int
) -> tuple[Ints, tuple[str | None, ...], Ints]:
    """The label of every row at this level, the hierarchy's leaves, and the label of every leaf."""
    cells = categories_from_arrow(census.table[name])
    hierarchy = hierarchy_of(policy, name, cells)
    label_of = hierarchy.levels[height].group_of
    return label_of[hierarchy.codes(cells.words)][cells.codes], hierarchy.leaves, label_of
