"""Policies, methods and k side by side: every figure is the one a release of its own has."""

from dataclasses import asdict

import numpy as np
import pyarrow as pa
import pytest

from shoal.anonymizer.choose import choose
from shoal.anonymizer.registry import METHODS
from shoal.comparison.compare import ComparisonResult, compare
from shoal.demo.tax_table import tax_table
from shoal.errors import Infeasible, ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.release import anonymize_in_memory

SEED = 5
TABLE = tax_table(300).select(["salary", "pension"])
KF = {"kind": "kf-anonymity", "k": 4, "knows": ["salary + pension"]}


def policy(*guarantees: dict[str, object], **method: object) -> Policy:
    columns = {"salary": "quasi", "pension": "quasi"}
    return Policy(columns=columns, guarantees=guarantees or (KF,), method=method)


def names(rows: list[ComparisonResult]) -> list[tuple[str, str, int]]:
    return [(row.policy, row.method, row.k) for row in rows]


@pytest.mark.parametrize("k", [2, 7])
@pytest.mark.parametrize("method", ["residual", "aggranon", "mondrian"])
def test_the_figures_are_those_of_the_release(method: str, k: int) -> None:
    (row,) = compare(TABLE, {"p": policy()}, [k], [method], seed=SEED)
    release = anonymize_in_memory(TABLE, policy(KF | {"k": k}, name=method), seed=SEED)
    assert row.figures is not None
    assert (row.figures.ncp, row.figures.ncp_range) == (release.loss["ncp"], release.loss["ncp_range"])
    assert row.figures.classes == release.result.classes
    assert row.figures.exact_cells == release.result.exact_cells
    assert row.figures.candidates == release.verdicts[0].achieved["k"] >= k
    assert row.figures.seconds > 0
    assert row.holds


def test_a_single_auto_policy_is_tried_with_every_method_that_serves_it() -> None:
    serving = [row.name for row in METHODS if "kf-anonymity" in row.serves]
    assert names(compare(TABLE, {"p": policy()})) == [("p", name, 4) for name in serving]
    alike = compare(TABLE, {"p": policy({"kind": "k-anonymity", "k": 3})})
    serving = [row for row in METHODS if "k-anonymity" in row.serves and row.made_for is None]
    # Means are compared where they are asked for.
    able = [row.name for row in serving if row.family != "means"]
    assert names(alike) == [("p", name, 3) for name in able]


def test_otherwise_every_policy_keeps_its_method_and_k() -> None:
    policies = {"a": policy(), "b": policy(KF | {"k": 6}, name="residual")}
    chosen = choose(policies["a"]).method.name
    assert names(compare(TABLE, policies)) == [("a", chosen, 4), ("b", "residual", 6)]
    assert names(compare(TABLE, {"b": policies["b"]})) == [("b", "residual", 6)]


def test_every_policy_meets_every_method_and_every_k() -> None:
    policies = {"a": policy(), "b": policy(name="residual", options={"subsets": 3})}
    rows = compare(TABLE, policies, [2, 5], ["aggranon", "residual"])
    pairs = [("aggranon", 2), ("aggranon", 5), ("residual", 2), ("residual", 5)]
    assert names(rows) == [(name, *pair) for name in "ab" for pair in pairs]
    assert all(row.holds for row in rows)  # the option of residual did not follow to aggranon


def test_the_k_of_every_guarantee_is_replaced() -> None:
    both = policy(KF, {"kind": "k-anonymity", "k": 9}, name="mondrian")
    (own,) = compare(TABLE, {"p": both}, seed=SEED)
    (asked,) = compare(TABLE, {"p": both}, [3], seed=SEED)
    assert own.figures is not None
    assert asked.figures is not None
    assert (own.k, asked.k) == (9, 3)
    assert own.figures.candidates is not None
    assert own.figures.candidates >= 9
    assert asked.figures.classes > own.figures.classes


def test_any_parameter_can_be_varied_and_rows_say_which() -> None:
    suppress = policy({"kind": "k-anonymity", "k": 3}, name="mondrian")
    vary = {"k": [2, 3], "suppression": [0, 0.02], "options.relaxed": [True]}
    rows = compare(TABLE, {"p": suppress}, seed=SEED, vary=vary)
    assert [row.parameters for row in rows] == [
        {"k": k, "suppression": share, "options.relaxed": True} for k in (2, 3) for share in (0, 0.02)
    ]
    assert [row.as_written for row in rows] == [False, False, True, True]
    assert rows[1].label == "mondrian, k = 2, suppression = 0.02, options.relaxed = True"
    own = anonymize_in_memory(
        TABLE,
        policy({"kind": "k-anonymity", "k": 2}, name="mondrian", suppression=0.02, options={"relaxed": True}),
        seed=SEED,
    )
    assert rows[1].figures is not None
    assert rows[1].figures.ncp == own.loss["ncp"]
    assert rows[1].as_dict()["parameters"] == rows[1].parameters


def test_values_that_make_no_policy_are_rows_that_say_so() -> None:
    rows = compare(TABLE, {"p": policy()}, methods=["aggranon"], vary={"within": [2, 0.1]})
    assert [row.holds for row in rows] == [False, True]
    assert "within" in str(rows[0].refused)
    assert not rows[0].as_written


def test_parameters_that_a_policy_lacks_leave_it_alone() -> None:
    policies = {"sum": policy(name="aggranon"), "cells": policy({"kind": "k-anonymity", "k": 3})}
    rows = compare(TABLE, policies, vary={"within": [0.01, 0.1]})
    assert [(row.policy, dict(row.parameters)) for row in rows] == [
        ("sum", {"within": 0.01}), ("sum", {"within": 0.1}), ("cells", {})
    ]  # fmt: skip


def test_too_many_runs_are_refused_with_their_number() -> None:
    with pytest.raises(ShoalError, match=r"make 20,000 runs, and at most 200"):
        compare(
            "nowhere.csv", {"p": policy()}, range(2, 102), ["aggranon"], vary={"suppression": [0.0] * 200}
        )


def test_loss_grows_with_k() -> None:
    rows = compare(TABLE, {"p": policy()}, [2, 5, 20, 80], ["residual"], seed=SEED)
    losses = [row.figures.ncp for row in rows if row.figures]
    assert len(losses) == 4
    assert losses == sorted(losses)


def test_what_cannot_be_made_is_a_row_while_the_others_run() -> None:
    made, refused = compare(TABLE, {"p": policy()}, [4, 301], ["aggranon"])
    assert made.holds
    assert refused.figures is None
    assert not refused.holds
    assert not refused.infeasible
    assert "k = 301, but the table has only 300 rows" in str(refused.refused)


def test_infeasible_is_told_from_bad_input() -> None:
    missing = pa.table({"salary": [1, 2, None, 3, 4], "pension": [5, 6, 7, 8, 9]})
    suppress = policy(KF | {"k": 2}).model_copy(update={"missing": {"salary": "suppress"}})
    (row,) = compare(missing, {"p": suppress}, methods=["aggranon"])
    assert isinstance(row.refused, Infeasible)
    assert row.infeasible


def test_a_method_that_cannot_serve_is_a_row_that_says_so() -> None:
    rows = compare(TABLE, {"p": policy({"kind": "k-anonymity", "k": 2})}, methods=["residual", "mondrian"])
    assert [row.holds for row in rows] == [False, True]
    assert "'residual' cannot give k-anonymity" in str(rows[0].refused)


def test_faults_of_the_question_are_all_said_before_any_work() -> None:
    with pytest.raises(ShoalError) as error:
        compare("nowhere.csv", {"p": policy()}, [1, 2], ["aggranom"])
    assert [fault.what for fault in error.value.faults] == [
        "k = 1 protects nobody",
        "there is no method 'aggranom'",
    ]
    assert error.value.faults[1].hint == "shoal has 'aggranon'."


def test_a_row_as_plain_values() -> None:
    made, refused = (row.as_dict() for row in compare(TABLE, {"p": policy()}, [4, 301], ["aggranon"]))
    assert list(made) == list(refused)
    assert (made["faults"], made["infeasible"]) == ([], False)
    assert refused["ncp"] is refused["holds"] is refused["candidates"] is None
    assert [set(fault) for fault in refused["faults"]] == [{"what", "hint"}]


def test_every_run_is_announced_with_its_number() -> None:
    said: list[str] = []
    compare(TABLE, {"a": policy(), "b": policy()}, [2, 3], ["aggranon"], on_step=said.append)
    assert said[1:] == [
        "a, aggranon, k = 2 (1 of 4)",
        "a, aggranon, k = 3 (2 of 4)",
        "b, aggranon, k = 2 (3 of 4)",
        "b, aggranon, k = 3 (4 of 4)",
    ]


def test_a_row_holds_figures_and_no_cell() -> None:
    large = pa.table({"salary": [7_300_000 + 37 * row for row in range(40)], "pension": [0] * 40})
    (row,) = compare(large, {"p": policy()}, methods=["aggranon"])
    assert row.figures is not None
    assert all(abs(value) < 1_000 for value in asdict(row.figures).values() if value is not None)


def permuted(method: str = "auto") -> Policy:
    return Policy(
        columns={"age": "quasi", "sex": "quasi", "pay": "sensitive"},
        guarantees=[{"kind": "ke-anonymity", "k": 3, "e": 200, "sensitive": "pay"}],
        method={"name": method},
    )


def earners() -> pa.Table:
    draw = np.random.default_rng(1)
    pay = draw.integers(10, 60, 300) * 100
    return pa.table({"age": draw.integers(20, 60, 300), "sex": draw.choice(["f", "m"], 300), "pay": pay})


def test_permuted_releases_are_measured_by_the_queries_they_answer() -> None:
    rows = {row.method: row for row in compare(earners(), {"pay": permuted()}, seed=1)}
    assert {"min-sum", "min-max", "min-max-exact", "max-groups", "random", "rank-swap", "mondrian"} <= {*rows}
    made = {name: row.figures for name, row in rows.items()}
    assert min(row.sum_of_error for row in made.values() if row.sum_of_error is not None) == pytest.approx(
        made["min-sum"].sum_of_error
    )
    for error in ("arbitrary_error", "range_error"):
        assert getattr(made["min-sum"], error) < 0.5 * getattr(made["random"], error)
    assert not made["rank-swap"].holds
    assert made["rank-swap"].sum_of_error is None
    assert made["rank-swap"].arbitrary_error > 0
    assert all(figures.holds for name, figures in made.items() if name != "rank-swap")


def test_releases_that_blur_have_no_errors_of_queries() -> None:
    policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    (row,) = compare(pa.table({"age": [1, 2, 3, 4]}), {"ages": policy}, methods=["mondrian"])
    assert row.as_dict()["sum_of_error"] is None
    assert row.as_dict()["range_error"] is None
