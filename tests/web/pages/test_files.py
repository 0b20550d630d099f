"""Files on this machine: those inside the folders that were given, and no other."""

import os
from pathlib import Path

import pytest

from shoal.web.pages.files import MOST_SHOWN, chosen_file, folder_listing
from shoal.web.problem import Refused
from shoal.web.settings import Settings
from tests.web.conftest import PEOPLE, Page


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Two folders, and a secret beside them."""
    for name in ("first", "second", "beside"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.csv").write_text("a\n1\n")
    (tmp_path / "first" / "inner").mkdir()
    (tmp_path / "first" / "inner" / "deep.csv").write_text("a\n1\n")
    return Settings((tmp_path / "first", tmp_path / "second"), tmp_path / "workspace", 1)


def refused(settings: Settings, folder: int, path: str) -> set[int]:
    """By the list and by the choice."""
    found = set()
    for ask in (folder_listing, chosen_file):
        with pytest.raises(Refused) as caught:
            ask(settings, folder, path)
        assert "beside" not in str(caught.value)
        found.add(caught.value.status)
    return found


def names(settings: Settings, path: str = "") -> list[str]:
    found = folder_listing(settings, 0, path)
    return [entry.name for entry in [*found.inside, *found.tables]]


def test_a_list_shows_folders_and_tables(settings: Settings) -> None:
    (settings.folders[0] / "notes.docx").touch()
    (settings.folders[0] / ".hidden.csv").touch()
    assert names(settings) == ["inner", "first.csv"]
    found = folder_listing(settings, 0, "inner")
    assert (found.path, found.above) == ("inner", "")
    assert [entry.path for entry in found.tables] == ["inner/deep.csv"]
    assert chosen_file(settings, 0, "inner/../first.csv") == settings.folders[0] / "first.csv"


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../beside",
        "../beside/beside.csv",
        "inner/../../beside/beside.csv",
        "/etc/passwd",
        "/",
        "../second",
    ],
)
def test_ways_out_of_the_folder_are_refused(settings: Settings, path: str) -> None:
    assert refused(settings, 0, path) == {403}


@pytest.mark.parametrize(
    "path",
    ["%2e%2e/beside", "..%2fbeside", "a\0b", "x" * 300, "x/" * 5000, "..\\beside", "~", "\ud800"],
)
def test_places_that_are_none_are_not_there(settings: Settings, path: str) -> None:
    assert refused(settings, 0, path) == {404}


@pytest.mark.parametrize("folder", [-1, 2, 10**30, -(10**30)])
def test_folders_that_were_not_given_are_not_there(settings: Settings, folder: int) -> None:
    assert refused(settings, folder, "") == {404}


def test_links_that_lead_out_are_neither_shown_nor_followed(settings: Settings) -> None:
    first, beside = settings.folders[0], settings.folders[0].parent / "beside"
    (first / "out.csv").symlink_to(beside / "beside.csv")
    (first / "out").symlink_to(beside)
    (first / "loop").symlink_to(first / "loop")
    (first / "loop.csv").symlink_to(first / "loop.csv")
    (first / "nowhere.csv").symlink_to(first / "nothing")
    (first / "inside.csv").symlink_to(first / "inner" / "deep.csv")
    assert names(settings) == ["inner", "first.csv", "inside.csv"]
    for path in ("out.csv", "out", "out/beside.csv"):
        assert refused(settings, 0, path) == {403}
    for path in ("loop", "loop.csv", "nowhere.csv"):
        assert refused(settings, 0, path) == {404}
    assert chosen_file(settings, 0, "inside.csv") == first / "inner" / "deep.csv"


def test_what_is_no_file_is_no_table(settings: Settings) -> None:
    os.mkfifo(settings.folders[0] / "pipe.csv")
    (settings.folders[0] / "folder.csv").mkdir()
    found = folder_listing(settings, 0, "")
    assert [entry.name for entry in found.tables] == ["first.csv"]
    assert refused(settings, 0, "pipe.csv") == {404}


def test_names_that_are_no_text_are_shown_as_well_as_can_be(settings: Settings) -> None:
    Path(os.fsdecode(os.fsencode(settings.folders[0]) + b"/odd\xff.csv")).touch()
    assert "odd?.csv" in names(settings)


def test_a_folder_that_cannot_be_opened_says_so(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(_: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_dir", closed)
    monkeypatch.setattr(Path, "is_file", closed)
    assert refused(settings, 0, "inner") == {403}


def test_a_file_that_goes_while_it_is_listed_is_left_out(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "iterdir", lambda folder: iter([folder / "gone.csv", folder / "first.csv"]))
    assert names(settings) == ["first.csv"]


def test_a_full_folder_is_shown_in_part(settings: Settings) -> None:
    for number in range(MOST_SHOWN + 3):
        (settings.folders[1] / f"{number}.csv").touch()
    found = folder_listing(settings, 1, "")
    assert (len(found.tables), found.hidden) == (MOST_SHOWN, 4)


def test_a_table_reached_by_a_link_with_an_odd_name_can_be_begun(page: Page) -> None:
    """Its name is no text; its path is kept as it is."""
    odd = Path(os.fsdecode(os.fsencode(page.folder) + b"/odd\xff.csv"))
    odd.write_text(PEOPLE)
    (page.folder / "even.csv").symlink_to(odd)
    address = page.post("/tables", data={"path": "even.csv"}).json()["address"]
    assert page.finished(address)["state"] in ("done", "failed")
    assert page.get("/").json()["tables"][0]["name"] == "odd?.csv"


@pytest.mark.parametrize("path", ["%2e%2e/", "..%2f..%2fetc%2fpasswd", "%00", "/etc/passwd", "x" * 60_000])
def test_addresses_lead_nowhere_else(page: Page, path: str) -> None:
    assert page.get(f"/files?path={path}").status_code in (403, 404)
    body = f"path={path}"
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert page.post("/tables", content=body, headers=form).status_code in (403, 404)
