"""A frame of the user's is published on its own session, as memory would publish it."""

import shutil
import subprocess
import sys

import pytest
from pyarrow import parquet

import shoal
import shoal.spark
from shoal.errors import ShoalError
from tests.engines.incomes import SEED, assert_as_in_memory, incomes, policy_for

ROWS = 600


@pytest.fixture
def frame(spark, tmp_path):
    parquet.write_table(incomes(ROWS), tmp_path / "t.parquet")
    return spark.read.parquet(str(tmp_path / "t.parquet"))


@pytest.fixture
def work(tmp_path):
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def test_a_frame_becomes_a_frame_and_a_release(frame, work, tmp_path):
    policy = policy_for("aggranon")
    expected = shoal.anonymize(incomes(ROWS), policy, seed=SEED)
    with shoal.spark.anonymize(frame, policy, seed=SEED, work=work, part_rows=200) as release:
        assert release.table.sparkSession is frame.sparkSession
        assert release.table.columns == expected.result.table.column_names
        found = [row.asDict(recursive=True) for row in release.table.collect()]
        assert found == expected.result.table.to_pylist()
        assert release.loss == pytest.approx(expected.loss)
        assert (release.rows, release.records, release.notes) == (ROWS, ROWS, expected.notes)
        assert [(one.kind, one.holds) for one in release.verdicts] == [
            ("kf-anonymity", True),
            ("truth", True),
        ]
        release.write(tmp_path / "release", audit=tmp_path / "audit.csv")
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
        release.write(tmp_path / "signed", sign=tmp_path / "key")
    assert list(work.iterdir()) == []
    signed = shoal.open_release(tmp_path / "signed", key=tmp_path / "key.pub").verify()
    assert [(one.kind, one.holds) for one in signed][:2] == [("integrity", True), ("signature", True)]
    assert_as_in_memory(tmp_path / "release", tmp_path / "audit.csv", incomes(ROWS), policy)
    assert all(one.holds for one in shoal.open_release(tmp_path / "release").verify(incomes(ROWS)))
    assert len(list((tmp_path / "release" / "data.parquet").iterdir())) == 3


def test_a_work_folder_that_was_changed_is_not_published(frame, work, tmp_path):
    with shoal.spark.anonymize(frame.limit(50), policy_for("aggranon"), work=work) as release:
        (data,) = work.glob("*/data.parquet")
        shutil.copy(data / "part-00000.parquet", data / "part-00001.parquet")
        with pytest.raises(ShoalError, match="something was added to the release"):
            release.write(tmp_path / "release")
        (data / "part-00001.parquet").rename(data / "part-00000.parquet")
        parquet.write_table(incomes(9), data / "part-00000.parquet")
        with pytest.raises(ShoalError, match="the work folder was changed"):
            release.write(tmp_path / "release")
    assert not (tmp_path / "release").exists()
    assert list(work.iterdir()) == []


def test_a_refused_policy_leaves_nothing_behind(frame, work):
    policy = shoal.Policy(columns={"pay": "quasi"}, guarantees=[shoal.KAnonymity(k=2)])
    with pytest.raises(ShoalError, match="'rent' is in the table but not in the policy"):
        shoal.spark.anonymize(frame, policy, work=work)
    assert list(work.iterdir()) == []


def test_what_is_missing_is_said(spark, tmp_path):
    policy = policy_for("aggranon")
    with pytest.raises(ShoalError, match="without a session"):
        shoal.spark.anonymize("people", policy)
    with pytest.raises(ShoalError, match="there is no table or file 'people'"):
        shoal.spark.anonymize("people", policy, session=spark)
    with pytest.raises(ShoalError, match="there is no folder"):
        shoal.spark.anonymize(spark.range(3), policy, work=tmp_path / "none")


def test_shoal_itself_does_not_bring_spark_up():
    script = "import sys, shoal, shoal.spark; print('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True).stdout == b"False\n"
