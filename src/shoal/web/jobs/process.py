"""The processes that compute, seen from the server: started, given orders, listened to, ended."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

WORKER = (sys.executable, "-m", "shoal.web.jobs.worker")
LONGEST_LINE = 64 * 1024**2  # bytes that a worker may say at once


async def new_worker() -> Process:
    """Start a process that waits for an order."""
    errors = None if "SHOAL_DEBUG" in os.environ else DEVNULL
    return await asyncio.create_subprocess_exec(
        *WORKER,
        stdin=PIPE,
        stdout=PIPE,
        stderr=errors,
        limit=LONGEST_LINE,
    )


async def give(worker: Process, order: dict[str, Any]) -> None:
    """Send an order to a worker; one that is gone by now does not get it."""
    assert worker.stdin is not None  # noqa: S101
    worker.stdin.write((json.dumps(order) + "\n").encode())
    with suppress(ConnectionError):
        await worker.stdin.drain()


async def messages(worker: Process) -> AsyncIterator[dict[str, Any]]:
    """What a worker tells, message by message, until it ends."""
    assert worker.stdout is not None  # noqa: S101
    while line := await worker.stdout.readline():
        yield json.loads(line)


async def end(worker: Process) -> None:
    """A process that reads its input goes by itself; one that computes is stopped."""
    with suppress(ProcessLookupError):
        worker.kill()
    await worker.wait()
