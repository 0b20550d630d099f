"""The six figures of *Privacy against Aggregate Knowledge Attacks* (Gkountouna, Lepenioti, Terrovitis).

    python experiments/aggregate_knowledge.py [-o FOLDER] [--data FOLDER] [--quick]

Loss and time against k, |D| and d on the paper's census table, for its method and its baseline and
for ours; and loss against k on two more real tables. Defaults are the paper's: k = 10, d = 0, all
records. It prints the sizes of D but neither the k nor the d of its plots; those below are ours. Every
release is verified. Writes a chart per figure, ``results.json`` and ``results.md``.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from aggregate_shapes import (
    METHOD,
    loss_against_d,
    loss_against_k,
    loss_against_size,
    our_ratios,
    time_against_d,
    time_against_k,
    time_against_size,
)
from real_tables import DATA, complain
from results import Claim, Figure, write_results
from shoal.anonymizer.registry import METHODS
from shoal.comparison.compare import ComparisonResult, compare
from shoal.demo.tax_table import INCOMES, tax_table
from shoal.policy.draft.draft_policy import expression_name
from shoal.policy.model.policy import Policy
from shoal.report.charts.loss_charts import Point
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.read import read_table

FILES = {
    "census": "ipums/ipums_income7_ftotinc_rawcodes.csv.gz",
    "persons": "ipums/ipums_la_income_clean.parquet",
    "tax": "cps_tax/cps_income.parquet",
}
PERSON_INCOMES = ("incwage", "incbus", "incfarm", "incss", "incwelfr", "incother")
TAX_INCOMES = ("e00200", "e00900", "e02100", "e00300", "e00600", "e01500", "e02400")
TITLE = "Privacy against aggregate knowledge attacks"
SEED = 2013
K = 10
QUICK_ROWS = 5_000

Loss = Literal["ncp", "ncp_range"]
Measure = Literal["ncp", "ncp_range", "seconds"]
MethodTable = dict[str, Any]
TITLES: dict[Measure, str] = {"ncp": "NCP", "ncp_range": "NCP by column range", "seconds": "seconds"}

METHOD_TABLES: dict[str, MethodTable] = {
    "aggranon": {"name": "aggranon"},
    "mondrian textbook": {"name": "mondrian", "options": {"textbook": True}},
    "mondrian": {"name": "mondrian"},
    "residual": {"name": "residual"},
    "aligned blind": {"name": "aligned", "options": {"draw": "blind"}},
    "aligned eligible": {"name": "aligned", "options": {"draw": "eligible"}},
}
SERIES = {
    name: method for name, method in METHOD_TABLES.items() if method["name"] in {row.name for row in METHODS}
}
WITHOUT_MONDRIAN = {name: method for name, method in SERIES.items() if method["name"] != "mondrian"}


@dataclass(frozen=True)
class Plan:
    """Which parameters are tried."""

    ks: tuple[int, ...] = (2, 5, 10, 20, 50, 100)
    sizes: tuple[int, ...] = (50_000, 100_000)  # and all; each a sample of the next
    ds: tuple[int, ...] = (0, 1, 2, 5, 10)  # percent


QUICK = Plan(ks=(2, 10, 50), sizes=(1_250, 2_500), ds=(0, 5))

Placed = list[tuple[float, ComparisonResult]]  # where on the x axis, and what was found there
Shape = Callable[[Sequence[Point]], Iterable[Claim]]


# The tables


def tables_for(folder: Path, quick: bool) -> dict[str, pa.Table]:
    """The real tables; a quick run takes samples, and a generated table where there is none."""
    missing = [name for name in FILES.values() if not (folder / name).is_file()]
    if missing and quick:
        return {"census": tax_table(QUICK_ROWS, SEED).select(list(INCOMES))}
    if missing:
        sys.exit(complain(folder, missing))
    tables = {"census": census(folder), "persons": persons(folder), "tax": tax_units(folder)}
    return {name: sampled(table, [QUICK_ROWS])[0] for name, table in tables.items()} if quick else tables


def census(folder: Path) -> pa.Table:
    table = read_table(folder / FILES["census"]).arrow
    return whole_numbers(table, table.column_names)


def persons(folder: Path) -> pa.Table:
    """The persons of 1990 with the parts of their income, without totals."""
    table = pq.read_table(folder / FILES["persons"])
    recent = pc.is_in(table["year"], pa.array([90, 1990], table["year"].type))
    return whole_numbers(table.filter(recent), PERSON_INCOMES)


def tax_units(folder: Path) -> pa.Table:
    return whole_numbers(pq.read_table(folder / FILES["tax"]), TAX_INCOMES)


def whole_numbers(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """These columns as int64, rounded, nothing as 0: so that reading is no part of any time."""
    columns = [pc.fill_null(pc.round(table[name].cast(pa.float64())), 0) for name in names]
    return pa.table([column.cast(pa.int64()) for column in columns], names=list(names))


def sampled(table: pa.Table, sizes: Sequence[int]) -> list[pa.Table]:
    """Random samples of these sizes, each part of the larger ones."""
    order = np.random.default_rng(SEED).permutation(table.num_rows)
    return [table.take(arrow_from_numpy(np.sort(order[:size]))) for size in sizes]


# The runs


def policies(
    table: pa.Table, series: dict[str, MethodTable], d: int = 0, loss: Loss = "ncp"
) -> dict[str, Policy]:
    """One policy per series; the domain is that of the whole table, also for its samples."""
    names = table.column_names
    guarantee = {"kind": "kf-anonymity", "k": K, "knows": [" + ".join(map(expression_name, names))]}
    if d:
        guarantee["within"] = str(d / 100)
    ends = {name: pc.min_max(table[name]).as_py() for name in names}
    return {
        label: Policy(
            columns=dict.fromkeys(names, "quasi"),
            domains={name: (found["min"], found["max"]) for name, found in ends.items()},
            guarantees=[guarantee],
            method=method | {"objective": loss},
        )
        for label, method in series.items()
    }


def tried(
    table: pa.Table, asked: dict[str, Policy], ks: Sequence[int] | None = None
) -> list[ComparisonResult]:
    return compare(table, asked, ks, seed=SEED, on_step=partial(print, "  ", file=sys.stderr))


def against_k(table: pa.Table, ks: Sequence[int], loss: Loss = "ncp") -> Placed:
    return [(row.k, row) for row in tried(table, policies(table, SERIES, loss=loss), ks)]


def against_size(table: pa.Table, sizes: Sequence[int]) -> Placed:
    asked = policies(table, SERIES)
    tables = [*sampled(table, sizes), table]
    return [(part.num_rows, row) for part in tables for row in tried(part, asked)]


def against_d(table: pa.Table, ds: Sequence[int]) -> Placed:
    """Without Mondrian, as in the paper: it has nothing to relax."""
    return [(d, row) for d in ds for row in tried(table, policies(table, WITHOUT_MONDRIAN, d))]


# The figures


def figures(tables: dict[str, pa.Table], plan: Plan) -> Iterator[Figure]:
    table = tables["census"]
    by_k = against_k(table, plan.ks)
    by_size = against_size(table, plan.sizes)
    by_d = against_d(table, plan.ds)
    noise = repeated((by_k, K), (by_size, table.num_rows), (by_d, 0))
    yield figure("loss-k", "Loss against k", "k", "ncp", by_k, loss_against_k)
    yield figure("loss-size", "Loss against |D|", "|D|", "ncp", by_size, loss_against_size)
    yield figure("loss-d", "Loss against d", "d (%)", "ncp", by_d, loss_against_d)
    yield figure("time-k", "Time against k", "k", "seconds", by_k, time_against_k, noise)
    yield figure("time-size", "Time against |D|", "|D|", "seconds", by_size, time_against_size, noise)
    yield figure("time-d", "Time against d", "d (%)", "seconds", by_d, time_against_d, noise)
    others: tuple[tuple[str, Loss], ...] = (("persons", "ncp"), ("tax", "ncp_range"))
    for name, loss in others:
        if name in tables:
            title = f"Loss against k, {name} ({tables[name].num_rows:,} records)"
            placed = against_k(tables[name], plan.ks, loss)
            yield figure(f"loss-k-{name}", title, "k", loss, placed, loss_against_k)


def figure(
    name: str, title: str, x: str, measure: Measure, placed: Placed, shape: Shape, *more: str
) -> Figure:
    points = tuple(
        Point(row.policy, at, getattr(row.figures, measure)) for at, row in placed if row.figures is not None
    )
    refused = {row.policy: row.refused.faults[0].what for _, row in placed if row.refused is not None}
    broken = dict.fromkeys(row.policy for _, row in placed if row.figures is not None and not row.holds)
    notes = (
        *our_ratios(points),
        *more,
        *(f"{series} is missing where it was refused ({what})" for series, what in refused.items()),
        *(f"{series} does NOT hold everywhere" for series in broken),
    )
    return Figure(name, title, x, TITLES[measure], points, tuple(shape(points)), notes)


def repeated(*defaults: tuple[Placed, float]) -> str:
    """How far times can be trusted: the same default setting was run in every sweep."""
    times = [
        row.figures.seconds
        for placed, default in defaults
        for at, row in placed
        if at == default and row.policy == METHOD and row.figures is not None
    ]
    spread = f"{min(times):.2g} to {max(times):.2g} seconds"
    return f"the default setting, run {len(times)} times, took {METHOD} {spread}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Reproduce the six figures of the k^f-anonymity paper.")
    parser.add_argument("-o", "--out", type=Path, default=Path("aggregate-knowledge"), help="output folder")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the real tables")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROWS:,} records, few parameters")
    asked = parser.parse_args()
    tables = tables_for(asked.data, asked.quick)
    table = "A generated table" if len(tables) == 1 else "The paper's census table"
    if asked.quick and len(tables) > 1:
        table = "A sample of the paper's census table"
    about = (
        f"{table}: {tables['census'].num_rows:,} records; k = {K} and d = 0 where they do not vary. "
        "Every release was verified; what does not hold is named. Times are of single runs."
    )
    found = list(figures(tables, QUICK if asked.quick else Plan()))
    write_results(found, asked.out, TITLE, about)
    for each in found:
        print(f"{each.title}: {each.sentence()}")
    print(f"Wrote {asked.out}/results.md")


if __name__ == "__main__":
    main()
