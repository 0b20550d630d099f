"""Types of arrays, written once: a name says what a column of numbers is made of."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
SmallInts = NDArray[np.int32]  # codes of values, where there are few
Hashes = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
AnyArray = NDArray[Any]
