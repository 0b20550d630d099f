"""The scene of an attack on a table beyond memory: people and records are rows of an engine."""

from dataclasses import dataclass

from shoal.adversary.scene import PolicyPromises, refuse_another_table
from shoal.engines.protocol import Rows
from shoal.policy.model.policy import Policy
from shoal.release.integrity.manifest import Manifest


@dataclass(frozen=True)
class CountedScene(PolicyPromises):
    """An original table beside what was published of it; without a ``manifest`` that is the table itself."""

    original: Rows
    published: Rows
    policy: Policy
    manifest: Manifest | None = None

    @property
    def raw(self) -> bool:
        """Is the table attacked as it is?"""
        return self.published is self.original

    def refuse_another_table(self, people: int) -> None:
        """Once the people were counted: are there as many as the release was made of?"""
        if self.manifest is not None:
            refuse_another_table(people, self.manifest)
