"""The process that does a job: takes one order from its input, tells on its output how it goes. If the order
is to answer questions, these are the lines that follow.

It ends with the server: whoever waits for it holds its input open, and when that closes there is nobody left.
On Linux the system sees to that, even while a computation lets no thread of ours run.
Started as ``python -m shoal.web.jobs.worker``.
"""

import ctypes
import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any, TextIO

from shoal.web.jobs.conversation import converse
from shoal.web.jobs.outcome import outcome_of

NICENESS = 5  # the page goes first
PR_SET_PDEATHSIG = 1


def main() -> None:
    """Take one order from standard input, do it, and tell steps and outcome on standard output."""
    _die_with_parent()
    orders, told = sys.stdin, _private_output()
    os.nice(NICENESS)
    from shoal.web.jobs.tasks import TASKS, warm_up

    threading.Thread(target=warm_up, daemon=True).start()
    order = json.loads(orders.readline() or "null")
    if order is None:
        return
    if order["kind"] == "questions":
        converse(Path(order["folder"]), orders, lambda message: _say(told, message))
        return
    threading.Thread(target=_end_with, args=(orders,), daemon=True).start()

    def tell(text: str, share: float | None = None, detail: str = "") -> None:
        _say(told, {"step": text, "share": share, "detail": detail})

    _say(told, outcome_of(lambda: TASKS[order["kind"]](Path(order["folder"]), order["arguments"], tell)))
    os._exit(0)  # all is written, and taking the process apart takes long


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _private_output() -> TextIO:
    """Our own line to the server; whatever else prints something prints it to stderr."""
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return told


def _say(to: TextIO, message: dict[str, Any]) -> None:
    to.write(json.dumps(message, ensure_ascii=False) + "\n")
    to.flush()


def _end_with(orders: TextIO) -> None:
    orders.read()
    os._exit(1)


if __name__ == "__main__":
    main()
