"""How far the answers of a release are from the truth, over random questions.

A question counts the records in ranges of one or two quasi columns (or among some of their words), and adds
up and averages a numeric column of them. It picks about a tenth of the records. The engine that any recipient
has answers with bounds; the truth comes from the original. ``width`` is (upper - lower) / |truth|, ``error``
|expected - truth| / |truth|, where expected is the middle of the bounds if the engine knows none. Records
that were left out of the release are part of the truth, and outside the bounds.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.arrays import Bools
from shoal.errors import ShoalError
from shoal.query.answer import Bounds
from shoal.release.database.questions import open_table
from shoal.table.columns.word_set import in_quotes
from shoal.utility.column_pairs import ColumnPairs
from shoal.utility.numeric_pair import EPOCH, NumericPair
from shoal.utility.word_pair import WordPair

QUERIES, SHARE = 100, 0.1
MOST_LISTED = 20  # words in one question
AGGREGATES = ("count", "sum", "avg")


@dataclass(frozen=True)
class AggregateError:
    """Errors of one aggregate: means and medians over the questions that have them, None without any.

    Without bounds, or where the truth is 0 or missing, a question is ``left_out``.
    """

    aggregate: str
    questions: int
    left_out: int
    width: float | None
    median_width: float | None
    error: float | None
    median_error: float | None
    within: float | None  # share of the questions whose bounds hold the truth


@dataclass(frozen=True)
class AnswerErrors:
    """How far answers from a release are from the truth, by aggregate."""

    asked: int
    refused: int  # questions that the engine does not answer
    aggregates: tuple[AggregateError, ...]

    def as_dict(self) -> dict[str, Any]:
        return {"asked": self.asked, "refused": self.refused, "aggregates": [*map(asdict, self.aggregates)]}

    def public(self, left_out: bool = False) -> dict[str, Any]:
        """Questions and answers are not kept. One very large number among records that were left out of the
        release moves the means of sums and averages, and could be computed from them; not so medians."""
        untold = {"width": None, "error": None}
        return self.as_dict() | {
            "aggregates": [
                asdict(one) | (untold if left_out and one.aggregate != "count" else {})
                for one in self.aggregates
            ]
        }


@dataclass(frozen=True)
class RandomQuestion:
    """A drawn query, and what the original answers."""

    sql: str
    truth: dict[str, float | None]


def answer_errors(
    pairs: ColumnPairs, queries: int = QUERIES, generator: np.random.Generator | None = None
) -> AnswerErrors | None:
    """None where no quasi column can be asked about. Class means give no bounds: their questions are
    refused."""
    random = np.random.default_rng() if generator is None else generator
    asked = list(random_questions(pairs, queries, random))
    if not asked:
        return None
    ask = open_table(_asked_about(pairs), pairs.policy, pairs.suppressed)
    found: dict[str, list[tuple[float, float, bool] | None]] = {name: [] for name in AGGREGATES}
    refused = 0
    for question in asked:
        try:
            row = ask(question.sql).rows[0]
        except ShoalError:
            refused += 1
            continue
        for name, truth in question.truth.items():
            found[name].append(answer_error(row[name], truth))
    return AnswerErrors(
        len(asked), refused, tuple(_summary(name, errors) for name, errors in found.items() if errors)
    )


def _asked_about(pairs: ColumnPairs) -> pa.Table:
    """The published columns that questions are about; a permuted release is opened whole."""
    arrow = pairs.published.table.arrow
    wanted = {*_conditions(pairs), *_amounts(pairs)}
    return arrow if pairs.policy.permutes else arrow.select([n for n in arrow.column_names if n in wanted])


def answer_error(bounds: Bounds, truth: float | None) -> tuple[float, float, bool] | None:
    """Width, error and whether the bounds hold the truth; None if there is nothing to compare.

    >>> answer_error(Bounds(5, None, 15, None, 0), 8.0)
    (1.25, 0.25, True)
    """
    lower, upper = _number(bounds.lower), _number(bounds.upper)
    if not truth or lower is None or upper is None:
        return None
    middle = _number(bounds.expected)
    expected = (lower + upper) / 2 if middle is None else middle
    room = ROUNDING * abs(truth)
    holds = lower - room <= truth <= upper + room
    return (upper - lower) / abs(truth), abs(expected - truth) / abs(truth), holds


ROUNDING = 1e-9  # of sums of floats


def _number(figure: Any) -> float | None:
    return None if figure is None else float(figure)


def _summary(name: str, errors: list[tuple[float, float, bool] | None]) -> AggregateError:
    known = np.array([error for error in errors if error is not None], float).reshape(-1, 3)
    if not len(known):
        return AggregateError(name, len(errors), len(errors), None, None, None, None, None)
    (width, error, within), (middle_width, middle_error, _) = known.mean(axis=0), np.median(known, axis=0)
    left_out = len(errors) - len(known)
    figures = (float(figure) for figure in (width, middle_width, error, middle_error, within))
    return AggregateError(name, len(errors), left_out, *figures)


def random_questions(pairs: ColumnPairs, count: int, random: np.random.Generator) -> Iterator[RandomQuestion]:
    """Random questions that any recipient might ask, with their true answers."""
    conditions = _conditions(pairs)
    amounts = _amounts(pairs)
    if not conditions:
        return
    for _ in range(count):
        several = min(len(conditions), int(random.integers(1, 3)))
        names = random.choice(len(conditions), several, replace=False)
        parts = [
            random_condition(conditions[at], pairs[conditions[at]], SHARE ** (1 / several), random)
            for at in names
        ]
        picked = np.logical_and.reduce([rows for _, rows in parts])
        where = " and ".join(text for text, _ in parts)
        amount = amounts[int(random.integers(len(amounts)))] if amounts else None
        yield _question(amount, pairs, picked, where)


def _question(amount: str | None, pairs: ColumnPairs, picked: Bools, where: str) -> RandomQuestion:
    truth: dict[str, float | None] = {"count": float(picked.sum())}
    items = "count(*) as count"
    if amount is not None:
        pair = pairs[amount]
        assert isinstance(pair, NumericPair)  # noqa: S101 - `_amounts` says so
        values = pair.values[picked & ~pair.values_missing] / pair.unit
        truth |= {"sum": float(values.sum()) if len(values) else None,
                  "avg": float(values.mean()) if len(values) else None}  # fmt: skip
        items += f", sum({in_quotes(amount)}) as sum, avg({in_quotes(amount)}) as avg"
    return RandomQuestion(f"select {items} from data where {where}", truth)  # noqa: S608 - names are quoted


def _conditions(pairs: ColumnPairs) -> list[str]:
    return [name for name in pairs.quasi if _askable(pairs, name)]


def _askable(pairs: ColumnPairs, name: str) -> bool:
    """A column of nothing cannot be asked about."""
    pair = pairs[name]
    if not isinstance(pair, WordPair):
        return pair is not None
    return any(word is not None for word in pair.words[: pair.own])


def _amounts(pairs: ColumnPairs) -> list[str]:
    """What is worth adding up: numbers, of sensitive columns if there are any, else of others, else quasi."""
    numbers = [name for name, pair in pairs.numeric() if not pair.dates]
    roles = [[name for name in numbers if pairs.policy.columns.get(name) == role]
             for role in ("sensitive", "other", "quasi")]  # fmt: skip
    return next((names for names in roles if names), [])


def random_condition(
    name: str, pair: NumericPair | WordPair | None, share: float, random: np.random.Generator
) -> tuple[str, Bools]:
    """A range, or a list of words, that picks at least this share of the original records (if so few words
    can), and the records that it picks."""
    if isinstance(pair, NumericPair):
        return _range(name, pair, share, random)
    assert pair is not None  # noqa: S101 - `_askable` says so
    counts = pair.counts_before()
    known = [word for word in range(pair.own) if pair.words[word] is not None]
    order = random.permutation(known)
    enough = int(np.searchsorted(np.cumsum(counts[order]), share * len(pair.before))) + 1
    chosen = order[: min(enough, MOST_LISTED)]
    listed = ", ".join("'" + str(pair.words[word]).replace("'", "''") + "'" for word in chosen.tolist())
    return f"{in_quotes(name)} in ({listed})", np.isin(pair.before, chosen)


def _range(name: str, pair: NumericPair, share: float, random: np.random.Generator) -> tuple[str, Bools]:
    size = max(1, round(share * len(pair.ordered)))
    start = int(random.integers(len(pair.ordered) - size + 1))
    low, high = float(pair.ordered[start]), float(pair.ordered[start + size - 1])
    picked = (pair.values >= low) & (pair.values <= high) & ~pair.values_missing
    return f"{in_quotes(name)} between {_limit(low, pair, -5)} and {_limit(high, pair, 5)}", picked


def _limit(units: float, pair: NumericPair, tenths: int) -> str:
    """Dates as they are; numbers half a unit further out, where no value lies."""
    if pair.dates:
        return f"'{(EPOCH + timedelta(days=int(units))).isoformat()}'"
    return f"{Decimal(10 * int(units) + tenths).scaleb(-pair.scale - 1):f}"
