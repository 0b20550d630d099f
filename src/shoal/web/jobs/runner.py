"""Starts jobs, watches them and stops them: at most a few at once, each in a process of its own."""

import asyncio
import shutil
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError, without_values
from shoal.web.jobs.job import Job
from shoal.web.jobs.process import end, give, messages, new_worker

KILLED = {
    "what": "the process that did this job has ended without a word",
    "hint": "there may not be enough memory for this table: close other programs, or give it fewer rows.",
}
NO_ROOM = {"what": "the job could not be carried out", "hint": "make room on the disk."}
Key = tuple[str, str]


class Runner:
    """``after`` is told of every job that has ended, and may ask for another."""

    def __init__(self, most: int, after: Callable[[Job], Job | None] = lambda _: None) -> None:
        self._places = asyncio.Semaphore(most)
        self._after = after
        self._jobs: dict[Key, Job] = {}
        self._tasks: dict[Key, asyncio.Task[None]] = {}
        self._watchers: dict[Key, set[asyncio.Queue[Job]]] = {}
        self._spare: asyncio.Task[Process] | None = None
        self._closed = False

    def start(self, job: Job) -> None:
        self._jobs[job.key] = job
        self._tasks[job.key] = asyncio.create_task(self._carry_out(job))

    def now(self, job: Job) -> Job:
        """The job as it stands this moment: steps under way are not all on disk."""
        return self._jobs.get(job.key, job)

    async def cancel(self, key: Key) -> None:
        if task := self._tasks.get(key):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            if self._tasks.pop(key, None):  # it had not even begun
                self._settle(self._jobs[key].ended("cancelled"))

    async def cancel_project(self, project: str | None = None) -> None:
        """All jobs of one project, or all there are, also those that follow meanwhile."""
        while keys := [key for key in self._tasks if project in (None, key[0])]:
            for key in keys:
                await self.cancel(key)

    async def close(self) -> None:
        self._closed = True
        await self.cancel_project()
        if self._spare is not None:
            with suppress(OSError):
                await end(await self._spare)

    async def watch(self, job: Job) -> AsyncIterator[Job]:
        """The job now, and after every change until it has ended."""
        queue: asyncio.Queue[Job] = asyncio.Queue(1)  # whoever is slow gets the latest only
        watchers = self._watchers.setdefault(job.key, set())
        watchers.add(queue)
        try:
            current = self.now(job)
            yield current
            while current.under_way:
                current = await queue.get()
                yield current
        finally:
            watchers.discard(queue)
            if not watchers and self._watchers.get(job.key) is watchers:
                del self._watchers[job.key]

    def warm_up(self) -> None:
        """Have a process ready before it is needed: loading the methods takes a second."""
        if self._spare is None and not self._closed:
            self._spare = asyncio.create_task(new_worker())

    async def worker(self) -> Process:
        """The one that is ready, if it still lives, or a new one; whoever takes it ends it."""
        spare, self._spare = self._spare, None
        worker = None if spare is None else await spare
        return await new_worker() if worker is None or worker.returncode is not None else worker

    def _change(self, job: Job) -> Job:
        self._jobs[job.key] = job
        for queue in self._watchers.get(job.key, ()):
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(job)
        return job

    async def _carry_out(self, job: Job) -> None:
        try:
            async with self._places:
                job = self._change(job.started().with_step("getting ready", None).save())
                job = await self._done_by_worker(job)
        except asyncio.CancelledError:
            job = self.now(job).ended("cancelled")
        except (OSError, ShoalError):
            job = self.now(job).ended("failed", (NO_ROOM,))
        except Exception as error:
            faults = tuple(fault.as_dict() for fault in without_values(error).faults)
            job = self.now(job).ended("failed", faults)
        following = self._settle(job)
        self._tasks.pop(job.key, None)
        if following is not None:
            self.start(following)

    def _settle(self, job: Job) -> Job | None:
        """Keep how it ended, tell it, and say what follows."""
        following = None
        try:
            remove_unfinished(job)
            following = self._after(job) if job.state == "done" else None
        except (OSError, ShoalError):
            job = job.ended("failed", (NO_ROOM,))
        self._change(job)
        try:
            job.save()
        except ShoalError:
            if job.folder.is_dir():  # the disk is full, and only we know
                return following
        del self._jobs[job.key]
        return following

    async def _done_by_worker(self, job: Job) -> Job:
        worker = await self.worker()
        try:
            await give(worker, {"kind": job.kind, "folder": str(job.folder), "arguments": job.arguments})
            self.warm_up()
            async for message in messages(worker):
                if "step" in message:
                    before, job = (
                        job,
                        self.now(job).with_step(message["step"], message["share"], message["detail"]),
                    )
                    self._change(job if job.steps == before.steps else job.save())
                elif "done" in message:
                    return self.now(job).ended("done", result=message["done"])
                else:
                    state: Any = "infeasible" if message.get("infeasible") else "failed"
                    return self.now(job).ended(state, tuple(message["refused"]), message.get("result"))
            return self.now(job).ended("failed", (KILLED,))
        finally:
            await end(worker)


def remove_unfinished(job: Job) -> None:
    """Remove what a job that was stopped has left; only what it was asked stays, also if something was whole
    by then."""
    remove_hidden(job.folder)
    if job.state in ("cancelled", "interrupted"):
        for path in job.folder.glob("*"):
            if path.name not in (Job.FILE, "policy.toml"):
                _remove(path)


def remove_hidden(folder: Path) -> None:
    """Uploads and releases take their names when they are whole: what still has a hidden name is not."""
    for path in folder.glob(".*"):
        _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
