"""Between NumPy and Arrow, both ways, without copying and without a detour.

Arrow's own conversions import pandas wherever it is installed, which costs half a second; these
few lines pass the memory on directly.
"""

from typing import Any

import numpy as np
import pyarrow as pa

from shoal.arrays import AnyArray


def numpy_from_arrow(array: pa.Array) -> Any:
    """A primitive Arrow array without missing cells as NumPy.

    >>> numpy_from_arrow(pa.array([True, False])).tolist()
    [True, False]
    """
    if pa.types.is_boolean(array.type):
        return np.from_dlpack(array.cast(pa.uint8())).astype(bool)
    return np.from_dlpack(array)


def arrow_from_numpy(values: AnyArray) -> pa.Array:
    """A NumPy array of integers, floats or truth values as an Arrow array.

    >>> arrow_from_numpy(np.array([True, False, True])).to_pylist()
    [True, False, True]
    """
    if values.dtype == np.bool_:
        bits = np.packbits(values, bitorder="little")
        return pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(bits)])
    values = np.ascontiguousarray(values)
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])


def constant(text: str, rows: int) -> pa.Array:
    """A column that holds the same text in every row.

    >>> constant("ab", 2).to_pylist()
    ['ab', 'ab']
    """
    letters = text.encode()
    offsets = np.arange(rows + 1, dtype=np.int32) * np.int32(len(letters))
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(letters * rows)]
    return pa.Array.from_buffers(pa.string(), rows, buffers)
