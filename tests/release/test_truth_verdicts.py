"""A release beyond memory is checked again with the owner's link, which has to be its own."""

import pyarrow as pa
import pytest

import shoal
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.release.integrity.protection_limits import protection_limits
from shoal.release.opened_release import verify_large
from tests.release.tampered import seal

TABLE = pa.table({"pay": list(range(90)), "note": [f"n{row % 7}" for row in range(90)]})
POLICY = shoal.Policy(
    columns={"pay": "quasi", "note": "other"},
    guarantees=[{"kind": "k-anonymity", "k": 3}],
    method={"name": "mondrian"},
)


@pytest.fixture
def audit(tmp_path):
    """Of the folder ``release``."""
    shoal.anonymize(TABLE, POLICY, seed=5).write(tmp_path / "release", "csv", tmp_path / "audit.csv")
    return tmp_path / "audit.csv"


def verified(audit, table=TABLE):
    disk = DiskEngine(1 << 30, audit.parent, RowProgress(), 20)
    return [verdict.holds for verdict in verify_large(disk, audit.parent / "release", table, audit)]


def test_the_link_of_the_release_shows_that_it_is_true(audit):
    assert verified(audit) == [True, True, True]


def test_rows_that_the_table_does_not_have_are_refused_as_in_memory(audit):
    for table in (TABLE.slice(0, 30), TABLE.slice(0, 89)):
        with pytest.raises(shoal.ShoalError, match="does not belong to this release and table"):
            verified(audit, table)


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [*lines, "1,91,1\n"],
        lambda lines: lines[:-1],
        lambda lines: lines[:3],
        lambda lines: [*lines[:5], lines[6], lines[5], *lines[7:]],
        lambda lines: [*lines[:-1], ",90,1\n"],
    ],
    ids=["more rows", "fewer rows", "no rows", "another order", "an empty cell"],
)
def test_the_link_of_another_release_is_refused(audit, change):
    audit.write_text("".join(change(audit.read_text().splitlines(keepends=True))))
    with pytest.raises(shoal.ShoalError, match="does not belong to this release"):
        verified(audit)


def test_what_is_no_link_is_refused(audit):
    audit.write_text("a,b\n1,2\n")
    with pytest.raises(shoal.ShoalError, match="is not an audit file"):
        verified(audit)


def test_a_link_that_an_engine_cannot_read_is_refused_before_the_work(audit, monkeypatch):
    monkeypatch.setattr("shoal.release.opened_release.verify_rows", lambda *_: 1 / 0)
    with pytest.raises(shoal.ShoalError, match="the owner's link is read on one machine"):
        verify_large(object(), audit.parent / "release", TABLE, audit)


@pytest.mark.parametrize(("accepted", "holds"), [(["again"], True), ([], False)])
def test_what_columns_tell_of_hidden_cells_is_said_as_in_memory(tmp_path, accepted, holds):
    """Also of a release whose policy was changed and sealed again."""
    table = TABLE.append_column("again", TABLE["pay"])
    more = {"columns": POLICY.columns | {"again": "other"}, "leaks": {"accept": ["again"]}}
    policy = shoal.Policy(**POLICY.model_dump() | more)
    folder, audit = tmp_path / "release", tmp_path / "audit.csv"
    shoal.anonymize(table, policy, seed=5).write(folder, "csv", audit)

    def stated(manifest):
        manifest["policy"]["leaks"] = {"accept": accepted}
        manifest["notes"] = []
        stated = shoal.Policy(**manifest["policy"])
        manifest["does_not_protect_against"] = protection_limits(stated, seeded=True, recoded=False)

    seal(folder, stated)
    disk = DiskEngine(1 << 30, tmp_path, RowProgress(), 20)
    found = verify_large(disk, folder, table, audit)
    assert (found[-1].kind, found[-1].holds) == ("hidden-cells", holds)
    assert [one.as_dict() for one in found] == [
        one.as_dict() for one in shoal.open_release(folder).verify(table, audit)
    ]
