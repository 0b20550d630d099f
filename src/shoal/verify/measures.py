"""Every figure of a published table that a guarantee could be about, asked for or not.

For each sensitive column: the l of distinct and of entropy l-diversity, the c above which recursive (c, l)
holds for l = 2, 3, ..., the largest share of a value (alpha), and t for each distance that the column
has: ordered for numbers and dates, hierarchical if the policy has a hierarchy for it.
"""

from decimal import Decimal
from typing import Any

from shoal.errors import ShoalError
from shoal.policy.model.guarantee import AlphaKAnonymity, KAnonymity, LDiversity, TCloseness
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.guarantees.alpha_k_anonymity import largest_share
from shoal.verify.verifiers import verify_guarantee

MOST_L = 5


def measure_table(table: Table, policy: Policy) -> dict[str, Any]:
    """What the table achieves: k, and the figures of every sensitive column.

    >>> import pyarrow as pa
    >>> table = Table(pa.table({"age": [30, 30], "ill": ["flu", "cold"]}))
    >>> columns = {"age": "quasi", "ill": "sensitive"}
    >>> found = measure_table(table, Policy(columns=columns, guarantees=[{"kind": "k-anonymity", "k": 2}]))
    >>> found["k"], found["sensitive"]["ill"]["l"], found["sensitive"]["ill"]["alpha"]
    (2, 2, 0.5)
    """
    published = PublishedTable(table)
    alike = verify_guarantee(published, KAnonymity(k=2), policy).achieved
    return {
        **{figure: alike[figure] for figure in ("k", "classes", "k_wildcard") if figure in alike},
        "sensitive": {name: _of_column(published, policy, name) for name in policy.having("sensitive")},
    }


def _of_column(published: PublishedTable, policy: Policy, name: str) -> dict[str, Any]:
    distinct, entropy = (
        verify_guarantee(
            published, LDiversity(l=1, variant=variant, sensitive=name, alone=True), policy
        ).achieved["l"]
        for variant in ("distinct", "entropy")
    )
    recursive = {
        str(l): verify_guarantee(
            published, LDiversity(l=l, c=1, variant="recursive", sensitive=name, alone=True), policy
        ).achieved["c"]
        for l in range(2, min(int(distinct), MOST_L) + 1)
    }
    share = largest_share(published, AlphaKAnonymity(alpha=Decimal(1), k=2), policy, name)
    return {
        "l": int(distinct),
        "entropy_l": entropy,
        "c": recursive,
        "alpha": float(share),
        "t": _distances(published, policy, name),
    }


def _distances(published: PublishedTable, policy: Policy, name: str) -> dict[str, float]:
    """Distances of the values by every measure that they have; an order that the policy gives counts."""
    given = [
        asked for asked in policy.guarantees if isinstance(asked, TCloseness) and asked.sensitive == name
    ]
    order = next((asked.order for asked in given if asked.order), ())
    spec = policy.hierarchies.get(name)
    found = {}
    for distance in ("equal", "ordered", "hierarchical"):
        if distance == "hierarchical" and not (spec and spec.written_out):
            continue
        asked = TCloseness(
            t=Decimal(1), sensitive=name, distance=distance, order=order if distance == "ordered" else ()
        )
        try:
            found[distance] = verify_guarantee(published, asked, policy).achieved["t"]
        except ShoalError:
            continue  # words without an order
    return found
