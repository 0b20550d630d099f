"""(k,e)-anonymity: quasi values stay as they are, sensitive ones are permuted inside groups of records
(Zhang et al., ICDE 2007).

A partition method forms the groups on the column of the first (k,e) guarantee, or another method by its
classes; groups that fall short of the other guarantees are merged with their neighbours. Then every
sensitive column is permuted inside the groups: all of them together, so that the sensitive values of a person
stay side by side, or each on its own.
"""

from collections.abc import Callable
from dataclasses import replace
from math import ceil

import numpy as np
import pyarrow as pa

from shoal.anonymizer.anonymized_table import AnonymizedTable
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.fit import kept_rows, size_faults
from shoal.anonymizer.method_facts import PERMUTE
from shoal.anonymizer.registry import PartitionRequest
from shoal.anonymizer.sensitive.method_diversity import method_diversity
from shoal.arrays import Ints
from shoal.errors import Fault, Infeasible, ShoalError
from shoal.kernels.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.diversity import Diversity
from shoal.methods.permutation.group_assignment import assign_groups, tally_values, value_groups
from shoal.methods.permutation.merge_groups import merge_groups
from shoal.methods.permutation.partition import GroupDemand
from shoal.methods.permutation.permute import permute
from shoal.policy.model.column_faults import column_faults
from shoal.policy.model.guarantee import KAnonymity, KeAnonymity, LDiversity
from shoal.policy.model.policy import GROUP, Policy
from shoal.policy.toml import toml_key
from shoal.table.columns.bridge import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import take_rows
from shoal.table.columns.numbers import Numbers
from shoal.table.table import Table

ByClasses = Callable[[Table, Policy, Key], AnonymizedTable]
WIDEST = 2**63 - 1
FILL_HINT = 'fill them, or say "value" or "suppress".'


def permute_table(
    table: Table, policy: Policy, key: Key, choice: Choice, by_classes: ByClasses
) -> AnonymizedTable:
    """``by_classes`` runs a method that forms classes on quasi values."""
    asked = [one for one in policy.guarantees if isinstance(one, KeAnonymity)]
    columns = _columns(table, policy, asked)
    rows = _staying(table, policy, columns)
    if choice.method.swap is not None:
        units = columns[asked[0].sensitive].units[rows]
        source = choice.method.swap(units, key, policy.method.options)
        return _laid_out(table, policy, key, choice, rows, lambda _: source)
    told: list[str] = []
    if choice.method.partition is None:
        made = by_classes(_with_rows(table, rows), _by_quasi_values(policy, asked), key)
        order = np.argsort(made.input_rows)
        rows, groups = rows[made.input_rows[order]], made.class_of[order]
    else:
        column = columns[asked[0].sensitive]
        demand = partition_demand(asked[0], column.scale)
        request = PartitionRequest(column.units[rows], demand, key, told)
        found = _grouped(choice, request, _ids(table, rows))
        if found is None:
            raise impossible_groups(asked[0], len(np.unique(column.units[rows])))
        groups = found
    demands = [
        (columns[one.sensitive].units[rows], partition_demand(one, columns[one.sensitive].scale))
        for one in asked
    ]
    settled = _settled(groups, choice, demands, method_diversity(table, policy, rows))
    if settled is None:
        raise _failing(asked, demands)
    ids = _ids(table, rows)

    def source_of(stream: int) -> Ints:
        return permute(settled, key, stream=stream, ids=ids)

    laid_out = _laid_out(table, policy, key, choice, rows, source_of, settled)
    sizes = np.bincount(settled)
    return replace(
        laid_out,
        loss=laid_out.loss | _errors(demands[0][0], columns[asked[0].sensitive].scale, settled),
        notes=(
            *told,
            *permutation_notes(policy, len(rows), int(groups.max()) + 1, len(sizes), int(sizes.max())),
        ),
    )


def _columns(table: Table, policy: Policy, asked: list[KeAnonymity]) -> dict[str, Numbers]:
    """The permuted columns of numbers or dates; every fault of policy and table at once."""
    faults, columns = column_faults(policy, table.names), {}
    if faults:
        raise ShoalError(faults)
    for name in dict.fromkeys(one.sensitive for one in asked):
        try:
            columns[name] = table.points(name)
        except ShoalError as error:
            faults.extend(error.faults)
            continue
        if int(columns[name].units.max()) - int(columns[name].units.min()) >= WIDEST:
            faults.append(too_wide_fault(name))
        missing = np.flatnonzero(columns[name].missing)
        if len(missing) and policy.missing.get(name) != "suppress":
            faults.append(table.fault(name, missing, "missing", leave_out_hint(name)))
    faults.extend(_missing_rules(table, policy))
    faults.extend(size_faults(policy, len(table)))
    if faults:
        raise ShoalError(faults)
    return columns


def _missing_rules(table: Table, policy: Policy) -> list[Fault]:
    faults = []
    for name, rule in policy.missing.items():
        if rule == "zero":
            faults.append(not_zero_fault(name))
        elif rule == "error" and len(rows := np.flatnonzero(table.words(name).missing)):
            faults.append(table.fault(name, rows, "missing", FILL_HINT))
    return faults


def too_wide_fault(name: str) -> Fault:
    what = f"the values of {name!r} lie further apart than 63 bits can tell"
    return Fault(what, "publish the column in larger units, for example thousands.")


def not_zero_fault(name: str) -> Fault:
    what = f'[missing] {name} = "zero": a permuted release publishes cells as they are'
    return Fault(what, 'say "value", "suppress" or "error".')


def leave_out_hint(name: str) -> str:
    return f'leave these records out: {toml_key(name)} = "suppress" in [missing].'


def _staying(table: Table, policy: Policy, columns: dict[str, Numbers]) -> Ints:
    """The input rows that no missing cell makes leave."""
    leaving = [name for name, rule in policy.missing.items() if rule == "suppress"]
    gaps = {name: columns[name] if name in columns else table.words(name) for name in leaving}
    return np.flatnonzero(kept_rows(table, policy, gaps))


def _with_rows(table: Table, rows: Ints) -> Table:
    return table if len(rows) == len(table) else Table(table.arrow.take(arrow_from_numpy(rows)))


def _ids(table: Table, rows: Ints) -> Ints | None:
    """The numbers of the rows that stay, where they are not 0, 1 and so on."""
    return None if len(rows) == len(table) else rows


def _grouped(choice: Choice, request: PartitionRequest, ids: Ints | None) -> Ints | None:
    """The group of every row, in which no draw depends on the rows that have left."""
    method = choice.method
    assert method.partition is not None  # noqa: S101 - it is one of those
    if ids is None or method.points is None:
        return method.partition(request)
    found = tally_values(request.values, ids, request.key)
    sides = value_groups(found, request.demand, method.points)
    return None if sides is None else assign_groups(request.values, ids, found, sides, request.key)


def _settled(
    groups: Ints, choice: Choice, demands: list[tuple[Ints, GroupDemand]], diversity: Diversity | None
) -> Ints | None:
    """Groups that keep every demand, not only the one they were formed for."""
    others = demands if choice.method.partition is None else demands[1:]
    return merge_groups(groups, others, diversity) if others or diversity else groups


def _failing(asked: list[KeAnonymity], demands: list[tuple[Ints, GroupDemand]]) -> Infeasible:
    """About the first guarantee that all records as one group do not keep."""
    for one, (values, demand) in zip(asked, demands, strict=True):
        if merge_groups(np.zeros(len(values), np.int64), [(values, demand)]) is None:
            return impossible_groups(one, len(np.unique(values)))
    raise ValueError("all records as one group keep every demand")


def partition_demand(asked: KeAnonymity, scale: int) -> GroupDemand:
    """In the column's own units; what no column can span is cut off."""
    e, gap = (min(ceil(width * 10**scale), WIDEST) for width in (asked.e, asked.gap or 0))
    return GroupDemand(asked.k, e, max(gap, 1))


def _by_quasi_values(policy: Policy, asked: list[KeAnonymity]) -> Policy:
    """The same policy for a method that forms classes: as many records, as many different values; nobody
    has to leave, since the classes are not what is published."""
    classic = [
        one.model_copy(update={"alone": one.alone or not policy.permutes_together})
        if isinstance(one, LDiversity)
        else one
        for one in policy.guarantees
        if not isinstance(one, KeAnonymity)
    ]
    diverse = [LDiversity(l=one.k, sensitive=one.sensitive, alone=True) for one in asked]
    k = max(one.k for one in asked)
    options = {name: value for name, value in policy.method.options.items() if name not in PERMUTE}
    method = policy.method.model_copy(update={"options": options, "suppression": 0.0})
    return policy.model_copy(update={"guarantees": (KAnonymity(k=k), *diverse, *classic), "method": method})


def _laid_out(
    table: Table,
    policy: Policy,
    key: Key,
    choice: Choice,
    rows: Ints,
    source_of: Callable[[int], Ints],
    groups: Ints | None = None,
) -> AnonymizedTable:
    """Exact columns in a drawn order, sensitive ones with the cells of ``source_of(stream)``, and the number
    of the group where there are groups."""
    positions = np.argsort(hash_rows(key, Purpose.SHUFFLE, len(table))[rows])
    own = arrow_from_numpy(rows[positions])
    columns: dict[str, pa.ChunkedArray | pa.Array] = {}
    for name in (name for name in table.names if policy.publishes(name)):
        source = own
        if policy.columns[name] == "sensitive":
            stream = 0 if policy.permutes_together else policy.having("sensitive").index(name)
            source = arrow_from_numpy(rows[source_of(stream)[positions]])
        columns[name] = take_rows(table.column(name), source)
    if groups is not None:
        columns[GROUP] = arrow_from_numpy(groups[positions].astype(np.int32))
    class_of = np.arange(len(rows)) if groups is None else groups[positions]
    return AnonymizedTable(
        table=pa.Table.from_arrays(list(columns.values()), names=list(columns)),
        input_rows=rows[positions],
        class_of=class_of,
        classes=int(class_of.max()) + 1,
        suppressed=len(table) - len(rows),
        method=choice.method.name,
        why=choice.why,
        loss={"ncp": 0.0, "ncp_range": 0.0},
        exact_cells=1.0,
        paid={},
        fallen=0.0,
    )


def _errors(values: Ints, scale: int, groups: Ints) -> dict[str, float]:
    """Nothing is blurred; how wrong an answer may be grows with the ranges of the groups."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    sorted_values = values[order]
    spans = np.maximum.reduceat(sorted_values, starts) - np.minimum.reduceat(sorted_values, starts)
    return group_errors(int(spans.sum()), int(spans.max()), scale, len(groups), len(starts))


def group_errors(total: int, widest: int, scale: int, records: int, groups: int) -> dict[str, float]:
    """Given the sum of the groups' ranges and the widest of them."""
    unit = 10.0**-scale
    return {
        "sum_of_error": float(total) * unit,
        "max_of_error": float(widest) * unit,
        "average_class": records / groups,
    }


def permutation_notes(policy: Policy, records: int, formed: int, groups: int, largest: int) -> list[str]:
    """So many groups were ``formed``, so many are left, and the largest has so many records."""
    notes = []
    if 2 * largest > records:
        notes.append(
            f"the largest group has {largest:,} of {records:,} records, and questions about part of it "
            "get wide bounds: a smaller k or e may help, or groups by quasi values; `shoal compare` tries"
        )
    if merged := formed - groups:
        notes.append(f"{merged:,} of {formed:,} groups were merged with a neighbour to keep every guarantee")
    if len(policy.having("sensitive")) > 1:
        notes.append(
            "the sensitive values of a record were permuted together: they belong to one person of the "
            "group, and who knows one of them may find the others beside it"
            if policy.permutes_together
            else "every sensitive column was permuted on its own: sensitive values beside each other are "
            "those of different people, and what ties them is lost inside a group"
        )
    return notes


def impossible_groups(asked: KeAnonymity, different: int) -> Infeasible:
    """The column has so many different values."""
    hint = "ask for a smaller e" + (", a smaller gap" if asked.gap else "")
    if different < asked.k:
        hint = f"{asked.sensitive!r} has {different:,} different values: ask for a k of at most {different:,}"
    return Infeasible(
        f"the policy asks that {asked.sentence()}; even the whole table as one group fails",
        f"{hint}, or give it another role.",
    )
