"""What a run has made, in plain sentences: the method, the records, the loss and who has paid for it."""

from collections.abc import Iterator
from typing import Any

from shoal.policy.model.people import ROWS_PREFIX
from shoal.progress import Step, unwatched
from shoal.release.naming_values import NAMES_PREFIX
from shoal.release.release import Release
from shoal.release.run_summary import RunSummary

SHOWN_COLUMNS = 5
KEPT = 1e-9  # standard deviations by which a mean may move and is still called kept


def run_sentences(release: RunSummary, utility: dict[str, Any] | None = None) -> list[str]:
    """One sentence or two each; ``utility`` as `utility_of_means` has it."""
    return list(_sentences(release, utility))


def _sentences(release: RunSummary, utility: dict[str, Any] | None) -> Iterator[str]:
    made = release.result
    yield f"Method {made.method}: {made.why}."
    yield _records(release)
    yield _losses(release)
    if release.policy.method.weights:
        yield _weights(release)
    if utility:
        yield from _utility_sentences(utility)
    if paid := loss_by_column(made.paid):
        yield f"Of this loss, the columns carry: {paid}.{_in_units(release)}"
    for note in made.notes:
        yield f"Note: {note.removeprefix(ROWS_PREFIX).removeprefix(NAMES_PREFIX)}."


def _weights(release: RunSummary) -> str:
    """A sentence on the figures that the policy's weights of columns are part of."""
    if release.policy.permutes:
        return "The policy's weights of columns play no part: no quasi column is blurred."
    if release.policy.averages:
        return "sse_sst counts the columns by the policy's weights; all other figures count them alike."
    return "The policy's weights of columns steer the search only: all figures here count the columns alike."


def _records(release: RunSummary) -> str:
    made = release.result
    gone = f", {made.suppressed:,} suppressed" if made.suppressed else ""
    one, many = ("group", "groups") if release.policy.permutes else ("class", "classes")
    classes = f"1 {one}" if made.classes == 1 else f"{made.classes:,} {many}"
    return (
        f"{release.records:,} of {release.rows:,} records in {classes}{gone}; "
        f"{made.exact_cells:.1%} of the quasi cells are exact."
    )


def _losses(release: RunSummary) -> str:
    loss = release.result.loss
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


def _in_units(release: RunSummary) -> str:
    """Why a share of the loss may be large though little of the column is lost."""
    loss, policy = release.result.loss, release.policy
    if policy.averages or policy.method.objective != "ncp" or loss.get("ncp") == loss.get("ncp_range"):
        return ""
    return (
        " It adds up widths in units, so columns of large numbers carry most of it; how much of a column is "
        "lost, beside its own range, is another figure."
    )


def short_loss(release: RunSummary) -> str:
    """The one figure to tell releases of a kind apart."""
    loss = release.result.loss
    if release.policy.permutes:
        return f"sum of ranges {loss['sum_of_error']:,.4g}"
    return f"sse_sst {loss['sse_sst']:.3g} %" if "sse_sst" in loss else f"ncp {loss['ncp']:.3g}"


def loss_by_column(shares: dict[str, float]) -> str:
    """The columns that carry the loss, the largest share first.

    >>> loss_by_column({"age": 0.25, "zip": 0.75, "sex": 0.0})
    'zip 75%, age 25%'
    """
    paying = sorted((item for item in shares.items() if item[1] > 0), key=lambda item: -item[1])
    hidden = len(paying) - SHOWN_COLUMNS
    more = f" and {hidden} other{'s' if hidden > 1 else ''}" if hidden > 0 else ""
    return ", ".join(f"{name} {share:.0%}" for name, share in paying[:SHOWN_COLUMNS]) + more


def utility_of_means(release: RunSummary, on_step: Step = unwatched) -> dict[str, Any] | None:
    """Of class means in memory, what they keep of the original and how well records can be linked to them."""
    if not isinstance(release, Release) or release.result.linkage is None:
        return None
    from shoal.utility.moments import release_moments

    on_step("measuring what the means keep")
    kept = release_moments(release)
    of_class, of_record = release.result.linkage()
    return {
        "moments": kept.as_dict() if kept else None,
        "linkage": {"class": of_class, "record": of_record},
    }


def _utility_sentences(utility: dict[str, Any]) -> Iterator[str]:
    if moments := utility["moments"]:
        yield _moments_sentence(moments)
    linkage = utility["linkage"]
    yield (
        f"Of all records, {linkage['class']:.1%} are nearest to their own class; picking one record of the "
        f"nearest class finds {linkage['record']:.1%} of them."
    )


def _moments_sentence(moments: dict[str, Any]) -> str:
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
    return f"{means}, variances keep at least {left:.1%} of their size (least: {least}){correlations}."
