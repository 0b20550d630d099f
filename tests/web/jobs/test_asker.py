"""Processes that answer: few at once, one question at a time, none for long, none left behind."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import ShoalError
from shoal.web.jobs import asker as questions
from shoal.web.jobs.asker import Asker
from shoal.web.problem import Refused


class Process:
    """Answers with the question, after as many seconds as it says."""

    def __init__(self) -> None:
        self.returncode: int | None = None
        self.asked: asyncio.Queue[dict[str, Any]] = asyncio.Queue()


class Runner:
    def __init__(self) -> None:
        self.started: list[Process] = []

    async def worker(self) -> Process:
        self.started.append(Process())
        return self.started[-1]


@pytest.fixture(autouse=True)
def no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    async def give(process: Process, order: dict[str, Any]) -> None:
        if "sql" in order:
            process.asked.put_nowait(order)

    async def messages(process: Process) -> Any:
        while True:
            sql = (await process.asked.get())["sql"]
            if sql == "die":
                process.returncode = 1
                return
            await asyncio.sleep(float(sql))
            fault = {"what": "too quick", "hint": ""}
            yield {"refused": [fault]} if sql == "0.0" else {"done": {"answer": sql}}

    async def end(process: Process) -> None:
        process.returncode = -9

    for name, function in {"give": give, "messages": messages, "end": end}.items():
        monkeypatch.setattr(questions, name, function)


def conversation(talk: Callable[[Asker, Runner], Awaitable[None]], longest: float = 5) -> list[Process]:
    runner = Runner()

    async def whole() -> None:
        asker = Asker(runner, longest)  # type: ignore[arg-type]
        await talk(asker, runner)
        await asker.close()

    asyncio.run(whole())
    return runner.started


def test_a_release_stays_open_and_the_oldest_is_closed_for_a_third() -> None:
    async def talk(asker: Asker, runner: Runner) -> None:
        for name in ("a", "b", "a", "c", "a"):
            assert await asker.ask(Path(name), "0.001", draw=False) == {"answer": "0.001"}
        assert [one.returncode for one in runner.started] == [None, -9, None]

    assert [one.returncode for one in conversation(talk)] == [-9, -9, -9]


def test_questions_to_one_release_wait_for_each_other() -> None:
    async def talk(asker: Asker, _: Runner) -> None:
        found = await asyncio.gather(*(asker.ask(Path("a"), sql, draw=False) for sql in ("0.05", "0.01")))
        assert [one["answer"] for one in found] == ["0.05", "0.01"]

    assert len(conversation(talk)) == 1


def test_a_long_question_is_stopped_and_the_next_is_answered() -> None:
    async def talk(asker: Asker, runner: Runner) -> None:
        with pytest.raises(Refused, match="took longer"):
            await asker.ask(Path("a"), "9", draw=False)
        assert runner.started[0].returncode == -9
        await asker.ask(Path("a"), "0.001", draw=False)

    assert len(conversation(talk, longest=0.1)) == 2


def test_nobody_gets_the_answer_to_a_question_that_was_given_up() -> None:
    async def talk(asker: Asker, _: Runner) -> None:
        given_up = asyncio.create_task(asker.ask(Path("a"), "1", draw=False))
        await asyncio.sleep(0.02)
        given_up.cancel()
        await asyncio.wait([given_up])
        assert await asker.ask(Path("a"), "0.002", draw=False) == {"answer": "0.002"}

    assert len(conversation(talk)) == 2


def test_a_third_release_is_refused_while_two_are_busy() -> None:
    async def talk(asker: Asker, _: Runner) -> None:
        busy = [asyncio.create_task(asker.ask(Path(name), "0.1", draw=False)) for name in "ab"]
        await asyncio.sleep(0.02)
        with pytest.raises(Refused, match="2 other releases"):
            await asker.ask(Path("c"), "0.001", draw=False)
        await asyncio.gather(*busy)

    conversation(talk)


def test_faults_and_sudden_ends_are_told() -> None:
    async def talk(asker: Asker, _: Runner) -> None:
        with pytest.raises(ShoalError, match="too quick"):
            await asker.ask(Path("a"), "0.0", draw=False)
        with pytest.raises(Refused, match="ended without a word"):
            await asker.ask(Path("a"), "die", draw=False)
        await asker.ask(Path("a"), "0.001", draw=False)

    assert len(conversation(talk)) == 2


def test_what_is_forgotten_is_closed() -> None:
    async def talk(asker: Asker, runner: Runner) -> None:
        for name in ("work/jobs/run-1/release", "other/jobs/run-1/release"):
            await asker.ask(Path(name), "0.001", draw=False)
        await asker.close(Path("work"))
        assert [one.returncode for one in runner.started] == [-9, None]

    conversation(talk)


def test_a_release_is_opened_ahead_where_there_is_room_and_nobody_is_sent_away_for_it() -> None:
    async def talk(asker: Asker, runner: Runner) -> None:
        for name in ("a", "a", "b", "c"):
            await asker.get_ready(Path(name))
        assert [one.returncode for one in runner.started] == [None, None]
        assert await asker.ask(Path("b"), "0.001", draw=False) == {"answer": "0.001"}

    assert [one.returncode for one in conversation(talk)] == [-9, -9]
