"""What local recoding loses, and what its recipient should know of it."""

from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.anonymizer.local.local_columns import LocalColumns
from shoal.engines.steps.part_statistics import PartStatistics
from shoal.policy.model.policy import Policy


def local_figures(
    policy: Policy,
    local: LocalColumns,
    rows: int,
    method: str,
    why: str,
    notes: tuple[str, ...],
    statistics: PartStatistics | None,
) -> ReleaseFigures:
    """Of a release in labels, sets and ranges, from so many rows."""
    assert statistics is not None  # noqa: S101 - there are rows
    lost = dict(zip((column.name for column in local.columns), statistics.widths, strict=True))
    total = sum(lost.values()) or 1.0
    return ReleaseFigures(
        classes=statistics.classes,
        suppressed=rows - statistics.rows,
        method=method,
        why=why,
        loss=_losses(local, policy, lost, rows, statistics),
        exact_cells=statistics.exact / (statistics.rows * len(lost)),
        paid={name: loss / total for name, loss in lost.items()},
        notes=notes,
    )


def local_notes(policy: Policy) -> list[str]:
    """What a recipient should know of the method."""
    if policy.method.objective in ("ncp", "ncp_range"):
        return []
    return [f"{policy.method.name} lowers ncp, whatever the objective says"]


def _losses(
    local: LocalColumns, policy: Policy, lost: dict[str, float], rows: int, statistics: PartStatistics
) -> dict[str, float]:
    """NCP over all cells of the input; with numbers alone, ``ncp`` counts by their common domain."""
    columns, gone = len(lost), rows - statistics.rows
    by_range = (sum(lost.values()) + gone * columns) / (rows * columns)
    common = by_range
    if numbers := local.numbers_alone():
        spans = {column.name: column.span(policy) for column in numbers}
        widths = sum(loss * spans[name] for name, loss in lost.items())
        common = (widths / local.common_span(policy) + gone * columns) / (rows * columns)
    return {
        "ncp": common,
        "ncp_range": by_range,
        "discernibility": statistics.squares + gone * rows,
        "average_class": statistics.rows / statistics.classes,
    }
