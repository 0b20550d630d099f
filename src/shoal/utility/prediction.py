"""Can one still learn from a release? A forest learns to predict a column from the quasi columns.

One forest learns from the original, one from the release; both are tested on original records that the first
has not seen, beside the guess that everybody has the most frequent value (or the mean). A range is learnt as
its middle, a set, label or star as the share of each word that it may stand for, a class mean as it is. A
permuted column is learnt beside the exact records that it stands with.

The release was made from all records, those of the test among them, and nothing here links its records to the
original ones: they cannot be kept apart. ``original`` has not seen the records of the test, ``original_seen``
learns from as many records drawn from all of the original, as the release's forest does. What the release
loses lies between its figure and ``original_seen``.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.errors import ShoalError, nearest
from shoal.utility.column_pairs import ColumnPairs, Pair
from shoal.utility.numeric_pair import NumericPair
from shoal.utility.word_pair import WordPair

MOST_ROWS = 20_000  # to learn from, and to test on
LEAST_ROWS = 30
MOST_WORDS = 50  # of a column, that are told apart; all others are one
MOST_CLASSES = 20  # of the column that is predicted
FEW_NUMBERS = 10  # numbers so few are predicted as words are
TREES, LEAF = 50, 10


@dataclass(frozen=True)
class Prediction:
    """``accuracy`` is the share of right guesses; of numbers it is R^2, the share of the variance explained,
    which is below 0 for what is worse than the mean."""

    column: str
    score: Literal["accuracy", "r2"]
    baseline: float
    original: float
    original_seen: float
    release: float
    learnt_from: int  # records of the release
    tested_on: int  # records of the original

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def public(self) -> dict[str, Any]:
        """The same: it holds no value of the original."""
        return self.as_dict()

    def sentence(self) -> str:
        seen = f"{self.original:.1%} ({self.original_seen:.1%} if it has seen the records of the test)"
        if self.score == "r2":
            return (
                f"Of the variance of {self.column!r}, what was learnt from the release explains "
                f"{self.release:.1%}, what was learnt from the original {seen}."
            )
        return (
            f"What was learnt from the release predicts {self.column!r} right for {self.release:.1%} of the "
            f"records, what was learnt from the original for {seen}, the most frequent value for "
            f"{self.baseline:.1%}."
        )


def prediction(
    pairs: ColumnPairs, target: str | None = None, generator: np.random.Generator | None = None
) -> Prediction:
    """How well the first sensitive column, or the one that is named, can be predicted. A ShoalError says why
    there is none."""
    _require_extra()
    random = np.random.default_rng() if generator is None else generator
    name = _target(pairs, target)
    inputs = [pair for quasi in pairs.quasi if quasi != name and (pair := pairs[quasi]) is not None]
    goal = _goal(pairs[name])
    given, told = np.flatnonzero(goal.before_known), np.flatnonzero(goal.after_known)
    if not inputs or min(len(given), len(told)) < LEAST_ROWS:
        raise ShoalError(
            f"too little is published to predict {name!r} from",
            f"it takes a quasi column and {LEAST_ROWS} records on each side whose {name!r} is known.",
        )
    shuffled = random.permutation(given)
    test, train = np.split(shuffled, [len(shuffled) // 3])
    test, train = test[:MOST_ROWS], train[:MOST_ROWS]
    taken, seen = (random.permutation(rows)[: len(train)] for rows in (told, given))
    seed = int(random.integers(2**31))
    truth, known = goal.before[test], goal.before[train]
    tested = _features(inputs, test, _before)
    guesses = [
        _learnt(_features(inputs, rows, side), values, goal.classes, seed).predict(tested)
        for rows, values, side in (
            (train, known, _before),
            (seen, goal.before[seen], _before),
            (taken, goal.after[taken], _after),
        )
    ]
    score, constant = (_accuracy, _mode(known)) if goal.classes else (_explained, known.mean())
    baseline = np.full(len(truth), constant)
    constant_score, original, seen_score, release = (score(truth, guess) for guess in (baseline, *guesses))
    return Prediction(
        name,
        "accuracy" if goal.classes else "r2",
        constant_score,
        original,
        seen_score,
        release,
        learnt_from=len(taken),
        tested_on=len(test),
    )


def _target(pairs: ColumnPairs, target: str | None) -> str:
    if target is not None and target not in pairs.names:
        raise ShoalError(
            f"column {target!r} is not in the release", nearest(target, pairs.names, "the release")
        )
    names = (
        [target] if target is not None else [n for n in pairs.policy.having("sensitive") if n in pairs.names]
    )
    readable = [name for name in names if pairs[name] is not None]
    if not readable:
        raise ShoalError("there is no sensitive column to predict", "name a column.")
    return readable[0]


@dataclass(frozen=True)
class _Goal:
    """What is predicted: a number or the number of a class, of every record of either side for which it is
    known."""

    before: Floats
    before_known: Bools
    after: Floats
    after_known: Bools
    classes: bool


def _goal(pair: Pair | None) -> _Goal:
    if isinstance(pair, NumericPair):
        few = len(np.unique(pair.known_values())) <= FEW_NUMBERS
        unit = 1 if few else pair.unit  # a class is a whole number
        told = ~pair.missing & ~pair.starred
        sharp = told & (pair.low == pair.high) if few else told
        return _Goal(pair.values / unit, ~pair.values_missing, pair.middle / unit, sharp, classes=few)
    assert pair is not None  # noqa: S101 - `_target` says so
    classes = _columns(pair, MOST_CLASSES)
    sharp = (pair.sizes == 1)[pair.after]
    word = np.zeros(len(pair.stars), np.int64)
    word[pair.owners] = pair.members
    shown = word[pair.after]
    missing = pair.words.index(None) if None in pair.words else -1
    return _Goal(
        classes[pair.before].astype(float),
        pair.before != missing,
        classes[shown].astype(float),
        sharp & (shown != missing),
        classes=True,
    )


def _columns(pair: WordPair, most: int) -> Ints:
    """The column of every word: one for each frequent one, and the last for all others."""
    order = np.argsort(-pair.counts_before(), kind="stable")
    columns = np.full(len(pair.words), most, np.int64)
    columns[order[:most]] = np.arange(min(most, len(order)))
    return columns


Side = Callable[[Pair, Ints], Floats]


def _features(inputs: list[Pair], rows: Ints, side: Side) -> Floats:
    return np.column_stack([side(pair, rows) for pair in inputs])


def _before(pair: Pair, rows: Ints) -> Floats:
    if isinstance(pair, NumericPair):
        return np.where(pair.values_missing[rows], np.nan, pair.values[rows] / pair.unit)
    columns = _columns(pair, MOST_WORDS)
    return np.asarray(np.eye(MOST_WORDS + 1)[columns[pair.before[rows]]][:, : _width(pair)])


def _after(pair: Pair, rows: Ints) -> Floats:
    if isinstance(pair, NumericPair):
        return np.where(pair.missing[rows], np.nan, pair.middle[rows] / pair.unit)
    labels, label_of = np.unique(pair.after[rows], return_inverse=True)
    shares = pair.shares(labels, _columns(pair, MOST_WORDS), MOST_WORDS + 1)
    return np.asarray(shares[label_of][:, : _width(pair)])


def _width(pair: WordPair) -> int:
    return min(len(pair.words), MOST_WORDS + 1)


def _learnt(features: Floats, values: Floats, classes: bool, seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    forest = RandomForestClassifier if classes else RandomForestRegressor
    chosen = {"n_estimators": TREES, "min_samples_leaf": LEAF, "max_features": "sqrt"}
    return forest(**chosen, random_state=seed).fit(features, values)


def _mode(values: Floats) -> float:
    words, counts = np.unique(values, return_counts=True)
    return float(words[counts.argmax()])


def _accuracy(truth: Floats, guess: Floats) -> float:
    return float((truth == guess).mean())


def _explained(truth: Floats, guess: Floats) -> float:
    """R^2, between -1 and 1; of values that are all the same 1 or 0.

    >>> _explained(np.array([1.0, 3]), np.array([1.0, 2]))
    0.5
    """
    apart, total = ((truth - guess) ** 2).sum(), ((truth - truth.mean()) ** 2).sum()
    if total == 0:
        return float(np.allclose(truth, guess))
    return float(max(1 - apart / total, -1.0))


def _require_extra() -> None:
    if find_spec("sklearn") is None:
        raise ShoalError("predictions need the package scikit-learn", "pip install 'shoal[predict]'")
