"""Measure a release: attack it, see what it is good for, and write the reports into its run's folder."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.engine_choice import engine_for, is_in_memory
from shoal.release.opened_release import open_release
from shoal.report.content import PartGroup, Section
from shoal.report.measurements import measure
from shoal.report.report import Report, report_on
from shoal.report.report_file import write_report
from shoal.report.report_html import PageLimits, fragment_html, light_html
from shoal.report.sections.utility_section import PARTS
from shoal.startup import announce_compiling
from shoal.web.jobs.run_task import AUDIT, POLICY, RELEASE
from shoal.web.jobs.task_files import write_json, write_text

OWNERS, PUBLIC, PLAIN = "report.html", "public.html", "report.json"
LIGHT, SECTIONS, LOSSES = "light.html", "sections.html", "losses.json"
SHOWN = ("questions", "attacks", "risk", "utility")  # the page tells the rest by itself
ROOM = PageLimits(most_charts=12, most_rows=25, rest="the full report", folded=True)


def measure_task(folder: Path, arguments: dict[str, Any], tell: Any) -> dict[str, Any]:
    """``run`` is the number of the run; all files lie in its folder, and the result is in short."""
    run = folder.parent / f"run-{arguments['run']}"
    if not is_in_memory(engine_for(arguments["source"])):
        raise ShoalError(
            "this table does not fit into memory, where attackers and reports need it",
            "see docs/scale.md: `shoal attack` tries some attackers by way of the disk.",
        )
    with announce_compiling(tell, "measuring") as told:
        source = Path(arguments["source"])
        policy = Policy.parse((run / POLICY).read_text(encoding="utf-8"), source.parent)
        found = measure(open_release(run / RELEASE), source, run / AUDIT, on_step=told, policy=policy)
    tell("drawing charts and writing the reports")
    owners, public = report_on(found, "owner"), report_on(found, "public")
    losses = [] if found.utility is None else [one.as_dict() for one in found.utility.losses]
    write_report(public, run / PUBLIC)
    write_report(owners, run / OWNERS)
    write_text(run / LIGHT, light_html(owners))
    write_text(run / SECTIONS, fragment_html(_sections_to_show(owners), ROOM))
    write_json(run / PLAIN, owners.as_dict())
    write_json(run / LOSSES, losses)
    return {"light": owners.light, "headline": owners.headline}


def _sections_to_show(report: Report) -> list[Section]:
    """Sections without the loss by column, which the page shows as bars."""
    hidden = PARTS["losses"][0]
    return [
        replace(
            section,
            parts=tuple(
                part for part in section.parts if not (isinstance(part, PartGroup) and part.title == hidden)
            ),
        )
        for section in report.sections
        if section.key in SHOWN
    ]
