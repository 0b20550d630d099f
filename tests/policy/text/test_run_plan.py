from shoal.policy.model.policy import Policy
from shoal.policy.text.run_plan import run_plan


def test_a_plan_tells_how_many_may_be_left_out() -> None:
    policy = Policy(
        columns={"name": "identifier", "age": "quasi", "zip": "quasi"},
        guarantees=[{"kind": "k-anonymity", "k": 5}],
        method={"name": "optimal", "suppression": 0.01},
    )
    told = run_plan(policy, 30_162)
    assert told[0] == "The method is optimal, as the policy says."
    assert told[1] == "At most 301 of 30,162 records may be left out (1 %)."
    assert told[2] == "Columns: 1 identifier (left out), 2 quasi (changed as far as the promises need it)."


def test_a_permutation_leaves_quasi_columns_as_they_are() -> None:
    asked = {"kind": "ke-anonymity", "k": 3, "e": 10, "sensitive": "pay"}
    policy = Policy(columns={"age": "quasi", "pay": "sensitive"}, guarantees=[asked])
    told = run_plan(policy, 100)[2]
    assert "1 quasi (published as they are)" in told
    assert "1 sensitive (exchanged inside groups of records)" in told


def test_each_sensitive_column_is_said_with_its_promises() -> None:
    asked = [
        {"kind": "k-anonymity", "k": 5},
        {"kind": "l-diversity", "l": 3, "sensitive": "ill"},
        {"kind": "t-closeness", "t": "0.2", "sensitive": "ill"},
    ]
    policy = Policy(columns={"age": "quasi", "ill": "sensitive", "cost": "sensitive"}, guarantees=asked)
    told = run_plan(policy, 100)
    assert "2 sensitive (published as they are)" in told[2]
    assert told[3] == (
        "Promises about sensitive columns: ill: l-diversity, t-closeness; cost: NO promise is about it."
    )


def test_some_promises_are_about_every_sensitive_column() -> None:
    asked = [{"kind": "k-anonymity", "k": 5}, {"kind": "p-sensitivity", "p": 2}]
    policy = Policy(columns={"age": "quasi", "cost": "sensitive"}, guarantees=asked)
    assert run_plan(policy, 100)[3] == "Promises about sensitive columns: cost: p-sensitivity."
