"""A report's last sections: what the release does not protect from, and how to reproduce it."""

import json
import platform
from importlib.metadata import version
from typing import Any

from shoal.decision.sentence import Sentence
from shoal.display import visible_json
from shoal.release.integrity.manifest import Manifest
from shoal.release.integrity.statements import current_limits
from shoal.report.content import Cell, Code, Grid, Section
from shoal.version import __version__

LIBRARIES = ("numpy", "pyarrow", "scipy")
LONG_LIST = 50  # lines of a hierarchy that a report repeats


def limits_section(manifest: Manifest) -> Section:
    """The section on what the release does not protect from."""
    limits = tuple(Sentence(limit) for limit in current_limits(manifest))
    return Section("limits", "What this does not protect from", limits)


def reproduce_section(manifest: Manifest, against: bool) -> Section:
    """The section with commands, versions, hashes of files and the policy."""
    original = " --against DATA" if against else ""
    commands = [f"shoal verify DIR{original}", f"shoal report DIR{original} -o report.html"]
    if against:
        commands.insert(1, "shoal attack DATA DIR")
    policy = json.dumps(_short(manifest.policy.public()), indent=2, ensure_ascii=False)
    versions: list[tuple[Cell, ...]] = [
        ("this report", f"shoal {__version__}"),
        ("the release", manifest.software),
        ("Python", platform.python_version()),
        *((name, version(name)) for name in LIBRARIES),
    ]
    return Section(
        "reproduce",
        "How to reproduce this",
        (
            Code("Commands; DIR is the folder of the release, DATA the original table", "\n".join(commands)),
            Grid("Versions", ("what", "version"), tuple(versions)),
            Grid("Files and their SHA-256", ("file", "SHA-256"), tuple(manifest.files.items())),
            Code("Policy", visible_json(policy), True),
        ),
    )


def _short(policy: dict[str, Any]) -> dict[str, Any]:
    """The policy without the lines of long hierarchies, which the manifest has."""
    hierarchies = {
        name: {key: _counted(value) for key, value in spec.items()}
        for name, spec in policy.get("hierarchies", {}).items()
    }
    return policy | ({"hierarchies": hierarchies} if hierarchies else {})


def _counted(value: Any) -> Any:
    if isinstance(value, list | dict) and len(value) > LONG_LIST:
        return f"{len(value):,} entries, see manifest.json"
    return value
