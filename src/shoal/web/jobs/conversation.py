"""Questions to one release, one after the other: it is opened once, and stays open.

A question is a line of JSON, ``{"sql": ..., "draw": ...}``; so is its answer.
"""

import json
import os
import queue
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from shoal.web.jobs.outcome import outcome_of

FIRST = "select count(*) from data"  # nobody's question
MOST_ROWS, MOST_CHARTS = 500, 4  # of an answer that is shown; programs get all


def converse(folder: Path, questions: TextIO, say: Callable[[dict[str, Any]], None]) -> None:
    """Answer until nobody is left to ask."""
    from shoal.release.opened_release import open_release

    asked: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_listen, args=(questions, asked), daemon=True).start()
    release: Any = None

    def answered(question: dict[str, Any]) -> dict[str, Any]:
        nonlocal release
        release = release or open_release(folder)
        return _answer(release, question["sql"], question["draw"])

    outcome_of(lambda: answered({"sql": FIRST, "draw": asked.empty()}))  # loads all, while somebody thinks
    while True:
        question = json.loads(asked.get())
        say(outcome_of(partial(answered, question)))


def _listen(questions: TextIO, asked: "queue.Queue[str]") -> None:
    """Whoever asks holds our input open; when it closes, an answer under way is for nobody."""
    for line in questions:
        asked.put(line)
    os._exit(1)


def _answer(release: Any, sql: str, draw: bool) -> dict[str, Any]:
    from shoal.query.answer_display import answer_cells

    found = release.query(sql)
    told = {"answer": found.to_json(), "notes": found.notes}
    if not draw:
        return told
    head, *rows = answer_cells(found)
    shown = {"head": head, "rows": rows[:MOST_ROWS], "more": max(len(rows) - MOST_ROWS, 0)}
    return told | {"table": shown, "charts": _charts(found)}


def _charts(found: Any) -> list[dict[str, str]]:
    from shoal.report.charts.inline_svg import can_draw, inline_svg
    from shoal.report.charts.interval_chart import interval_charts

    if not can_draw():
        return []
    charts = interval_charts(found)[:MOST_CHARTS]
    return [
        {"title": one.title, "svg": inline_svg(one.drawn(), f"answer-{at}", f"{one.title}. {one.sentence()}")}
        for at, one in enumerate(charts, 1)
    ]
