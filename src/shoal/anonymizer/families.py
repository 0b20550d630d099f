"""The families of methods: each publishes one kind of cells, and has a plan that runs on any engine."""

from collections.abc import Callable

from shoal.anonymizer.levels.plan import levels_plan
from shoal.anonymizer.local.plan import cluster_plan
from shoal.anonymizer.means.plan import means_plan
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows
from shoal.anonymizer.plan_request import PlanRequest
from shoal.anonymizer.ranges.plan import ranges_plan
from shoal.anonymizer.stars.plan import stars_plan
from shoal.engines.protocol import Rows

Plan = Callable[[Rows, PlanRequest], AnonymizedRows]

FAMILIES: dict[str, Plan] = {
    "ranges": ranges_plan,
    "local": cluster_plan,
    "levels": levels_plan,
    "stars": stars_plan,
    "means": means_plan,
}
