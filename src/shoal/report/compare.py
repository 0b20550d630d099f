"""Policies, methods and k side by side: what each release loses, keeps and costs. Nothing is written."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from shoal.anonymizer.choose import choose, method_faults
from shoal.anonymizer.registry import METHODS
from shoal.errors import Fault, Infeasible, ShoalError, nearest
from shoal.policy.guarantee import ON_SENSITIVE
from shoal.policy.policy import Policy
from shoal.release.release import Release, Step, anonymize
from shoal.report.query_errors import query_errors
from shoal.table.read import Source, read_table

FIRST_ROWS = 1_000


@dataclass(frozen=True)
class Figures:
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


@dataclass(frozen=True)
class Compared:
    """One policy with one method and one k: its figures, or why there is no release."""

    policy: str
    method: str
    k: int
    figures: Figures | None = None
    refused: ShoalError | None = None

    @property
    def holds(self) -> bool:
        return self.figures is not None and self.figures.holds

    @property
    def infeasible(self) -> bool:
        return isinstance(self.refused, Infeasible)

    def as_dict(self) -> dict[str, Any]:
        """The row as plain JSON values; figures are null where there is no release."""
        nothing: dict[str, Any] = dict.fromkeys(Figures.__dataclass_fields__)
        faults = self.refused.faults if self.refused else ()
        return {
            "policy": self.policy,
            "method": self.method,
            "k": self.k,
            **(asdict(self.figures) if self.figures else nothing),
            "infeasible": self.infeasible,
            "faults": [fault.as_dict() for fault in faults],
        }


def _silent(_: str) -> None:
    """Nobody is watching."""


def compare(
    source: Source,
    policies: Mapping[str, Policy],
    ks: Sequence[int] | None = None,
    methods: Sequence[str] | None = None,
    seed: int | None = None,
    on_step: Step = _silent,
) -> list[Compared]:
    """Anonymize and verify the table under every policy (by name), method and k, in memory.

    Without ``ks`` every policy keeps its own. Without ``methods`` every policy keeps its own too, but
    a single policy that says "auto" is tried with every method that can serve it.

    >>> import pyarrow as pa
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> rows = compare(pa.table({"age": [30, 31, 52, 53]}), {"ages": policy}, [2, 4], ["mondrian"])
    >>> [(row.method, row.k, row.figures.classes) for row in rows]
    [('mondrian', 2, 2), ('mondrian', 4, 1)]
    """
    _refuse_unknown(ks, methods)
    runs = [
        (name, _with_k(_with_method(policy, method), k))
        for name, policy in policies.items()
        for method in (methods or _methods_for(policy, alone=len(policies) == 1))
        for k in (ks or (None,))
    ]
    on_step("reading, and loading the methods")
    table = read_table(source).arrow
    _load_kernels(table, runs, seed)
    compared = []
    for number, (name, policy) in enumerate(runs, 1):
        row = Compared(name, _method_name(policy), _k(policy))
        of_policy = f"{name}, " if len(policies) > 1 else ""
        on_step(f"{of_policy}{row.method}, k = {row.k} ({number} of {len(runs)})")
        compared.append(_tried(row, table, policy, seed))
    return compared


def _load_kernels(table: Any, runs: list[tuple[str, Policy]], seed: int | None) -> None:
    """Let every method run on a few rows first: loading and compiling it is not its own time."""
    for policy in {(name, policy.method.name): policy for name, policy in runs}.values():
        with suppress(ShoalError):
            anonymize(table.slice(0, FIRST_ROWS), _with_k(policy, 2), seed=seed)


def _tried(row: Compared, table: Source, policy: Policy, seed: int | None) -> Compared:
    try:
        figures = _figures(anonymize(table, policy, seed=seed))
    except ShoalError as refused:
        return Compared(row.policy, row.method, row.k, refused=refused)
    return Compared(row.policy, row.method, row.k, figures)


def _figures(release: Release) -> Figures:
    found = [verdict.achieved["k"] for verdict in release.verdicts if "k" in verdict.achieved]
    return Figures(
        ncp=release.loss["ncp"],
        ncp_range=release.loss["ncp_range"],
        exact_cells=release.made.exact_cells,
        classes=release.made.classes,
        suppressed=release.made.suppressed,
        candidates=min(found, default=None),
        holds=all(verdict.holds for verdict in release.verdicts),
        seconds=release.seconds["anonymize"],
        largest_share=max(
            (one.achieved["largest_share"] for one in release.verdicts if "largest_share" in one.achieved),
            default=None,
        ),
        sum_of_error=release.loss.get("sum_of_error"),
        max_of_error=release.loss.get("max_of_error"),
        sse_sst=release.loss.get("sse_sst"),
        **(query_errors(release) if release.policy.permutes else {}),
    )


def _methods_for(policy: Policy, alone: bool) -> list[str]:
    if not alone or policy.method.name != "auto":
        return [policy.method.name]
    kinds = [None, *(asked.kind for asked in policy.guarantees)]
    able = [
        row.name
        for row in METHODS
        if row.made_for in kinds and not method_faults(_with_method(policy, row.name))
    ]
    return able or ["auto"]  # which then says what is wrong


def _with_method(policy: Policy, name: str) -> Policy:
    """The policy with another method; options stay behind with the method they belong to."""
    own = policy.method.name in (name, "auto")
    method = policy.method.model_copy(update={"name": name, "options": policy.method.options if own else {}})
    return policy.model_copy(update={"method": method})


def _k(policy: Policy) -> int:
    """The largest k that is asked for; the least there is if none is."""
    attackers = [asked for asked in policy.guarantees if not isinstance(asked, ON_SENSITIVE)]
    return max((asked.k for asked in attackers), default=2)


def _with_k(policy: Policy, k: int | None) -> Policy:
    if k is None:
        return policy
    guarantees = tuple(
        asked if isinstance(asked, ON_SENSITIVE) else asked.model_copy(update={"k": k})
        for asked in policy.guarantees
    )
    return policy.model_copy(update={"guarantees": guarantees})


def _method_name(policy: Policy) -> str:
    return choose(policy).method.name if policy.method.name == "auto" else policy.method.name


def _refuse_unknown(ks: Sequence[int] | None, methods: Sequence[str] | None) -> None:
    known = ["auto", *(row.name for row in METHODS)]
    faults = [Fault(f"k = {k} protects nobody", "ask for a k of at least 2.") for k in ks or () if k < 2]
    faults += [
        Fault(f"there is no method {name!r}", nearest(name, known, "shoal"))
        for name in methods or ()
        if name not in known
    ]
    if faults:
        raise ShoalError(faults)
