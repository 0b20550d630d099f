"""Tables 1 to 3 of *An Anonymity Model Achievable Via Microaggregation* (Domingo-Ferrer et al., 2008).

    python experiments/microaggregation.py [-o FOLDER] [--data FOLDER] [--quick]

What k-anonymity, (k,p,q,r)-anonymity and p-sensitive k-anonymity lose on the Census table, whose confidential
values are made up: ten equally frequent ones, or nine rare ones and one that nearly everybody has. The paper
does not say to which records it dealt them; here a seed does, and a figure is the mean over seeds beside the
least and the most. Writes a chart per table, ``results.json`` and ``results.md``.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from kpqr_rivals import nearest_value, random_start
from kpqr_shapes import (
    BETTER,
    CHEAPER,
    KPQR,
    KS_AND_PS,
    MDAV,
    MERGED,
    NEAREST,
    ONE_GROUP,
    PAPER,
    RAISING,
    RANDOM_START,
    REFINED,
    RS,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    Found,
    Printed,
    Runs,
    k_loses_least,
    many_classes,
    near_printed,
    outperforms,
    points_of,
    ratios_to_printed,
    rises_with_r,
    similar,
)
from real_tables import DATA, complain
from results import Claim, Figure, write_results
from shoal.arrays import Floats, Ints
from shoal.methods.means.sse import information_loss
from shoal.policy.model.guarantee import KAnonymity, KpqrAnonymity, PSensitivity
from shoal.policy.model.policy import Policy
from shoal.release.release import anonymize_in_memory
from shoal.table.read import read_table

TITLE = "(k,p,q,r)-anonymity by microaggregation"
FILE = "casc/CASCrefmicrodata.csv"
LEFT_OUT = "ERNVAL"  # without it the paper's 12 columns and its losses of k-anonymity come out
CONFIDENTIAL = "confidential"
ROWS = 1_080
RARE = 10  # records with each of the values 1 to 9, in the skewed table
Q, R = 0.2, 0.5
K1, P1 = 5, 4  # of table 1
YEAR = 2008  # with the number of the seed
LOSS = "100 SSE / SST"

Guarantees = list[KAnonymity | KpqrAnonymity | PSensitivity]
Losses = dict[str, Runs]


@dataclass(frozen=True)
class Census:
    """The key columns, what the table is called, and whether it is the one of the printed figures."""

    keys: pa.Table
    name: str
    printed: bool

    @property
    def points(self) -> Floats:
        """Standardized."""
        columns = np.column_stack([column.to_numpy() for column in self.keys.columns]).astype(float)
        return np.asarray((columns - columns.mean(axis=0)) / columns.std(axis=0))


@dataclass(frozen=True)
class Plan:
    """Which parameters are tried."""

    seeds: int = 20
    rs: tuple[float, ...] = RS
    ks: tuple[int, ...] = tuple(KS_AND_PS)
    refined: int = 3  # seeds of the search that takes seconds
    seconds: float = 3.0


QUICK = Plan(seeds=2, rs=(0.1, 0.7), ks=(3, 7), refined=1, seconds=0.2)


# The tables


def census_for(folder: Path, quick: bool) -> Census:
    """Census without a column; a quick run takes a generated table where it is missing."""
    if (folder / FILE).is_file():
        table = read_table(folder / FILE).arrow
        names = [name for name in table.column_names if name != LEFT_OUT]
        keys = pa.table({name: table[name].cast(pa.int64()) for name in names})
        return Census(keys, "The paper's Census table", printed=True)
    if quick:
        return generated(ROWS)
    sys.exit(complain(folder, [FILE]))


def generated(rows: int) -> Census:
    """As many columns of whole numbers, skewed and related, some with many zeros."""
    random = np.random.default_rng(YEAR)
    size = random.lognormal(sigma=0.8, size=rows)
    columns = {}
    for number in range(1, 13):
        amounts = 1_000 * size * random.lognormal(sigma=0.04 * number, size=rows)
        received = random.random(rows) < 1 - 0.02 * number
        columns[f"income {number:02}"] = np.where(received, amounts, 0).astype(np.int64)
    return Census(pa.table(columns), "A generated table", printed=False)


def unskewed(seed: int, rows: int = ROWS) -> Ints:
    """1 to 10, equally often, in an order drawn by the seed."""
    return np.random.default_rng([YEAR, seed]).permutation(np.arange(rows) % 10 + 1)


def skewed(seed: int, rows: int = ROWS) -> Ints:
    """1 to 9 ten times each, and 10 for the rest."""
    values = np.full(rows, 10)
    values[: 9 * RARE] = np.repeat(np.arange(1, 10), RARE)
    return np.random.default_rng([YEAR, seed]).permutation(values)


# The runs


def lost(
    table: pa.Table, asked: Guarantees, name: str, options: Mapping[str, Any], seed: int
) -> tuple[float, int]:
    """What a release loses, and its classes."""
    roles = {column: "sensitive" if column == CONFIDENTIAL else "quasi" for column in table.column_names}
    policy = Policy(columns=roles, guarantees=asked, method={"name": name, "options": options})
    release = anonymize_in_memory(table, policy, seed=seed)
    return release.loss["sse_sst"], release.result.classes


def k_anonymous(census: Census, k: int, plan: Plan) -> Losses:
    """Confidential values do not matter here; nothing is drawn but in the search."""
    print(f"   k-anonymity: k = {k}", file=sys.stderr)
    asked: Guarantees = [KAnonymity(k=k)]
    return {
        ONE_GROUP: _runs([lost(census.keys, asked, "mdav", {"rule": "one-group"}, 0)]),
        MDAV: _runs([lost(census.keys, asked, "mdav", {}, 0)]),
        REFINED: _runs(
            [
                lost(census.keys, asked, "refined", {"time_limit": plan.seconds}, seed)
                for seed in range(plan.refined)
            ]
        ),
    }


def kpqr_anonymous(census: Census, dealt: list[Ints], k: int, p: int, r: float) -> Losses:
    print(f"   (k,p,q,r): k = {k}, p = {p}, r = {r:g}", file=sys.stderr)
    asked: Guarantees = [
        KpqrAnonymity(k=k, p=p, q=Decimal(str(Q)), r=Decimal(str(r)), sensitive=CONFIDENTIAL)
    ]
    points = census.points
    found = {
        series: _library_runs(census, dealt, asked, name)
        for series, name in ((KPQR, "kpqr"), (PAPER, "kpqr-paper"), (BETTER, "auto"))
    }
    groups = [nearest_value(points, values, k, p, Q, r, _random(seed)) for seed, values in enumerate(dealt)]
    return found | {NEAREST: _runs([_lost_by(points, each) for each in groups])}


def p_sensitive(census: Census, dealt: list[Ints], k: int, p: int) -> Losses:
    print(f"   p-sensitivity: k = {k}, p = {p}", file=sys.stderr)
    asked: Guarantees = [KAnonymity(k=k), PSensitivity(p=p)]
    points = census.points
    groups = [random_start(points, values, k, p, _random(seed)) for seed, values in enumerate(dealt)]
    return {
        MERGED: _library_runs(census, dealt, asked, "mdav"),
        RANDOM_START: _runs([_lost_by(points, each) for each in groups]),
    }


def _library_runs(census: Census, dealt: list[Ints], asked: Guarantees, name: str) -> Runs:
    tables = [census.keys.append_column(CONFIDENTIAL, pa.array(values)) for values in dealt]
    return _runs([lost(table, asked, name, {}, seed) for seed, table in enumerate(tables)])


def _random(seed: int) -> np.random.Generator:
    return np.random.default_rng([seed, YEAR])


def _lost_by(points: Floats, group_of: Ints) -> tuple[float, int]:
    return information_loss(points, group_of), len(np.unique(group_of))


def _runs(several: list[tuple[float, int]]) -> Runs:
    losses, classes = zip(*several, strict=True)
    return Runs(losses, classes)


# The figures


def figures(census: Census, plan: Plan) -> Iterator[Figure]:
    even, uneven = ([deal(seed) for seed in range(plan.seeds)] for deal in (unskewed, skewed))
    beside = k_anonymous(census, K1, plan) | p_sensitive(census, even, K1, P1)  # whatever r is
    found = by_series({r: kpqr_anonymous(census, even, K1, P1, r) | beside for r in plan.rs})
    claims = (*rises_with_r(found), *k_loses_least(found))
    title = f"Loss of (k,p,q,r)-anonymity against r (k = {K1}, p = {P1}, q = {Q:g})"
    yield figure(census, 1, title, "r", found, TABLE_1, claims, {PAPER: RAISING})

    k_losses = {k: k_anonymous(census, k, plan) for k in plan.ks}
    place = f"k (with p = {', '.join(str(KS_AND_PS[k]) for k in plan.ks)})"
    found = against_k(census, k_losses, even)
    claims = (*k_loses_least(found), *similar(found, TABLE_2), many_classes(found))
    title = "Loss under several models, unskewed confidential values"
    yield figure(census, 2, title, place, found, TABLE_2, claims, {PAPER: RAISING})

    found = against_k(census, k_losses, uneven)
    claims = (*k_loses_least(found), *outperforms(found), many_classes(found))
    title = "Loss under several models, skewed confidential values"
    whys = dict.fromkeys((PAPER, NEAREST), CHEAPER)
    yield figure(census, 3, title, place, found, TABLE_3, claims, whys, variances(uneven[0]))


def figure(
    census: Census, number: int, title: str, x: str, found: Found, printed: Printed,
    claims: tuple[Claim, ...], whys: Mapping[str, str], *notes: str,
) -> Figure:  # fmt: skip
    """With the printed losses beside, if the table is theirs."""
    if census.printed:
        claims = (*claims, *near_printed(found, printed, whys))
        notes = (*ratios_to_printed(found, printed), *notes)
    points = points_of(found, printed if census.printed else {})
    return Figure(f"table-{number}", f"Table {number}. {title}", x, LOSS, points, claims, notes)


def against_k(census: Census, k_losses: Mapping[int, Losses], dealt: list[Ints]) -> Found:
    return by_series(
        {
            k: losses
            | kpqr_anonymous(census, dealt, k, KS_AND_PS[k], R)
            | p_sensitive(census, dealt, k, KS_AND_PS[k])
            for k, losses in k_losses.items()
        }
    )


def by_series(at: Mapping[Any, Losses]) -> Found:
    names = next(iter(at.values()))
    return {series: {x: losses[series] for x, losses in at.items()} for series in names}


def variances(values: Ints) -> str:
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    rare = values[counts[codes] < Q * len(values)]
    return (
        f"the printed steps ask for r times the variance of the rare values ({rare.var():.2f}), the "
        f"definition for r times that of all ({values.var():.2f}), in tables 1 and 2 all values are rare"
    )


def about(census: Census, plan: Plan) -> str:
    beside = "The printed losses were measured once. " if census.printed else ""
    return (
        f"{census.name}: {census.keys.num_rows:,} records, {census.keys.num_columns} standardized columns; "
        f"q = {Q:g}, and r = {R:g} where it does not vary. Means over {plan.seeds} seeds ({plan.refined} for "
        f"refined, {plan.seconds:g} seconds each), with the least and the most; a seed deals the "
        f"confidential values and draws where groups begin. mdav draws nothing. {beside}`{BETTER}` is what "
        "the library publishes for (k,p,q,r) unless told otherwise. The paper prints neither the steps of "
        "its rival for p-sensitivity, of which `random start` is our reading, nor how values were dealt."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Reproduce tables 1 to 3 of the (k,p,q,r)-anonymity paper.")
    parser.add_argument("-o", "--out", type=Path, default=Path("kpqr-anonymity"), help="output folder")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the real tables")
    parser.add_argument("--quick", action="store_true", help="few parameters and seeds")
    asked = parser.parse_args()
    census = census_for(asked.data, asked.quick)
    plan = QUICK if asked.quick else Plan()
    drawn = list(figures(census, plan))
    write_results(drawn, asked.out, TITLE, about(census, plan))
    for each in drawn:
        print(f"{each.title}: {each.sentence()}")
    print(f"Wrote {asked.out}/results.md")


if __name__ == "__main__":
    main()
