"""Try several methods and parameters, and lay them beside all that was tried and made before."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shoal.comparison.compare import ComparisonFigures, ComparisonResult, able_methods, compare
from shoal.comparison.earlier_results import WRITTEN, EarlierRelease, EarlierTrial, rows_of_earlier_results
from shoal.comparison.recommend import families, frontier, recommend
from shoal.comparison.strictness import differ_in_k_alone
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.report.charts.comparison_chart import ComparisonChart
from shoal.report.charts.inline_svg import can_draw, inline_svg
from shoal.startup import announce_compiling
from shoal.web.jobs.job import Job
from shoal.web.jobs.run_task import FIGURES
from shoal.web.jobs.task_files import write_json
from shoal.web.project import Project

TRIED, COMPARED = "tried.json", "compared.json"
MOST_ROWS = 300
Place = tuple[int, int | None]  # the job, and the row of a comparison


def compare_task(folder: Path, arguments: dict[str, Any], tell: Any) -> dict[str, Any]:
    """Compare methods and parameters. Without methods to try, only what is there already is compared."""
    written = _policy(folder, arguments)
    rows: list[ComparisonResult] = []
    if arguments["methods"]:
        with announce_compiling(tell):
            rows = compare(
                Path(arguments["source"]),
                {WRITTEN: written},
                arguments["ks"] or None,
                arguments["methods"],
                on_step=tell,
                vary={"suppression": arguments["suppressions"]} if arguments["suppressions"] else None,
            )
    write_json(folder / TRIED, [_stored(row) for row in rows])
    tell("drawing")
    seen = dict(_earlier_results(Project.load(folder.parent.parent), folder.name))
    content = _compared(written, seen)
    write_json(folder / COMPARED, content)
    return {"methods": able_methods(written), "tried": len(rows), "compared": len(content["rows"])}


def _policy(folder: Path, arguments: dict[str, Any]) -> Policy:
    """Files of hierarchies lie beside the table."""
    text = (folder / "policy.toml").read_text(encoding="utf-8")
    return Policy.parse(text, Path(arguments["source"]).parent)


def _earlier_results(project: Project, now: str) -> Iterator[tuple[Place, EarlierRelease | EarlierTrial]]:
    """The latest first; what was tried twice counts once."""
    known = set()
    for job in project.jobs():
        if job.state != "done" and job.name != now:
            continue
        with suppress(ShoalError):  # a file that its policy needs is gone
            if job.kind == "run":
                yield from _release_of_run(job)
            if job.kind != "compare":
                continue
            for place, tried in enumerate(_trials_of_job(job)):
                key = repr(tried.varied or (tried.row.method, tried.row.parameters))
                if key not in known:
                    known.add(key)
                    yield (job.number, place), tried


def _release_of_run(job: Job) -> Iterator[tuple[Place, EarlierRelease]]:
    file = job.folder / FIGURES
    if file.is_file() and job.result is not None:
        figures = ComparisonFigures(**json.loads(file.read_text(encoding="utf-8")))
        policy = _policy(job.folder, job.arguments)
        yield (job.number, None), EarlierRelease(f"run {job.number}", policy, job.result["method"], figures)


def _trials_of_job(job: Job) -> Iterator[EarlierTrial]:
    file = job.folder / TRIED
    if not file.is_file():
        return
    policy = _policy(job.folder, job.arguments)
    for one in json.loads(file.read_text(encoding="utf-8")):
        figures = None if one["figures"] is None else ComparisonFigures(**one["figures"])
        yield EarlierTrial(ComparisonResult.from_dict(one["row"], figures), policy)


def _compared(written: Policy, seen: dict[Place, EarlierRelease | EarlierTrial]) -> dict[str, Any]:
    """What was made for an earlier policy comes last, and is neither drawn nor recommended."""
    places = list(seen)[:MOST_ROWS]
    rows = dict(zip(places, rows_of_earlier_results(written, [seen[place] for place in places]), strict=True))
    today = [place for place in places if differ_in_k_alone(seen[place].policy, written)]
    earlier = [place for place in places if place not in today]
    weighed = [rows[place] for place in today]
    (chosen,) = recommend(weighed, {WRITTEN: written})
    chart = ComparisonChart(tuple(weighed), chosen.place)
    drawable = bool(families(weighed))
    return {
        "rows": _rows_as_json({place: rows[place] for place in today}, frontier(weighed))
        + _rows_as_json({place: rows[place] for place in earlier}, None),
        "recommended": chosen.as_dict(),
        "chart": {"title": chart.title, "sentence": chart.sentence()} | _chart_as_json(chart)
        if drawable
        else None,
    }


def _rows_as_json(found: dict[Place, ComparisonResult], marks: list[bool] | None) -> list[dict[str, Any]]:
    """Rows as JSON; without marks they are of an earlier policy."""
    rows = list(found.values())
    losses = {at: family for family in families(rows) for at in family.places}
    return [
        row.as_dict()
        | {
            "job": job,
            "place": place,
            "label": row.label,
            "frontier": marks is not None and marks[at],
            "earlier": marks is None,
            "loss": losses[at].point(row)[1] if at in losses else None,
            "loss_name": losses[at].loss_name if at in losses else None,
        }
        for at, ((job, place), row) in enumerate(found.items())
    ]


def _chart_as_json(chart: ComparisonChart) -> dict[str, str | None]:
    label = f"{chart.title}. {chart.sentence()}"
    return {"svg": inline_svg(chart.drawn(), "comparison", label) if can_draw() else None}


def _stored(row: ComparisonResult) -> dict[str, Any]:
    return {"row": row.as_dict(), "figures": None if row.figures is None else asdict(row.figures)}
