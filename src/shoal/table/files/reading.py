"""What the owner of a text file says about it, where the file itself leaves it open.

A first line may be the names of the columns or the first person, and a cell over several lines may be a long
remark or other people's rows behind a stray quote. Nothing but the owner's word decides that.
"""

import csv
from collections.abc import Collection
from dataclasses import dataclass

from shoal.errors import ShoalError


@dataclass(frozen=True)
class Reading:
    """``header``: the first row is names, whatever it looks like. ``names``: it is not, and these are the
    names. ``multiline``: columns whose cells may hold line ends and as many delimiters as a row. ``known``:
    names that are expected; a first row with one of them is names."""

    header: bool = False
    names: tuple[str, ...] = ()
    multiline: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.header and self.names:
            raise ShoalError(
                "the first row is said to be names, and other names are given",
                "say one of the two: the first row is names, or what the columns are called.",
            )
        if any(not name.strip() for name in self.names) or len(set(self.names)) < len(self.names):
            raise ShoalError(
                "the names that are given for the columns are not all different words",
                "give every column a name of its own.",
            )

    def expecting(self, names: Collection[str]) -> "Reading":
        """The same for another file, of which nothing is said but that it has some of these columns."""
        return Reading(multiline=self.multiline, known=frozenset(names))


def split_names(text: str) -> list[str]:
    """Names with commas between them.

    >>> split_names('age, "net, pay"')
    ['age', 'net, pay']
    """
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]


AS_IT_LOOKS = Reading()
