"""Policies, methods and parameters side by side: what each release loses, risks and costs.

Nothing is written.
"""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from typing import Any

from shoal.adversary.stated_risk import stated_risk
from shoal.anonymizer.choose import choose, method_faults
from shoal.anonymizer.registry import METHODS
from shoal.comparison.strictness import promises_no_less
from shoal.comparison.vary import (
    Vary,
    combinations,
    name_faults,
    number_of_combinations,
    policy_with_parameters,
    value_faults,
)
from shoal.errors import Fault, Infeasible, ShoalError, nearest, refuse_faults
from shoal.policy.model.guarantee import ON_SENSITIVE
from shoal.policy.model.policy import Policy
from shoal.progress import Step, unwatched
from shoal.release.release import Release, anonymize_in_memory
from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.read import Source, read_table
from shoal.table.table import Table
from shoal.utility.query_errors import query_errors
from shoal.verify.verdict import Verdict

FIRST_ROWS = 1_000
WHAT_MATTERS = {"columns", "guarantees", "missing", "domains"}  # of a policy, for promises to be the same
MOST_RUNS = 200


@dataclass(frozen=True)
class ComparisonFigures:
    """What one release costs and keeps: losses, counts and time, never a cell."""

    ncp: float
    ncp_range: float
    exact_cells: float  # share of quasi cells published as they are
    classes: int
    suppressed: int
    candidates: int | None  # the smallest candidate set that any guarantee's verdict found
    holds: bool
    seconds: float  # of the anonymize step alone
    largest_share: float | None = None  # of one value in a group of a permuted release
    sum_of_error: float | None = None  # of a permuted release: its groups' ranges
    max_of_error: float | None = None
    arbitrary_error: float | None = None  # mean (upper - lower) / truth of sums over random sets of rows
    range_error: float | None = None  # the same over random ranges of quasi columns
    sse_sst: float | None = None  # of class means: 100 SSE / SST
    linked: float | None = None  # of class means: share of records nearest to their own class
    risk: float = 1.0  # chance of the attackers that the policy states, mean over all records
    largest_risk: float = 1.0  # for the record most at risk

    @property
    def permuted(self) -> bool:
        return self.arbitrary_error is not None

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values; an error that does not exist, of sums that are all zero, is null."""
        return {name: value if value is None or isfinite(value) else None
                for name, value in asdict(self).items()}  # fmt: skip


@dataclass(frozen=True)
class ComparisonResult:
    """One policy with one method and one choice of parameters: its figures, or why there is no release.

    ``as_written`` says that it promises no less than the policy did before its parameters were varied.
    """

    policy: str
    method: str
    k: int
    figures: ComparisonFigures | None = None
    refused: ShoalError | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)  # those that were varied
    as_written: bool = True
    promise: str = ""  # rows of equal promises can be weighed against each other
    name: str = ""  # of a release that was made, and not only tried

    @property
    def label(self) -> str:
        """What it was run with, in words."""
        besides = [f"{name} = {value}" for name, value in self.parameters.items() if name != "k"]
        named = f"{self.name}: {self.method}" if self.name else self.method
        return ", ".join([named, f"k = {self.k}", *besides])

    @property
    def holds(self) -> bool:
        return self.figures is not None and self.figures.holds

    @property
    def infeasible(self) -> bool:
        return isinstance(self.refused, Infeasible)

    def as_dict(self) -> dict[str, Any]:
        """The row as plain JSON values; figures are null where there is no release."""
        nothing: dict[str, Any] = dict.fromkeys(ComparisonFigures.__dataclass_fields__)
        faults = self.refused.faults if self.refused else ()
        return {
            "policy": self.policy,
            "method": self.method,
            "k": self.k,
            "parameters": dict(self.parameters),
            "as_written": self.as_written,
            **(self.figures.as_dict() if self.figures else nothing),
            "infeasible": self.infeasible,
            "faults": [fault.as_dict() for fault in faults],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], figures: ComparisonFigures | None) -> "ComparisonResult":
        """The row that ``as_dict`` has told, which is silent on errors that do not exist."""
        kind = Infeasible if content["infeasible"] else ShoalError
        faults = [Fault(fault["what"], fault["hint"]) for fault in content["faults"]]
        return cls(
            content["policy"],
            content["method"],
            content["k"],
            figures,
            refused=kind(faults) if faults else None,
            parameters=content["parameters"],
            as_written=content["as_written"],
        )


@dataclass(frozen=True)
class _Run:
    name: str
    written: Policy
    parameters: dict[str, Any]
    policy: Policy | None  # none if the parameters make no sound one
    refused: ShoalError | None = None


def compare(
    source: Source,
    policies: Mapping[str, Policy],
    ks: Sequence[int] | None = None,
    methods: Sequence[str] | None = None,
    seed: int | None = None,
    on_step: Step = unwatched,
    vary: Vary | None = None,
) -> list[ComparisonResult]:
    """Anonymize and verify the table under every policy (by name), method and parameter, in memory.

    ``vary`` has values for fields of guarantees, for ``suppression``, ``objective`` and options of the
    method, as ``{"l": [2, 3], "options.rule": ["one-group"]}``, each combined with each; ``ks`` are values
    of k. What is not varied every policy keeps as it is. Without ``methods`` that holds for them too, but a
    single policy that says "auto" is tried with every method that can serve it.

    >>> import pyarrow as pa
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> rows = compare(pa.table({"age": [30, 31, 52, 53]}), {"ages": policy}, [2, 4], ["mondrian"])
    >>> [(row.method, row.k, row.figures.classes) for row in rows]
    [('mondrian', 2, 2), ('mondrian', 4, 1)]
    """
    wanted = _with_ks(vary or {}, ks)
    refuse_faults([*value_faults(wanted), *_unknown_methods(methods or ())])
    asked = [
        (name, with_method_name(policy, method))
        for name, policy in policies.items()
        for method in (methods or _methods_for(policy, alone=len(policies) == 1))
    ]
    runs = _runs(asked, wanted)
    on_step("reading, and loading the methods")
    table = read_table(source, reading=_how_to_read(policies))
    secret = (
        secrets.token_bytes(16) if seed is None else None
    )  # one for all: equal parameters make equal releases
    _load_kernels(table, runs, seed)
    compared = []
    for number, run in enumerate(runs, 1):
        row = _row(run)
        of_policy = f"{run.name}, " if len(policies) > 1 else ""
        on_step(f"{of_policy}{row.label} ({number} of {len(runs)})")
        compared.append(_with_figures(row, table, run.policy, seed, secret))
    return compared


def _how_to_read(policies: Mapping[str, Policy]) -> Reading:
    """One table is read once, so what its owner says of it must be the same everywhere."""
    known = {name for policy in policies.values() for name in policy.columns}
    found = {replace(policy.how_to_read, known=frozenset(known)) for policy in policies.values()}
    if len(found) > 1:
        what = "the policies say different things about how to read the table"
        hint = "write the same [reading], [types], codes of [missing] and [prepare] into each of them."
        raise ShoalError(what, hint)
    return next(iter(found), AS_IT_LOOKS)


def _runs(asked: list[tuple[str, Policy]], vary: Vary) -> list[_Run]:
    refuse_faults(name_faults((policy for _, policy in asked), vary))
    count = sum(number_of_combinations(policy, vary) for _, policy in asked)
    if count > MOST_RUNS:
        raise ShoalError(
            f"these methods and parameters make {count:,} runs, and at most {MOST_RUNS} are compared at once",
            "vary fewer parameters at once, or give them fewer values.",
        )
    return [
        _run(name, policy, parameters) for name, policy in asked for parameters in combinations(policy, vary)
    ]


def _run(name: str, written: Policy, parameters: dict[str, Any]) -> _Run:
    try:
        return _Run(name, written, parameters, policy_with_parameters(written, parameters))
    except ShoalError as refused:
        return _Run(name, written, parameters, None, refused)


def _row(run: _Run) -> ComparisonResult:
    policy = run.policy or run.written
    return ComparisonResult(
        run.name,
        _method_name(policy),
        k_of(policy) if run.policy else run.parameters.get("k", k_of(policy)),
        refused=run.refused,
        parameters=run.parameters,
        as_written=run.policy is not None and promises_no_less(run.policy, run.written),
        promise=promise_of(run.written),
    )


def _load_kernels(table: Table, runs: list[_Run], seed: int | None) -> None:
    """Let every method run on a few rows first: loading and compiling it is not its own time."""
    for policy in {(run.name, run.policy.method.name): run.policy for run in runs if run.policy}.values():
        with suppress(ShoalError):
            anonymize_in_memory(table.first(FIRST_ROWS), policy_with_parameters(policy, {"k": 2}), seed=seed)


def _with_figures(
    row: ComparisonResult, table: Source, policy: Policy | None, seed: int | None, secret: bytes | None
) -> ComparisonResult:
    if policy is None:
        return row
    try:
        return replace(
            row, figures=comparison_figures(anonymize_in_memory(table, policy, seed=seed, secret=secret))
        )
    except ShoalError as refused:
        return replace(row, refused=refused)


def comparison_figures(release: Release, written: Sequence[Verdict] | None = None) -> ComparisonFigures:
    """The figures of a release; the verdicts on its written file, if there are any, spare others."""
    verdicts = release.verdicts if written is None else written
    found = [verdict.achieved["k"] for verdict in verdicts if "k" in verdict.achieved]
    risk = stated_risk(release)
    return ComparisonFigures(
        ncp=release.loss["ncp"],
        ncp_range=release.loss["ncp_range"],
        exact_cells=release.result.exact_cells,
        classes=release.result.classes,
        suppressed=release.result.suppressed,
        candidates=min(found, default=None),
        holds=all(verdict.holds for verdict in verdicts),
        seconds=release.seconds["anonymize"],
        largest_share=max(
            (one.achieved["largest_share"] for one in verdicts if "largest_share" in one.achieved),
            default=None,
        ),
        sum_of_error=release.loss.get("sum_of_error"),
        max_of_error=release.loss.get("max_of_error"),
        sse_sst=release.loss.get("sse_sst"),
        linked=None if release.result.linkage is None else release.result.linkage()[0],
        risk=risk.mean,
        largest_risk=risk.largest,
        **(query_errors(release) if release.policy.permutes else {}),
    )


def _methods_for(policy: Policy, alone: bool) -> list[str]:
    if not alone or policy.method.name != "auto":
        return [policy.method.name]
    return able_methods(policy) or ["auto"]  # which then says what is wrong


def able_methods(policy: Policy) -> list[str]:
    """The methods that can give what a policy asks for, whichever it names.

    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 5}])
    >>> able_methods(policy)[:2]
    ['mondrian', 'cluster']
    """
    kinds = [None, *(asked.kind for asked in policy.guarantees)]
    return [
        row.name
        for row in METHODS
        if row.made_for in kinds
        and (row.family == "means") == policy.averages  # means are of another kind than ranges and labels
        and not method_faults(with_method_name(policy, row.name))
    ]


def with_method_name(policy: Policy, name: str) -> Policy:
    """The policy with another method; options stay behind with the method they belong to."""
    own = policy.method.name in (name, "auto")
    method = policy.method.model_copy(update={"name": name, "options": policy.method.options if own else {}})
    return policy.model_copy(update={"method": method})


def k_of(policy: Policy) -> int:
    """The largest k that is asked for; the least there is if none is."""
    attackers = [asked for asked in policy.guarantees if not isinstance(asked, ON_SENSITIVE)]
    return max((asked.k for asked in attackers), default=2)


def promise_of(policy: Policy) -> str:
    """All that a policy promises, as one text: equal texts are equal promises."""
    return policy.model_dump_json(include=WHAT_MATTERS)


def _with_ks(vary: Vary, ks: Sequence[int] | None) -> Vary:
    if ks and "k" in vary:
        raise ShoalError("values of k are given twice", "give all of them in one place.")
    return {"k": ks, **vary} if ks else vary


def _method_name(policy: Policy) -> str:
    return choose(policy).method.name if policy.method.name == "auto" else policy.method.name


def _unknown_methods(methods: Sequence[str]) -> list[Fault]:
    known = ["auto", *(row.name for row in METHODS)]
    return [
        Fault(f"there is no method {name!r}", nearest(name, known, "shoal"))
        for name in methods
        if name not in known
    ]
