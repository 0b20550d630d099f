"""The application: every page, behind the guard."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

from anyio.to_thread import run_sync
from fastapi import Depends, FastAPI
from fastapi.security import HTTPBearer
from starlette.staticfiles import StaticFiles

from shoal.version import __version__
from shoal.web.answer import HERE
from shoal.web.follow import follow
from shoal.web.guard import ASGIApp, Guard
from shoal.web.jobs.runner import Runner
from shoal.web.pages import PAGES
from shoal.web.problem import PROBLEMS, add_problem_handlers
from shoal.web.questions import Asker
from shoal.web.settings import Settings
from shoal.web.workspace import Workspace

WARMED = (
    "shoal.policy.preview",
    "shoal.anonymizer.suitable",
    "shoal.explain.explanations",
)  # what pages load when they first need it
WARM_AFTER = 0.5  # seconds: the first page goes first
TOLD_TO_NOBODY: Any = dict.fromkeys(
    ("tracing", "metrics", "logs", "operation_spans", "auto_configure"), False
)  # whatever the environment says
BEARER = HTTPBearer(auto_error=False, description="The token in the address that `shoal serve` prints.")


def make_app(settings: Settings, workspace: Workspace) -> ASGIApp:
    return Guard(unguarded_app(settings, workspace), settings)


async def _warm_up(runner: Runner) -> None:
    """What pages and jobs need is loaded before it is asked for."""
    await asyncio.sleep(WARM_AFTER)
    runner.warm_up()
    for name in WARMED:
        await run_sync(import_module, name)


def unguarded_app(settings: Settings, workspace: Workspace) -> FastAPI:
    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        workspace.sweep()
        runner = Runner(settings.most_jobs, follow)
        asker = Asker(runner)
        app.state.runner, app.state.asker = runner, asker
        warming = asyncio.create_task(_warm_up(runner))
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
        dependencies=[Depends(BEARER)],  # to document it: the guard has checked it before
        telemetry=TOLD_TO_NOBODY,
    )
    app.state.settings, app.state.workspace = settings, workspace
    add_problem_handlers(app)
    for router in PAGES:
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=HERE / "static"))
    return app
