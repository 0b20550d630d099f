"""Orders in which records that are alike stand beside each other.

Two records of a class that may cost no more than a limit agree, in every column, on the label just below that
cost. So the rows are put in order by those labels first, then by the values themselves. Which column comes
first is drawn anew each time: what one order separates, another brings together.
"""

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.boxes.common_cell import LABEL, SET, Costs

BITS = 62  # of a key


def order_draws(key: Key, purpose: Purpose, orders: int, columns: int) -> Floats:
    """Shares from 0 to below 1, drawn for every order: one per column, and three more."""
    hashes = hash_rows(key, purpose, orders * (columns + 3)) >> np.uint64(11)
    return (hashes.astype(np.float64) / 2.0**53).reshape(orders, columns + 3)


def similarity_order(values: Ints, costs: Costs, limit: float, drawn: Floats) -> Ints:
    """The rows in such an order; ``drawn`` says which column comes first."""
    columns = np.argsort(drawn[: values.shape[1]])
    coarse = [_coarse(values[:, column], costs, int(column), limit, drawn[-1]) for column in columns]
    return order_by_keys([*coarse, *(values[:, column] for column in columns)])


def _coarse(values: Ints, costs: Costs, column: int, limit: float, shift: float) -> Ints:
    """Equal for values that can be in one cell of at most this cost."""
    found = costs.columns[column]
    if found.steps is not None and found.kind == LABEL:
        return np.asarray(np.append(0, np.cumsum(found.steps * found.unit > limit))[values])
    if found.kind == SET or limit <= 0:
        return values if found.unit > limit else np.zeros(len(values), np.int64)
    cells = (values.astype(np.float64) - float(values.min(initial=0))) * (found.unit / limit)
    return np.asarray(np.minimum(cells, 2.0**40) + shift, np.int64)


def order_by_keys(keys: list[Ints]) -> Ints:
    """The order of the rows by these keys, the first one first; equal rows stay as they are.

    >>> order_by_keys([np.array([1, 0, 1]), np.array([5, 9, 2])]).tolist()
    [1, 2, 0]
    """
    words = [np.zeros(len(keys[0]), np.int64)]
    room = BITS
    for key in keys:
        smallest = int(key.min(initial=0))
        bits = (int(key.max(initial=0)) - smallest).bit_length()
        if bits > BITS:
            words.append(key)
            room = 0
            continue
        if bits > room:
            words.append(np.zeros(len(key), np.int64))
            room = BITS
        words[-1] = (words[-1] << bits) | (key - smallest)
        room -= bits
    return np.argsort(words[0], kind="stable") if len(words) == 1 else np.lexsort(words[::-1])
