"""Would the method have published this? Other inputs are anonymized in memory, and the tables compared."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from shoal.adversary.scene import Scene
from shoal.anonymizer.anonymize import anonymize_table
from shoal.anonymizer.choose import choose
from shoal.errors import ShoalError
from shoal.kernels.keyed_hash import Key, seeded_key
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.verify.cells.published_table import BadCells, PublishedTable
from shoal.verify.cells.word_cells import words_of_cell

FEW_KEYS, MANY_KEYS = 4, 40  # random choices that are tried with every input, the more the fewer inputs
RUNS = 1000  # so that there are about this many runs
DIGITS = 18
Row = tuple[Hashable, ...]


@dataclass(frozen=True)
class Rerun:
    """The method of a policy, and the records that it is to publish: in any order or, ``in_order``, each
    from the row in its own place."""

    policy: Policy
    keys: tuple[Key, ...]
    names: list[str]
    records: list[Row]
    in_order: bool

    @classmethod
    def of(cls, scene: Scene, published: pa.Table, in_order: bool, inputs: int) -> "Rerun":
        present = scene.original.table.names
        columns = {name: role for name, role in scene.policy.columns.items() if name in present}
        policy = scene.policy.model_copy(update={"columns": columns})
        names = published.column_names
        return cls(policy, keys_of(scene, inputs), names, rows_of(published, names), in_order)

    @cached_property
    def _counts(self) -> Counter[Row]:
        return Counter(self.records)

    def publishes(self, table: pa.Table, key: Key) -> bool:
        """Does it publish these records of this input, with these random choices?"""
        try:
            made = anonymize_table(Table(table), self.policy, key)
        except ShoalError:  # nothing at all would have been published
            return False
        rows = rows_of(made.table, self.names)
        if not self.in_order:
            return Counter(rows) == self._counts
        if len(rows) < len(self.records):
            return False
        return all(row == self.records[at] for at, row in zip(made.input_rows.tolist(), rows, strict=True))


def keys_of(scene: Scene, inputs: int) -> tuple[Key, ...]:
    """Of methods that draw nothing but the order of rows, one says it all."""
    many = min(max(RUNS // inputs, FEW_KEYS), MANY_KEYS)
    if choose(scene.policy).method.family == "levels":
        many = 1
    return tuple(seeded_key(scene.drawing + at) for at in range(many))


def rows_of(table: pa.Table, names: list[str]) -> list[Row]:
    """Records as they compare however they are written: ranges by their ends, sets by their words.

    >>> cells = [pa.array(["[1, 2]", "*"]), pa.array([{"lo": 1, "hi": 2}, {"lo": 3, "hi": 3}])]
    >>> first, second = (rows_of(pa.table({"age": one}), ["age"]) for one in cells)
    >>> first[0] == second[0], first[1] == second[1]
    (True, False)
    """
    published = PublishedTable(Table(table))
    return list(zip(*(_cells(published, name) for name in names), strict=True))


def _cells(published: PublishedTable, name: str) -> list[Hashable]:
    try:
        cells = published.cells(name)
    except BadCells:
        words = [None if cell is None else str(cell) for cell in published.table.column(name).to_pylist()]
        return ["*" if (set_of := words_of_cell(word)) is None else frozenset(set_of) for word in words]
    unit = 10 ** (DIGITS - cells.scale)
    parts = (cells.low.tolist(), cells.high.tolist(), cells.suppressed.tolist(), cells.missing.tolist())
    return [(low * unit, high * unit, star, gone) for low, high, star, gone in zip(*parts, strict=True)]
