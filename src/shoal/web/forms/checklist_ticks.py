"""The ticks of a checklist: which things were done, and when. They lie with the run that they are about."""

import json
import time
from collections.abc import Sequence
from threading import Lock

from shoal.release.storage.private_file import write_privately
from shoal.web.jobs.job import Job

FILE = "checklist.json"
TICKING = Lock()


def checklist_ticks(run: Job) -> dict[str, float]:
    """The time at which each thing was ticked, by its sentence."""
    file = run.folder / FILE
    if not file.is_file():
        return {}
    return {one["thing"]: one["at"] for one in json.loads(file.read_text(encoding="utf-8"))}


def tick(run: Job, things: Sequence[str]) -> dict[str, float]:
    """These are done, and no others; what was ticked before keeps its time."""
    with TICKING:
        before = checklist_ticks(run)
        ticked = {thing: before.get(thing, time.time()) for thing in things}
        text = json.dumps([{"thing": thing, "at": at} for thing, at in ticked.items()], ensure_ascii=False)
        write_privately(run.folder / FILE, "file", lambda file: file.write(text))
    return ticked
