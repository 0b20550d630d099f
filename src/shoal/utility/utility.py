"""What a release keeps of its original, in one object: distributions, moments, losses, answers and
predictions.

All of it comes from the original, the published table and the policy; no link between their rows is needed.
``as_dict()`` is the owner's. ``public()`` holds no value of the original: no edges of bins, no words, no
means. Nor can one be computed from it: differences to the original are rounded, and told of large tables
only, in which a single record does not move them; where records were left out, nothing is told that depends
on how far the original's numbers reach.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.utility.answer_errors import QUERIES, AnswerErrors, answer_errors
from shoal.utility.column_loss import ColumnLoss, column_losses
from shoal.utility.column_pairs import ColumnPairs
from shoal.utility.distributions import Distribution, distributions
from shoal.utility.moments import Moments, table_moments
from shoal.utility.prediction import Prediction, prediction

Found = TypeVar("Found")
DIGITS = 2  # of public figures
ENOUGH = 1_000  # records, of which one moves a distance by a tenth of the last digit at most
FEW = f"differences to the original tell about single records if there are fewer than {ENOUGH:,}"
LEFT_OUT = "records were left out, and differences in numbers without a declared domain tell about them"


@dataclass(frozen=True)
class Utility:
    """A part that does not apply is None, and ``reasons`` says why."""

    records: int
    published: int
    distributions: tuple[Distribution, ...]
    losses: tuple[ColumnLoss, ...]
    moments: Moments | None
    answers: AnswerErrors | None
    prediction: Prediction | None
    reasons: dict[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values, for the owner."""
        return self._counts() | {
            "distributions": [one.as_dict() for one in self.distributions],
            "losses": [one.as_dict() for one in self.losses],
            "moments": None if self.moments is None else self.moments.as_dict(),
            "answers": None if self.answers is None else self.answers.as_dict(),
            "prediction": None if self.prediction is None else self.prediction.as_dict(),
            "reasons": dict(self.reasons),
        }

    def public(self) -> dict[str, Any]:
        """Plain JSON values without any value of the original, rounded."""
        few, gone = self.published < ENOUGH, self.published < self.records
        unbounded = {one.column for one in self.distributions if one.kind != "word" and one.domain is None}
        untold = unbounded if gone else set()
        undeclared = {one.column for one in self.distributions if one.domain is None} if gone else set()
        single = gone and (few or (self.prediction is not None and self.prediction.score == "r2"))
        figures: dict[str, Any] = {
            "distributions": [
                one.public()
                | ({"distance": None} if few or one.column in untold else {})
                | ({"bins": None} if one.column in undeclared else {})
                for one in self.distributions
            ],
            "losses": [
                one.public() | ({"loss": None} if one.column in undeclared else {}) for one in self.losses
            ],
            "moments": None if self.moments is None or few or gone else self.moments.public(),
            "answers": None if self.answers is None or (few and gone) else self.answers.public(gone),
            "prediction": None if self.prediction is None or single else self.prediction.public(),
        }
        rounded = {name: _rounded(part) for name, part in figures.items()}
        withheld = _withheld(few, gone) | ({"prediction": LEFT_OUT} if single else {})
        withheld |= {"answers": LEFT_OUT} if few and gone else {}
        return self._counts() | rounded | {"reasons": self.reasons | withheld}

    def _counts(self) -> dict[str, Any]:
        return {"records": self.records, "published": self.published}


def _withheld(few: bool, gone: bool) -> dict[str, str]:
    reasons = {"distances": FEW, "moments": FEW} if few else {}
    return {"losses": LEFT_OUT, "distances": LEFT_OUT, "moments": LEFT_OUT} | reasons if gone else reasons


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, DIGITS) + 0.0  # no -0.0
        case dict():
            return {name: one if name == "domain" else _rounded(one) for name, one in value.items()}
        case list():
            return [_rounded(one) for one in value]
    return value


def measure_utility(
    original: Table,
    published: Table,
    policy: Policy,
    queries: int = QUERIES,
    target: str | None = None,
    generator: np.random.Generator | None = None,
) -> Utility:
    """What the published table keeps of the original; ``target`` is the column to predict.

    >>> import pyarrow as pa
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> before, after = pa.table({"age": [1, 2, 9]}), pa.table({"age": ["[1, 2]", "[1, 2]", "9"]})
    >>> found = measure_utility(Table(before), Table(after), policy, queries=5)
    >>> found.losses[0].loss, found.distributions[0].distance, sorted(found.reasons)
    (0.08333333333333333, 0.0, ['prediction'])
    """
    random = np.random.default_rng() if generator is None else generator
    pairs = ColumnPairs.of(original, published, policy)
    reasons: dict[str, str] = {}
    if unread := [name for name in pairs.names if pairs[name] is None]:
        reasons["distributions"] = f"cells cannot be compared: {', '.join(map(repr, unread))}"
    return Utility(
        len(original),
        len(published),
        distributions(pairs),
        column_losses(pairs),
        _part("moments", lambda: table_moments(pairs), "no column of numbers", reasons),
        _part("answers", lambda: _answers(pairs, queries, random), "no quasi column to ask about", reasons),
        _part("prediction", lambda: prediction(pairs, target, random), "", reasons),
        reasons,
    )


def _answers(pairs: ColumnPairs, queries: int, random: np.random.Generator) -> AnswerErrors | None:
    if queries < 1:
        raise ShoalError("no questions were asked")
    if pairs.policy.averages:
        raise ShoalError("class means give no bounds, so no question about them is answered")
    return answer_errors(pairs, queries, random)


def _part(
    name: str, find: Callable[[], Found | None], otherwise: str, reasons: dict[str, str]
) -> Found | None:
    """A part, or why there is none. Messages never hold a cell."""
    try:
        found = find()
    except ShoalError as error:
        reasons[name] = error.faults[0].what
        return None
    if found is None:
        reasons[name] = otherwise
    return found
