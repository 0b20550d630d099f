"""The way through: one step a page, in the order of the data, each with an address of its own."""

from contextlib import suppress
from typing import Literal

from pydantic import BaseModel

from shoal.web.jobs.job import Job
from shoal.web.problem import Refused
from shoal.web.project import Project

StepName = Literal["data", "columns", "guarantee", "run", "result", "compare", "ask", "publish"]
TITLES: dict[StepName, str] = {
    "data": "Data",
    "columns": "Columns",
    "guarantee": "Attacker and guarantee",
    "run": "Run",
    "result": "Result",
    "compare": "Compare",
    "ask": "Ask",
    "publish": "Publish",
}
OF_A_RUN: dict[StepName, str] = {"result": "", "ask": "/ask", "publish": "/publish"}
NO_PROFILE: tuple[StepName, ...] = ("data",)


class StepView(BaseModel):
    """A step on the way through, with its address once it can be gone to."""

    name: StepName
    title: str
    address: str | None  # none while what it shows is not there


class Navigation(BaseModel):
    """Where one is, and where one can go."""

    table: str
    key: str
    here: StepName
    steps: list[StepView]

    @property
    def next(self) -> StepView | None:
        names = [step.name for step in self.steps]
        following = names.index(self.here) + 1
        return self.steps[following] if following < len(names) else None


def navigation(project: Project, here: StepName, run: Job | None = None) -> Navigation:
    """Steps of a run lead to this one, else to the one that was chosen, else to the latest that succeeded."""
    run = run or current_run(project)
    profiled = project.latest_done("profile") is not None

    def address(name: StepName) -> str | None:
        if name == "data":
            return f"/tables/{project.key}"
        if not profiled or (name in OF_A_RUN and run is None):
            return None
        if name in OF_A_RUN and run is not None:
            return f"/tables/{project.key}/runs/{run.number}{OF_A_RUN[name]}"
        return f"/tables/{project.key}/{name}"

    steps = [StepView(name=name, title=title, address=address(name)) for name, title in TITLES.items()]
    return Navigation(table=project.name, key=project.key, here=here, steps=steps)


def current_run(project: Project) -> Job | None:
    """The run that was chosen if it is done, otherwise the latest that is."""
    if project.chosen is not None:
        with suppress(Refused):
            chosen = project.run(project.chosen)
            if chosen.state == "done":
                return chosen
    return project.latest_done("run")
