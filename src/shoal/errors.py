"""What shoal says when it cannot go on: what is wrong, where, and what to do.

No message here ever carries a cell of the user's table: columns, counts and line numbers only.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with an input.

    ``cells`` finds the column, line and value of each cell it is about: for the owner, and never shown.
    """

    what: str
    hint: str = ""
    cells: Callable[[], list[tuple[str, int, str | None]]] | None = field(
        default=None, repr=False, compare=False
    )

    def __str__(self) -> str:
        return f"{self.what}\nHint: {self.hint}" if self.hint else self.what

    def as_dict(self) -> dict[str, str]:
        return {"what": self.what, "hint": self.hint}


class ShoalError(Exception):
    """Bad input or usage; carries every fault that was found, not only the first.

    >>> print(ShoalError("column 'incom' is not in the table", "the table has 'income'."))
    column 'incom' is not in the table
    Hint: the table has 'income'.
    """

    exit_code = 2

    def __init__(self, what: str | Iterable[Fault], hint: str = "") -> None:
        self.faults = (Fault(what, hint),) if isinstance(what, str) else tuple(what)
        super().__init__("\n".join(map(str, self.faults)))

    def as_dict(self) -> dict[str, object]:
        return {"faults": [fault.as_dict() for fault in self.faults]}


def refuse_faults(faults: Iterable[Fault]) -> None:
    """Raise all faults at once, if there are any.

    >>> refuse_faults([])
    """
    if found := tuple(faults):
        raise ShoalError(found)


class Infeasible(ShoalError):
    """A sound request that no allowed release satisfies."""

    exit_code = 1


class NotFound(Infeasible):
    """A sound request for which no release was found, though not all of them were tried."""


def nearest(name: str, known: Iterable[str], owner: str) -> str:
    """A hint naming the known word closest to a misspelt one.

    >>> nearest("incom", ["age", "income"], "the table")
    "the table has 'income'."
    >>> nearest("zzz", ["age", "income"], "the table")
    "the table has 'age', 'income'."
    """
    words = list(known)
    lowered = {word.lower(): word for word in words}
    close = get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
    shown = [lowered[close[0]]] if close else words[:12]
    rest = "" if close or len(words) <= len(shown) else f" and {len(words) - len(shown)} more"
    return f"{owner} has {', '.join(repr(word) for word in shown)}{rest}."


def without_values(error: BaseException) -> ShoalError:
    """Name the kind and place of an unexpected failure; its message could hold cells."""
    trace: Any = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
    return ShoalError(
        f"something went wrong that should not ({type(error).__name__} at {place})",
        "SHOAL_DEBUG=1 shows the details, which may contain cells of your table.",
    )
