from shoal.policy.plan import plan
from shoal.policy.policy import Policy


def test_a_plan_tells_how_many_may_be_left_out() -> None:
    policy = Policy(
        columns={"name": "identifier", "age": "quasi", "zip": "quasi"},
        guarantees=[{"kind": "k-anonymity", "k": 5}],
        method={"name": "optimal", "suppression": 0.01},
    )
    told = plan(policy, 30_162)
    assert told[0] == "The method is optimal, as the policy says."
    assert told[1] == "At most 301 of 30,162 records may be left out (0.01 of them)."
    assert told[2] == "Columns: 1 identifier (left out), 2 quasi (changed as far as the promises need it)."


def test_a_permutation_leaves_quasi_columns_as_they_are() -> None:
    asked = {"kind": "ke-anonymity", "k": 3, "e": 10, "sensitive": "pay"}
    policy = Policy(columns={"age": "quasi", "pay": "sensitive"}, guarantees=[asked])
    told = plan(policy, 100)[2]
    assert "1 quasi (published as they are)" in told
    assert "1 sensitive (exchanged inside groups of records)" in told
