"""The Adult experiments of the slides on k-anonymity and l-diversity (after Machanavajjhala et al., 2006).

    python experiments/diversity.py [-o FOLDER] [--data FOLDER] [--quick]

How many groups of the minimal 6-anonymous tables give their sensitive value away; how long 6-diverse
tables take beside 6-anonymous ones; and what k-anonymity, entropy and recursive l-diversity cost at
k, l = 2, 4, 6, 8, each measured on the best of all minimal tables. The slides print counts for the first
alone: their curves are pictures without figures. They do not say which variant they timed nor the c of
recursive diversity; c = 3 is ours. Writes a chart per figure, ``results.json`` and ``results.md``.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diversity_shapes import (
    FIRST,
    OCCUPATION,
    PRINTED_COUNTS,
    SALARY,
    Homogeneity,
    K,
    exposures,
    homogeneity_claims,
    ranked,
    ratios,
    time_claims,
)
from real_tables import DATA, complain
from results import Figure, write_results
from shoal.anonymizer.anonymized_table import NodeReport
from shoal.anonymizer.leaf_matrix import hierarchy_of
from shoal.policy.model.guarantee import KAnonymity, LDiversity
from shoal.policy.model.policy import Policy
from shoal.release.release import Release, anonymize_in_memory
from shoal.report.charts.loss_charts import Point
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.categories import categories_from_arrow

TITLE = "k-anonymity and l-diversity"
FILES = ("adult/adult.data", "adult/adult.test")
HIERARCHY = "adult/hierarchies/adult_hierarchy_{}.csv"
COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
    "native-country", "salary-class",
)  # fmt: skip
PRINTED_SIZES = {
    "age": 74, "sex": 2, "race": 5, "marital-status": 7, "education": 16, "native-country": 41,
    "workclass": 7, "salary-class": 2, "occupation": 41,
}  # fmt: skip
PRINTED_HEIGHTS = {
    "age": 4, "sex": 1, "race": 1, "marital-status": 2, "education": 3, "native-country": 2,
    "workclass": 2,
}  # fmt: skip
QUASI = tuple(PRINTED_HEIGHTS)  # in the order of the slides
C = 3.0
SEED = 2006
QUICK_ROWS = 3_000

Ways = Mapping[str, Any]  # hierarchies as a policy gives them


@dataclass(frozen=True)
class Census:
    """A table, and how its columns may be generalized."""

    table: pa.Table
    ways: Ways
    name: str


@dataclass(frozen=True)
class Plan:
    """Which parameters are tried."""

    widths: tuple[int, ...] = (3, 4, 5, 6, 7)  # numbers of quasi columns
    ks: tuple[int, ...] = (2, 4, 6, 8)
    repeats: int = 3


QUICK = Plan(widths=(3, 5), ks=(2, 4), repeats=1)


# The table


def census_for(folder: Path, quick: bool) -> Census:
    """Adult; a quick run takes a sample, or a generated table where there is none."""
    names = [*FILES, *(HIERARCHY.format(name) for name in QUASI)]
    missing = [name for name in names if not (folder / name).is_file()]
    if missing and quick:
        return generated(QUICK_ROWS)
    if missing:
        sys.exit(complain(folder, missing))
    table = adult(folder)
    ways = {name: str((folder / HIERARCHY.format(name)).absolute()) for name in QUASI}
    if quick:
        rows = np.sort(np.random.default_rng(SEED).permutation(table.num_rows)[:QUICK_ROWS])
        return Census(table.take(arrow_from_numpy(rows)), ways, "A sample of Adult")
    return Census(table, ways, "Adult, both files without `?`")


def adult(folder: Path) -> pa.Table:
    """The complete records of both files; the second one ends its lines in a point."""
    lines = [line for name in FILES for line in (folder / name).read_text(encoding="utf-8").splitlines()]
    cells = [[cell.strip().rstrip(".") for cell in line.split(",")] for line in lines]
    complete = [row for row in cells if len(row) == len(COLUMNS) and "?" not in row]
    table = pa.table([pa.array(column) for column in zip(*complete, strict=True)], names=list(COLUMNS))
    return table.select([*QUASI, OCCUPATION, SALARY])


def generated(rows: int) -> Census:
    """A table of the same shape: skewed, and with a salary that follows the education."""
    random = np.random.default_rng(SEED)
    ranks = {
        name: np.minimum(random.geometric(0.35, rows) - 1, size - 1) for name, size in PRINTED_SIZES.items()
    }
    ranks["age"] = random.integers(17, 17 + PRINTED_SIZES["age"], rows)
    ranks[OCCUPATION] = random.integers(0, 14, rows)
    ranks[SALARY] = (ranks["education"] + random.integers(0, 4, rows) > 4).astype(int)
    columns = {name: [str(value) if name == "age" else f"{name} {value:02}" for value in ranks[name].tolist()]
               for name in (*QUASI, OCCUPATION, SALARY)}  # fmt: skip
    ways = {
        "age": {"intervals": [5, 10, 20]},
        "marital-status": {"groups": [4]},
        "education": {"groups": [3, 3]},
        "native-country": {"groups": [10]},
        "workclass": {"groups": [4]},
    }
    return Census(pa.table(columns), ways, "A generated table")


def differences(census: Census) -> list[str]:
    """Where the table is not what the slides print: numbers of values, heights of hierarchies."""
    sizes = {name: pc.count_distinct(census.table[name]).as_py() for name in PRINTED_SIZES}
    asked = policy(census, QUASI, KAnonymity(k=K))
    heights = {name: hierarchy_of(asked, name, categories_from_arrow(census.table[name])).height
               for name in QUASI}  # fmt: skip
    return [
        f"{name} has {found[name]} {what}, the slides print {printed}"
        for what, found, known in (("values", sizes, PRINTED_SIZES), ("levels", heights, PRINTED_HEIGHTS))
        for name, printed in known.items()
        if found[name] != printed
    ]


# The runs


def policy(census: Census, quasi: Sequence[str], asked: KAnonymity | LDiversity) -> Policy:
    """One guarantee over these quasi columns; the other columns that the table has are left out."""
    roles = dict.fromkeys(census.table.column_names, "identifier") | dict.fromkeys(quasi, "quasi")
    if isinstance(asked, LDiversity):
        roles[asked.sensitive] = "sensitive"
    ways = {name: way for name, way in census.ways.items() if name in quasi}
    method = {"name": "incognito"}
    return Policy(rows="people", columns=roles, hierarchies=ways, guarantees=[asked], method=method)


def demands(number: int) -> dict[str, KAnonymity | LDiversity]:
    """What is asked for at k = l = number, by the name of its series."""
    return {
        "k-anonymity": KAnonymity(k=number),
        "entropy l-diversity": LDiversity(variant="entropy", l=number, sensitive=OCCUPATION),
        f"recursive ({C:g}, l)-diversity": LDiversity(
            variant="recursive", l=number, c=C, sensitive=OCCUPATION
        ),
    }


def found(census: Census, quasi: Sequence[str], asked: KAnonymity | LDiversity) -> Release:
    print(f"   {len(quasi)} quasi columns: {asked.sentence()}", file=sys.stderr)
    release = anonymize_in_memory(census.table, policy(census, quasi, asked), seed=SEED)
    if broken := [verdict.sentence for verdict in release.verdicts if not verdict.holds]:
        sys.exit(f"error: a release does not hold: {' '.join(broken)}")
    return release


def homogeneity(census: Census, node: NodeReport, sensitive: str) -> Homogeneity:
    """Straight from the definition: group the labels and count the different values of each group."""
    asked = policy(census, list(node.levels), KAnonymity(k=K))
    shown = {name: _labels(census.table, asked, name, level) for name, level in node.levels.items()}
    table = pa.table({**shown, sensitive: census.table[sensitive]})
    groups = table.group_by(list(shown)).aggregate([(sensitive, "count_distinct"), (sensitive, "count")])
    alike = pc.equal(groups[f"{sensitive}_count_distinct"], 1)
    exposed = pc.sum(groups.filter(alike)[f"{sensitive}_count"]).as_py() or 0
    return Homogeneity(groups.num_rows, pc.sum(alike).as_py(), table.num_rows, exposed)


def _labels(table: pa.Table, asked: Policy, name: str, height: int) -> pa.Array:
    column = categories_from_arrow(table[name])
    hierarchy = hierarchy_of(asked, name, column)
    level = hierarchy.levels[height]
    return pa.array(level.labels).take(
        arrow_from_numpy(level.group_of[hierarchy.codes(column.words)][column.codes])
    )


# The figures


def figures(census: Census, plan: Plan) -> Iterator[Figure]:
    yield from homogeneity_figures(census)
    yield time_figure(census, plan)
    yield from utility_figures(census, plan)


def homogeneity_figures(census: Census) -> Iterator[Figure]:
    nodes = found(census, QUASI[:FIRST], KAnonymity(k=K)).result.nodes
    counts = {sensitive: [homogeneity(census, node, sensitive) for node in nodes]
              for sensitive in PRINTED_COUNTS}  # fmt: skip
    groups = {name: [100 * each.homogeneous / each.groups for each in several]
              for name, several in counts.items()}  # fmt: skip
    records = {name: [100 * each.exposed / each.records for each in several]
               for name, several in counts.items()}  # fmt: skip
    claims = tuple(homogeneity_claims(counts))
    place = f"minimal {K}-anonymous table, worst first"
    title = f"homogeneous groups of minimal {K}-anonymous tables"
    yield Figure("homogeneous-groups", title.capitalize(), place, "% of groups", ranked(groups), claims)
    title = "Records in them"
    yield Figure(
        "homogeneous-records", title, place, "% of records", ranked(records), (), tuple(exposures(counts))
    )


def time_figure(census: Census, plan: Plan) -> Figure:
    timed: dict[str, KAnonymity | LDiversity] = {
        f"{K}-anonymity": KAnonymity(k=K),
        f"distinct {K}-diversity": LDiversity(l=K, sensitive=OCCUPATION),
        f"entropy {K}-diversity": demands(K)["entropy l-diversity"],
    }
    found(census, QUASI[: plan.widths[0]], KAnonymity(k=K))  # loading compiled code is no part of any time
    found(census, QUASI[: plan.widths[0]], timed[f"distinct {K}-diversity"])
    points = tuple(
        Point(series, width, fastest(census, QUASI[:width], asked, plan.repeats))
        for width in plan.widths
        for series, asked in timed.items()
    )
    title = f"Time to find all minimal {K}-anonymous and {K}-diverse tables"
    notes = (f"each the fastest of {plan.repeats}", "the slides answer with a picture")
    return Figure("time", title, "quasi columns", "seconds", points, tuple(time_claims(points)), notes)


def fastest(census: Census, quasi: Sequence[str], asked: KAnonymity | LDiversity, repeats: int) -> float:
    return min(found(census, quasi, asked).seconds["anonymize"] for _ in range(repeats))


MEASURES = {
    "height": "Generalization steps",
    "average_class": "Average class size",
    "discernibility": "Discernibility",
}


def utility_figures(census: Census, plan: Plan) -> Iterator[Figure]:
    """Each measure of the minimal table that is best by it."""
    nodes = {
        (series, number): found(census, QUASI[:FIRST], asked).result.nodes
        for number in plan.ks
        for series, asked in demands(number).items()
    }
    for measure, title in MEASURES.items():
        points = tuple(
            Point(series, number, min(node.loss[measure] for node in several))
            for (series, number), several in nodes.items()
        )
        yield Figure(measure.replace("_", "-"), title, "k, l", title.lower(), points, (),
                     (*ratios(points), "the slides print no figures to compare with"))  # fmt: skip


def about(census: Census) -> str:
    differs = "; ".join(differences(census))
    beside = f"Against the slides: {differs}." if differs else "Domains and heights are those of the slides."
    return (
        f"{census.name}: {census.table.num_rows:,} records; method incognito, no suppression; quasi are the "
        f"first {FIRST} of the slides' columns ({', '.join(QUASI[:FIRST])}) where their number does not "
        f"vary, and occupation is sensitive where nothing else is said. Every release was verified. {beside}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Reproduce the Adult experiments of the l-diversity slides.")
    parser.add_argument("-o", "--out", type=Path, default=Path("diversity"), help="output folder")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the real tables")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROWS:,} records, few parameters")
    asked = parser.parse_args()
    census = census_for(asked.data, asked.quick)
    drawn = list(figures(census, QUICK if asked.quick else Plan()))
    write_results(drawn, asked.out, TITLE, about(census))
    for each in drawn:
        print(f"{each.title}: {each.sentence()}")
    print(f"Wrote {asked.out}/results.md")


if __name__ == "__main__":
    main()
