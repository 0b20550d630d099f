"""Which of the releases that were compared to take, by a rule that can be told and defended.

Of those that hold and promise no less than the policy as it is written, the one that loses least; among
equals the one with the lower risk, then the one that may leave out less, then the faster one. Beside it: what
the cheapest step costs that halves the risk on average. Policies that promise different things are not
weighed against each other.

The frontier is another question: the rows that no other row of the same promise beats, in risk or in loss,
without losing in the other.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

from shoal.comparison.compare import ComparisonFigures, ComparisonResult, promise_of
from shoal.policy.model.policy import Policy

FIT = {"arbitrary_error": "error of any rows", "sse_sst": "100 SSE / SST", "ncp": "NCP"}


@dataclass(frozen=True)
class Family:
    """Rows, by their places, whose losses and risks can be compared."""

    loss: str  # the name of a figure
    permuted: bool
    places: tuple[int, ...]

    @property
    def loss_name(self) -> str:
        return FIT[self.loss]

    @property
    def target(self) -> str:
        """What an attacker is after."""
        return "the right value" if self.permuted else "the right record"

    def point(self, row: ComparisonResult) -> tuple[float, float]:
        """Its risk and its loss, to twelve digits: sums depend on the order of the rows, which is random."""
        assert row.figures is not None  # noqa: S101 - else it is in no family
        risk, loss = row.figures.risk, getattr(row.figures, self.loss)
        return float(f"{risk:.12g}"), float(f"{loss:.12g}")


@dataclass(frozen=True)
class Recommendation:
    """The place of the row to take, and that of the cheapest step to half its risk, if there are any."""

    policies: tuple[str, ...]
    reason: str
    place: int | None = None
    step: int | None = None

    def as_dict(self) -> dict[str, Any]:
        return {"policies": list(self.policies), "row": self.place, "step": self.step, "reason": self.reason}


def families(rows: Sequence[ComparisonResult]) -> list[Family]:
    """Permuted releases lose in their answers, all others in NCP, or in SSE if all show class means."""
    found = []
    for permuted in (False, True):
        made = {at: row.figures for at, row in enumerate(rows) if row.figures}
        made = {at: figures for at, figures in made.items() if figures.permuted == permuted}
        loss = "arbitrary_error" if permuted else "sse_sst" if _only_means(made.values()) else "ncp"
        measured = [at for at, figures in made.items() if isfinite(getattr(figures, loss))]
        if measured:
            found.append(Family(loss, permuted, tuple(measured)))
    return found


def _only_means(made: Collection[ComparisonFigures]) -> bool:
    """SSE / SST says nothing of records that were left out, so all must leave out equally many."""
    return all(one.sse_sst is not None for one in made) and len({one.suppressed for one in made}) == 1


def frontier(rows: Sequence[ComparisonResult]) -> list[bool]:
    """Marks of the frontier: rows that hold and that no holding row made for the same promise beats."""
    marks = [False] * len(rows)
    for family in families(rows):
        for promise in dict.fromkeys(rows[at].promise for at in family.places):
            holding = [at for at in family.places if rows[at].holds and rows[at].promise == promise]
            for at, mark in zip(
                holding, pareto_optimal([family.point(rows[at]) for at in holding]), strict=True
            ):
                marks[at] = mark
    return marks


def pareto_optimal(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Which points no other one beats: smaller in one coordinate and not larger in the other.

    >>> pareto_optimal([(1, 3), (2, 2), (2, 3), (1, 3)])
    [True, True, False, True]
    """
    marks = [False] * len(points)
    last, least = None, inf
    for at in sorted(range(len(points)), key=lambda at: points[at]):
        if points[at][1] < least:
            last, least = points[at], points[at][1]
        marks[at] = points[at] == last
    return marks


def recommend(rows: Sequence[ComparisonResult], policies: Mapping[str, Policy]) -> list[Recommendation]:
    """One choice for every promise that the policies make."""
    return [_of_promise(rows, names) for names in _promises(policies)]


def _promises(policies: Mapping[str, Policy]) -> list[tuple[str, ...]]:
    """The names of policies that promise the same, side by side."""
    found: dict[str, tuple[str, ...]] = {}
    for name, policy in policies.items():
        promise = promise_of(policy)
        found[promise] = (*found.get(promise, ()), name)
    return list(found.values())


def _of_promise(rows: Sequence[ComparisonResult], names: tuple[str, ...]) -> Recommendation:
    own = [at for at, row in enumerate(rows) if row.policy in names and row.holds]
    family = next((one for one in families(rows) if set(own) & set(one.places)), None)
    if family is None:
        return Recommendation(names, "Nothing that was tried holds, so there is nothing to take.")
    able = [at for at in own if at in family.places and rows[at].as_written]
    if not able:
        return Recommendation(
            names,
            "What holds promises less than the policy as it is written: try what it asks for, or write down "
            "that less is enough.",
        )
    best = min(able, key=lambda at: _rank(rows[at], family))
    risk = family.point(rows[best])[0]
    halving = [at for at in able if family.point(rows[at])[0] <= risk / 2] if risk else []
    step = min(halving, key=lambda at: family.point(rows[at])[::-1], default=None)
    told = f"{_reason_to_take(rows[best], family, len(able))} {_next(rows[best], step, rows, family)}".strip()
    return Recommendation(names, told, best, step)


def _rank(row: ComparisonResult, family: Family) -> tuple[float, float, float, float]:
    assert row.figures is not None  # noqa: S101 - it holds
    risk, loss = family.point(row)
    return loss, risk, float(row.parameters.get("suppression", 0)), row.figures.seconds


def _reason_to_take(row: ComparisonResult, family: Family, able: int) -> str:
    assert row.figures is not None  # noqa: S101 - it holds
    risk, loss = family.point(row)
    which = (
        f"loses least of the {able:,} that hold everything the policy promises as it is written"
        if able > 1
        else "is the only one that holds everything the policy promises as it is written"
    )
    left = row.figures.suppressed
    left_out = f"; {left:,} record{' is' if left == 1 else 's are'} left out" if left else ""
    return (
        f"It {which} ({family.loss_name} {loss:.4g}{left_out}); an attacker as stated finds "
        f"{family.target} with a chance of {risk:.4g} on average, {row.figures.largest_risk:.4g} at most."
    )


def _next(row: ComparisonResult, step: int | None, rows: Sequence[ComparisonResult], family: Family) -> str:
    risk, loss = family.point(row)
    if not risk:
        return ""
    if step is None:
        return "Nothing that was tried halves the chance on average."
    lower, dearer = family.point(rows[step])
    more = f", {dearer / loss:.2f} times as much" if loss else ""
    figures = rows[step].figures
    most = "" if figures is None else f", {figures.largest_risk:.4g} at most,"
    return (
        f"The cheapest step that halves the chance on average is {rows[step].label}: {lower:.4g}{most} for "
        f"{family.loss_name} {dearer:.4g}{more}."
    )
