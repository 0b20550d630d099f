"""``shoal check``."""

from pathlib import Path

from shoal.cli.output import conclude, steps
from shoal.policy.policy import Policy
from shoal.release.check import check


def run_check(data: Path, policy_file: Path, as_json: bool) -> None:
    policy = Policy.load(policy_file)
    with steps(quiet=as_json) as step:
        step("checking")
        verdicts = check(data, policy)
    conclude(verdicts, as_json)
