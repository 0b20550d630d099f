"""``shoal run``."""

import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter
from typing import Any

from shoal.anonymizer.anonymized import NodeReport
from shoal.cli.infeasible import leave_with_changes
from shoal.cli.output import DIM, painted, say, say_json, say_verdicts, steps, table_lines
from shoal.errors import ShoalError
from shoal.policy.policy import Policy
from shoal.release.audit import Audit
from shoal.release.release import Release, anonymize, check_targets, refuse_unsaved
from shoal.release.run_result import run_result
from shoal.startup import compiling_told
from shoal.verify.verdict import Verdict

SHOWN_COLUMNS = 5
KEPT = 1e-9  # standard deviations by which a mean may move and is still called kept


def run_run(
    data: Path,
    policy_file: Path,
    out: Path,
    chosen_format: str,
    audit: Path | None,
    save_recoding: Path | None,
    secret_from: Path | None,
    seed: int | None,
    nodes: bool,
    force: bool,
    as_json: bool,
) -> None:
    started = perf_counter()
    policy = Policy.load(policy_file)
    if save_recoding is not None:
        refuse_unsaved(policy)
    check_targets(out, chosen_format, audit, force, save_recoding)
    secret = None if secret_from is None else Audit.load(secret_from).secret
    try:
        with steps(quiet=as_json) as step, compiling_told(step) if sys.stderr.isatty() else nullcontext():
            release = anonymize(
                data, policy, seed, secret, step, lambda share, told: step(f"anonymizing: {told}", share)
            )
            verdicts = release.write(out, chosen_format, audit, force, step, save_recoding)
            utility = _utility(release, step)
    except ShoalError as refused:
        leave_with_changes(refused, data, policy, as_json)
        raise
    seconds = {**release.seconds, "total": perf_counter() - started}
    if as_json:
        say_json(run_result(release, out, verdicts, seconds) | ({"utility": utility} if utility else {}))
    else:
        tell(release, out, verdicts, seconds, utility)
        if nodes:
            _tell_nodes(release.made.nodes)


def _utility(release: Release, step: Callable[[str], None]) -> dict[str, Any] | None:
    """Of class means, what they keep of the original and how well records can be linked to them."""
    if release.made.linkage is None:
        return None
    from shoal.report.moments import release_moments

    step("measuring what the means keep")
    kept = release_moments(release)
    of_class, of_record = release.made.linkage()
    return {
        "moments": kept.as_dict() if kept else None,
        "linkage": {"class": of_class, "record": of_record},
    }


def _tell_utility(utility: dict[str, Any]) -> None:
    if moments := utility["moments"]:
        say(_told_moments(moments))
    linkage = utility["linkage"]
    say(
        f"Of all records, {linkage['class']:.1%} are nearest to their own class; picking one record of the "
        f"nearest class finds {linkage['record']:.1%} of them."
    )


def _told_moments(moments: dict[str, Any]) -> str:
    """How far means move, in standard deviations, and how much variance is left, at worst."""
    columns = list(
        zip(moments["columns"], *moments["mean"].values(), *moments["variance"].values(), strict=True)
    )
    varying = [column for column in columns if column[3] > 0]
    if not varying:
        return "Means and variances are kept: no column of numbers varies."
    moved, where = max((abs(after - before) / var**0.5, name) for name, before, after, var, _ in varying)
    means = "Means are kept" if moved < KEPT else (
        f"Means move by up to {moved:.2g} standard deviations ({where}; totals = true keeps them)"
    )  # fmt: skip
    left, least = min((after / before, name) for name, _, _, before, after in varying)
    change = moments["largest_change"]
    correlations = "" if change is None else f", correlations change by at most {change:.2g}"
    return f"{means}, variances fall to {left:.1%} ({least}) or less{correlations}."


def _tell_nodes(nodes: tuple[NodeReport, ...]) -> None:
    """One row per generalization that was found, the one taken first."""
    if not nodes:
        say("\nThis method does not search among the levels of hierarchies: there are no nodes to list.")
        return
    figures = ("ncp", "distortion", "height", "average_class", "discernibility")
    head = (*nodes[0].levels, "suppressed", *(figure.replace("_", " ") for figure in figures))
    rows = [
        (
            *map(str, node.levels.values()),
            f"{node.suppressed:,}",
            *(f"{node.loss[figure]:.4g}" for figure in figures),
        )
        for node in nodes
    ]
    say(f"\nLevels of the {len(nodes):,} found, the one taken first:")
    for line in table_lines([head, *rows]):
        say(line)


def _paid(shares: dict[str, float]) -> str:
    """The columns that carry the loss, the largest share first."""
    paying = sorted((item for item in shares.items() if item[1] > 0), key=lambda item: -item[1])
    hidden = len(paying) - SHOWN_COLUMNS
    more = f" and {hidden} other{'s' if hidden > 1 else ''}" if hidden > 0 else ""
    return ", ".join(f"{name} {share:.0%}" for name, share in paying[:SHOWN_COLUMNS]) + more


def _losses(release: Release) -> str:
    loss = release.made.loss
    if release.policy.permutes:
        return (
            "Loss (nothing is blurred; answers about part of a group err by its range): sum of the ranges "
            f"{loss['sum_of_error']:,.6g}, largest {loss['max_of_error']:,.6g}, "
            f"{loss['average_class']:,.1f} records a group"
        )
    losses = ", ".join(f"{name} {value:.4g}" for name, value in loss.items())
    if release.policy.averages:
        return (
            "Loss (sse_sst: squared distances of records to their class means, in percent of those to the "
            f"mean of all; ncp: mean width of the classes, as a share of all): {losses}"
        )
    return f"Loss (ncp: mean width of what is published, as a share of all; 0 = nothing is blurred): {losses}"


def tell(
    release: Release,
    out: Path,
    verdicts: list[Verdict],
    seconds: dict[str, float],
    utility: dict[str, Any] | None = None,
) -> None:
    made = release.made
    say(f"Method {made.method}: {made.why}.")
    gone = f", {made.suppressed:,} suppressed" if made.suppressed else ""
    one, many = ("group", "groups") if release.policy.permutes else ("class", "classes")
    classes = f"1 {one}" if made.classes == 1 else f"{made.classes:,} {many}"
    say(
        f"{made.table.num_rows:,} of {len(release.original):,} records in {classes}{gone}; "
        f"{made.exact_cells:.1%} of the quasi cells are exact."
    )
    say(_losses(release))
    if release.policy.method.weights:
        say("The search has weighted the columns as the policy says; these figures count them alike.")
    if utility:
        _tell_utility(utility)
    if paid := _paid(made.paid):
        say(f"Columns that paid: {paid}.")
    for note in made.notes:
        say(f"Note: {note}.")
    say()
    say_verdicts(verdicts)
    say("\nNot protected against:")
    for limit in release.limits:
        say(f"  - {limit}")
    spent = ", ".join(f"{name} {value:.2f}" for name, value in seconds.items())
    say(f"\nWrote {out}/ {painted(f'(seconds: {spent})', DIM)}")
