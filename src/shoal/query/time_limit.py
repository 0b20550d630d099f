"""A limit on the time that a question takes, so that nobody waits for an answer that does not come."""

from contextlib import suppress
from math import isfinite
from threading import TIMEOUT_MAX, Event, Lock, Thread
from time import monotonic
from types import TracebackType

import duckdb
import pyarrow as pa

from shoal.errors import ShoalError

UNUSED = "shoal_unused"
TRIES = 10
AGAIN = 0.05  # seconds; the engine may have been between two statements


class TimeLimit:
    """While a question is worked on: the engine is interrupted when the time is over, and whoever works
    outside of it asks by ``check``."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, seconds: float) -> None:
        if not (isfinite(seconds) and seconds > 0):
            raise ShoalError("the time limit of a question is no number of seconds", "give one above 0.")
        self._connection = connection
        self._seconds = seconds
        self._answered = Event()
        self._told = False  # was the engine interrupted?
        self._turn = Lock()  # nobody is interrupted after the question
        self._end = monotonic() + seconds

    def __enter__(self) -> "TimeLimit":
        Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._turn:
            self._answered.set()
        if self._told:
            _absorb_interruption(self._connection)
        if isinstance(error, duckdb.InterruptException) and monotonic() >= self._end:
            raise no_answer(self._seconds) from None

    def check(self) -> None:
        """Refuse to go on when the time is over."""
        if monotonic() >= self._end:
            raise no_answer(self._seconds)

    def _watch(self) -> None:
        wait = min(self._seconds, TIMEOUT_MAX)
        while not self._answered.wait(wait):
            with self._turn:
                if self._answered.is_set():
                    return
                self._told = True
                self._connection.interrupt()
            wait = AGAIN


def _absorb_interruption(connection: duckdb.DuckDBPyConnection) -> None:
    """Let an interruption that came between two statements hit these instead of the next question."""
    for _ in range(TRIES):
        with suppress(duckdb.InterruptException):
            connection.execute("SELECT 1").fetchall()
            connection.register(UNUSED, pa.table({"one": [1]}))
            connection.unregister(UNUSED)
            return


def no_answer(seconds: float) -> ShoalError:
    """The error for a question whose time is over."""
    return ShoalError(
        f"no answer after {seconds:g} seconds",
        "ask for fewer groups or aggregates, compare with ranges instead of long lists, or allow more time.",
    )
