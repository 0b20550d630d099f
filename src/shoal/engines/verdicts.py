"""Verdicts on what an engine has written, by parts in which every class lies whole."""

from shoal.engines.rows import Engine, Rows
from shoal.engines.written import Written
from shoal.policy.policy import Policy
from shoal.verify.verdict import Verdict


def verdicts_of(engine: Engine, original: Rows, written: Written, policy: Policy) -> list[Verdict]:
    """One verdict per guarantee, and truth."""
    return []
