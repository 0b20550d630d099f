"""What ``shoal run`` says when no release satisfies the policy: how far off it is, and what would work."""

import sys
from contextlib import nullcontext
from pathlib import Path

from shoal.cli.terminal.output import complain, say_error, say_json, steps
from shoal.comparison.diagnosis import Diagnosis, PolicyChange
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.startup import announce_compiling

SHOWN_CHANGES = 3


def leave_with_changes(refused: ShoalError, data: Path, policy: Policy, as_json: bool) -> None:
    """If the policy asks for too much, say so, find what would work, and leave with the error's exit code."""
    from shoal.comparison.smallest_change import asks_too_much, diagnose

    if not asks_too_much(refused, data, policy):
        return
    say_error(refused, as_json=False)
    with steps(quiet=as_json) as step, announce_compiling(step) if sys.stderr.isatty() else nullcontext():
        found = diagnose(data, policy, refused, on_step=step)
    _tell(found)
    if as_json:
        say_json(refused.as_dict() | found.as_dict())
    sys.exit(refused.exit_code)


def _tell(found: Diagnosis) -> None:
    lines = [f"  {shortfall.sentence}" for shortfall in found.shortfalls]
    lines += ["What would work:"] if found.changes else []
    lines += [line for change in found.changes[:SHOWN_CHANGES] for line in _lines(change)]
    for line in lines:
        complain(line)


def _lines(change: PolicyChange) -> list[str]:
    perhaps_less = "" if change.smallest else " (less may do: not everything was tried)"
    return [f"  - {change.sentence}{perhaps_less}", *(f"      {line}" for line in change.written)]
