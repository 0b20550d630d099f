"""``shoal check``."""

import sys
from pathlib import Path

from shoal.cli.output import say_json, say_verdicts, steps
from shoal.policy.policy import Policy
from shoal.release.check import check
from shoal.verify.verdict import Verdict


def run_check(data: Path, policy_file: Path, as_json: bool) -> None:
    policy = Policy.load(policy_file)
    with steps(quiet=as_json) as step:
        step("checking")
        verdicts = check(data, policy)
    conclude(verdicts, as_json)


def conclude(verdicts: list[Verdict], as_json: bool) -> None:
    """Print verdicts and leave with 0 if all hold, with 1 if not."""
    holds = all(verdict.holds for verdict in verdicts)
    if as_json:
        say_json({"holds": holds, "verdicts": [verdict.as_dict() for verdict in verdicts]})
    else:
        say_verdicts(verdicts)
    sys.exit(0 if holds else 1)
