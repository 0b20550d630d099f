"""The groups of a permuted release, as its column says."""

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.classes import class_numbers
from shoal.policy.model.policy import GROUP
from shoal.verify.cells.cell_codes import cell_codes
from shoal.verify.cells.published_table import PublishedTable


def permutation_groups(published: PublishedTable) -> Ints:
    """The group of every record, numbered from 0 on; without the column nobody knows of any, and every
    record counts for itself."""
    if GROUP not in published.table.names:
        return np.arange(len(published))
    return published.once(GROUP, lambda: class_numbers([cell_codes(published, GROUP).codes]))
