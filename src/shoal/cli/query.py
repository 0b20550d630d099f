"""``shoal query``."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shoal.cli.engine import running_engine
from shoal.cli.terminal.output import (
    BOLD,
    DIM,
    ascii_only,
    paint,
    say,
    say_error,
    say_json_text,
    steps,
    table_lines,
)
from shoal.errors import ShoalError
from shoal.query.answer import Answer
from shoal.query.answer_display import answer_cells
from shoal.query.askable import askable
from shoal.query.schema import SECONDS
from shoal.release.engine_choice import engine_for, is_in_memory
from shoal.release.integrity.judgement_cache import is_judged
from shoal.release.opened_release import OpenedRelease, open_release

PROMPT = "shoal> "
LEAVING = ("quit", "exit", "\\q")
KEPT_LINES = 1_000


def run_query(
    folder: Path, sql: str | None, as_json: bool, key: Path | None = None, longest: float | None = None
) -> None:
    """Answer questions about a release: the one given, those on standard input, or in conversation."""
    seconds = longest or SECONDS
    release = open_release(folder, key)
    _insist(release)
    if sql is not None:
        _tell(release.query(sql, seconds), as_json)
        return
    if sys.stdin.isatty():
        if as_json:
            raise ShoalError("with --json a question is needed", 'shoal query DIR "select ..." --json')
        _converse(release, seconds)
        return
    questions = [line.strip() for line in sys.stdin if line.strip()]
    if not questions:
        raise ShoalError("no question was asked", 'ask: shoal query DIR "select count(*) from data".')
    for question in questions:
        found = release.query(question, seconds)
        if as_json:
            say_json_text(found.to_json(ascii_only=ascii_only()))
        else:
            _tell(found, as_json)


def _insist(release: OpenedRelease) -> None:
    """A release beyond memory is looked at part by part, once, before the first question; others are looked
    at when they are asked."""
    if is_judged(release.manifest) or is_in_memory(engine_for(release.data)):
        return
    with steps(quiet=False) as step, running_engine("disk", None, None, None, step) as (place, _):
        step("verifying")
        release.insist(release.manifest.files, place)


def _tell(answer: Answer, as_json: bool) -> None:
    if as_json:
        say_json_text(answer.to_json(indent=2, ascii_only=ascii_only()))
        return
    for line in table_lines(answer_cells(answer)):
        say(line)
    for note in answer.notes:
        say(paint(note, DIM))


def _converse(release: OpenedRelease, seconds: float) -> None:
    """Questions and answers until the reader leaves."""
    _introduce(release)
    with _history():
        while (question := _next_question()) is not None:
            if question in ("", ";"):
                continue
            if question.lower() in ("help", "\\?", "\\h"):
                _introduce(release)
                continue
            try:
                _tell(release.query(question, seconds), as_json=False)
            except ShoalError as error:
                say_error(error, as_json=False)


def _next_question() -> str | None:
    """A line, without the semicolon at its end; None when there are no more."""
    try:
        line = input(PROMPT).strip().rstrip(";").strip()
    except (EOFError, KeyboardInterrupt):
        say()
        return None
    return None if line.lower() in LEAVING else line


def _introduce(release: OpenedRelease) -> None:
    asked = askable(release.policy)
    for line in (
        f"{paint('table data', BOLD)}: {release.manifest.records:,} records",
        f"  {asked.known}: {', '.join(asked.bounded) or 'nothing'}",
        f"  exact: {', '.join(asked.exact) or 'nothing'}",
        "Ask like this: select count(*), avg(...) from data where ... group by ...",
        "Every answer holds the true one: from lower to upper. What to expect, and its standard deviation "
        "(sd), are over",
        "all permutations, each as likely as the others; hits are the records that fit the conditions on "
        "exact columns.",
        "One question per line; help shows this again, quit leaves.",
    ):
        say(line)


@contextmanager
def _history() -> Iterator[None]:
    """Earlier questions come back with the arrow keys, also in the next conversation."""
    try:
        import readline
    except ImportError:
        yield
        return
    home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    file = home / "shoal" / "questions"
    with suppress(OSError):
        readline.read_history_file(file)
    readline.set_history_length(KEPT_LINES)
    try:
        yield
    finally:
        with suppress(OSError):
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.touch(mode=0o600)
            readline.write_history_file(file)
