"""What classes give away to somebody who knows all quasi values, counted on the published table alone.

Classes are records that show the same quasi cells, or the groups in which sensitive values are permuted. A
class in which all have the same sensitive value tells it of everybody in it, whatever the policy promises.
A release of one class alone tells nobody anything: every cell shows all there is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints
from shoal.decision.unique_values import UniqueValues, unique_values
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.verify.cells.cell_codes import MISSING, STARRED, CellCodes, cell_codes
from shoal.verify.cells.permutation_groups import permutation_groups
from shoal.verify.cells.published_table import PublishedTable


@dataclass(frozen=True)
class ClassFigures:
    """``certain`` counts, for every sensitive column, the people whose class has one value, missing ones
    aside: a person of whom nothing is known is no doubt about the others. ``exact`` are
    columns published as they are that single people out. None: not measured."""

    records: int
    one_class: bool
    certain: Mapping[str, int] | None = None
    exact: tuple[UniqueValues, ...] | None = None


def class_figures(published: PublishedTable, policy: Policy) -> ClassFigures:
    """The figures of a published table.

    >>> import pyarrow as pa
    >>> from shoal.table.table import Table
    >>> roles = {"age": "quasi", "illness": "sensitive"}
    >>> policy = Policy(columns=roles, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> rows = pa.table({"age": ["3*", "3*", "4*", "4*"], "illness": ["flu", "flu", "flu", "cold"]})
    >>> found = class_figures(PublishedTable(Table(rows)), policy)
    >>> found.one_class, dict(found.certain)
    (False, {'illness': 2})
    """
    if not len(published):
        return ClassFigures(0, False, dict.fromkeys(policy.having("sensitive"), 0), ())
    sensitive, exact = policy.having("sensitive"), unique_values(published.table, policy)
    if policy.permutes:
        certain, _ = _by_class(published, {"group": permutation_groups(published)}, sensitive)
        return ClassFigures(len(published), False, certain, exact)
    if not sensitive and not _all_alike(published, policy):
        return ClassFigures(len(published), False, {}, exact)
    quasi = {name: cell_codes(published, name).codes for name in policy.having("quasi")}
    certain, classes = _by_class(published, quasi, sensitive)
    return ClassFigures(len(published), len(published) > 1 and classes == 1, certain, exact)


def _all_alike(published: PublishedTable, policy: Policy) -> bool:
    """Does every record show the same quasi cells? Most tables differ in the first column."""
    if len(published) < 2:
        return False
    columns = (cell_codes(published, name).codes for name in policy.having("quasi"))
    return all(bool((codes == codes[0]).all()) for codes in columns)


def _by_class(
    published: PublishedTable, shown: Mapping[str, Ints], sensitive: list[str]
) -> tuple[dict[str, int], int]:
    """Per sensitive column, how many records lie in classes that show one value, where a suppressed cell
    may be any and a missing one is none; and how many classes there are. Arrow groups them, which takes a
    tenth of numbering them."""
    cells = {name: cell_codes(published, name) for name in sensitive}
    keys = {f"by {name}": _plain(codes) for name, codes in shown.items()}
    values = {f"of {name}": _shown(one) for name, one in cells.items()}
    table = pa.table({name: arrow_from_numpy(one) for name, one in keys.items()} | values)
    ends = [(name, end) for name in values for end in ("min", "max")]
    found = table.group_by(list(keys)).aggregate([*ends, ([], "count_all")]).combine_chunks()
    sizes = numpy_from_arrow(found.column("count_all").chunk(0))
    certain = {}
    for name in sensitive:
        least, most = (
            numpy_from_arrow(found.column(f"of {name}_{end}").chunk(0).fill_null(0)) for end in ("min", "max")
        )
        certain[name] = int(sizes[(least == most) & (least >= 0)].sum())
    return certain, len(found)


def _shown(cells: CellCodes) -> pa.Array:
    """A number per value, -1 for a suppressed cell, and nothing for a missing one."""
    return pa.array(np.where(cells.hidden == STARRED, -1, _plain(cells.codes)), mask=cells.hidden == MISSING)


def _plain(codes: Any) -> Ints:
    """Whole numbers from 0 on, where a code may be anything that compares."""
    if codes.dtype == object or codes.dtype.kind == "f" or codes.min(initial=0) < 0:
        return np.unique(codes, return_inverse=True)[1].astype(np.int64)
    return np.asarray(codes)
