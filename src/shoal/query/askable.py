"""What a release can be asked: which columns are exact, which are known within bounds; with examples."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from shoal.policy.policy import Policy

PLAIN = re.compile(r"[a-z][a-z0-9]*_[a-z0-9_]+")  # no word of SQL


@dataclass(frozen=True)
class Askable:
    exact: tuple[str, ...]
    bounded: tuple[str, ...]
    means: bool  # of classes: then these columns cannot be asked at all

    @property
    def known(self) -> str:
        """What is known of the columns that are not exact."""
        return "means of classes, not to be asked" if self.means else "known within bounds"


def askable(policy: Policy) -> Askable:
    """
    >>> roles = {"id": "identifier", "age": "quasi", "pay": "sensitive"}
    >>> askable(Policy(columns=roles, guarantees=[{"kind": "k-anonymity", "k": 5}]))
    Askable(exact=('pay',), bounded=('age',), means=False)
    """
    bounded = policy.having("sensitive" if policy.permutes else "quasi")
    names = [name for name, role in policy.columns.items() if role != "identifier"]
    return Askable(
        exact=tuple(name for name in names if name not in bounded),
        bounded=tuple(bounded),
        means=policy.averages,
    )


def example_questions(asked: Askable, numeric: Collection[str] = ()) -> list[str]:
    """Questions that this release answers; ``numeric`` columns hold numbers, as far as is known.

    >>> example_questions(Askable(("job",), ("pay",), means=False), ["pay"])[1:]
    ['select avg("pay") from data', 'select "job", count(*), avg("pay") from data group by "job"']
    """
    bounded = () if asked.means else asked.bounded
    averaged = _first(bounded, numeric) or _first(asked.exact, numeric)
    questions = ["select count(*) from data"]
    if averaged:
        questions.append(f"select avg({averaged}) from data")
    key = next((quoted(name) for name in asked.exact if name not in numeric), None)
    if key:
        figures = f"count(*), avg({averaged})" if averaged else "count(*)"
        questions.append(f"select {key}, {figures} from data group by {key}")
    return questions


def quoted(name: str) -> str:
    """A column's name in a statement, whatever it is made of.

    >>> quoted("net_pay"), quoted('the "net" pay'), quoted("order")
    ('net_pay', '"the ""net"" pay"', '"order"')
    """
    if PLAIN.fullmatch(name):
        return name
    return '"' + name.replace('"', '""') + '"'


def _first(names: Sequence[str], numeric: Collection[str]) -> str | None:
    return next((quoted(name) for name in names if name in numeric), None)
