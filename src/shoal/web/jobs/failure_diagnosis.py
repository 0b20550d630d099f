"""A job that came to nothing but has found out why: its faults, and a result all the same."""

from collections.abc import Iterable
from typing import Any

from shoal.errors import Fault, Infeasible


class FailureDiagnosis(Infeasible):
    """``result`` is kept with the job, beside the faults."""

    def __init__(self, faults: Iterable[Fault], result: dict[str, Any]) -> None:
        super().__init__(faults)
        self.result = result
