"""Classes that show means: the published records that lie nearest to a person.

Numbers and dates count in standard deviations of what is published, words as the same or not.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from shoal.adversary.scene import Scene
from shoal.arrays import Floats, Ints
from shoal.errors import ShoalError
from shoal.kernels.classes import one_of_each
from shoal.policy.model.guarantee import KAnonymity
from shoal.table.table import Table
from shoal.verify.attackers import classes_of

NEARLY = 1e-9  # how much farther still counts as equally near
MOST_COMPARED = 2_000_000_000  # cells of people and classes
AT_ONCE = 1_000_000


def nearest_records(scene: Scene, people: Ints) -> tuple[Ints, Floats]:
    """How many records lie nearest to each person, and how likely one of them, drawn at random, is theirs.

    Without the owner's link, the right one is taken to be among them.
    """
    class_of, person, near = nearest_classes(scene, people)
    sizes = np.bincount(class_of)
    candidates = np.bincount(person, sizes[near], len(people)).astype(np.int64)
    if scene.input_rows is None:
        return candidates, 1 / candidates
    own = np.full(scene.people, -1, np.int64)
    own[scene.input_rows] = class_of
    right = np.zeros(len(people), bool)
    right[person[own[people][person] == near]] = True
    return candidates, np.where(right, 1 / candidates, 0.0)


def nearest_classes(scene: Scene, people: Ints) -> tuple[Ints, Ints, Ints]:
    """The class of every published record; and, person by person, places in ``people`` and the classes that
    lie nearest."""
    class_of = classes_of(scene.published, KAnonymity(k=2), scene.policy)
    shown = one_of_each(class_of)
    columns = [_column(scene, name) for name in scene.quasi]
    numbers = [(one.centres[shown], one.points[people]) for one in columns if not one.words]
    words = [(one.centres[shown], one.points[people]) for one in columns if one.words]
    person, near = _by_tree(numbers) if not words else _one_by_one(numbers, words)
    return class_of, person, near


def affordable_people(scene: Scene) -> int:
    """How many people can be compared with all classes, where words keep them from being ordered."""
    if not any(_column(scene, name).words for name in scene.quasi):
        return scene.most_people
    classes = int(classes_of(scene.published, KAnonymity(k=2), scene.policy).max(initial=0)) + 1
    return max(min(scene.most_people, MOST_COMPARED // (classes * len(scene.quasi))), 1)


@dataclass(frozen=True)
class _Column:
    """Published cells and people's values: in standard deviations, or as the numbers of words."""

    centres: Floats
    points: Floats
    words: bool


def _column(scene: Scene, name: str) -> _Column:
    return scene.once(("nearest", name), partial(_read, scene, name))


def _read(scene: Scene, name: str) -> _Column:
    tables = scene.published.table, scene.original.table
    try:
        centres, points = (_numbers(table, name) for table in tables)
    except ShoalError:
        return _Column(*_numbers_of_words(*tables, name), words=True)
    spread = float(np.std(centres)) or 1.0
    return _Column(centres / spread, points / spread, words=False)


def _numbers(table: Table, name: str) -> Floats:
    points = table.points(name)
    return np.asarray(points.units / 10.0**points.scale)


def _numbers_of_words(published: Table, original: Table, name: str) -> tuple[Floats, Floats]:
    columns = published.words(name), original.words(name)
    place = {word: at for at, word in enumerate(dict.fromkeys((*columns[0].words, *columns[1].words)))}
    shown, own = (np.array([place[word] for word in one.words], float)[one.codes] for one in columns)
    return shown, own


def _by_tree(numbers: list[tuple[Floats, Floats]]) -> tuple[Ints, Ints]:
    from scipy.spatial import cKDTree

    tree = cKDTree(np.column_stack([centres for centres, _ in numbers]))
    points = np.column_stack([points for _, points in numbers])
    distance, _ = tree.query(points)
    near = tree.query_ball_point(points, distance * (1 + NEARLY) + np.finfo(float).tiny)
    person = np.repeat(np.arange(len(points)), [len(one) for one in near])
    return person, np.array([number for one in near for number in one], np.int64)


def _one_by_one(
    numbers: list[tuple[Floats, Floats]], words: list[tuple[Floats, Floats]]
) -> tuple[Ints, Ints]:
    """Squared differences of numbers, and 1 for every other word."""
    classes, people = len(words[0][0]), len(words[0][1])
    at_once = max(AT_ONCE // max(classes, 1), 1)
    found = []
    for first in range(0, people, at_once):
        part = slice(first, first + at_once)
        distance = np.zeros((len(words[0][1][part]), classes))
        for centres, points in numbers:
            distance += (points[part, np.newaxis] - centres) ** 2
        for centres, points in words:
            distance += points[part, np.newaxis] != centres
        least = distance.min(axis=1, keepdims=True)
        person, near = np.nonzero(distance <= least * (1 + NEARLY) ** 2 + np.finfo(float).tiny)
        found.append((person + first, near))
    return np.concatenate([one for one, _ in found]), np.concatenate([one for _, one in found])
