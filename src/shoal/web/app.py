"""The application: every page, behind the guard."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread
from fastapi import FastAPI
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

WARM_AFTER = 0.5  # seconds: the first page goes first


def make_app(settings: Settings, workspace: Workspace) -> ASGIApp:
    return Guard(unguarded_app(settings, workspace), settings)


async def _warm_up(runner: Runner) -> None:
    await asyncio.sleep(WARM_AFTER)
    await runner.warm_up()
    await anyio.to_thread.run_sync(_import_policies)


def _import_policies() -> None:
    """What reads and explains policies, before somebody waits for it."""
    import shoal.anonymizer.suitable
    import shoal.explain.explanations  # noqa: F401


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
    )
    app.state.settings, app.state.workspace = settings, workspace
    add_problem_handlers(app)
    for router in PAGES:
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=HERE / "static"))
    return app
