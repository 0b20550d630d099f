"""Starts jobs, watches them and stops them: at most a few at once, each in a process of its own."""

import asyncio
import shutil
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from shoal.web.jobs.job import Job
from shoal.web.jobs.process import end, give, messages, new_worker

KILLED = {
    "what": "the process that did this job has ended without a word",
    "hint": "there may not be enough memory for this table: close other programs, or give it fewer rows.",
}
Key = tuple[str, int]


class Runner:
    """``after`` is told of every job that has ended, and may ask for another."""

    def __init__(self, most: int, after: Callable[[Job], Job | None] = lambda _: None) -> None:
        self._places = asyncio.Semaphore(most)
        self._after = after
        self._jobs: dict[Key, Job] = {}
        self._tasks: dict[Key, asyncio.Task[None]] = {}
        self._watchers: dict[Key, set[asyncio.Queue[Job]]] = {}
        self._spare: Process | None = None

    def start(self, job: Job) -> None:
        self._jobs[job.key] = job
        self._tasks[job.key] = asyncio.create_task(self._carry_out(job))

    def now(self, job: Job) -> Job:
        """As it stands this moment: steps under way are not all on disk."""
        return self._jobs.get(job.key, job)

    async def cancel(self, key: Key) -> None:
        if task := self._tasks.get(key):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def cancel_work(self, work: str | None = None) -> None:
        """All jobs of one piece of work, or all there are."""
        for key in [key for key in self._tasks if work in (None, key[0])]:
            await self.cancel(key)

    async def close(self) -> None:
        await self.cancel_work()
        if self._spare is not None:
            await end(self._spare)

    async def watch(self, job: Job) -> AsyncIterator[Job]:
        """The job now, and after every change until it has ended."""
        queue: asyncio.Queue[Job] = asyncio.Queue()
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

    async def warm_up(self) -> None:
        """Have a process ready before it is needed: loading the methods takes a second."""
        if self._spare is None or self._spare.returncode is not None:
            self._spare = await new_worker()

    async def worker(self) -> Process:
        """The one that is ready, or a new one; whoever takes it ends it."""
        worker, self._spare = self._spare, None
        return await new_worker() if worker is None or worker.returncode is not None else worker

    def _change(self, job: Job) -> Job:
        self._jobs[job.key] = job
        for queue in self._watchers.get(job.key, ()):
            queue.put_nowait(job)
        return job

    async def _carry_out(self, job: Job) -> None:
        try:
            async with self._places:
                job = self._change(job.started().told("getting ready", None).save())
                job = await self._done_by_worker(job)
        except asyncio.CancelledError:
            job = self.now(job).ended("cancelled")
        except OSError:
            what = {"what": "the job could not be carried out", "hint": "make room on the disk."}
            job = self.now(job).ended("failed", (what,))
        if job.folder.is_dir():  # else the work was forgotten meanwhile
            with suppress(OSError):
                remove_hidden(job.folder)
                job.save()
        following = self._after(job) if job.state == "done" else None
        self._change(job)
        self._tasks.pop(job.key, None)
        self._jobs.pop(job.key, None)
        if following is not None:
            self.start(following)

    async def _done_by_worker(self, job: Job) -> Job:
        worker = await self.worker()
        try:
            await give(worker, {"kind": job.kind, "folder": str(job.folder), "arguments": job.arguments})
            asyncio.get_running_loop().create_task(self.warm_up())
            async for message in messages(worker):
                if "step" in message:
                    before, job = (
                        job,
                        self.now(job).told(message["step"], message["share"], message["detail"]),
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


def remove_hidden(folder: Path) -> None:
    """Uploads and releases take their names when they are whole: what still has a hidden name is not."""
    for path in folder.glob(".*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
