"""Methods that have no plan of their own, inside cells: as in memory in one, right figures in several."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.anonymizer.anonymize import anonymize_rows
from shoal.anonymizer.stars.star_search import find_stars
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.engines.steps.part_statistics import CLASS, STATISTICS, PartStatistics
from shoal.engines.steps.shuffle import shuffle
from shoal.errors import ShoalError
from shoal.kernels.keyed_hash import seeded_key
from shoal.release.large_release import release_large
from shoal.release.storage.audit import Audit
from shoal.table.columns.numbered_rows import ROW

ROWS = 240
DRAW = np.random.default_rng(7)
TABLE = pa.table({
    "age": np.where(np.arange(ROWS) % 3, DRAW.integers(18, 90, ROWS), 40),
    "pay": [str(cell) if cell < 60 else f"{cell}.25" for cell in DRAW.integers(-9, 99, ROWS)],
    "born": pa.array(DRAW.integers(0, 9000, ROWS), pa.int32()).cast(pa.date32()),
    "town": [f"t{town}" if town else None for town in DRAW.integers(0, 5, ROWS)],
    "size": [("small", "middle", "large")[size] for size in DRAW.integers(0, 3, ROWS)],
    "illness": [f"i{illness}" for illness in DRAW.integers(0, 6, ROWS)],
    "name": [f"n{row}" for row in range(ROWS)],
})  # fmt: skip
DIVERSE = {"kind": "l-diversity", "l": 2, "sensitive": "illness"}
CLOSE = {"kind": "t-closeness", "t": "0.6", "sensitive": "illness"}


def policy_for(method, quasi, *more, k=3, **options):
    columns = {name: "quasi" if name in quasi else "other" for name in TABLE.column_names}
    if "order" not in options and method in ("mdav", "vmdav", "refined") and "size" in quasi:
        options["order"] = {"size": ["small", "middle", "large"]}
    return shoal.Policy(
        columns=columns | {"illness": "sensitive", "name": "identifier"},
        guarantees=[{"kind": "k-anonymity", "k": k}, *more],
        method={"name": method, "suppression": 0.1, "options": options},
    )


NUMBERS, EVERYTHING = ("age", "pay"), ("age", "pay", "born", "town", "size")
POLICIES = (
    policy_for("mdav", EVERYTHING, DIVERSE),
    policy_for("vmdav", NUMBERS, CLOSE, keep_decimals=True),
    policy_for("mdav", NUMBERS, totals=["age"]),
    policy_for("cluster", ("age", "town"), DIVERSE),
    policy_for("cluster", NUMBERS),
    policy_for("suppress-cells", ("age", "town", "size"), DIVERSE),
)


def beyond_memory(policy, part_rows, seed=3, table=TABLE):
    key = seeded_key(seed)
    engine = DiskEngine(1 << 30, Path(tempfile.gettempdir()), RowProgress(), part_rows)
    made = anonymize_rows(engine.read(table), policy, key)
    found = pa.concat_tables(shuffle(made.rows, key, made.records).batches())
    return found, made.figures(PartStatistics.read(found[STATISTICS].drop_null().to_pylist()))


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.method.name)
def test_one_cell_is_the_table_in_memory(policy):
    found, figures = beyond_memory(policy, 10_000)
    expected = shoal.anonymize(TABLE, policy, seed=3).result
    shown = found.drop_columns([ROW, CLASS, STATISTICS])
    assert shown.cast(expected.table.schema).to_pylist() == expected.table.to_pylist()
    assert found[ROW].to_pylist() == expected.input_rows.tolist()
    assert figures.loss == pytest.approx(expected.loss, rel=1e-12)
    assert figures.paid == pytest.approx(expected.paid, rel=1e-12)
    assert figures.exact_cells == pytest.approx(expected.exact_cells)
    assert (figures.classes, figures.suppressed, figures.starred) == (
        expected.classes,
        expected.suppressed,
        expected.starred,
    )
    assert figures.notes == expected.notes


def test_records_that_stars_do_not_help_are_not_counted_as_published(monkeypatch):
    def one_leaves(*asked):
        stars, own = find_stars(*asked)
        return replace(stars, kept=np.arange(len(stars.kept)) > 0), own

    monkeypatch.setattr("shoal.anonymizer.stars.plan.find_stars", one_leaves)
    rows = DiskEngine(1 << 30, Path(tempfile.gettempdir()), RowProgress(), 60).read(TABLE)
    made = anonymize_rows(rows, POLICIES[-1], seeded_key(3))
    assert made.records == sum(map(len, made.rows.batches())) < ROWS


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.method.name)
def test_several_cells_keep_every_promise(tmp_path, policy):
    engine = DiskEngine(1 << 30, tmp_path, RowProgress(), 60)
    release = release_large(engine, TABLE, policy, tmp_path / "release", audit=tmp_path / "audit.csv", seed=3)
    assert all(verdict.holds for verdict in release.verdicts)
    assert len(release.verdicts) == len(policy.guarantees) + 1
    opened = shoal.open_release(tmp_path / "release")
    audit = Audit.load(tmp_path / "audit.csv")
    assert all(verdict.holds for verdict in opened.verify(TABLE, audit=tmp_path / "audit.csv"))
    shown = opened.read().arrow.select(policy.having("quasi"))
    different = {tuple(map(str, row.values())) for row in shown.to_pylist()}
    assert release.result.classes == len(different) == len(set(audit.class_of.tolist()))
    assert release.result.notes[-1].startswith("classes were formed inside ")


def test_figures_are_those_of_the_whole_table():
    policy = policy_for("mdav", NUMBERS)
    found, figures = beyond_memory(policy, 60)
    rows = found[ROW].to_numpy()
    values = np.array([[float(cell) for cell in TABLE[name].to_pylist()] for name in NUMBERS]).T[rows]
    lost, widths = np.zeros(2), np.zeros(2)
    for first in np.unique(found[CLASS].to_numpy()):
        members = found[CLASS].to_numpy() == first
        own = values[members]
        assert rows[members].min() == first
        assert np.allclose(own.mean(axis=0), [found[name].to_numpy()[members][0] for name in NUMBERS])
        lost += ((own - own.mean(axis=0)) ** 2).sum(axis=0)
        widths += np.ptp(own, axis=0) * len(own)
    spans = np.ptp(values, axis=0)
    common = values.max() - values.min()
    expected = {
        "sse_sst": 100 * (lost / ((values - values.mean(axis=0)) ** 2).sum(axis=0)).mean(),
        "ncp": widths.sum() / common / values.size,
        "ncp_range": (widths / spans).sum() / values.size,
        "average_class": ROWS / figures.classes,
    }
    assert figures.loss == pytest.approx(expected, rel=1e-9)
    assert figures.paid == pytest.approx(
        dict(zip(NUMBERS, widths / spans / (widths / spans).sum(), strict=True))
    )


def test_totals_are_kept_in_every_cell():
    found, _ = beyond_memory(POLICIES[2], 60)
    assert sum(found["age"].to_pylist()) == sum(TABLE["age"].to_pylist())


def test_rarity_needs_the_whole_table():
    asked = {"kind": "kpqr-anonymity", "k": 3, "p": 2, "q": "0.1", "r": "0.5", "sensitive": "illness"}
    policy = shoal.Policy(
        columns=dict(policy_for("mdav", NUMBERS).columns), guarantees=[asked], method={"name": "kpqr"}
    )
    with pytest.raises(ShoalError, match="kpqr-anonymity works in memory only"):
        beyond_memory(policy, 60)
