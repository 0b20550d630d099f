"""The audit file: the owner's link, true, private, and outside the release."""

import stat
from pathlib import Path

import numpy as np
import pytest

from shoal.errors import ShoalError
from shoal.release.opened_release import open_release
from shoal.release.release import anonymize_in_memory
from shoal.release.storage.audit import Audit
from shoal.verify.cells.published_table import PublishedTable
from tests.release.conftest import POLICY, ROWS, SECRET, Written, people

LINK = Audit(SECRET, np.array([2, 0, 1]), np.array([0, 0, 1]))


def write(path: Path, force: bool = False) -> None:
    with LINK.written(path, force):
        pass


def same(one: Audit, other: Audit) -> bool:
    return (
        one.secret == other.secret
        and np.array_equal(one.input_rows, other.input_rows)
        and np.array_equal(one.class_of, other.class_of)
    )


def test_a_link_comes_back_as_it_was(tmp_path: Path) -> None:
    write(tmp_path / "audit.csv")
    assert same(Audit.load(tmp_path / "audit.csv"), LINK)


def test_a_link_may_be_sorted_by_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "audit.csv"
    write(path)
    *head, first, second, third = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*head, third, first, second]))
    assert same(Audit.load(path), LINK)


def test_only_the_owner_can_read_it(written: Written) -> None:
    assert stat.S_IMODE(written.audit.stat().st_mode) == 0o600
    assert "PRIVATE" in written.audit.read_text().splitlines()[0]


def test_replacing_a_readable_file_makes_it_private(tmp_path: Path) -> None:
    path = tmp_path / "audit.csv"
    write(path)
    path.chmod(0o644)
    write(path, force=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert same(Audit.load(path), LINK)


def test_every_published_row_contains_its_input_row(written: Written) -> None:
    link, table = Audit.load(written.audit), people()
    published = PublishedTable(open_release(written.folder).read())
    for name, unit in (("salary", 1), ("bonus", 100)):
        cells = published.cells(name)
        values = np.array([int(value * unit) for value in table[name].to_pylist()])[link.input_rows]
        assert np.all((cells.low <= values) & (values <= cells.high))
    for name in ("region", "illness"):
        assert published.table.column(name).to_pylist() == table[name].take(link.input_rows).to_pylist()


def test_every_input_row_is_published_once_in_a_class_of_k(written: Written) -> None:
    link = Audit.load(written.audit)
    assert sorted(link.input_rows.tolist()) == list(range(ROWS))
    assert np.unique(link.class_of, return_counts=True)[1].min() >= 4


def test_its_secret_is_the_one_behind_the_choices(written: Written) -> None:
    assert Audit.load(written.audit).secret == SECRET


def test_it_takes_its_place_only_when_all_went_well(tmp_path: Path) -> None:
    def fail() -> None:
        with LINK.written(tmp_path / "audit.csv"):
            assert not (tmp_path / "audit.csv").exists()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "audit.csv"
    path.write_text("mine")
    with pytest.raises(ShoalError, match="exists\nHint: choose another name"):
        write(path)
    assert path.read_text() == "mine"


def test_a_failure_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("disk full")

    path = tmp_path / "audit.csv"
    write(path)
    before = path.read_bytes()
    monkeypatch.setattr(np, "savetxt", fail)
    with pytest.raises(ShoalError, match="cannot be written"):
        write(path, force=True)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"audit.csv": before}


def test_force_never_replaces_what_is_not_an_audit_file(tmp_path: Path) -> None:
    (tmp_path / "original.csv").write_text("the table itself")
    (tmp_path / "folder").mkdir()
    for name in ("original.csv", "folder"):
        with pytest.raises(ShoalError, match="exists and is not an audit file"):
            anonymize_in_memory(people(), POLICY).write(
                tmp_path / "release", audit=tmp_path / name, force=True
            )
    assert {path.name for path in tmp_path.iterdir()} == {"original.csv", "folder"}


@pytest.mark.parametrize("place", ["release", "release/audit.csv", "x/../release/deep/audit.csv"])
def test_it_never_lies_inside_the_release(tmp_path: Path, place: str) -> None:
    with pytest.raises(ShoalError, match="inside the release"):
        anonymize_in_memory(people(), POLICY).write(tmp_path / "release", audit=tmp_path / place)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_leaves_no_release(tmp_path: Path) -> None:
    with pytest.raises(ShoalError, match="cannot be written"):
        anonymize_in_memory(people(), POLICY).write(
            tmp_path / "release", audit=tmp_path / "nowhere" / "audit"
        )
    assert list(tmp_path.iterdir()) == []


def audit_text(secret: str, row: str) -> str:
    return (
        f"# shoal audit: PRIVATE, undoes the release\n# secret {secret}\ninput_row,output_row,class\n{row}\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "input_row,output_row,class\n1,1,1\n",
        audit_text("beef", "1,1,1"),
        audit_text("no hex", "1,1,1"),
        audit_text(SECRET.hex(), "1,1"),
        audit_text(SECRET.hex(), "1,1,x"),
        audit_text(SECRET.hex(), "0,1,1"),
        "\xff\xfe",
    ],
)
def test_anything_else_is_not_an_audit_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "audit.csv").write_text(text, encoding="latin-1")
    with pytest.raises(ShoalError, match="is not an audit file\nHint: give the file that --audit wrote"):
        Audit.load(tmp_path / "audit.csv")
