"""How the command speaks: answers on stdout, progress and errors on stderr, colour on terminals.

Names and cells come from tables, and file names from anybody: whatever in them would steer a terminal or
begin a new line is written out, here and once for all. Colours are marked with a word that nobody can know.
"""

import json
import os
import re
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from shoal.cli.terminal.standard_output import OutputLost
from shoal.display import visible_json, visible_text
from shoal.errors import ShoalError

if TYPE_CHECKING:
    from shoal.verify.verdict import Verdict

GREEN, RED, BOLD, DIM = "32", "31", "1", "2"
SHOWN_COLUMNS = 5
OPEN = ("does_not_protect_against", "not_measured")  # names in JSON
PAINT = f"\x1b{secrets.token_hex(8)}"
PAINTED = re.compile(rf"{PAINT}(\[\d+m)")


def paint(text: str, colour: str, stream: TextIO | None = None) -> str:
    """Text in a colour where the stream is a terminal that shows it, else plain."""
    stream = stream or sys.stdout
    if not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"{PAINT}[{colour}m{text}{PAINT}[0m"


def visible_line(text: str) -> str:
    """One line as a terminal may have it: its colours are ours, and it does nothing else."""
    first, *more = PAINTED.split(text)
    pieces = zip(more[::2], more[1::2], strict=True)
    return visible_text(first) + "".join(f"\x1b{colour}{visible_text(piece)}" for colour, piece in pieces)


def say(line: str = "", flush: bool = False) -> None:
    """A line; where it begins with a line end, after an empty one."""
    if line.startswith("\n"):
        print()  # noqa: T201
    print(visible_line(line.removeprefix("\n")), flush=flush)  # noqa: T201


def say_json(content: object, flush: bool = False, indent: int | None = 2) -> None:
    """Print content as JSON, in ASCII where the terminal knows no more."""
    text = json.dumps(content, indent=indent, default=str, ensure_ascii=ascii_only())
    say_json_text(text, flush)


def say_json_text(text: str, flush: bool = False) -> None:
    """JSON that is written already."""
    print(visible_json(text), flush=flush)  # noqa: T201


def ascii_only() -> bool:
    """Does stdout take no other letters?"""
    return not (sys.stdout.encoding or "").lower().startswith("utf")


def complain(line: str) -> None:
    """A line on stderr; if that is closed or full, there is nobody left to tell."""
    with suppress(OSError):
        sys.stderr.write(f"{visible_line(line)}\n")
        sys.stderr.flush()


def _mark(verdict: "Verdict") -> str:
    if verdict.holds and verdict.achieved.get("decided") is False:
        return paint("open ", BOLD)
    return paint("holds", GREEN) if verdict.holds else paint("FAILS", RED)


def say_verdicts(verdicts: "Iterable[Verdict]") -> None:
    """Print what holds and what fails, with figures, the smallest classes and notes."""
    for verdict in verdicts:
        say(f"{_mark(verdict)}  {paint(verdict.kind, BOLD)}: {verdict.sentence}")
        links = {k: v for k, v in verdict.achieved.items() if k in ("coverage", "global")}
        if links:
            say("       " + ", ".join(f"{name} {count:,}" for name, count in links.items()))
        for line in _more_about(verdict.achieved):
            say(f"       {line}")
        if not verdict.holds and verdict.worst:
            sizes = ", ".join(f"{size:,}" for size in verdict.worst)
            say(f"       smallest classes: {sizes} records")
        for note in verdict.notes:
            say(f"       {note}")


def _more_about(achieved: "Mapping[str, Any]") -> Iterator[str]:
    """What else somebody learns who knows f."""
    certain = sorted(achieved.get("certain", {}).items(), key=lambda item: -item[1])
    if told := [f"{name} ({share:.0%})" for name, share in certain[:SHOWN_COLUMNS] if share >= 0.005]:
        yield f"certain to them, in this share of the records: {', '.join(told)}"
    if "largest_share" in achieved:
        yield (
            f"in some group one value has a share of {achieved['largest_share']:.0%}, values within a tenth "
            f"of e together {achieved['largest_share_near']:.0%}"
        )
    for name, beliefs in achieved.get("beliefs", {}).items():
        yield (
            f"{name}, to someone who knows the population: the right value has "
            f"{beliefs['posterior_right']:.2g} on average, the surest {beliefs['posterior']:.2g}; "
            f"nearly certain in {beliefs['positive_disclosures']:,} records, a value nearly ruled out in "
            f"{beliefs['negative_disclosures']:,}"
        )
    if "posterior" in achieved:
        most, average = (
            f"{achieved[figure]:.2g}, and {achieved[figure.replace('posterior', 'posterior_heaped')]:.2g}"
            for figure in ("posterior", "posterior_mean")
        )
        yield (
            "probability of the right record to someone who knows the method: "
            f"at most {most} if they also know how people round (on average {average})"
        )


def say_fingerprint(fingerprint: str, unchecked: bool) -> None:
    """What to compare with what the owner says, and whether there is a signature that was not checked."""
    say(f"Fingerprint {fingerprint} (SHA-256 of manifest.json)")
    if unchecked:
        say("It is signed; `shoal verify --key PUBLIC` checks by whom.")


def conclude(
    verdicts: "list[Verdict]", as_json: bool, besides: "Mapping[str, Any] | None" = None
) -> NoReturn:
    """Print verdicts, what they do not protect against and what was not measured, where that stands besides;
    leave with 0 if all hold, with 1 if not."""
    holds = all(verdict.holds for verdict in verdicts)
    if as_json:
        found = [verdict.as_dict() for verdict in verdicts]
        say_json({"holds": holds, "verdicts": found, **(besides or {})})
    else:
        say_verdicts(verdicts)
        say_limits(**{name: (besides or {}).get(name, ()) for name in OPEN})
    sys.exit(0 if holds else 1)


def say_limits(does_not_protect_against: "Sequence[str]", not_measured: "Sequence[str]") -> None:
    """Limits, and what was not measured; nothing where there is nothing."""
    if does_not_protect_against:
        say("\nNot protected against:")
    for limit in does_not_protect_against:
        say(f"  - {limit}")
    if not_measured:
        say()
    for line in not_measured:
        say(line)


def say_error(error: ShoalError, as_json: bool) -> None:
    """Print every fault and its hint on standard error, and as JSON where that was asked for."""
    for fault in error.faults:
        complain(f"{paint('error', RED, sys.stderr)}: {fault.what}")
        if fault.hint:
            complain(f"  Hint: {fault.hint}")
    if as_json and not isinstance(error, OutputLost):
        say_json(error.as_dict())


def table_lines(rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Columns aligned: text to the left, numbers or nothing to the right; the first row is the head."""
    rows = [tuple(map(visible_text, row)) for row in rows]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    numeric = [
        all(row[at].replace(",", "").replace(".", "").replace("%", "").strip().isdigit()
            for row in rows[1:] if row[at])
        for at in range(len(rows[0]))
    ]  # fmt: skip
    for number, row in enumerate(rows):
        cells = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        line = "  ".join(cells).rstrip()
        yield paint(line, BOLD) if number == 0 else line


@contextmanager
def steps(quiet: bool) -> Iterator[Callable[..., None]]:
    """Say which step is under way, on a terminal's stderr only, and leave no trace; a step that knows how
    far it is has a bar."""
    if quiet or not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, Task, TextColumn, TimeElapsedColumn

    class Bar(BarColumn):
        def render(self, task: Task) -> Any:
            return "" if task.fields["share"] is None else super().render(task)

    columns: tuple[Any, ...] = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        Bar(bar_width=20),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting", total=1.0, share=None)

        def step(text: str, share: float | None = None, /) -> None:
            progress.update(
                task, description=visible_text(text), completed=min(share or 0.0, 0.99), share=share
            )

        yield step
