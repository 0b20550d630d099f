"""Full-domain recoding in batches and parts gives what it gives in memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.anonymizer.anonymize import anonymize_table
from shoal.anonymizer.anonymized_table import AnonymizedTable
from shoal.anonymizer.choose import choose
from shoal.anonymizer.gather import gather
from shoal.anonymizer.levels.leaf_records import coarsen_records, leaf_records
from shoal.anonymizer.levels.leaves import leaves_of_rows
from shoal.anonymizer.levels.level_figures import level_figures
from shoal.anonymizer.levels.level_search import classes_at, lattice_of
from shoal.anonymizer.levels.plan import PublishedLevels, levels_plan, publish_levels
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows
from shoal.anonymizer.plan_request import PlanRequest
from shoal.anonymizer.registry import SearchResult
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.disk.rows import DiskRows, DiskWorkspace
from shoal.engines.memory.rows import MemoryRows
from shoal.engines.row_progress import RowProgress
from shoal.engines.steps.distinct import COUNT, distinct
from shoal.engines.steps.part_statistics import CLASS, STATISTICS
from shoal.errors import Infeasible, ShoalError
from shoal.kernels.keyed_hash import seeded_key
from shoal.table.columns.dictionary_encoding import decode_columns
from shoal.table.columns.numbered_rows import ROW
from shoal.table.read import read_table

KEY = seeded_key(3)
METHODS = ("optimal", "incognito", "samarati", "datafly")
ROLES = {
    "name": "identifier",
    "age": "quasi",
    "zip": "quasi",
    "since": "quasi",
    "town": "quasi",
    "illness": "sensitive",
    "pay": "other",
}
TREE = [["Ulm", "south"], ["Bonn", "west"], ["Kiel", "north"], ["Jena", "east"], ["Rome", "south"]]
HIERARCHIES = {
    "age": {"intervals": [5, 10, 20]},
    "zip": {"mask": "right"},
    "since": {"dates": ["month", "year"]},
    "town": {"paths": TREE},
}
K = shoal.KAnonymity(k=3)
DIVERSE = shoal.LDiversity(l=2, sensitive="illness")
CLOSE = shoal.TCloseness(t=0.2, sensitive="illness")


def patients(rows: int = 60, missing: bool = False) -> pa.Table:
    draw = np.random.default_rng(7)
    ages = draw.integers(20, 60, rows).tolist()
    towns = draw.choice(
        ["Ulm", "Bonn", "Kiel ", "Jena", "Rome"], rows, p=[0.4, 0.3, 0.15, 0.1, 0.05]
    ).tolist()
    if missing:
        ages = [None if at % 17 == 3 else age for at, age in enumerate(ages)]
        towns = [None if at % 13 == 5 else town for at, town in enumerate(towns)]
    return pa.table(
        {
            "name": [f"n{at}" for at in range(rows)],
            "age": ages,
            "zip": [f"{number:03}" for number in draw.choice([10, 12, 13, 101, 130, 205], rows)],
            "since": [f"201{year}-0{month}-17" for year, month in draw.integers(1, 3, (rows, 2))],
            "town": towns,
            "illness": draw.choice(["flu", "cold", "gout", "9", "9.0"], rows).tolist(),
            "pay": draw.normal(size=rows),
        }
    )


def policy_of(name: str, *guarantees: Any, suppression: float = 0.0, **more: Any) -> shoal.Policy:
    method = {"name": name, "suppression": suppression} | more.pop("method", {})
    given = {"columns": ROLES, "hierarchies": HIERARCHIES, "guarantees": guarantees or [K]} | more
    return shoal.Policy(**given, method=method)


def in_batches(table: pa.Table, folder: Path, batch: int = 20, part: int = 17) -> DiskRows:
    read = DiskEngine.with_memory(1 << 30, folder).read(table)
    whole = pa.concat_tables(read.batches())

    def again() -> Iterator[pa.Table]:
        return (whole.slice(start, batch) for start in range(0, len(whole), batch))

    return DiskRows(DiskWorkspace(folder, batch, part, RowProgress()), read.schema, again)


def assert_same(found: AnonymizedRows, memory: AnonymizedTable) -> None:
    assert_same_rows(found, memory)
    figures = found.figures(None)
    assert figures.loss == pytest.approx(memory.loss, rel=1e-12)
    assert figures.nodes == memory.nodes
    assert figures.paid == memory.paid
    for name in ("classes", "suppressed", "method", "why", "exact_cells", "gap", "notes"):
        assert getattr(figures, name) == getattr(memory, name)


def assert_same_rows(found: AnonymizedRows, memory: AnonymizedTable) -> None:
    rows = pa.concat_tables(found.rows.batches()).sort_by(ROW)
    assert len(rows) == found.records
    assert rows.schema == found.rows.schema
    order = np.argsort(memory.input_rows)
    plain = decode_columns(memory.table, memory.table.column_names).take(pa.array(order))
    assert rows.column(ROW).to_pylist() == memory.input_rows[order].tolist()
    assert rows.drop_columns([ROW, CLASS, STATISTICS]).to_pydict() == plain.to_pydict()
    pairs = set(zip(rows.column(CLASS).to_pylist(), memory.class_of[order].tolist(), strict=True))
    assert len(pairs) == memory.classes


def request_of(policy: shoal.Policy) -> PlanRequest:
    return PlanRequest(policy, KEY, choose(policy))


def both(table: pa.Table, policy: shoal.Policy, folder: Path) -> tuple[AnonymizedRows, AnonymizedTable]:
    found = levels_plan(in_batches(table, folder), request_of(policy))
    return found, anonymize_table(read_table(table), policy, KEY)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    ("suppression", "guarantees"), [(0.0, [K]), (0.2, [K]), (0.1, [K, DIVERSE]), (0.3, [K, CLOSE])]
)
def test_every_search_gives_what_it_gives_in_memory(
    name: str, suppression: float, guarantees: list[Any], tmp_path: Path
) -> None:
    policy = policy_of(name, *guarantees, suppression=suppression)
    assert_same(*both(patients(), policy, tmp_path))


@pytest.mark.parametrize(
    ("town", "objective"),
    [
        ({"groups": [2, 2]}, "ncp"),
        ({"frequency": [0.08, 0.25]}, "entropy"),
        ({"mask": "left"}, "discernibility"),
        (None, "average_class"),
    ],
)
def test_hierarchies_are_built_from_all_values_as_often_as_they_occur(
    town: Any, objective: str, tmp_path: Path
) -> None:
    hierarchies = HIERARCHIES | {"town": town, "age": {"groups": [4, 3]}}
    given = {name: one for name, one in hierarchies.items() if one is not None}
    policy = policy_of("optimal", suppression=0.1, hierarchies=given, method={"objective": objective})
    assert_same(*both(patients(), policy, tmp_path))


@pytest.mark.parametrize("age", ["zero", "suppress", "value"])
def test_missing_cells_count_as_the_policy_says(age: str, tmp_path: Path) -> None:
    policy = policy_of("incognito", suppression=0.3, missing={"age": age, "town": "value"})
    assert_same(*both(patients(missing=True), policy, tmp_path))


def test_a_column_at_level_0_is_published_as_it_was(tmp_path: Path) -> None:
    table = pa.table({"age": [30, None, 30, None, 41, 41], "sex": [" f", "f", "f ", "f", "*", "*"]})
    policy = shoal.Policy(
        columns={"age": "quasi", "sex": "quasi"},
        guarantees=[shoal.KAnonymity(k=2)],
        missing={"age": "zero"},
        method={"name": "optimal"},
    )
    found, memory = both(table, policy, tmp_path)
    assert memory.nodes[0].levels == {"age": 0, "sex": 0}
    assert_same(found, memory)


@pytest.mark.parametrize(
    "asked",
    [
        shoal.TCloseness(t=0.4, sensitive="illness"),
        shoal.LDiversity(l=1.5, variant="entropy", sensitive="illness"),
        shoal.LDiversity(l=2, c=3, variant="recursive", sensitive="illness"),
        shoal.AlphaKAnonymity(k=2, alpha=0.7),
    ],
    ids=lambda asked: asked.kind,
)
def test_guarantees_on_sensitive_values_see_every_record(asked: Any, tmp_path: Path) -> None:
    policy = policy_of("optimal", K, asked, suppression=0.1)
    assert_same(*both(patients(), policy, tmp_path))


def test_faults_tell_how_many_records_have_them(tmp_path: Path) -> None:
    table = pa.table({"age": ["30", "x", "30", "x", "x", "41", "41", "30"]})
    policy = shoal.Policy(
        columns={"age": "quasi"},
        guarantees=[shoal.KAnonymity(k=2)],
        hierarchies={"age": {"paths": [["30", "a"], ["41", "a"]]}},
        method={"name": "optimal"},
    )
    with pytest.raises(
        ShoalError, match=r"3 of 8 cells that are not in the column's hierarchy \(rows 2, 4, 5\)"
    ):
        levels_plan(in_batches(table, tmp_path, batch=3), request_of(policy))
    with pytest.raises(ShoalError, match="no rows"):
        levels_plan(in_batches(table.slice(0, 0), tmp_path), request_of(policy))


def test_what_cannot_be_is_refused_as_in_memory(tmp_path: Path) -> None:
    policy = policy_of("datafly", K, shoal.LDiversity(l=9, sensitive="illness"))
    with pytest.raises(Infeasible) as here:
        levels_plan(in_batches(patients(), tmp_path), request_of(policy))
    with pytest.raises(Infeasible) as there:
        anonymize_table(read_table(patients()), policy, KEY)
    assert str(here.value) == str(there.value)


def test_different_rows_are_counted_wherever_they_are(tmp_path: Path) -> None:
    table = patients(missing=True)
    found = distinct(in_batches(table, tmp_path), ["town", "zip"])
    towns = [town and town.strip() for town in table.column("town").to_pylist()]
    pairs = list(zip(towns, table.column("zip").to_pylist(), strict=True))
    rows = found.table().to_pylist()
    assert {(row["town"], row["zip"]): (row[ROW], row[COUNT]) for row in rows} == {
        pair: (pairs.index(pair), pairs.count(pair)) for pair in pairs
    }
    assert found.count == len(rows) == len(set(pairs))


@pytest.mark.parametrize(("name", "most"), list(zip(METHODS, [80, 25, 8, 40], strict=True)))
def test_too_many_different_rows_are_searched_from_coarser_levels_on(
    name: str, most: int, tmp_path: Path
) -> None:
    table, policy = patients(200), policy_of(name, K, DIVERSE, suppression=0.1)
    rows = in_batches(table, tmp_path, 50, 60)
    made = levels_plan(rows, request_of(policy), most=most)
    figures, floors = made.figures(None), floors_of(rows, policy, most)
    assert figures.notes[-1].startswith("searched from level ")
    assert figures.gap is None

    whole = read_table(table)
    different, labelled = leaf_records(MemoryRows.of(whole), policy).labelled(())
    lattice = lattice_of(different, policy, labelled, 200)
    known = {node.levels: node for node in lattice.all(policy.method.most_suppressed(200))}
    above = [node for levels, node in known.items() if np.all(np.subtract(levels, floors) >= 0)]
    taken = tuple(figures.nodes[0].levels.values())
    assert known[taken] in above
    if name == "optimal":
        assert known[taken].loss == pytest.approx(min(node.loss for node in above))
    for report in figures.nodes:
        node = known[tuple(report.levels.values())]
        expected = level_figures(policy, labelled, lattice, SearchResult([node]), 200, "", "")
        assert report.suppressed == expected.suppressed
        assert report.loss == pytest.approx(expected.loss, rel=1e-12)
    kept, _ = classes_at(lattice, known[taken])
    in_memory = MemoryRows.of(whole)
    leaves = leaves_of_rows(in_memory, policy, 10_000)
    shown = PublishedLevels.of(leaves, labelled, taken, kept)
    expected = level_figures(policy, labelled, lattice, SearchResult([known[taken]]), 200, "", "")
    assert_same_rows(made, gather(publish_levels(in_memory, shown, expected, KEY), KEY))


def floors_of(rows: DiskRows, policy: shoal.Policy, most: int) -> tuple[int, ...]:
    every = leaf_records(rows, policy)
    few = coarsen_records(every, every.occurs(), most)
    assert few.found.count <= most < every.found.count
    return few.floors


def test_too_many_sensitive_values_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ShoalError, match="more than 3 different records"):
        levels_plan(in_batches(patients(), tmp_path), request_of(policy_of("datafly", K, DIVERSE)), most=3)
