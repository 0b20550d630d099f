"""``shoal demo``: the first story, told on a generated table."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from shoal.cli.terminal.output import BOLD, GREEN, RED, paint, say, say_json, steps, table_lines
from shoal.cli.terminal.standard_output import note_done
from shoal.demo.story import Story, tell_story
from shoal.errors import ShoalError
from shoal.query.answer_display import answer_cells
from shoal.release.opened_release import open_release
from shoal.release.storage.atomic_folder import atomic_folder
from shoal.report.report import make_report
from shoal.report.report_file import write_report

REPORT = "report.html"


def run_demo(out: Path | None, as_json: bool) -> None:
    """Tell the first story on a generated table, in a folder that is kept if one is named."""
    if out is not None and out.exists():
        raise ShoalError(f"{str(out)!r} exists", "choose another folder.")
    place = tempfile.TemporaryDirectory() if out is None else atomic_folder(out)
    with place as folder, steps(quiet=as_json) as step:
        story = tell_story(Path(folder), step)
        if out is not None:
            step("writing a report")
            opened = open_release(Path(folder) / "release")
            write_report(make_report(opened, Path(folder) / "tax.csv"), Path(folder) / REPORT)
    if out is not None:
        note_done(f"the folder {str(out)!r} was written")
    if as_json:
        say_json(_as_dict(story, out))
    else:
        _tell(story, out)


def _tell(story: Story, out: Path | None) -> None:
    say(paint("A tax office wants to publish its returns, without names.", BOLD))
    say(f"  {story.rows:,} people, seven kinds of income. Many neighbours know somebody's total.")
    say()
    alone = story.before.histogram["1"]
    unique = paint(f"{alone:,} people ({alone / story.rows:.0%})", RED)
    say(f"  In the table as it is, the total alone singles out {unique};")
    say(f"  {story.before.below:.0%} share it with fewer than {story.k} people.")
    say()
    say(paint("What shoal publishes instead", BOLD))
    for line in story.example:
        say(f"  {line}")
    say()
    say(paint("What it costs (NCP: mean width of the published ranges as a share of the domain)", BOLD))
    head = ("method", "protects", "NCP", "NCP by column range", "exact cells", "classes")
    rows = [
        (
            made.name,
            made.protects,
            f"{made.loss['ncp']:.5f}",
            f"{made.loss['ncp_range']:.5f}",
            f"{made.exact_cells:.1%}",
            f"{made.classes:,}",
        )
        for made in story.methods
    ]
    for line in table_lines([head, *rows]):
        say(f"  {line}")
    say()
    for verdict in story.verdicts:
        mark = paint("holds", GREEN) if verdict.holds else paint("FAILS", RED)
        say(f"  {mark}  {verdict.sentence}")
    say()
    say(paint("What attackers find in it", BOLD))
    for found in story.after:
        mark = paint("safe", GREEN) if found.level == "safe" else paint(found.level, RED)
        say(f"  {mark}  {found.sentence()}")
    say()
    say(paint("Analysts ask another release, whose salaries are permuted inside groups", BOLD))
    say(f"  {story.question}")
    names, *answers = answer_cells(story.answer)
    with_truth = [(*row, f"{story.truth[row[0]]:,.2f}") for row in answers]
    for line in table_lines([(*names, "the truth"), *with_truth]):
        say(f"  {line}")
    say("  The true answer always lies inside, whatever the permutation was; only the office knows it.")
    say()
    if out is None:
        say("Keep it: shoal demo -o shoal-demo   writes the table, the policies and the releases.")
    else:
        say(f"Kept in {out}/: tax.csv, two policies, release/, analysts/ and {REPORT}. Try:")
        say(f"  shoal verify {out}/release")
        say(f"  shoal attack {out}/tax.csv {out}/release")
        say(f'  shoal query {out}/analysts "{story.question}"')
        say(f"  shoal run {out}/tax.csv {out}/policy.toml -o my-release")


def _as_dict(story: Story, out: Path | None) -> dict[str, Any]:
    return {
        "rows": story.rows,
        "k": story.k,
        "unique_totals": story.before.histogram["1"],
        "below_k": round(story.before.below * story.rows),
        "attacks": [found.as_dict() for found in story.after],
        "methods": [
            {
                "method": made.name,
                "protects": made.protects,
                "loss": made.loss,
                "exact_cells": made.exact_cells,
                "classes": made.classes,
            }
            for made in story.methods
        ],
        "verdicts": [verdict.as_dict() for verdict in story.verdicts],
        "holds": bool(np.all([verdict.holds for verdict in story.verdicts])),
        "question": story.question,
        "answer": story.answer.as_dict(),
        "kept_in": None if out is None else str(out),
    }
