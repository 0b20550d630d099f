"""What classes give away to somebody who knows all quasi values, counted on the published table alone.

Classes are records that show the same quasi cells, or the groups in which sensitive values are permuted. A
class in which all have the same sensitive value tells it of everybody in it, whatever the policy promises.
A release of one class alone tells nobody anything: every cell shows all there is.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.decision.published_exactly import PublishedExactly, published_exactly
from shoal.policy.guarantee import KAnonymity
from shoal.policy.policy import Policy
from shoal.release.ran import Ran
from shoal.verify.attackers import classes_of
from shoal.verify.cells import Published
from shoal.verify.classes import one_of_each
from shoal.verify.comparable import comparable
from shoal.verify.groups import groups_of

Ints = NDArray[np.int64]
STARRED = 1


@dataclass(frozen=True)
class ClassFigures:
    """``certain`` counts, for every sensitive column, the people whose class has one value; ``exact`` are
    columns published as they are that single people out. None: not measured."""

    records: int
    one_class: bool
    certain: Mapping[str, int] | None = None
    exact: tuple[PublishedExactly, ...] | None = None


def class_figures(published: Published, policy: Policy) -> ClassFigures:
    """The figures of a published table.

    >>> import pyarrow as pa
    >>> from shoal.table.table import Table
    >>> roles = {"age": "quasi", "illness": "sensitive"}
    >>> policy = Policy(columns=roles, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> rows = pa.table({"age": ["3*", "3*", "4*", "4*"], "illness": ["flu", "flu", "flu", "cold"]})
    >>> found = class_figures(Published(Table(rows)), policy)
    >>> found.one_class, dict(found.certain)
    (False, {'illness': 2})
    """
    records, sensitive = len(published), policy.having("sensitive")
    exact = published_exactly(published.table, policy)
    if policy.permutes:
        groups = groups_of(published)
        certain = {name: _certain(published, name, groups) for name in sensitive}
        return ClassFigures(records, False, certain, exact)
    if not sensitive:
        return ClassFigures(records, _all_alike(published, policy), {}, exact)
    classes = classes_of(published, KAnonymity(k=2), policy)
    certain = {name: _certain(published, name, classes) for name in sensitive}
    return ClassFigures(records, records > 1 and not classes.any(), certain, exact)


def figures_of_run(ran: Ran) -> ClassFigures:
    """As far as a run beyond memory knows them without another look at the table."""
    alike = ran.made.classes == 1 and ran.made.exact_cells == 0 and not ran.policy.permutes
    return ClassFigures(ran.records, ran.records > 1 and alike)


def _all_alike(published: Published, policy: Policy) -> bool:
    """Does every record show the same quasi cells? Most tables differ in the first column."""
    if len(published) < 2:
        return False
    columns = (comparable(published, name).codes for name in policy.having("quasi"))
    return all(bool((codes == codes[0]).all()) for codes in columns)


def _certain(published: Published, name: str, classes: Ints) -> int:
    """How many records lie in classes that show one value; a suppressed cell shows none."""
    cells = comparable(published, name)
    first = one_of_each(classes)
    differs = (cells.codes != cells.codes[first][classes]) | (cells.hidden == STARRED)
    mixed = np.zeros(len(first), bool)
    mixed[classes[differs]] = True
    return int((~mixed[classes]).sum())
