"""What came of a piece of work, as a message to the server: done, or refused with its faults."""

import os
from collections.abc import Callable
from typing import Any

from shoal.errors import Infeasible, ShoalError, without_values
from shoal.web.jobs.failure_diagnosis import FailureDiagnosis


def outcome_of(work: Callable[[], Any]) -> dict[str, Any]:
    """
    >>> outcome_of(lambda: 5)
    {'done': 5}
    """
    try:
        return {"done": work()}
    except ShoalError as error:
        refused = {"refused": error.as_dict()["faults"], "infeasible": isinstance(error, Infeasible)}
        return refused | {"result": error.result if isinstance(error, FailureDiagnosis) else None}
    except MemoryError:
        too_large = ShoalError("there is not enough memory for this table", "give it fewer rows.")
        return {"refused": too_large.as_dict()["faults"]}
    except Exception as error:
        if "SHOAL_DEBUG" in os.environ:
            raise
        return {"refused": without_values(error).as_dict()["faults"]}
