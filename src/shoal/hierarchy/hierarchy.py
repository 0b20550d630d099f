"""A hierarchy over the values of a column: from the value itself, level by level, to ``*``.

Level 0 holds the leaves. Every level puts the leaves into fewer groups than the one below, and a group
of one level lies whole inside a group of the next. A leaf is a value, however it is spelt.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.errors import Fault, refuse_faults
from shoal.table.columns.same_value import value_of

Path = Sequence[str | None]  # a leaf and its labels, upwards
TOP = "*"


@dataclass(frozen=True)
class Level:
    """The group of every leaf, and what each group is called."""

    group_of: Ints
    labels: tuple[str | None, ...]

    @cached_property
    def sizes(self) -> Ints:
        """How many leaves lie under each label."""
        return np.bincount(self.group_of, minlength=len(self.labels))


@dataclass(frozen=True)
class Hierarchy:
    """``levels[0]`` are the leaves themselves; the last level is one group."""

    levels: tuple[Level, ...]

    @classmethod
    def from_paths(
        cls, paths: Sequence[Path], name: str = "", lines: Sequence[int] | None = None
    ) -> "Hierarchy":
        """A hierarchy from one path per leaf; all that is wrong with them is reported at once, with their
        ``lines``.

        >>> flat = Hierarchy.from_paths([("Ulm", "south", "*"), ("Kiel", "north", "*")])
        >>> flat.height, flat.levels[1].labels, flat.levels[2].sizes.tolist()
        (2, ('south', 'north'), [2])
        """
        paths = [(value_of(path[0]), *path[1:]) if path else path for path in paths]
        refuse_faults(_path_faults(paths, name, lines or range(1, len(paths) + 1)))
        complete = [(*path, TOP) if path[-1] != TOP or len(path) == 1 else tuple(path) for path in paths]
        deepest = max(map(len, complete))
        levels = []
        for height in range(deepest):
            codes: dict[str | None, int] = {}
            group_of = [codes.setdefault(path[height], len(codes)) for path in complete]
            levels.append(Level(np.array(group_of, np.int64), tuple(codes)))
        return cls(tuple(levels))

    @property
    def leaves(self) -> tuple[str | None, ...]:
        return self.levels[0].labels

    @property
    def leaves_by_label(self) -> dict[str | None, set[str | None]]:
        """The leaves under each label, whichever way it is spelt; of several levels that have it, of all."""
        below: dict[str | None, set[str | None]] = {}
        for level in self.levels:
            for leaf, group in zip(self.leaves, level.group_of.tolist(), strict=True):
                below.setdefault(value_of(level.labels[group]), set()).add(leaf)
        return below

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.levels) - 1

    def codes(self, words: Sequence[str | None]) -> Ints:
        """The leaf of every value; -1 where there is none."""
        places = {word: code for code, word in enumerate(self.leaves)}
        return np.array([places.get(word, -1) for word in words], np.int64)

    def losses(self, height: int) -> Floats:
        """The NCP of each label of a level: (leaves under it - 1) / (leaves - 1)."""
        return np.asarray((self.levels[height].sizes - 1) / max(len(self.leaves) - 1, 1))

    def paths(self) -> list[list[str | None]]:
        """One path per leaf, as they are written in a file."""
        return [
            [level.labels[level.group_of[leaf]] for level in self.levels] for leaf in range(len(self.leaves))
        ]


def _path_faults(paths: Sequence[Path], name: str, lines: Sequence[int]) -> list[Fault]:
    where = f"the hierarchy of {name!r}"
    if not paths:
        return [Fault(f"{where} is empty", "write one line per value: value;label;...;*")]
    faults = []
    if doubled := _doubled(paths, lines):
        faults.append(
            Fault(
                f"{where} maps {_count_and_noun(doubled, 'value')} more than once ({_lines(doubled)})",
                "keep one line per value.",
            )
        )
    lengths = {len(path) for path in paths}
    if len(lengths) > 1:
        common = max(lengths, key=lambda length: sum(len(path) == length for path in paths))
        odd = [line for line, path in zip(lines, paths, strict=True) if len(path) != common]
        faults.append(
            Fault(
                f"{where} has {_count_and_noun(odd, 'line')} with another number of levels than {common} "
                f"({_lines(odd)})",
                "give every value the same number of labels.",
            )
        )
        return faults
    faults += [
        Fault(
            f"{where} puts labels of level {height} under different labels of level {height + 1} "
            f"({_lines(split)})",
            "a label may have one label above it; give its parts different names.",
        )
        for height in range(1, max(lengths) - 1)
        if (split := _split_labels(paths, lines, height))
    ]
    tops = {path[-1] for path in paths}
    if len(tops) > 1 and TOP in tops:
        faults.append(Fault(f"{where} ends in {TOP!r} on some lines only", f"end every line in {TOP}."))
    return faults


def _doubled(paths: Sequence[Path], lines: Sequence[int]) -> list[int]:
    first: dict[str | None, int] = {}
    return [line for line, path in zip(lines, paths, strict=True) if first.setdefault(path[0], line) != line]


def _split_labels(paths: Sequence[Path], lines: Sequence[int], height: int) -> list[int]:
    above: dict[str | None, str | None] = {}
    return [
        line
        for line, path in zip(lines, paths, strict=True)
        if above.setdefault(path[height], path[height + 1]) != path[height + 1]
    ]


def _count_and_noun(lines: list[int], what: str) -> str:
    return f"{len(lines):,} {what}{'s' if len(lines) > 1 else ''}"


def _lines(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:5])) + (", ..." if len(numbers) > 5 else "")
    return f"line{'s' if len(numbers) > 1 else ''} {shown}"
