"""The columns that an original and its release have in common, each read once, whoever asks."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.utility.numeric_pair import NumericPair, numeric_pair
from shoal.utility.word_pair import WordPair, word_pair
from shoal.verify.cells.published_table import PublishedTable

Pair = NumericPair | WordPair


@dataclass(frozen=True)
class ColumnPairs:
    """No link between the rows of the two is needed, and none is used."""

    original: Table
    published: PublishedTable
    policy: Policy
    _found: dict[str, Pair | None] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, original: Table, published: Table, policy: Policy) -> "ColumnPairs":
        return cls(original, PublishedTable(published), policy)

    @property
    def names(self) -> list[str]:
        """Names of the columns in the order of the release; identifiers are not in it, and the group is not
        in the original."""
        return [name for name in self.published.table.names if name in self.original.names]

    @property
    def quasi(self) -> list[str]:
        return [name for name in self.policy.having("quasi") if name in self.names]

    @property
    def suppressed(self) -> int:
        """How many records are in the original only."""
        return max(len(self.original) - len(self.published), 0)

    def __getitem__(self, name: str) -> Pair | None:
        """A column; None if its cells cannot be compared, such as lists."""
        if name not in self._found:
            self._found[name] = self._read(name)
        return self._found[name]

    def _read(self, name: str) -> Pair | None:
        try:
            numeric = numeric_pair(self.original, self.published, self.policy, name)
            return numeric or word_pair(self.original, self.published.table, self.policy, name)
        except ShoalError:
            return None

    def numeric(self) -> Iterator[tuple[str, NumericPair]]:
        for name in self.names:
            if isinstance(pair := self[name], NumericPair):
                yield name, pair
