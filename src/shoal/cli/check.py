"""``shoal check``."""

from pathlib import Path
from typing import Any

from shoal.cli.terminal.output import conclude, say, steps
from shoal.policy.model.policy import Policy
from shoal.release.check import check, sensitive_by_value
from shoal.table.files.list_column import with_sets_for_lists
from shoal.table.read import Source, read_table
from shoal.verify.measures import measure_table


def run_check(data: Source, policy_file: Path, measures: bool, as_json: bool) -> None:
    """Tell whether a table keeps the guarantees of a policy as it is, with its measures if asked for."""
    policy = Policy.load(policy_file)
    with steps(quiet=as_json) as step:
        step("checking")
        table = with_sets_for_lists(read_table(data, reading=policy.how_to_read.as_written))
        verdicts = check(table.arrow, policy)
        measured = measure_table(sensitive_by_value(table, policy), policy) if measures else None
    if measured is not None and not as_json:
        say_measures(measured)
    besides = {"does_not_protect_against": list(verdicts.limits), "not_measured": list(verdicts.not_measured)}
    conclude(verdicts, as_json, besides | ({} if measured is None else {"measures": measured}))


def say_measures(measured: dict[str, Any]) -> None:
    """Print the figures of every guarantee that a table reaches by itself."""
    say(f"k = {measured['k']:,} in {measured['classes']:,} classes")
    for name, found in measured["sensitive"].items():
        c = [f"c > {_short(c)} for l = {l}" for l, c in found["c"].items()]
        t = [f"t = {t:.4g} ({distance})" for distance, t in found["t"].items()]
        figures = [f"l = {found['l']}", f"entropy l = {found['entropy_l']:.4g}", *c,
                   f"alpha = {found['alpha']:.4g}", *t]  # fmt: skip
        say(f"{name}: {', '.join(figures)}")


def _short(c: float | None) -> str:
    return "anything" if c is None else f"{c:.4g}"
