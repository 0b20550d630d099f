"""Classes that show means: the published records that lie nearest to a person.

Numbers and dates count in standard deviations of what is published, words as the same or not.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.attack.scene import Scene
from shoal.errors import ShoalError
from shoal.policy.guarantee import KAnonymity
from shoal.table.table import Table
from shoal.verify.attackers import classes_of
from shoal.verify.classes import one_of_each

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
NEARLY = 1e-9  # how much farther still counts as equally near


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
    from scipy.spatial import cKDTree

    class_of = classes_of(scene.published, KAnonymity(k=2), scene.policy)
    shown = one_of_each(class_of)
    parts = [_coordinates(scene, name) for name in scene.quasi]
    centres = np.column_stack([published[shown] for published, _ in parts])
    points = np.column_stack([original[people] for _, original in parts])
    tree = cKDTree(centres)
    distance, _ = tree.query(points)
    near = tree.query_ball_point(points, distance * (1 + NEARLY) + np.finfo(float).tiny)
    person = np.repeat(np.arange(len(people)), [len(one) for one in near])
    return class_of, person, np.array([number for one in near for number in one], np.int64)


def _coordinates(scene: Scene, name: str) -> tuple[Floats, Floats]:
    """One column of published records and of people, in columns of numbers."""
    tables = scene.published.table, scene.original.table
    try:
        sides = [_numbers(table, name) for table in tables]
    except ShoalError:
        return _words(*tables, name)
    spread = float(np.std(sides[0])) or 1.0
    return sides[0][:, np.newaxis] / spread, sides[1][:, np.newaxis] / spread


def _numbers(table: Table, name: str) -> Floats:
    points = table.points(name)
    return np.asarray(points.units / 10.0**points.scale)


def _words(published: Table, original: Table, name: str) -> tuple[Floats, Floats]:
    columns = published.words(name), original.words(name)
    place = {word: at for at, word in enumerate(dict.fromkeys((*columns[0].words, *columns[1].words)))}
    sides = []
    for column in columns:
        one_hot = np.eye(len(place))[[place[word] for word in column.words]] / np.sqrt(2)
        sides.append(one_hot[column.codes])
    return sides[0], sides[1]
