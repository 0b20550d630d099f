"""The chance of the stated attackers, against counting candidates one by one."""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from shoal.adversary.stated_risk import stated_risk
from shoal.policy.model.policy import Policy
from shoal.release.release import Release, anonymize_in_memory

SEED = 3
KF = {"kind": "kf-anonymity", "k": 3, "knows": ["pay + gains"]}


def earners(rows: int = 40, low: int = 0) -> pa.Table:
    """Ties, zeros and duplicates; negatives if low is below 0."""
    draw = np.random.default_rng(rows)
    return pa.table(
        {
            "pay": draw.integers(low, 12, rows) * 5,
            "gains": draw.choice([0, 0, 0, 1, 7], rows),
            "debt": draw.choice([0, 0, 10, 20, 25], rows),
        }
    )


def released(table: pa.Table, *guarantees: dict[str, Any], **method: Any) -> Release:
    columns = {"pay": "quasi", "gains": "quasi", "debt": "sensitive"}
    return anonymize_in_memory(
        table, Policy(columns=columns, guarantees=guarantees, method=method), seed=SEED
    )


def cells(release: Release, *names: str) -> list[tuple[tuple[int, int], ...]]:
    """Ranges as pairs, exact values as ranges of one."""

    def ends(cell: Any) -> tuple[int, int]:
        return (cell["lo"], cell["hi"]) if isinstance(cell, dict) else (cell, cell)

    return [tuple(ends(row[name]) for name in names) for row in release.table.to_pylist()]


def sums(release: Release) -> list[tuple[int, int]]:
    rows = cells(release, "pay", "gains")
    return [(pay[0] + gains[0], pay[1] + gains[1]) for pay, gains in rows]


def assert_risk(release: Release, candidates: list[float], people: int) -> None:
    risk = stated_risk(release)
    assert risk.mean == pytest.approx(sum(1 / count for count in candidates) / people)
    assert risk.largest == pytest.approx(1 / min(candidates))


@pytest.mark.parametrize("rows", [3, 40])  # n = k, too
def test_of_records_with_identical_cells(rows: int) -> None:
    release = released(earners(rows), {"kind": "k-anonymity", "k": 3}, name="mondrian")
    shown = cells(release, "pay", "gains")
    counts = Counter(shown)
    assert_risk(release, [counts[row] for row in shown], rows)
    assert stated_risk(release).mean == pytest.approx(len(counts) / rows)


@pytest.mark.parametrize("low", [0, -8])
def test_of_records_with_the_same_image(low: int) -> None:
    release = released(earners(40, low), KF, name="aggranon")
    shown = sums(release)
    counts = Counter(shown)
    assert_risk(release, [counts[row] for row in shown], 40)


@pytest.mark.parametrize("low", [0, -8])
@pytest.mark.parametrize("band", ["centred", "any"])
def test_of_records_that_meet_a_band(low: int, band: str) -> None:
    table = earners(60, low)
    release = released(table, KF | {"within": "0.2", "band": band}, name="aggranon")
    shown = sums(release)
    rows = table.to_pylist()
    truth = [rows[at]["pay"] + rows[at]["gains"] for at in release.result.input_rows]
    share = Fraction(1, 5) if band == "centred" else 0
    met = [
        sum(bottom <= v + share * abs(v) and top >= v - share * abs(v) for bottom, top in shown)
        for v in truth
    ]
    fewest = release.verdicts[0].achieved["k"]
    assert band == "any" or min(met) >= fewest
    assert_risk(release, [max(count, fewest) for count in met], 60)


def right_values(release: Release, table: pa.Table) -> list[float]:
    """For every published record: among the values of its group, the share of its own."""
    shown = release.table.to_pylist()
    groups = [row.get("shoal_group", at) for at, row in enumerate(shown)]
    own = [table["debt"][int(at)].as_py() for at in release.result.input_rows]
    return [
        sum(row["debt"] == value for row, other in zip(shown, groups, strict=True) if other == group)
        / groups.count(group)
        for value, group in zip(own, groups, strict=True)
    ]


@pytest.mark.parametrize("method", ["min-sum", "rank-swap"])
def test_of_the_right_value_in_a_group(method: str) -> None:
    table = earners(50)
    release = released(table, {"kind": "ke-anonymity", "k": 2, "e": 10, "sensitive": "debt"}, name=method)
    chances = right_values(release, table)
    risk = stated_risk(release)
    assert risk.mean == pytest.approx(sum(chances) / 50)
    assert risk.largest == pytest.approx(max(chances))
    assert 0 < risk.mean < 1


def test_decimals_that_leave_with_a_record_do_not_matter() -> None:
    table = pa.table({"age": [1, 2, 3, None, 5], "debt": [1.0, 2.0, 2.0, 3.5, 4.0]})
    policy = Policy(
        columns={"age": "quasi", "debt": "sensitive"},
        missing={"age": "suppress"},
        guarantees=[{"kind": "ke-anonymity", "k": 3, "e": 1, "sensitive": "debt"}],
        method={"name": "min-sum", "suppression": 0.2},
    )
    risk = stated_risk(anonymize_in_memory(table, policy, seed=SEED))
    assert risk.mean == pytest.approx((1 / 4 + 2 / 4 + 2 / 4 + 1 / 4) / 5)
    assert risk.largest == 0.5


def test_records_that_were_left_out_are_safe() -> None:
    table = pa.table({"age": [1, 1, 1, 2, 2, 9]})
    policy = Policy(
        columns={"age": "quasi"},
        hierarchies={"age": {"intervals": [20]}},
        guarantees=[{"kind": "k-anonymity", "k": 2}],
        method={"name": "optimal", "suppression": 0.2},
    )
    release = anonymize_in_memory(table, policy, seed=SEED)
    assert release.result.suppressed == 1
    risk = stated_risk(release)
    assert (risk.mean, risk.largest) == (pytest.approx(2 / 6), 0.5)


def test_of_several_attackers_the_worst_counts() -> None:
    both = released(earners(), KF, {"kind": "k-anonymity", "k": 3}, name="mondrian")
    shown = cells(both, "pay", "gains")
    counts, images = Counter(shown), Counter(sums(both))
    of_cells = sum(1 / counts[row] for row in shown) / 40
    of_sums = sum(1 / images[row] for row in sums(both)) / 40
    assert of_cells >= of_sums
    assert stated_risk(both).mean == pytest.approx(of_cells)
    assert stated_risk(both).largest == pytest.approx(1 / min(counts.values()))


def test_knowing_how_aligned_chooses_counts() -> None:
    release = released(earners(60), KF, name="aligned")
    achieved = release.verdicts[0].achieved
    risk = stated_risk(release)
    assert risk.largest >= achieved["posterior"]
    assert risk.mean >= achieved["posterior_mean"] - 1e-9


def test_missing_cells_are_values_of_their_own() -> None:
    table = pa.table({"place": ["a", "a", None, None, "b", "b", "b"]})
    policy = Policy(
        columns={"place": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}], method={"name": "mondrian"}
    )
    release = anonymize_in_memory(table, policy, seed=SEED)
    counts = Counter(str(cell) for cell in release.table["place"].to_pylist())
    assert stated_risk(release).mean == pytest.approx(len(counts) / 7)
