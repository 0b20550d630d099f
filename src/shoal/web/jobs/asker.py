"""Questions to releases: each open one has a process that answers, one question at a time."""

import asyncio
from asyncio.subprocess import Process
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.errors import Fault, ShoalError
from shoal.web.jobs.process import end, give, messages
from shoal.web.jobs.runner import Runner
from shoal.web.problem import Refused

MOST_OPEN = 2
LONGEST = 60.0  # seconds that a question may take


@dataclass
class _Conversation:
    folder: Path
    process: Process
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Asker:
    """Keeps the releases that were asked last open."""

    def __init__(self, runner: Runner, longest: float = LONGEST) -> None:
        self._runner = runner
        self._longest = longest
        self._open: dict[Path, _Conversation] = {}  # the one asked last comes last
        self._opening = asyncio.Lock()

    async def ask(self, release: Path, sql: str, draw: bool) -> dict[str, Any]:
        """The answer of `shoal query`, and, to be shown, its cells and charts."""
        async with self._opening:
            conversation = await self._conversation(release)
        async with conversation.turn:
            if self._open.get(release) is not conversation:
                raise Refused(409, "this release was closed before it could answer", "ask once more.")
            message = await self._answered(conversation, {"sql": sql, "draw": draw})
        if "refused" in message:
            raise ShoalError([Fault(**fault) for fault in message["refused"]])
        answer: dict[str, Any] = message["done"]
        return answer

    async def get_ready(self, release: Path) -> None:
        """Open a release that is likely to be asked, if there is room: the first answer comes sooner."""
        async with self._opening:
            if release not in self._open and len(self._open) < MOST_OPEN:
                await self._conversation(release)

    async def close(self, folder: Path | None = None) -> None:
        """All releases below a folder, or all there are."""
        for conversation in list(self._open.values()):
            if folder is None or conversation.folder.is_relative_to(folder):
                await self._end(conversation)

    async def _conversation(self, release: Path) -> _Conversation:
        found = self._open.pop(release, None)
        if found is None or found.process.returncode is not None:
            await self._make_room()
            found = _Conversation(release, await self._runner.worker())
            await give(found.process, {"kind": "questions", "folder": str(release)})
        self._open[release] = found
        return found

    async def _make_room(self) -> None:
        if len(self._open) < MOST_OPEN:
            return
        idle = next((one for one in self._open.values() if not one.turn.locked()), None)
        if idle is None:
            raise Refused(
                409, f"{MOST_OPEN} other releases are being asked", "ask again when they have answered."
            )
        await self._end(idle)

    async def _answered(self, conversation: _Conversation, question: dict[str, Any]) -> dict[str, Any]:
        """A process whose answer nobody waits for any more is of no use: the next would get it."""
        try:
            async with asyncio.timeout(self._longest):
                await give(conversation.process, question)
                return await anext(messages(conversation.process))
        except TimeoutError:
            await self._end(conversation)
            raise Refused(
                400,
                f"the question took longer than {self._longest:g} seconds, and was stopped",
                "ask for less at once: fewer groups, or one aggregate after the other.",
            ) from None
        except ValueError:
            await self._end(conversation)
            raise Refused(400, "the answer is too long", "ask for fewer groups at once.") from None
        except StopAsyncIteration:
            await self._end(conversation)
            raise Refused(
                409,
                "the process that answers questions has ended without a word",
                "there may not be enough memory to open this release: close other programs.",
            ) from None
        except asyncio.CancelledError:
            await self._end(conversation)
            raise

    async def _end(self, conversation: _Conversation) -> None:
        if self._open.get(conversation.folder) is conversation:
            del self._open[conversation.folder]
        await end(conversation.process)
