"""A release in a notebook: how it came about, what holds, and what it does not protect against."""

from collections.abc import Iterable, Mapping, Sequence

from shoal.display import html_list, html_note, html_sentence, html_table
from shoal.verify.verdict import Verdict


def release_html(
    facts: Mapping[str, object], verdicts: Iterable[Verdict], limits: Sequence[str], notes: Iterable[str]
) -> str:
    """
    >>> "<li>Other releases.</li>" in release_html({"records": 1200}, [], ["Other releases."], [])
    True
    """
    rows = [(name, _figure(value)) for name, value in facts.items()]
    found = "".join(html_sentence(one.mark, f"{one.kind}: {one.sentence}") for one in verdicts)
    return (
        html_table(["release", ""], rows)
        + found
        + html_list("What it does not protect against", limits)
        + "".join(map(html_note, notes))
    )


def _figure(value: object) -> str:
    """
    >>> _figure(1200), _figure(0.123456789), _figure("residual")
    ('1,200', '0.123457', 'residual')
    """
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)
