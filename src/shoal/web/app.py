"""The application: every page, behind the guard."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

from anyio.to_thread import run_sync
from fastapi import Depends, FastAPI, Request
from fastapi.security import HTTPBearer
from starlette.staticfiles import StaticFiles

from shoal.version import __version__
from shoal.web.guard import ASGIApp, Guard
from shoal.web.jobs.asker import Asker
from shoal.web.jobs.follow_up import follow_up_job
from shoal.web.jobs.runner import Runner
from shoal.web.pages import PAGES
from shoal.web.problem import PROBLEMS, add_problem_handlers
from shoal.web.response import HERE
from shoal.web.settings import Settings
from shoal.web.workspace import Workspace

WARMED = (
    "numpy",
    "shoal.policy.model.policy",
    "shoal.anonymizer.suitability",
    "shoal.policy.text.run_plan",
    "shoal.web.forms.hierarchy_preview",
    "shoal.explain.registry",
    "pyarrow",
    "pyarrow.compute",
    "shoal.web.forms.first_guarantee",
)  # what pages load when they first need it, in small pieces
WARM_AFTER = 0.2  # seconds after the first page, when a browser has all that belongs to it
REST = 0.05  # seconds between two pieces, for whoever has asked meanwhile
TOLD_TO_NOBODY: Any = dict.fromkeys(
    ("tracing", "metrics", "logs", "operation_spans", "auto_configure"), False
)  # whatever the environment says
BEARER = HTTPBearer(auto_error=False, description="The token in the address that `shoal serve` prints.")


def make_app(settings: Settings, workspace: Workspace) -> ASGIApp:
    """The application as it is served: no page is reached but through the guard."""
    return Guard(unguarded_app(settings, workspace), settings)


async def _warm_up(runner: Runner, served: asyncio.Event) -> None:
    """What pages and jobs need is loaded before it is asked for, but never before the first page."""
    await served.wait()
    await asyncio.sleep(WARM_AFTER)
    runner.warm_up()
    for name in WARMED:
        await run_sync(import_module, name)
        await asyncio.sleep(REST)


async def _note_served(request: Request) -> AsyncIterator[None]:
    """An answer was sent."""
    yield
    request.app.state.served.set()


def unguarded_app(settings: Settings, workspace: Workspace) -> FastAPI:
    """Every page and the machinery of jobs, for the guard and for tests."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        workspace.clean_up()
        runner = Runner(settings.most_jobs, follow_up_job)
        asker = Asker(runner)
        app.state.runner, app.state.asker, app.state.served = runner, asker, asyncio.Event()
        warming = asyncio.create_task(_warm_up(runner, app.state.served))
        try:
            yield
        finally:
            warming.cancel()
            await asker.close()
            await runner.close()

    app = FastAPI(
        title="shoal",
        version=__version__,
        description="Publish a table about people without giving anyone away. Every page answers as JSON.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        responses=PROBLEMS,
        dependencies=[Depends(BEARER), Depends(_note_served)],  # the guard has checked the token before
        telemetry=TOLD_TO_NOBODY,
    )
    app.state.settings, app.state.workspace = settings, workspace
    add_problem_handlers(app)
    for router in PAGES:
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=HERE / "static"))
    return app
