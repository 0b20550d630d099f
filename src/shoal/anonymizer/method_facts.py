"""What each method serves and which options it has: the part of the registry that needs no kernel.

Pages and faults read only this, so that no compiler is loaded to say what can be chosen.
"""

from dataclasses import dataclass, field

Options = dict[str, type | tuple[str, ...]]


@dataclass(frozen=True)
class MethodFacts:
    """``options`` maps names to a type or to the words that may be chosen; ``joint`` says that several
    attackers, each with several aggregates and columns, can be served at once; ``sums_only`` that the
    aggregate must be a sum; ``one_box`` that the records of a class all show the same cells."""

    name: str
    serves: tuple[str, ...]  # kinds of guarantee
    options: Options
    joint: bool = field(default=False, kw_only=True)
    sums_only: bool = field(default=False, kw_only=True)
    one_box: bool = field(default=False, kw_only=True)
    made_for: str | None = field(default=None, kw_only=True)  # without it another method does the same
    baseline: bool = field(default=False, kw_only=True)  # keeps no promise

    @property
    def permutes(self) -> bool:
        """Does it leave quasi values as they are?"""
        return "ke-anonymity" in self.serves and "k-anonymity" not in self.serves


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
    MethodFacts("residual", AGGREGATE, {"subsets": int}, joint=True),
    MethodFacts("aggranon", AGGREGATE, {}),
    MethodFacts("aligned", AGGREGATE, {"draw": ("blind", "eligible")}, sums_only=True),
    MethodFacts(
        "mondrian",
        (*CLASSIC, "kf-anonymity"),
        {"relaxed": bool, "textbook": bool, "cells": CELLS},
        joint=True,
        one_box=True,
    ),
    MethodFacts("cluster", CLASSIC, {"cells": CELLS}, joint=True, one_box=True),
    MethodFacts("optimal", CLASSIC, {"time_limit": float}, joint=True),
    MethodFacts("incognito", CLASSIC, {}, joint=True),
    MethodFacts("samarati", CLASSIC, {}, joint=True),
    MethodFacts("datafly", CLASSIC, {}, joint=True),
    MethodFacts("suppress-cells", CLASSIC, {}, joint=True),
    MethodFacts("min-sum", PERMUTED, PERMUTE, joint=True),
    MethodFacts("min-max", PERMUTED, PERMUTE, joint=True),
    MethodFacts("min-max-exact", PERMUTED, PERMUTE, joint=True),
    MethodFacts("max-groups", PERMUTED, PERMUTE, joint=True),
    MethodFacts("random", PERMUTED, PERMUTE, joint=True),
    MethodFacts("mdav", AVERAGED, AVERAGE | RULE, joint=True),
    MethodFacts("vmdav", AVERAGED, AVERAGE | {"gamma": float}, joint=True),
    MethodFacts("refined", AVERAGED, AVERAGE | {"time_limit": float}, joint=True),
    MethodFacts("kpqr", AVERAGED, AVERAGE | RULE, joint=True, made_for="kpqr-anonymity"),
    MethodFacts("kpqr-paper", AVERAGED, AVERAGE, joint=True, made_for="kpqr-anonymity"),
    MethodFacts("rank-swap", ("ke-anonymity",), {"p": float}, joint=True, baseline=True),
)
