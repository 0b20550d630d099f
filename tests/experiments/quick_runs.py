"""What the tests of all experiments share: a run of the script, and what it has written."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from results import line
from shoal.report.charts.loss_charts import Point

Figures = dict[str, dict[str, Any]]


def run(script: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", str(script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def quick_run(script: Path, folder: Path) -> tuple[Path, str]:
    """Without data: the folder of the results, and what the run said on its way."""
    done = run(script, "--quick", "--data", folder / "nowhere", "-o", folder / "results")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"Wrote {folder / 'results'}/results.md\n")
    return folder / "results", done.stderr


def results_of(folder: Path) -> tuple[str, Figures]:
    """What the table was, and the figures by name."""
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return results["about"], {figure["name"]: figure for figure in results["figures"]}


def series(figure: dict[str, Any], name: str) -> dict[float, float]:
    return line([Point(**point) for point in figure["points"]], name)


def assert_all_drawn(folder: Path, figures: Figures, names: list[str]) -> None:
    """A chart per figure and nothing else, with a mark per point."""
    assert list(figures) == names
    charts = {f"{name}.svg" for name in names}
    assert {path.name for path in folder.iterdir()} == {"results.json", "results.md", *charts}
    for name, figure in figures.items():
        drawn = (folder / f"{name}.svg").read_text(encoding="utf-8")
        assert drawn.count('aria-roledescription="point"') == len(figure["points"]) > 0


def assert_page_complete(folder: Path, figures: Figures) -> None:
    """Every figure with its chart and its sentence."""
    page = (folder / "results.md").read_text(encoding="utf-8")
    for figure in figures.values():
        assert f"\n## {figure['title']}\n\n![{figure['title']}]({figure['name']}.svg)\n" in page
        assert f"\n{figure['sentence']}\n" in page


def assert_missing_tables_named(script: Path, folder: Path, names: list[str]) -> None:
    done = run(script, "--data", folder, "-o", folder / "results")
    assert (done.returncode, done.stdout) == (2, "")
    assert all(f"error: {folder / name} is missing\n" in done.stderr for name in names)
    assert "Hint: --data or SHOAL_DATA" in done.stderr
    assert not (folder / "results").exists()
