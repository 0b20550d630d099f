"""Releases of tables beyond memory: the folder is that of a run in memory."""

import inspect
import os
import resource
import signal
import subprocess
import sys
import time
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import shoal
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.methods.levels.optimal import optimal
from shoal.policy.text.policy_text import policy_text
from shoal.release.large_release import release_large
from shoal.release.storage.audit import Audit

WORDS = ["north", "south", "east, far", '"west"', "=1+1"]
TABLE = pa.table(
    {
        "name": [f"person {row}" for row in range(90)],
        "pay": [f"{(row * 37) % 50 * 100}.50" for row in range(90)],
        "rent": [None if row % 17 == 3 else row % 7 * 10 for row in range(90)],
        "place": [WORDS[row * row % 5] for row in range(90)],
        "remark": [None if row % 5 == 0 else f"r{row % 3}" for row in range(90)],
    }
)
COLUMNS = {"name": "identifier", "pay": "quasi", "rent": "quasi", "place": "quasi", "remark": "other"}


def policy_for(method):
    guarantees = [{"kind": "k-anonymity", "k": 3}]
    if method != "mondrian":
        guarantees = [{"kind": "kf-anonymity", "k": 3, "knows": ["pay + rent"], "also": ["place"]}]
    if method == "aggranon":
        guarantees = [{"kind": "kf-anonymity", "k": 3, "knows": ["pay + rent"]}]
    columns = COLUMNS | ({"place": "other"} if method == "aggranon" else {})
    return shoal.Policy(
        columns=columns, guarantees=guarantees, missing={"rent": "zero"}, method={"name": method}
    )


def disk(folder, rows=20):
    return DiskEngine(1 << 30, folder, RowProgress(), rows)


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("method", ["aggranon", "mondrian", "residual"])
def test_the_folder_is_that_of_memory(tmp_path, method, format):
    policy = policy_for(method)
    shoal.anonymize(TABLE, policy, seed=5).write(tmp_path / "memory", format, tmp_path / "memory.audit")
    made = release_large(
        disk(tmp_path), TABLE, policy, tmp_path / "disk", format, tmp_path / "disk.audit", seed=5
    )
    large, small = (shoal.open_release(tmp_path / name) for name in ("disk", "memory"))
    assert large.read().arrow.equals(small.read().arrow)
    assert [verdict.kind for verdict in made.verdicts] == [policy.guarantees[0].kind, "truth"]
    assert all(verdict.holds for verdict in [*made.verdicts, *large.verify(against=TABLE)])
    expected, found = (
        manifest.to_json().replace(manifest.files[f"data.{format}"], "")
        for manifest in (small.manifest, large.manifest)
    )
    assert found.split('"sha256"')[0] == expected.split('"sha256"')[0]
    ours, theirs = (Audit.load(tmp_path / f"{name}.audit") for name in ("disk", "memory"))
    assert ours.secret == theirs.secret
    assert ours.input_rows.tolist() == theirs.input_rows.tolist()
    pairs = set(zip(ours.class_of.tolist(), theirs.class_of.tolist(), strict=True))
    assert len(pairs) == len(set(ours.class_of.tolist())) == len(set(theirs.class_of.tolist()))


def test_files_and_folders_of_files_are_one_table(tmp_path):
    policy = policy_for("aggranon")
    for name in ("csv", "parquet"):
        (tmp_path / name).mkdir()
    for place, part in enumerate((TABLE.slice(0, 31), TABLE.slice(31))):
        csv.write_csv(part, tmp_path / "csv" / f"{place}.csv")
        parquet.write_table(part, tmp_path / "parquet" / f"{place}.parquet", row_group_size=7)
    expected = shoal.anonymize(TABLE, policy, seed=5).result.table
    for name in ("csv", "parquet"):
        release_large(disk(tmp_path), tmp_path / name, policy, tmp_path / f"{name}-out", seed=5)
        found = shoal.open_release(tmp_path / f"{name}-out").read().arrow
        assert found.select(["pay", "rent"]).equals(expected.select(["pay", "rent"]))


def test_a_release_that_does_not_take_its_place_leaves_the_link_of_the_one_before(tmp_path, monkeypatch):
    def make(seed):
        release_large(
            disk(tmp_path),
            TABLE,
            policy_for("mondrian"),
            tmp_path / "out",
            audit=tmp_path / "audit",
            force=True,
            seed=seed,
        )

    def fail(*_):
        raise OSError(ENOSPC, "No space left on device")

    make(seed=5)
    before = (tmp_path / "audit").read_bytes()
    monkeypatch.setattr("shoal.release.storage.atomic_folder._take_place", fail)
    with pytest.raises(shoal.ShoalError, match="cannot be written: No space left on device"):
        make(seed=6)
    assert (tmp_path / "audit").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"out", "audit"}


def test_a_row_that_was_lost_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.release.large_release.shuffle", lambda rows, *_: rows.map(_fewer, rows.schema))
    with pytest.raises(shoal.ShoalError, match="not all records were written"):
        release_large(disk(tmp_path), TABLE, policy_for("mondrian"), tmp_path / "out", seed=5)
    assert list(tmp_path.iterdir()) == []


def _fewer(table):
    return table.slice(1)


def test_nothing_is_left_where_the_disk_is_full(tmp_path):
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limit[1]))
    try:
        with pytest.raises(shoal.ShoalError, match="temporary files cannot be written: File too large"):
            release_large(disk(tmp_path), TABLE, policy_for("aggranon"), tmp_path / "out", seed=5)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("stop", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_nothing_is_left_when_a_run_is_stopped(tmp_path, stop, code):
    """Temporary files have no names; only a kill leaves the hidden folder beside the target, without data."""
    parquet.write_table(pa.table({"pay": list(range(400_000))}), tmp_path / "pay.parquet")
    (tmp_path / "policy.toml").write_text(
        '[columns]\npay = "quasi"\n[[guarantees]]\nkind = "kf-anonymity"\nk = 2\nknows = ["pay"]\n'
        '[method]\nname = "aggranon"\n'
    )
    (tmp_path / "temp").mkdir()
    command = [sys.executable, "-m", "shoal", "run", "pay.parquet", "policy.toml", "-o", "out",
               "--engine", "disk", "--memory", "1GB", "--temp", "temp"]  # fmt: skip
    run = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored where tests run behind
    )
    while not any(path.name.startswith(".out.") for path in tmp_path.iterdir()):
        assert run.poll() is None
        time.sleep(0.01)
    os.kill(run.pid, stop)
    run.communicate()
    assert run.returncode == code
    left = {path.name for path in tmp_path.iterdir() if not path.name.startswith(".out.")}
    assert left == {"pay.parquet", "policy.toml", "temp"}
    assert list((tmp_path / "temp").iterdir()) == []
    if stop != signal.SIGKILL:
        assert not list(tmp_path.glob(".out.*"))


def test_options_that_need_the_whole_table_are_refused(tmp_path):
    parquet.write_table(TABLE, tmp_path / "t.parquet")
    command = [sys.executable, "-m", "shoal", "run", "t.parquet", "p.toml", "-o", "out", "--engine", "disk"]
    for more, told in ((["--nodes"], "--nodes needs the whole table in memory"),
                       (["--memory", "much"], "is not an amount of memory"),
                       (["--memory", "10MB"], "too little")):  # fmt: skip
        (tmp_path / "p.toml").write_text(policy_text(policy_for("aggranon")))
        done = subprocess.run([*command, *more], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert told in done.stderr
    assert not Path(tmp_path / "out").exists()


def test_a_search_is_told_of_while_the_table_is_anonymized(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def long(lattice: Any, limit: int, seconds: float, on_progress: Any) -> Any:
        on_progress(0.5, 2.0, 1.0)
        return optimal(lattice, limit, seconds)

    monkeypatch.setattr("shoal.anonymizer.registry.optimal", long)
    told: list[str] = []
    table = pa.table({"age": [str(20 + row % 40) for row in range(400)], "town": ["Ulm", "Kiel"] * 200})
    policy = shoal.Policy(
        columns={"age": "quasi", "town": "quasi"},
        guarantees=[shoal.KAnonymity(k=5)],
        hierarchies={"age": {"mask": "right"}},
        method={"name": "optimal"},
    )
    engine = DiskEngine(1 << 30, tmp_path, RowProgress(), 100)
    release_large(
        engine,
        table,
        policy,
        tmp_path / "release",
        seed=1,
        on_step=told.append,
        on_progress=lambda share, standing: told.append(f"{standing}, {share:.0%} of the time"),
    )
    search = "at most 100 % above the least possible loss, 50% of the time"
    assert told[:4] == ["reading", "anonymizing", search, "verifying"]


def test_both_kinds_of_releases_are_written_by_the_same_arguments(tmp_path):
    names = [list(inspect.signature(kind.write).parameters) for kind in (shoal.Release, shoal.LargeRelease)]
    assert names[0] == names[1]
    with shoal.anonymize(TABLE, policy_for("mondrian"), engine="disk") as release:
        with pytest.raises(shoal.ShoalError, match="beyond memory is Parquet"):
            release.write(tmp_path / "out", "csv")
        assert list(tmp_path.iterdir()) == []
        release.write(tmp_path / "out", audit=tmp_path / "link.csv")
    assert (tmp_path / "link.csv").stat().st_mode & 0o777 == 0o600
