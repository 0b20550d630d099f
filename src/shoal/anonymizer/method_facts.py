"""What each method serves and which options it has: the part of the registry that needs no kernel.

Pages and faults read only this, so that no compiler is loaded to say what can be chosen.
"""

from dataclasses import dataclass, field

Options = dict[str, type | tuple[str, ...]]


@dataclass(frozen=True)
class MethodFacts:
    """``options`` maps names to a type or to the words that may be chosen; ``joint`` says that several
    attackers, each with several aggregates and columns, can be served at once; ``sums_only`` that the
    aggregate must be a sum; ``one_box`` that the records of a class all show the same cells. The ``family``
    says what is published, and so which plan runs it; one that ``lists`` looks at every node of a lattice. A
    method that ``runs`` on ``parts`` or in ``cells`` of
    a table serves tables of any size, one that needs the ``whole`` table those in memory."""

    name: str
    family: str
    serves: tuple[str, ...]  # kinds of guarantee
    options: Options
    joint: bool = field(default=False, kw_only=True)
    sums_only: bool = field(default=False, kw_only=True)
    one_box: bool = field(default=False, kw_only=True)
    runs: str = field(default="parts", kw_only=True)
    made_for: str | None = field(default=None, kw_only=True)  # without it another method does the same
    baseline: bool = field(default=False, kw_only=True)  # keeps no promise
    lists: bool = field(default=False, kw_only=True)

    @property
    def permutes(self) -> bool:
        """Does it leave quasi values as they are?"""
        return self.family == "permutation"

    @property
    def recodes(self) -> bool:
        """Can what it found be applied to other rows?"""
        return self.family == "levels" or self.one_box


AGGREGATE = ("kf-anonymity", "l-diversity", "p-sensitivity", "t-closeness")  # on classes of one F
# on identical quasi cells, which also serve as groups to permute in
CLASSIC = ("k-anonymity", "l-diversity", "p-sensitivity", "alpha-k-anonymity", "t-closeness", "ke-anonymity")
PERMUTED = ("ke-anonymity", "l-diversity", "p-sensitivity", "t-closeness")  # on groups of records
AVERAGED = (
    "k-anonymity",
    "l-diversity",
    "p-sensitivity",
    "alpha-k-anonymity",
    "t-closeness",
    "kpqr-anonymity",
)
PERMUTE: Options = {"permute": ("separately", "together")}
AVERAGE: Options = {
    "standardize": ("population", "sample"),
    "order": dict,
    "keep_decimals": bool,
    "totals": list,
}
RULE: Options = {"rule": ("two-groups", "one-group")}
CELLS = ("labels", "sets")  # how a class shows the columns that have a hierarchy

FACTS = (
    MethodFacts("residual", "ranges", AGGREGATE, {"subsets": int}, joint=True),
    MethodFacts("aggranon", "ranges", AGGREGATE, {}),
    MethodFacts(
        "aligned", "ranges", AGGREGATE, {"draw": ("blind", "eligible")}, sums_only=True, runs="whole"
    ),
    MethodFacts(
        "mondrian",
        "ranges",
        (*CLASSIC, "kf-anonymity"),
        {"relaxed": bool, "textbook": bool, "cells": CELLS},
        joint=True,
        one_box=True,
    ),
    MethodFacts("cluster", "local", CLASSIC, {"cells": CELLS}, joint=True, one_box=True, runs="cells"),
    MethodFacts("optimal", "levels", CLASSIC, {"time_limit": float}, joint=True),
    MethodFacts("incognito", "levels", CLASSIC, {}, joint=True, lists=True),
    MethodFacts("samarati", "levels", CLASSIC, {}, joint=True, lists=True),
    MethodFacts("datafly", "levels", CLASSIC, {}, joint=True),
    MethodFacts("suppress-cells", "stars", CLASSIC, {}, joint=True, runs="cells"),
    MethodFacts("min-sum", "permutation", PERMUTED, PERMUTE, joint=True),
    MethodFacts("min-max", "permutation", PERMUTED, PERMUTE, joint=True),
    MethodFacts("min-max-exact", "permutation", PERMUTED, PERMUTE, joint=True, runs="whole"),
    MethodFacts("max-groups", "permutation", PERMUTED, PERMUTE, joint=True),
    MethodFacts("random", "permutation", PERMUTED, PERMUTE, joint=True, runs="whole"),
    MethodFacts("mdav", "means", AVERAGED, AVERAGE | RULE, joint=True, runs="cells"),
    MethodFacts("vmdav", "means", AVERAGED, AVERAGE | {"gamma": float}, joint=True, runs="cells"),
    MethodFacts("refined", "means", AVERAGED, AVERAGE | {"time_limit": float}, joint=True, runs="cells"),
    MethodFacts(
        "kpqr", "means", AVERAGED, AVERAGE | RULE, joint=True, made_for="kpqr-anonymity", runs="cells"
    ),
    MethodFacts(
        "kpqr-paper", "means", AVERAGED, AVERAGE, joint=True, made_for="kpqr-anonymity", runs="cells"
    ),
    MethodFacts(
        "rank-swap", "permutation", ("ke-anonymity",), {"p": float}, joint=True, baseline=True, runs="whole"
    ),
)
