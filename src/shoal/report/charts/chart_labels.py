"""Labels beside points, where they hide neither a point nor each other; those without room are left out."""

from collections.abc import Sequence
from dataclasses import dataclass

LETTER, LINE = 5.5, 11.0  # pixels that a letter is wide, and a line high, at most
DOT = 5.0  # pixels around a point
BESIDE = 7.0  # pixels from a point to its label


@dataclass(frozen=True)
class Label:
    """``x`` and ``y`` are the upper left corner, in pixels from that of the chart."""

    place: int  # of the point
    text: str
    x: float
    y: float

    @property
    def box(self) -> tuple[float, float, float, float]:
        return self.x, self.y, self.x + LETTER * len(self.text), self.y + LINE


def place_labels(
    points: Sequence[tuple[float, float]],
    texts: Sequence[tuple[int, str]],
    size: tuple[float, float],
) -> list[Label]:
    """Places of labels: to the right of their point, to the left, above or below. Those that come first have
    the first choice.

    >>> [label.text for label in place_labels([(50, 50), (51, 50)], [(0, "run 1"), (1, "run 2")], (100, 100))]
    ['run 1', 'run 2']
    >>> place_labels([(50, 50)], [(0, "much too long for such a chart")], (100, 100))
    []
    """
    taken = [(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in points]
    placed: list[Label] = []
    for place, text in texts:
        free = (label for label in _choices(place, text, points[place]) if _is_free(label.box, taken, size))
        label = next(free, None)
        if label is not None:
            placed.append(label)
            taken.append(label.box)
    return placed


def _choices(place: int, text: str, point: tuple[float, float]) -> list[Label]:
    (x, y), width = point, LETTER * len(text)
    sides = (x + BESIDE, x - BESIDE - width)
    heights = (y - LINE, y - LINE / 2, y)
    beside = [Label(place, text, side, height) for side in sides for height in heights]
    over = [Label(place, text, x - width / 2, height) for height in (y - BESIDE - LINE, y + BESIDE)]
    return beside + over


def _is_free(box: tuple[float, ...], taken: Sequence[tuple[float, ...]], size: tuple[float, float]) -> bool:
    left, top, right, bottom = box
    inside = left >= 0 and top >= 0 and right <= size[0] and bottom <= size[1]
    return inside and not any(
        left < other[2] and other[0] < right and top < other[3] and other[1] < bottom for other in taken
    )
