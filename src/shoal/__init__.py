"""shoal: publish a table about people without giving anyone away.

>>> import shoal
>>> policy = shoal.Policy(
...     columns={"salary": "quasi", "gains": "quasi"},
...     guarantees=[shoal.KfAnonymity(k=2, knows=["salary + gains"])],
... )
"""

from typing import TYPE_CHECKING, Any

from shoal.version import __version__

if TYPE_CHECKING:
    from shoal.adversary.attacks import attacks
    from shoal.adversary.result import AttackResult
    from shoal.errors import Infeasible, ShoalError
    from shoal.policy.model.guarantee import (
        AlphaKAnonymity,
        KAnonymity,
        KeAnonymity,
        KfAnonymity,
        KpqrAnonymity,
        LDiversity,
        PSensitivity,
        TCloseness,
    )
    from shoal.policy.model.policy import Policy
    from shoal.release.apply import apply_recoding
    from shoal.release.check import check
    from shoal.release.opened_release import OpenedRelease, open_release
    from shoal.release.release import Release, anonymize
    from shoal.verify.verdict import Verdict

__all__ = [
    "AlphaKAnonymity",
    "AttackResult",
    "Infeasible",
    "KAnonymity",
    "KeAnonymity",
    "KfAnonymity",
    "KpqrAnonymity",
    "LDiversity",
    "OpenedRelease",
    "PSensitivity",
    "Policy",
    "Release",
    "ShoalError",
    "TCloseness",
    "Verdict",
    "__version__",
    "anonymize",
    "apply_recoding",
    "attacks",
    "check",
    "open_release",
]

_HOME = {
    "AlphaKAnonymity": "shoal.policy.model.guarantee",
    "AttackResult": "shoal.adversary.result",
    "PSensitivity": "shoal.policy.model.guarantee",
    "TCloseness": "shoal.policy.model.guarantee",
    "Infeasible": "shoal.errors",
    "KAnonymity": "shoal.policy.model.guarantee",
    "KeAnonymity": "shoal.policy.model.guarantee",
    "KfAnonymity": "shoal.policy.model.guarantee",
    "KpqrAnonymity": "shoal.policy.model.guarantee",
    "LDiversity": "shoal.policy.model.guarantee",
    "OpenedRelease": "shoal.release.opened_release",
    "Policy": "shoal.policy.model.policy",
    "Release": "shoal.release.release",
    "ShoalError": "shoal.errors",
    "Verdict": "shoal.verify.verdict",
    "anonymize": "shoal.release.release",
    "apply_recoding": "shoal.release.apply",
    "attacks": "shoal.adversary.attacks",
    "check": "shoal.release.check",
    "open_release": "shoal.release.opened_release",
}


def __getattr__(name: str) -> Any:
    """Load a public name from its home on first use, so that importing shoal costs nothing."""
    if name not in _HOME:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
