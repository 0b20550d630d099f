"""All that was measured of a release, once, for every report on it. It is the owner's."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Protocol

from shoal.attack.attack import attack
from shoal.release.opened import OpenedRelease
from shoal.table.read import Source
from shoal.verify.verdict import Verdict


class Risk(Protocol):
    """The classic figures of re-identification."""

    def as_dict(self) -> dict[str, Any]: ...
    def sentences(self) -> list[str]: ...


class Judgement(Protocol):
    """Whether a release is within the thresholds of a preset."""

    @property
    def preset(self) -> str: ...
    @property
    def holds(self) -> bool: ...
    @property
    def sentences(self) -> tuple[str, ...]: ...


class Utility(Protocol):
    """What a release is still good for: all of it, and what everybody may see."""

    def as_dict(self) -> dict[str, Any]: ...
    def public(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Measured:
    """What was not measured is None. Attacks are the plain values of their results."""

    opened: OpenedRelease
    verdicts: tuple[Verdict, ...]
    attacks: Sequence[Mapping[str, Any]] | None = None
    risk: Risk | None = None
    utility: Utility | None = None
    judged: Judgement | None = None


def _silent(_: str) -> None:
    """Nobody is watching."""


def measure(
    opened: OpenedRelease,
    against: Source | None = None,
    audit: str | PathLike[str] | None = None,
    recoding: str | PathLike[str] | None = None,
    on_step: Callable[[str], None] = _silent,
) -> Measured:
    """Verify the release again and, with the original, attack it; changed files are not looked into."""
    on_step("verifying")
    verdicts = tuple(opened.verify(against, audit, recoding))
    if against is None or not verdicts[0].holds:
        return Measured(opened, verdicts)
    found = attack(against, opened, audit=audit, on_step=on_step)
    return Measured(opened, verdicts, [result.as_dict() for result in found])
