"""Does a release stay below the thresholds of a preset? In words, and without any claim about the law."""

from dataclasses import dataclass
from typing import Any

from shoal.policy.draft.presets import Preset
from shoal.policy.model.guarantee import AlphaKAnonymity, KeAnonymity, LDiversity, PSensitivity, TCloseness
from shoal.policy.model.policy import Policy
from shoal.risk.reidentification import Risk, three_digits

STRICT = ("distinct", "entropy", "recursive")  # without values that may be known


@dataclass(frozen=True)
class Judgement:
    """Whether a release meets a preset, and the sentences that say why."""

    preset: str
    holds: bool
    sentences: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        return {"preset": self.preset, "holds": self.holds, "sentences": list(self.sentences)}


def preset_judgement(preset: Preset, risk: Risk, policy: Policy, *, verified: bool = True) -> Judgement:
    """Judge the figures of a table and what its policy promises; ``verified`` says that the promises hold
    in this table, as in every release."""
    below = risk.prosecutor.largest <= preset.thresholds.largest_risk
    told = [_about_risk(preset, risk, below)]
    lacking = _lacking(preset, policy, verified) if preset.thresholds.sensitive else []
    if preset.thresholds.sensitive and not policy.having("sensitive"):
        told.append("No column is declared sensitive, so what may be inferred was not judged.")
    told += [
        f"Does not meet {preset.name}: nothing in force keeps {name} from being inferred." for name in lacking
    ]
    return Judgement(preset.name, below and not lacking, tuple(told))


def _about_risk(preset: Preset, risk: Risk, below: bool) -> str:
    verb, sign = ("Meets", "<=") if below else ("Does not meet", ">")
    limit = preset.thresholds.largest_risk
    compared = f"largest risk {three_digits(risk.prosecutor.largest)} {sign} {three_digits(limit)}"
    by_design = ", as quasi values are published exactly by design" if risk.permuted and not below else ""
    return f"{verb} {preset.name}: {compared}{by_design}."


def _lacking(preset: Preset, policy: Policy, verified: bool) -> list[str]:
    """Sensitive columns without a guarantee as strong as one that the preset asks for."""
    covered = {name for asked in policy.guarantees for name in _covered(asked, preset, policy)}
    return [name for name in policy.having("sensitive") if not verified or name not in covered]


def _covered(asked: Any, preset: Preset, policy: Policy) -> tuple[str, ...]:
    """The columns of which a guarantee leaves enough values open."""
    numbers = [demand.entries for demand in preset.demands if demand.on_sensitive]
    values = max((entries["l"] for entries in numbers if "l" in entries), default=1)
    distance = max((entries["t"] for entries in numbers if "t" in entries), default=0)
    match asked:
        case LDiversity() if asked.variant in STRICT and asked.l >= float(values):
            return asked.columns
        case TCloseness() if asked.t <= float(distance) and distance:
            return asked.columns
        case KeAnonymity() if asked.k >= float(values):
            return (asked.sensitive,)
        case PSensitivity() if asked.p >= float(values):
            return tuple(policy.having("sensitive"))
        case AlphaKAnonymity() if asked.alpha * int(values) <= 1:
            return tuple(policy.having("sensitive"))
    return ()
