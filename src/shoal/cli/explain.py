"""``shoal explain``."""

from collections.abc import Iterator
from textwrap import wrap
from typing import get_args

from shoal.cli.terminal.output import BOLD, paint, say, say_json, table_lines
from shoal.explain.explanation import ExampleTable, Explanation, Kind
from shoal.explain.registry import EXPLANATIONS, explanation, explanations

WIDTH = 100
HEADINGS: dict[Kind, str] = {"guarantee": "Guarantees", "method": "Methods", "word": "Words"}


def run_explain(name: str | None, as_json: bool) -> None:
    """Explain one word of the field, or list all that can be explained."""
    if name is not None:
        found = explanation(name)
        if as_json:
            say_json(found.as_dict())
            return
        for line in explanation_lines(found):
            say(line)
        return
    if as_json:
        say_json({"explanations": [{"name": one.name, "kind": one.kind, "title": one.title}
                                   for one in EXPLANATIONS]})  # fmt: skip
        return
    for line in index_lines():
        say(line)


def explanation_lines(found: Explanation) -> Iterator[str]:
    """Sentences first, then what it does not do, then the example."""
    yield paint(found.title, BOLD)
    yield ""
    yield from wrap(" ".join(found.says), WIDTH)
    yield from wrap(f"But: {found.protects_not}", WIDTH)
    yield ""
    yield from _example_lines("before", found.example.before)
    yield ""
    yield from _example_lines("after", found.example.after)
    yield ""
    yield from wrap(found.example.shows, WIDTH)
    yield ""
    yield f"Source: {found.source}"


def _example_lines(when: str, grid: ExampleTable) -> Iterator[str]:
    yield f"{when}:"
    for line in table_lines([grid.head, *grid.rows]):
        yield f"  {line}"


def index_lines() -> Iterator[str]:
    """All names with their titles, in groups."""
    width = max(len(one.name) for one in EXPLANATIONS)
    for kind in get_args(Kind):
        yield paint(HEADINGS[kind], BOLD)
        for one in explanations(kind):
            yield f"  {one.name:{width}}  {one.title}"
        yield ""
    yield "`shoal explain NAME` tells one of them, with an example."
