"""``shoal report``: the page appears where it was asked for, for those it is for, and nowhere else."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command, holds_a_cell


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "report.html"


def test_the_owner_gets_a_page_that_nobody_else_can_read(
    command: Command, release: Path, data: Path, page: Path, tmp_path: Path
) -> None:
    done = command("report", release, "--against", data, "--audit", tmp_path / "audit.csv", "-o", page)
    assert done.code == 0
    assert done.out.split()[0] in ("safe", "watch", "exposed")
    assert f"Wrote {page}" in done.out
    assert page.stat().st_mode & 0o077 == 0
    assert "For the owner: not for publication" in page.read_text(encoding="utf-8")
    assert sorted(path.name for path in release.iterdir()) == ["data.csv", "manifest.json"]


def test_the_public_gets_a_page_without_cells(
    command: Command, release: Path, data: Path, page: Path
) -> None:
    done = command("report", release, "--against", data, "--audience", "public", "-o", page, "--json")
    assert done.code == 0
    assert done.json["report"] == str(page)
    assert done.json["audience"] == "public"
    assert page.stat().st_mode & 0o444 == 0o444
    assert not holds_a_cell(done.out)
    assert not holds_a_cell(page.read_text(encoding="utf-8"))


def test_a_report_on_a_release_that_was_changed_is_written_and_does_not_hold(
    command: Command, release: Path, page: Path
) -> None:
    with (release / "data.csv").open("a") as file:
        file.write("\n")
    done = command("report", release, "-o", page)
    assert done.code == 1
    assert done.out.startswith("exposed  Do not publish this")
    assert page.exists()


def test_json_alone_writes_nothing(
    command: Command, release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = command("report", release, "--json")
    assert done.json["report"] is None
    assert not (tmp_path / "report.html").exists()
    assert command("report", release).code == 0
    assert (tmp_path / "report.html").exists()


def test_what_is_there_is_replaced_only_by_force(command: Command, release: Path, page: Path) -> None:
    page.write_text("mine")
    done = command("report", release, "-o", page)
    assert done.code == 2
    assert "exists" in done.err
    assert page.read_text() == "mine"
    assert command("report", release, "-o", page, "--force").code == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [path.name for path in page.parent.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-o", "{release}/report.html"), "inside the release"),
        (("-o", "{release}/../nowhere/report.html"), "there is no folder"),
        (("-o", "{release}/../report.pdf"), "end its name in .html"),
        (("--audience", "everyone"), "there is no audience 'everyone'"),
        (("--audit", "{release}/../audit.csv"), "--audit needs --against"),
        (("--recoding", "{release}/../recoding"), "--recoding needs --against"),
    ],
)
def test_bad_input_is_refused_before_any_work(
    command: Command, release: Path, options: tuple[str, ...], said: str
) -> None:
    done = command("report", release, *(option.format(release=release) for option in options))
    assert done.code == 2
    assert said in done.err
    assert sorted(path.name for path in release.iterdir()) == ["data.csv", "manifest.json"]
