"""Find the value of a given rank without sorting."""

from typing import Any

from shoal.kernels.compiled import compiled


@compiled
def select(values: Any, rank: int) -> Any:
    """The value of this rank; values are moved about. Three-way, so that ties cost nothing."""
    first, last = 0, len(values) - 1
    while first < last:
        a, b, c = values[first], values[(first + last) // 2], values[last]
        pivot = max(min(a, b), min(max(a, b), c))
        less, i, more = first, first, last
        while i <= more:
            value = values[i]
            if value < pivot:
                values[i], values[less] = values[less], value
                less += 1
                i += 1
            elif value > pivot:
                values[i], values[more] = values[more], value
                more -= 1
            else:
                i += 1
        if rank < less:
            last = less - 1
        elif rank > more:
            first = more + 1
        else:
            return pivot
    return values[first]
