"""Attackers of tables beyond memory find what they find in memory."""

import tempfile
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

import shoal
from shoal.adversary.attackers.aggregate import aggregate, aggregate_by_counts
from shoal.adversary.attackers.linkage import linkage, linkage_by_counts
from shoal.adversary.attacks import attack_large
from shoal.adversary.large.candidate_counts import candidate_counts, lay_on_line
from shoal.adversary.large.counted_scene import CountedScene
from shoal.adversary.large.totals import totals_of
from shoal.adversary.scene import Scene
from shoal.cli.main import app
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.engines.spark.engine import SparkEngine
from shoal.errors import ShoalError
from shoal.policy.model.expression import columns_of, parse_expression
from shoal.table.files.reading import AS_IT_LOOKS
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable
from tests.release.integrity.test_signature import make_key
from tests.release.tampered import seal

SUM = "a + b + c"
QUASI = {"a": "quasi", "b": "quasi", "c": "quasi"}


@dataclass(frozen=True)
class Small:
    """A disk with parts of so many rows, and batches of a dozen."""

    part_rows: int

    def read(self, source, as_written=False, reading=AS_IT_LOOKS):
        rows = DiskEngine(1 << 30, Path(tempfile.gettempdir()), RowProgress(), 48).read(
            source, as_written, reading
        )
        return replace(rows, room=replace(rows.room, part_rows=self.part_rows))


def policy_of(knows=SUM, method=None, k=3, **more):
    guarantees = [{"kind": "kf-anonymity", "k": k, "knows": [knows]}]
    if method == "mondrian":
        guarantees.append({"kind": "k-anonymity", "k": k})
    named = {} if method is None else {"method": {"name": method, "suppression": "0.5"}}
    columns = {name: "quasi" if name in columns_of(parse_expression(knows)) else "other" for name in QUASI}
    return shoal.Policy(columns=columns, guarantees=guarantees, **named, **more)


def random_table(seed, rows=40, missing=False):
    """Ties, zeros, negatives and decimals of several lengths."""
    random = np.random.default_rng(seed)
    pools = [[0, 0, 0, 1, 2, 3, -5, 7], [10, 11, 12, 12, 400], ["1.5", "0", "-2.25", "3", "0.125"]]
    cells = [[pool[at] for at in random.integers(0, len(pool), rows)] for pool in pools]
    if missing:
        cells[0] = [None if random.random() < 0.2 else cell for cell in cells[0]]
    return pa.table(dict(zip("abc", cells, strict=True)))


def assert_same_figures(found, expected):
    """Every figure, and floats to the last digits."""
    assert found.as_dict() == expected.as_dict()
    assert found.expected == pytest.approx(expected.expected, rel=1e-12)
    assert found.below == pytest.approx(expected.below, rel=1e-12)
    assert (found.smallest, found.median) == (expected.smallest, expected.median)
    different, times = np.unique(expected.candidates, return_counts=True)
    assert found.candidates.tolist() == different.tolist()
    assert found.times.tolist() == times.tolist()


def attacked(original, published, policy, parts):
    disk = Small(parts)
    people = disk.read(original)
    shown = people if published is None else disk.read(published)
    return next(aggregate_by_counts(CountedScene(people, shown, policy)))


def linkage_attack(rows, policy):
    return next(linkage_by_counts(CountedScene(rows, rows, policy)))


def in_memory(original, published, policy):
    table = Table(original)
    if published is None:
        return next(aggregate(Scene.raw_table(table, policy)))
    return next(aggregate(Scene(PublishedTable(table), PublishedTable(Table(published)), policy)))


@pytest.mark.parametrize("method", ["aggranon", "residual", "mondrian"])
def test_a_total_leaves_the_candidates_that_it_leaves_in_memory(method):
    seed = len(method)
    table, policy = random_table(seed), policy_of(method=method)
    published = shoal.anonymize(table, policy, seed=seed).result.table
    expected = in_memory(table, published, policy)
    for parts in (1, 5, 1000):
        assert_same_figures(attacked(table, published, policy, parts), expected)


def drawn(seed, rows):
    """Ranges that have nothing to do with anybody: some written as text, some starred, some missing."""
    random = np.random.default_rng(seed)
    low, width = random.integers(-6, 7, (rows, 3)) / 2, random.integers(0, 9, (rows, 3)) / 4
    cells = [[f"[{a}, {a + w}]" if w else f"{a}" for a, w in zip(*both, strict=True)]
             for both in zip(low.T.tolist(), width.T.tolist(), strict=True)]  # fmt: skip
    for column in cells[:2]:
        for at in range(rows):
            column[at] = random.choice([column[at]] * 8 + ["*", None])
    return pa.table(dict(zip("abc", cells, strict=True)))


KNOWN = [SUM, "a - 2 * b + c / 3", "0 * a + c", "0 * a", "max(a, b)", "a * b", "norm(a, b)", "avg(a, b)"]


@pytest.mark.parametrize("knows", KNOWN)
@pytest.mark.parametrize("zero", [False, True])
def test_stars_and_missing_cells_fit_as_they_do_in_memory(knows, zero):
    policy = policy_of(knows, missing={"a": "zero"} if zero else {})
    for seed in range(2):
        table, published = random_table(seed, 12, missing=True), drawn(seed, 1 + 9 * (seed % 2))
        assert_same_figures(attacked(table, published, policy, 2), in_memory(table, published, policy))


@pytest.mark.parametrize("knows", KNOWN)
def test_stars_with_declared_limits_fit_as_they_do_in_memory(knows):
    policy = policy_of(knows, domains={"a": [-6, 8], "b": ["-3.5", 400]})
    table, published = random_table(3, 12, missing=True), drawn(3, 10)
    assert_same_figures(attacked(table, published, policy, 2), in_memory(table, published, policy))


@pytest.mark.parametrize("knows", KNOWN)
def test_the_table_as_it_is_gives_away_what_it_gives_away_in_memory(knows):
    for seed in range(2):
        table, policy = random_table(seed, 30, missing=seed == 1), policy_of(knows)
        assert_same_figures(attacked(table, None, policy, 3), in_memory(table, None, policy))


def test_floats_that_count_as_equal_are_one_total_on_both_sides_of_a_border():
    near = [1.0, 1 + 1e-12, 1 - 1e-12, 1 + 0.9e-9, 2.0, 2 + 1e-13, 3.0, 3 + 1e-8]
    table = pa.table({name: [str(cell * 10**9) for cell in near for _ in range(3)] for name in "abc"})
    policy = policy_of("norm(a, b)")
    for parts in (1, 2, 5):
        assert_same_figures(attacked(table, None, policy, parts), in_memory(table, None, policy))


def test_only_floats_that_stand_apart_are_parted():
    """Each of a hundred is nearer than a billionth to the next, so all of them are one total."""
    chain = pa.table({"a": [4 * (1 + at * 0.8e-9) for at in range(100)], "b": [2.0] * 100, "c": [0] * 100})
    policy = policy_of("a / b")
    found = attacked(chain, None, policy, 5)
    assert_same_figures(found, in_memory(chain, None, policy))
    assert found.candidates.tolist() == [100]


def test_values_of_a_batch_stand_on_the_line_once():
    rows = Small(8).read(pa.table({"a": [5] * 120, "b": [0] * 120, "c": [0] * 120}))
    [totals] = totals_of(parse_expression(SUM), policy_of(), rows)
    line = lay_on_line(rows, totals, people=True, records=True)
    assert line.fold(len, lambda one, other: one + other) == 120 // 12
    assert candidate_counts(line).times.tolist() == [120]


def test_totals_beyond_64_bits_are_refused_without_a_cell():
    table = pa.table({"a": [4 * 10**18, 1], "b": [4 * 10**18, 1], "c": [0, 0]})
    with pytest.raises(ShoalError, match="does not fit 64-bit"):
        attacked(table, None, policy_of("a * b"), 2)


def test_quasi_values_are_as_rare_as_they_are_in_memory():
    random = np.random.default_rng(5)
    table = pa.table({
        "a": [["1", "1.0", "2.50", "", None, "-3"][at] for at in random.integers(0, 6, 50)],
        "b": [["x", "x ", None, "01"][at] for at in random.integers(0, 4, 50)],
        "c": [[0.1, 0.1 + 0.2, 0.3, None][at] for at in random.integers(0, 4, 50)],
    })  # fmt: skip
    for missing in ({}, {"a": "zero"}):
        policy = shoal.Policy(columns=QUASI, guarantees=[{"kind": "k-anonymity", "k": 4}], missing=missing)
        expected = next(linkage(Scene.raw_table(Table(table), policy)))
        for parts in (3, 100):
            assert_same_figures(linkage_attack(Small(parts).read(table), policy), expected)


def test_a_release_is_attacked_as_it_was_written_and_what_was_left_out_is_named(tmp_path):
    table, policy = random_table(1), policy_of(method="aggranon")
    release = shoal.anonymize(table, policy, seed=1)
    release.write(tmp_path / "out", format="csv")
    found = attack_large(Small(7), table, tmp_path / "out")
    expected = shoal.attack(table, tmp_path / "out", only=["aggregate"])[0]
    [result] = found.results
    assert_same_figures(result, expected)
    assert not found.raw
    assert found.left_out[:3] == (
        "linkage of a release", "aggregate with any other attribute besides", "homogeneity"
    )  # fmt: skip
    with pytest.raises(ShoalError, match="has 39 rows, but the release was made of 40"):
        attack_large(Small(7), table.slice(1), tmp_path / "out")
    (tmp_path / "out" / "data.csv").write_text("a,b,c\n1,2,3\n")
    with pytest.raises(ShoalError, match="do not match the manifest"):
        attack_large(Small(7), table, tmp_path / "out")


def test_a_release_that_is_not_what_it_states_is_not_attacked(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    table, policy = random_table(1), policy_of(method="aggranon")
    shoal.anonymize(table, policy, seed=1).write(tmp_path / "out", format="csv")
    seal(tmp_path / "out", lambda content: content["verdicts"][0]["achieved"].update(k=40))
    with pytest.raises(ShoalError, match="does not follow from the files"):
        attack_large(Small(7), table, tmp_path / "out")


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_with_a_key_only_a_signed_release_is_attacked(engine, tmp_path):
    table, policy = random_table(1), policy_of(method="aggranon")
    parquet.write_table(table, tmp_path / "table.parquet")
    key = make_key(tmp_path / "key")
    for name, signed in (("signed", key), ("unsigned", None)):
        shoal.anonymize(table, policy, seed=1).write(tmp_path / name, sign=signed)
        told = CliRunner().invoke(
            app, ["attack", str(tmp_path / "table.parquet"), str(tmp_path / name), "--key", f"{key}.pub",
                  "--engine", engine, "--attacks", "aggregate"]
        )  # fmt: skip
        assert ("not signed" in str(told.exception)) == (signed is None)
        assert (told.exit_code == 0) == (signed is not None)


def test_the_table_itself_is_attacked_with_a_policy():
    guarantees = [{"kind": "kf-anonymity", "k": 3, "knows": [SUM], "within": "0.1"},
                  {"kind": "kf-anonymity", "k": 3, "knows": ["a", "b"]}]  # fmt: skip
    table, policy = random_table(1), shoal.Policy(columns=QUASI, guarantees=guarantees)
    found = attack_large(Small(9), table, policy=policy)
    expected = shoal.attack(table, policy=policy, only=["linkage", "aggregate"])
    told = ("a, b and c of a person", f"{SUM} of a person, exactly")
    chosen = [result for result in expected if result.knows in told]
    for one, other in zip(found.results, chosen, strict=True):
        assert_same_figures(one, other)
    assert found.left_out[:4] == (
        "linkage by a few of the quasi values, or by more than these",
        "aggregate with any other attribute besides",
        "aggregate as the policy states it, together with other aggregates or known columns",
        "aggregate known to within a share",
    )
    assert attack_large(Small(9), table, policy=policy, only=["heaping"]).results == []
    with pytest.raises(ShoalError, match="nothing to attack"):
        attack_large(Small(9), table)


def test_rows_stand_beside_others_on_spark(spark, tmp_path):
    parquet.write_table(pa.table({"x": [1, 2, 3]}), tmp_path / "t.parquet")
    with SparkEngine(spark, tmp_path, part_rows=15) as engine:
        rows = engine.read(tmp_path / "t.parquet")
        turned = rows.map(lambda table: table.set_column(0, "x", pc.negate(table["x"])), rows.schema)
        both = rows.union(turned)
        found = both.fold(lambda table: table["x"].to_pylist(), lambda one, other: one + other)
    assert sorted(found) == [-3, -2, -1, 1, 2, 3]
    assert both.rows == 6


@pytest.mark.slow
def test_spark_finds_the_same(spark, tmp_path):
    table, policy = random_table(4), policy_of(method="residual")
    release = shoal.anonymize(table, policy, seed=4)
    release.write(tmp_path / "out")
    parquet.write_table(table, tmp_path / "t.parquet")
    with SparkEngine(spark, tmp_path, part_rows=15) as engine:
        [found] = attack_large(engine, tmp_path / "t.parquet", tmp_path / "out").results
    assert_same_figures(found, in_memory(table, release.result.table, policy))


def test_linkage_refuses_numbers_that_no_common_scale_holds():
    cells = [
        pa.array([Decimal(cell)] * 12, pa.decimal128(38, 6)) for cell in ("0.000001", "288230376151711744")
    ]
    table = pa.table({"a": pa.chunked_array(cells)})
    asked = shoal.Policy(columns={"a": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    with pytest.raises(ShoalError, match="'a'"):
        linkage_attack(Small(12).read(table), asked)
