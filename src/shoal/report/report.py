"""The report on a release: what was asked, what was done, what holds, who may succeed, what is left.

Without the original it says what the folder tells. With it, attackers are simulated, and risk and utility are
measured. The owner's report is complete; the public one is made of what ``public_view`` lets through, so that
neither page nor JSON can show more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from os import PathLike
from typing import Any, Literal

from shoal.adversary.attacks import Folder
from shoal.decision.decision import Decision, decide
from shoal.decision.sentence import Level, Sentence
from shoal.errors import ShoalError
from shoal.policy.draft.presets import Preset
from shoal.policy.model.guarantee import AlphaKAnonymity, KAnonymity, KpqrAnonymity
from shoal.policy.model.policy import Policy
from shoal.release.opened_release import SEALS, OpenedRelease
from shoal.report.content import PartGroup, Section
from shoal.report.measurements import Measurements, measure
from shoal.report.public_view import public_attack, public_risk, public_verdict
from shoal.report.report_html import report_html
from shoal.report.sections.findings import (
    attacks_section,
    questions_section,
    risk_section,
    verdicts_section,
)
from shoal.report.sections.limits_and_reproduction import limits_section, reproduce_section
from shoal.report.sections.policy_and_release import policy_section, release_section
from shoal.report.sections.utility_section import utility_section
from shoal.table.read import Source
from shoal.verify.verdict import Verdict
from shoal.version import __version__

FORMAT_VERSION = 1
AUDIENCES = ("public", "owner")
Audience = Literal["public", "owner"]


@dataclass(frozen=True)
class Report:
    """Everything that is told of a release to one audience."""

    audience: Audience
    fingerprint: str  # of the release
    made_on: str  # a date
    software: str
    decision: Decision
    sections: tuple[Section, ...]

    @property
    def light(self) -> Level:
        return self.decision.level

    @property
    def headline(self) -> str:
        """The decision in its first sentence."""
        return self.decision.headline

    @property
    def why(self) -> tuple[Sentence, ...]:
        """Its reasons, and what was not measured."""
        reasons = (Sentence(one.text, one.level) for one in self.decision.reasons)
        missing = (Sentence(f"Not measured: {one}.", "not measured") for one in self.decision.not_measured)
        return *reasons, *missing

    def as_dict(self) -> dict[str, Any]:
        """The same content as plain JSON values."""
        return {
            "format_version": FORMAT_VERSION,
            "audience": self.audience,
            "fingerprint": self.fingerprint,
            "made_on": self.made_on,
            "software": self.software,
            "light": self.light,
            "headline": self.headline,
            "why": [reason.as_dict() for reason in self.why],
            "decision": self.decision.as_dict(),
            "sections": [section.as_dict() for section in self.sections],
        }

    def to_html(self) -> str:
        """One page that needs nothing else."""
        return report_html(self)


def make_report(
    opened: OpenedRelease,
    against: Source | None = None,
    audit: str | PathLike[str] | None = None,
    audience: Audience = "owner",
    recoding: str | PathLike[str] | None = None,
    preset: Preset | None = None,
    others: Sequence[Folder] = (),
) -> Report:
    """Measure a release, beside others of the same people, and tell what was found."""
    return report_on(measure(opened, against, audit, recoding, preset, others), audience)


def report_on(found: Measurements, audience: Audience) -> Report:
    """Put measurements into sections for an audience; the public one sees no more than the public view."""
    if audience not in AUDIENCES:
        raise ShoalError(f"there is no audience {audience!r}", "a report is for the public or for the owner.")
    manifest, public = found.opened.manifest, audience == "public"
    decision = decide(found.evidence, public)
    verdicts = _public_verdicts(found) if public else list(found.verdicts)
    attacks = found.attacks and [public_attack(one) if public else one for one in found.attacks]
    sections = (
        policy_section(manifest.policy),
        release_section(manifest),
        verdicts_section(verdicts, _judged(found, public)),
        questions_section(decision.answers),
        attacks_section(attacks),
        risk_section(*_risk(found, public)),
        utility_section(_utility(found, public)),
        limits_section(manifest),
        reproduce_section(manifest, against=found.attacks is not None and not public),
    )
    made_on, software = date.today().isoformat(), f"shoal {__version__}"
    return Report(audience, manifest.fingerprint, made_on, software, decision, sections)


def _public_verdicts(found: Measurements) -> list[Verdict]:
    """Seals come first, then one verdict per guarantee, then truth."""
    promises = iter(found.opened.policy.sentences())
    return [
        public_verdict(verdict, None if verdict.kind in SEALS else next(promises, None))
        for verdict in found.verdicts
    ]


def _judged(found: Measurements, public: bool) -> PartGroup | None:
    """The judgement by a preset; in public, whether it is met and not by how much."""
    if found.judged is None:
        return None
    short = "It is met." if found.judged.holds else "It is not met."
    told = (short,) if public else found.judged.sentences
    level: Level = "safe" if found.judged.holds else "exposed"
    return PartGroup(f"Judged by the preset {found.judged.preset}", tuple(map(Sentence, told)), level)


def _risk(found: Measurements, public: bool) -> tuple[dict[str, Any] | None, list[str]]:
    if found.risk is None:
        return None, []
    if public:
        return public_risk(found.risk.as_dict(), promised_k(found.opened.policy)), []
    return found.risk.as_dict(), found.risk.sentences()


def _utility(found: Measurements, public: bool) -> dict[str, Any] | None:
    if found.utility is None:
        return None
    return found.utility.public() if public else found.utility.as_dict()


def promised_k(policy: Policy) -> int | None:
    """How many records the policy hides a person among whose quasi values are all known."""
    return max(
        (one.k for one in policy.guarantees if isinstance(one, KAnonymity | AlphaKAnonymity | KpqrAnonymity)),
        default=None,
    )
