"""What a release can be asked: which columns are exact, which are known within bounds; with examples."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.policy.model.policy import Policy
from shoal.table.columns.word_set import in_quotes

PLAIN = re.compile(r"[a-z][a-z0-9]*_[a-z0-9_]+")  # no word of SQL
NUMBERS = ("integer", "decimal")  # kinds of a profile
FEW = 50  # different cells, to group by
CODE = re.compile(
    r"(^|[_\W])(id|nr|no|number|code|zip|plz|postleitzahl|post(al)?_?code|postcode|phone|tel|year)($|[_\W])",
    re.IGNORECASE,
)  # numbers that count nothing


@dataclass(frozen=True)
class Askable:
    """The exact columns of a release, and those of which only bounds or means are known."""

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
    return Askable(
        exact=tuple(name for name in policy.published if name not in bounded),
        bounded=tuple(bounded),
        means=policy.averages,
    )


def to_average(policy: Policy, numeric: Collection[str]) -> list[str]:
    """Columns of numbers whose average can be asked and says something, the most telling first: no codes, no
    means of classes, and none that is published as labels.

    >>> roles = {"zip": "quasi", "age": "quasi", "pay": "sensitive", "id": "identifier"}
    >>> policy = Policy(columns=roles, guarantees=[{"kind": "k-anonymity", "k": 5}])
    >>> to_average(policy, ["zip", "age", "pay", "id"])
    ['pay', 'age']
    """
    hidden = policy.having("quasi") if policy.averages else list(policy.hierarchies)
    ranked = [name for role in ("sensitive", "other", "quasi") for name in policy.having(role)]
    return [name for name in ranked if name in numeric and name not in hidden and not CODE.search(name)]


def examples_for(policy: Policy, columns: Sequence[Mapping[str, Any]]) -> list[str]:
    """Questions for a release of this policy; ``columns`` are those of a profile of the table, as plain
    mappings."""
    numeric = [column["name"] for column in columns if column["kind"] in NUMBERS]
    few = [column["name"] for column in columns if column["distinct"] <= FEW]
    keys = [name for name in few if name not in numeric]
    return example_questions(askable(policy), to_average(policy, numeric), keys)


def example_questions(asked: Askable, averages: Sequence[str] = (), keys: Sequence[str] = ()) -> list[str]:
    """Questions that this release answers: about the first of the ``averages``, which are numbers, and by the
    first of the ``keys`` that is exact.

    >>> example_questions(Askable(("job",), ("pay",), means=False), ["pay"], ["job"])[1:]
    ['select avg("pay") from data', 'select "job", count(*), avg("pay") from data group by "job"']
    """
    averaged = next(map(quote_column, averages), None)
    questions = ["select count(*) from data"]
    if averaged:
        questions.append(f"select avg({averaged}) from data")
    key = next((quote_column(name) for name in keys if name in asked.exact), None)
    if key:
        figures = f"count(*), avg({averaged})" if averaged else "count(*)"
        questions.append(f"select {key}, {figures} from data group by {key}")
    return questions


def quote_column(name: str) -> str:
    """A column's name in a statement, whatever it is made of.

    >>> quote_column("net_pay"), quote_column('the "net" pay'), quote_column("order")
    ('net_pay', '"the ""net"" pay"', '"order"')
    """
    if PLAIN.fullmatch(name):
        return name
    return in_quotes(name)
