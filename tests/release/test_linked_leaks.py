"""Columns that tell hidden cells are refused beyond memory as in it, from all rows and from some of them."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.errors import ShoalError
from shoal.release.large_release import release_large
from shoal.release.opened_release import verify_large
from shoal.verify.hidden_cells import HIDDEN_CELLS

DRAW = np.random.default_rng(7)
ROWS = 600
A, B = DRAW.integers(0, 50, ROWS), DRAW.integers(0, 50, ROWS)
TOTAL = A + B
MOSTLY_ZERO = np.where(DRAW.random(ROWS) < 0.7, 0, TOTAL // 3)
SLIPS = np.where(np.arange(ROWS) % 60 == 7, TOTAL[::-1], TOTAL)
HOUSES = np.arange(ROWS) // 3
TOWNS = np.array([f"t{town}" for town in DRAW.integers(0, 40, ROWS)])[HOUSES]
SUMMED = shoal.Policy(
    columns={"a": "quasi", "b": "quasi", "extra": "other"},
    guarantees=[{"kind": "kf-anonymity", "k": 3, "knows": ["a + b"]}],
    method={"name": "aggranon"},
)
PERMUTED = shoal.Policy(
    columns={"a": "quasi", "extra": "other", "pay": "sensitive"},
    guarantees=[{"kind": "ke-anonymity", "k": 2, "e": 1, "sensitive": "pay"}],
)
LABELLED = shoal.Policy(
    columns={"a": "quasi", "town": "quasi", "extra": "other"},
    hierarchies={"a": {"intervals": [10, 30]}, "town": {"mask": "right"}},
    guarantees=[{"kind": "k-anonymity", "k": 5}],
    method={"name": "datafly", "suppression": 0.1},
)


@pytest.fixture(params=[200, 10_000], ids=["some rows", "all rows"])
def judged(request, monkeypatch):
    for place in ("shoal.leaks.sample", "shoal.release.linked_leaks"):
        monkeypatch.setattr(f"{place}.ENOUGH", request.param)


def on_disk(table, policy, folder):
    engine = DiskEngine(1 << 30, Path(tempfile.gettempdir()), RowProgress(), 97)
    return release_large(engine, table, policy, folder / "release", seed=1)


def refusals(table, policy, folder):
    """What the fault says, or None, in memory and beyond it."""
    found = []
    for release in (lambda: shoal.anonymize(table, policy, seed=1), lambda: on_disk(table, policy, folder)):
        try:
            release()
            found.append(None)
        except ShoalError as error:
            found.append(str(error))
    return found


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize(
    "column",
    [TOTAL * 12.5, [f"no. {one}" for one in TOTAL], -TOTAL // 2, np.where(A % 2, A * 3, A * 3 + 1), SLIPS],
    ids=["scaled", "text", "falling", "one to one", "slips"],
)  # fmt: skip
def test_a_column_that_gives_the_aggregate_away_is_refused_in_memory_and_beyond(column, tmp_path):
    here, beyond = refusals(pa.table({"a": A, "b": B, "extra": column}), SUMMED, tmp_path)
    assert "'extra' is published as it is" in here
    assert "'extra' is published as it is" in beyond
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize(
    "column",
    [DRAW.permutation(TOTAL), [f"id {row}" for row in range(ROWS)], [None] * ROWS, MOSTLY_ZERO],
    ids=["permuted", "name", "nothing", "mostly zero"],
)  # fmt: skip
def test_an_innocent_column_is_published_in_memory_and_beyond(column, tmp_path):
    table = pa.table({"a": A, "b": B, "extra": column})
    assert refusals(table, SUMMED, tmp_path) == [None, None]


@pytest.mark.usefixtures("judged")
def test_rows_with_the_same_cell_tell_nothing_by_their_order_in_the_table(tmp_path):
    table = pa.table({"a": A, "extra": np.arange(ROWS) % 3, "pay": np.arange(ROWS) // 150})
    assert refusals(table, PERMUTED, tmp_path) == [None, None]


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize(
    ("column", "told"),
    [(TOTAL // 3, True), ([f"p{total}" for total in TOTAL], True), (np.arange(ROWS), False)],
    ids=["in threes", "words", "number"],
)  # fmt: skip
def test_a_column_that_undoes_a_permutation_is_refused_in_memory_and_beyond(column, told, tmp_path):
    table = pa.table({"a": A, "extra": column, "pay": TOTAL})
    assert [found is not None for found in refusals(table, PERMUTED, tmp_path)] == [told, told]


@pytest.mark.usefixtures("judged")
def test_the_number_of_a_household_is_refused_in_memory_and_beyond(tmp_path):
    table = pa.table({"a": A, "town": TOWNS, "extra": HOUSES})
    for refusal in refusals(table, LABELLED, tmp_path):
        assert "'extra' is published as it is and fills" in refusal
        assert "hidden cells of 'town'" in refusal


def test_an_accepted_leak_is_said_beyond_memory_as_in_it(tmp_path):
    table = pa.table({"a": A, "town": TOWNS, "extra": HOUSES})
    policy = shoal.Policy(**LABELLED.model_dump(exclude={"leaks"}), leaks={"accept": ["extra"]})
    here = shoal.anonymize(table, policy, seed=1)
    beyond = on_disk(table, policy, tmp_path)
    assert here.result.leaks == beyond.result.leaks
    assert here.result.leaks[0].fills
    assert beyond.result.notes[-1] == here.result.notes[-1] == here.result.leaks[-1].note(accepted=True)


@pytest.mark.parametrize("policy", [SUMMED, PERMUTED, LABELLED], ids=["summed", "permuted", "labelled"])
def test_verify_with_the_link_tells_leaks_on_disk_as_in_memory(tmp_path: Path, policy: shoal.Policy) -> None:
    table = pa.table({"a": A, "b": B, "town": TOWNS, "pay": TOTAL * 10, "extra": (A + B // 20) // 4})
    table = table.select([name for name in table.column_names if name in policy.columns])
    accepting = shoal.Policy(**policy.public() | {"leaks": {"accept": ["extra"]}})
    folder, audit = tmp_path / "release", tmp_path / "audit.csv"
    shoal.anonymize(table, accepting).write(folder, audit=audit)
    told = shoal.open_release(folder).verify(table, audit, policy=accepting)
    disk = DiskEngine(1 << 30, tmp_path, RowProgress(), 100)
    on_disk = verify_large(disk, folder, table, audit, made_by=accepting)
    leaks = [(one.holds, one.achieved, one.notes) for one in told if one.kind == HIDDEN_CELLS]
    assert leaks == [(one.holds, one.achieved, one.notes) for one in on_disk if one.kind == HIDDEN_CELLS]
    assert bool(leaks) == (policy is not PERMUTED)
