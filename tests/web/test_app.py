"""The server stays light, tells nobody, and takes its workspace for itself."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.web.app import make_app
from shoal.web.jobs.job import Job
from shoal.web.workspace import MARK, Workspace
from tests.web.conftest import PORT, Page, settings_in
from tests.web.raw import BEARER

HEAVY = ("pyarrow", "numpy", "numba", "duckdb", "sqlglot", "pandas", "scipy", "altair")


def test_what_computes_is_not_loaded_to_start() -> None:
    """Nor is it when the last page is known: the first page comes within a second."""
    code = f"import sys, shoal.cli.serve; print([name for name in {HEAVY} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_nothing_is_sent_elsewhere_whatever_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The framework could report every address that is asked for, and every error, to others; where it
    tries and cannot, it says so."""
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("shoal.web.app.WARM_AFTER", 3600)
    settings = settings_in(tmp_path)
    app = make_app(settings, Workspace.opened(settings.workspace))
    with Page(app, base_url=f"http://127.0.0.1:{PORT}", headers=dict([BEARER])) as page:
        assert page.get("/").status_code == 200
    assert "telemetry" not in caplog.text


def test_a_workspace_is_private_from_the_start(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        workspace = Workspace.opened(tmp_path / "deep" / "workspace")
        project = workspace.new_project("table")
        project.save()
        project.new_job("profile", {})
    finally:
        os.umask(before)
    for path in [workspace.folder, *workspace.folder.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_an_open_workspace_is_closed_again_to_others(tmp_path: Path) -> None:
    folder = Workspace.opened(tmp_path / "workspace").folder
    folder.chmod(0o777)
    assert stat.S_IMODE(Workspace.opened(folder).folder.stat().st_mode) == 0o700


def test_a_folder_of_somebody_else_is_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ShoalError, match="not empty"):
        Workspace.opened(tmp_path)
    with pytest.raises(ShoalError, match="cannot be used"):
        Workspace.opened(tmp_path / "thesis.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_workspace_has_one_server_at_a_time(tmp_path: Path) -> None:
    workspace = Workspace.opened(tmp_path)
    with workspace.locked():
        with pytest.raises(ShoalError, match="another `shoal serve`"), workspace.locked():
            raise AssertionError
        with pytest.raises(ShoalError), Workspace.opened(tmp_path).locked():
            raise AssertionError
    with workspace.locked():
        assert (tmp_path / MARK).is_file()


def test_sweeping_keeps_what_is_whole_and_follows_no_links(tmp_path: Path) -> None:
    workspace, elsewhere = Workspace.opened(tmp_path / "workspace"), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept.csv").write_text("kept")
    project = workspace.new_project("table")
    project.save()
    done, running = project.new_job("run", {}), project.new_job("run", {})
    done.ended("done").save()
    running.started().save()
    (project.folder / ".table.csv").write_text("half")
    (running.folder / ".release").mkdir()
    (running.folder / "release").mkdir()
    (done.folder / "release").mkdir()
    (running.folder / ".link").symlink_to(elsewhere)
    (workspace.folder / "link").symlink_to(elsewhere)
    damaged = workspace.new_project("damaged")
    (damaged.folder / "work.json").write_text("{")
    workspace.clean_up()
    assert [job.state for job in project.jobs()] == ["interrupted", "done"]
    assert (done.folder / "release").is_dir()
    assert [path.name for path in running.folder.iterdir()] == [Job.FILE]
    assert not (project.folder / ".table.csv").exists()
    assert (elsewhere / "kept.csv").read_text() == "kept"
    assert (damaged.folder / "work.json").is_file()
