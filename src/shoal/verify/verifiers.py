"""One row for each guarantee: whose classes it is about, what is measured of a part in which these classes
lie whole, and the verdict on what all parts tell together. A table in memory is one part.

What a row hands over is small, can be pickled and is joined in any order. What has to be seen side by side
meets in one place: a record of every class, if quasi cells are hidden; the ends of F of all records, if it is
known up to a share.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from shoal.policy.model.guarantee import (
    AlphaKAnonymity,
    Guarantee,
    KAnonymity,
    KeAnonymity,
    KfAnonymity,
    KpqrAnonymity,
    LDiversity,
    PSensitivity,
    TCloseness,
)
from shoal.policy.model.policy import Policy
from shoal.verify.attackers import Attacker, attackers
from shoal.verify.cells.cell_counts import CellCounts
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.guarantees.alpha_k_anonymity import measure_alpha_k_anonymity, verdict_alpha_k_anonymity
from shoal.verify.guarantees.k_anonymity import hidden_quasi, measure_k_anonymity, verdict_k_anonymity
from shoal.verify.guarantees.ke_anonymity import measure_ke_anonymity, verdict_ke_anonymity
from shoal.verify.guarantees.kf_anonymity import measure_kf_anonymity, verdict_kf_anonymity
from shoal.verify.guarantees.kpqr_anonymity import measure_kpqr_anonymity, verdict_kpqr_anonymity
from shoal.verify.guarantees.l_diversity import measure_l_diversity, needs_values, verdict_l_diversity
from shoal.verify.guarantees.p_sensitivity import (
    columns_needing_values,
    measure_p_sensitivity,
    verdict_p_sensitivity,
)
from shoal.verify.guarantees.t_closeness import measure_t_closeness, verdict_t_closeness
from shoal.verify.verdict import Verdict

ALIKE = KAnonymity(k=2)  # whatever its k, it is the same person


@dataclass(frozen=True)
class WholeTableStatistics:
    """What is asked of the whole table: all values of some columns, and whether quasi cells are hidden."""

    values: Mapping[str, CellCounts]
    hidden: bool

    def joined(self, other: "WholeTableStatistics") -> "WholeTableStatistics":
        values = {name: found.joined(other.values[name]) for name, found in self.values.items()}
        return WholeTableStatistics(values, self.hidden or other.hidden)


@dataclass(frozen=True)
class Verifier:
    """How a guarantee is verified: whose classes lie whole in a part, the columns of which all values have to
    be known, what is measured of a part, the verdict, and whether it takes to know that quasi cells are
    hidden anywhere."""

    kind: type[Any]
    attackers: Callable[[Any, Policy], list[Attacker]]
    values: Callable[[Any, Policy], list[str]]
    measure: Callable[[PublishedTable, Any, Policy, Attacker, WholeTableStatistics], Any]
    verdict: Callable[[Any, Policy, Any], Verdict]
    hidden: bool = False


def _by_quasi_cells(_asked: Any, _policy: Policy) -> list[Attacker]:
    return [ALIKE]


def _own(asked: Any, _policy: Policy) -> list[Attacker]:
    return [asked]


def _all(_asked: Any, policy: Policy) -> list[Attacker]:
    return attackers(policy)


def _none(_asked: Any, _policy: Policy) -> list[str]:
    return []


def _columns(asked: Any, _policy: Policy) -> list[str]:
    return list(asked.columns)


VERIFIERS: tuple[Verifier, ...] = (
    Verifier(
        KAnonymity,
        _by_quasi_cells,
        _none,
        lambda part, asked, policy, one, whole: measure_k_anonymity(part, asked, policy, one, whole.hidden),
        verdict_k_anonymity,
        hidden=True,
    ),
    Verifier(
        KfAnonymity,
        _own,
        _none,
        lambda part, asked, policy, _one, _whole: measure_kf_anonymity(part, asked, policy),
        verdict_kf_anonymity,
    ),
    Verifier(
        LDiversity,
        _all,
        lambda asked, policy: list(asked.columns) if needs_values(asked, policy) else [],
        lambda part, asked, policy, one, whole: measure_l_diversity(part, asked, policy, one, whole.values),
        verdict_l_diversity,
    ),
    Verifier(
        PSensitivity,
        _all,
        columns_needing_values,
        lambda part, asked, policy, one, whole: measure_p_sensitivity(part, asked, policy, one, whole.values),
        verdict_p_sensitivity,
    ),
    Verifier(
        AlphaKAnonymity,
        _by_quasi_cells,
        _none,
        lambda part, asked, policy, one, whole: measure_alpha_k_anonymity(
            part, asked, policy, one, whole.hidden
        ),
        verdict_alpha_k_anonymity,
        hidden=True,
    ),
    Verifier(
        TCloseness,
        _all,
        _columns,
        lambda part, asked, policy, one, whole: measure_t_closeness(part, asked, policy, one, whole.values),
        verdict_t_closeness,
    ),
    Verifier(
        KeAnonymity,
        _own,
        _none,
        lambda part, asked, _policy, _one, _whole: measure_ke_anonymity(part, asked),
        verdict_ke_anonymity,
    ),
    Verifier(
        KpqrAnonymity,
        _by_quasi_cells,
        _columns,
        lambda part, asked, policy, one, whole: measure_kpqr_anonymity(
            part, asked, policy, one, whole.values
        ),
        verdict_kpqr_anonymity,
    ),
)

Measures = Mapping[int, Any]  # figures by the place of their guarantee


def part_attackers(policy: Policy) -> list[Attacker]:
    """Attackers whose classes have to lie whole in parts, each on its own."""
    found = [one for asked in policy.guarantees for one in _row(asked).attackers(asked, policy)]
    return list(dict.fromkeys(found))


def whole_table_statistics(
    published: PublishedTable, guarantees: Iterable[Guarantee], policy: Policy
) -> WholeTableStatistics:
    """What a batch adds to what these guarantees have to know of the whole table."""
    rows = [(asked, _row(asked)) for asked in guarantees]
    names = [name for asked, row in rows for name in row.values(asked, policy)]
    values = {name: CellCounts.of(published, name) for name in dict.fromkeys(names)}
    return WholeTableStatistics(
        values, any(row.hidden for _, row in rows) and hidden_quasi(published, policy)
    )


def measure_part(
    published: PublishedTable, policy: Policy, attacker: Attacker, whole: WholeTableStatistics
) -> Measures:
    """Every guarantee that is about the classes of this attacker, in one part."""
    return {
        place: _row(asked).measure(published, asked, policy, attacker, whole)
        for place, asked in enumerate(policy.guarantees)
        if attacker in _row(asked).attackers(asked, policy)
    }


def join_measures(one: Measures, two: Measures) -> Measures:
    """The joined measures of two parts, or of two attackers."""
    both = dict(one)
    for place, figures in two.items():
        both[place] = both[place].joined(figures) if place in both else figures
    return both


def verdicts_from_measures(policy: Policy, found: Measures) -> list[Verdict]:
    """A verdict on each guarantee of a policy, in its order, from what was measured for it."""
    return [_row(asked).verdict(asked, policy, found[place]) for place, asked in enumerate(policy.guarantees)]


def verify_guarantee(published: PublishedTable, asked: Guarantee, policy: Policy) -> Verdict:
    """The verdict on one guarantee, of a table in one part."""
    row, whole = _row(asked), whole_table_statistics(published, [asked], policy)
    found = [row.measure(published, asked, policy, one, whole) for one in row.attackers(asked, policy)]
    return row.verdict(asked, policy, reduce(lambda one, other: one.joined(other), found))


def _row(asked: Any) -> Verifier:
    return next(row for row in VERIFIERS if row.kind is type(asked))
