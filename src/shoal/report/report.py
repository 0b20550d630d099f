"""The report on a release: what was asked, what was done, what holds, who may succeed, what is left.

Without the original it says what the folder tells. With it, attackers are simulated, and risk and utility are
measured. The owner's report is complete; the public one is made of what ``public_view`` lets through, so that
neither page nor JSON can show more.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, Protocol

import shoal
from shoal.attack.attack import attack
from shoal.errors import ShoalError
from shoal.policy.guarantee import AlphaKAnonymity, KAnonymity, KpqrAnonymity
from shoal.policy.policy import Policy
from shoal.release.manifest import FILE_NAME, file_hash
from shoal.release.opened import OpenedRelease
from shoal.report.asked_and_done import asked_section, done_section
from shoal.report.content import Group, Level, Section, Sentence
from shoal.report.found import (
    attacks_section,
    questions_section,
    risk_section,
    utility_section,
    verdicts_section,
)
from shoal.report.left import limits_section, reproduce_section
from shoal.report.overall import HEADLINES, overall, reasons
from shoal.report.public_view import public_attack, public_risk, public_verdict
from shoal.report.report_html import report_html
from shoal.report.three_questions import answers
from shoal.table.read import Source
from shoal.verify.verdict import Verdict

FORMAT_VERSION = 1
AUDIENCES = ("public", "owner")
Audience = Literal["public", "owner"]


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
class Report:
    audience: Audience
    release: str  # the fingerprint of its manifest
    software: str
    light: Level
    why: tuple[Sentence, ...]
    sections: tuple[Section, ...]

    @property
    def headline(self) -> str:
        return HEADLINES[self.light]

    def as_dict(self) -> dict[str, Any]:
        """The same content as plain JSON values."""
        return {
            "format_version": FORMAT_VERSION,
            "audience": self.audience,
            "release": self.release,
            "software": self.software,
            "light": self.light,
            "headline": self.headline,
            "why": [reason.as_dict() for reason in self.why],
            "sections": [section.as_dict() for section in self.sections],
        }

    def to_html(self) -> str:
        """One page that needs nothing else."""
        return report_html(self)


def _silent(_: str) -> None:
    """Nobody is watching."""


def make_report(
    opened: OpenedRelease,
    against: Source | None = None,
    audit: str | PathLike[str] | None = None,
    audience: Audience = "owner",
    *,
    recoding: str | PathLike[str] | None = None,
    judged: Judgement | None = None,
    risk: Risk | None = None,
    utility: Utility | None = None,
    on_step: Callable[[str], None] = _silent,
) -> Report:
    """Verify the release again and, with the original, attack it; then tell what was found."""
    if audience not in AUDIENCES:
        raise ShoalError(f"there is no audience {audience!r}", "a report is for the public or for the owner.")
    on_step("verifying")
    verdicts = opened.verify(against, audit, recoding)
    attacks = None
    if against is not None and verdicts[0].holds:
        attacks = [found.as_dict() for found in attack(against, opened, audit=audit, on_step=on_step)]
    found = _Found(opened, tuple(verdicts), attacks, risk, utility, judged)
    on_step("writing")
    return found.report(audience)


@dataclass(frozen=True)
class _Found:
    """All that was measured, for the owner's eyes."""

    opened: OpenedRelease
    verdicts: tuple[Verdict, ...]
    attacks: Sequence[Mapping[str, Any]] | None
    risk: Risk | None
    utility: Utility | None
    judged: Judgement | None

    def report(self, audience: Audience) -> Report:
        manifest, public = self.opened.manifest, audience == "public"
        told = answers(self.verdicts, self.attacks or (), bool(manifest.policy.having("sensitive")))
        why = reasons(self.verdicts, self.attacks, told, manifest.seeded)
        if self.judged is not None and not self.judged.holds:
            why.append(Sentence(f"The preset {self.judged.preset} asks for more.", "exposed"))
        why.sort(key=lambda reason: reason.level != "exposed")
        verdicts = self._public_verdicts() if public else list(self.verdicts)
        attacks = self.attacks and [public_attack(one) if public else one for one in self.attacks]
        sections = (
            asked_section(manifest.policy),
            done_section(manifest),
            verdicts_section(verdicts, self._judged_group(public)),
            questions_section(told),
            attacks_section(attacks),
            self._risk_section(public),
            utility_section(self._utility(public)),
            limits_section(manifest),
            reproduce_section(manifest, against=self.attacks is not None),
        )
        fingerprint = file_hash(self.opened.folder / FILE_NAME)
        return Report(audience, fingerprint, f"shoal {shoal.__version__}", overall(why), tuple(why), sections)

    def _public_verdicts(self) -> list[Verdict]:
        """Integrity comes first, then one verdict per guarantee, then truth."""
        promises = [None, *(asked.sentence() for asked in self.opened.policy.guarantees)]
        return [
            public_verdict(verdict, promises[place] if place < len(promises) else None)
            for place, verdict in enumerate(self.verdicts)
        ]

    def _judged_group(self, public: bool) -> Group | None:
        """In public, whether the preset is met and not by how much."""
        if self.judged is None:
            return None
        told = () if public else tuple(Sentence(sentence) for sentence in self.judged.sentences)
        short = Sentence("It is met." if self.judged.holds else "It is not met.")
        level: Level = "safe" if self.judged.holds else "exposed"
        return Group(f"Judged by the preset {self.judged.preset}", told or (short,), level)

    def _utility(self, public: bool) -> dict[str, Any] | None:
        if self.utility is None:
            return None
        return self.utility.public() if public else self.utility.as_dict()

    def _risk_section(self, public: bool) -> Section:
        if self.risk is None:
            return risk_section(None, [])
        if public:
            return risk_section(public_risk(self.risk.as_dict(), promised_k(self.opened.policy)), [])
        return risk_section(self.risk.as_dict(), self.risk.sentences())


def promised_k(policy: Policy) -> int | None:
    """How many records the policy hides a person among whose quasi values are all known."""
    return max(
        (one.k for one in policy.guarantees if isinstance(one, KAnonymity | AlphaKAnonymity | KpqrAnonymity)),
        default=None,
    )
