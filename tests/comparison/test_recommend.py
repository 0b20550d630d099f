"""Which row to take: by the rule, whatever the figures, and never one that promises less than was written."""

from math import nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.comparison.compare import ComparisonFigures, ComparisonResult
from shoal.comparison.recommend import Recommendation, families, frontier, pareto_optimal, recommend
from shoal.errors import Infeasible
from shoal.policy.model.policy import Policy
from tests.draws import draws

POLICY = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 4}])
OTHER = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 9}])
SMALL = st.sampled_from([0.0, 0.125, 0.25, 0.5])


def row(
    loss: float,
    risk: float,
    method: str = "mondrian",
    policy: str = "p",
    as_written: bool = True,
    holds: bool = True,
    seconds: float = 1.0,
    **figures: Any,
) -> ComparisonResult:
    found = ComparisonFigures(
        loss, loss, 0.5, 9, figures.pop("suppressed", 0), 4, holds, seconds, risk=risk, largest_risk=risk,
        **figures,
    )  # fmt: skip
    return ComparisonResult(policy, method, 4, found, as_written=as_written)


REFUSED = ComparisonResult("p", "optimal", 4, refused=Infeasible("no release"))


def chosen(*rows: ComparisonResult) -> Recommendation:
    (one,) = recommend(rows, {"p": POLICY})
    return one


@given(st.lists(st.tuples(SMALL, SMALL), max_size=9))
@draws(200)
def test_the_frontier_is_what_no_other_point_beats(points: list[tuple[float, float]]) -> None:
    def beats(one: tuple[float, float], two: tuple[float, float]) -> bool:
        return one != two and one[0] <= two[0] and one[1] <= two[1]

    assert pareto_optimal(points) == [not any(beats(other, point) for other in points) for point in points]


def test_rows_that_do_not_hold_neither_stand_on_the_frontier_nor_beat_others() -> None:
    rows = [row(0.1, 0.1, holds=False), row(0.2, 0.2), REFUSED, row(0.3, 0.2), row(0.2, 0.2)]
    assert frontier(rows) == [False, True, False, False, True]


def test_losses_that_differ_only_by_the_order_of_a_sum_are_equal() -> None:
    assert frontier([row(0.1 + 0.2, 0.2), row(0.3, 0.2)]) == [True, True]


def test_permuted_rows_have_a_frontier_of_their_own() -> None:
    rows = [row(0.4, 0.4), row(0.0, 0.3, arbitrary_error=0.2), row(0.0, 0.2, arbitrary_error=0.2)]
    assert frontier(rows) == [True, False, True]
    assert [(one.loss, one.places) for one in families(rows)] == [("ncp", (0,)), ("arbitrary_error", (1, 2))]


def test_class_means_are_measured_by_their_own_loss_only_among_themselves() -> None:
    means = [row(0.3, 0.3, sse_sst=2.0), row(0.2, 0.3, sse_sst=3.0)]
    assert [(one.loss, one.loss_name) for one in families(means)] == [("sse_sst", "100 SSE / SST")]
    assert frontier(means) == [True, False]
    assert [one.loss for one in families([*means, row(0.1, 0.9)])] == ["ncp"]
    assert frontier([*means, row(0.1, 0.9)]) == [False, True, True]


def test_class_means_that_leave_out_more_do_not_seem_better() -> None:
    rows = [row(0.2, 0.3, sse_sst=2.0), row(0.3, 0.3, sse_sst=1.0, suppressed=9)]
    assert [one.loss for one in families(rows)] == ["ncp"]
    assert chosen(*rows).place == 0


def test_an_error_that_does_not_exist_is_left_out() -> None:
    rows = [row(0.0, 0.1, arbitrary_error=nan), row(0.0, 0.2, arbitrary_error=0.3)]
    assert frontier(rows) == [False, True]
    assert chosen(*rows).place == 1
    assert families(rows[:1]) == []


ROWS = st.builds(
    row,
    loss=SMALL,
    risk=SMALL,
    seconds=st.sampled_from([1.0, 2.0]),
    holds=st.booleans(),
    as_written=st.booleans(),
)


@given(st.lists(ROWS, max_size=7))
@draws(300)
def test_the_choice_is_the_least_loss_then_risk_then_time_of_what_was_promised(
    rows: list[ComparisonResult],
) -> None:
    one = chosen(*rows)
    able = [at for at, row in enumerate(rows) if row.holds and row.as_written]
    if not able:
        assert (one.place, one.step) == (None, None)
        return
    assert one.place in able
    best = rows[one.place].figures
    key = (best.ncp, best.risk, best.seconds)
    assert all(key <= (made.ncp, made.risk, made.seconds) for made in (rows[at].figures for at in able))
    halves = [rows[at].figures for at in able if best.risk and 2 * rows[at].figures.risk <= best.risk]
    if not halves:
        assert one.step is None
    else:
        assert rows[one.step].figures.ncp == min(made.ncp for made in halves)


def test_the_reason_says_what_it_costs_to_halve_the_risk() -> None:
    one = chosen(row(0.02, 0.2, suppressed=3), row(0.05, 0.1, "cluster"), row(0.07, 0.01), REFUSED)
    assert one.reason == (
        "It loses least of the 3 that hold everything the policy promises as it is written (NCP 0.02; 3 "
        "records are left out); an attacker as stated finds the right record with a chance of 0.2 on "
        "average, 0.2 at most. The cheapest step that halves the chance on average is cluster, k = 4: 0.1, "
        "0.1 at most, for NCP 0.05, 2.50 times as much."
    )
    assert one.as_dict() == {"policies": ["p"], "row": 0, "step": 1, "reason": one.reason}


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([row(0.02, 0.2)], "It is the only one that holds everything"),
        ([row(0.02, 0.2)], "Nothing that was tried halves the chance on average."),
        ([row(0.0, 0.2), row(0.1, 0.1)], "0.1, 0.1 at most, for NCP 0.1."),
        ([row(0.0, 0.2, arbitrary_error=0.5)], "finds the right value with a chance of 0.2"),
        ([REFUSED, REFUSED], "Nothing that was tried holds"),
        ([row(0.1, 0.1, holds=False)], "Nothing that was tried holds"),
        ([row(0.1, 0.1, as_written=False)], "promises less than the policy as it is written"),
        ([], "Nothing that was tried holds"),
    ],
)
def test_every_case_has_its_sentence(rows: list[ComparisonResult], says: str) -> None:
    assert says in chosen(*rows).reason


def test_a_risk_of_nothing_needs_no_step() -> None:
    assert chosen(row(0.1, 0.0), row(0.2, 0.0)).reason.endswith("0 at most.")


def test_policies_are_weighed_only_against_those_that_promise_the_same() -> None:
    alike = POLICY.model_copy(update={"method": POLICY.method.model_copy(update={"name": "cluster"})})
    rows = [row(0.3, 0.2), row(0.2, 0.2, policy="same"), row(0.1, 0.2, policy="other")]
    found = recommend(rows, {"p": POLICY, "same": alike, "other": OTHER})
    assert [(one.policies, one.place) for one in found] == [(("p", "same"), 1), (("other",), 2)]
