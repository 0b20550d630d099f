"""Sensitive values are permuted inside groups, and nothing else changes."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.anonymizer.registry import METHODS

PERMUTING = [row.name for row in METHODS if row.permutes and not row.baseline]
BY_CLASSES = [row.name for row in METHODS if {"k-anonymity", "ke-anonymity"} <= {*row.serves}]


def people(rows=60, seed=0):
    draw = np.random.default_rng(seed)
    return pa.table(
        {
            "name": [f"person {row}" for row in range(rows)],
            "age": draw.integers(20, 60, rows),
            "sex": draw.choice(["f", "m"], rows),
            "pay": draw.integers(0, 40, rows) * 250 - 2000,
            "illness": draw.choice(["flu", "cold", "gout"], rows),
        }
    )


def policy(method="auto", illness="identifier", more=(), missing=None, **asked):
    return shoal.Policy(
        columns={
            "name": "identifier",
            "age": "quasi",
            "sex": "quasi",
            "pay": "sensitive",
            "illness": illness,
        },
        rows="people",
        guarantees=[shoal.KeAnonymity(**{"k": 3, "e": 500, "sensitive": "pay"} | asked), *more],
        method={"name": method} if isinstance(method, str) else method,
        missing=missing or {},
    )


@pytest.mark.parametrize("method", [*PERMUTING, *BY_CLASSES])
def test_exact_columns_stay_and_groups_keep_their_people_s_values(method):
    table = people()
    release = shoal.anonymize(table, policy(method), seed=1)
    published, rows = release.result.table, release.result.input_rows
    assert published.column_names == ["age", "sex", "pay", "shoal_group"]
    for name in ("age", "sex"):
        assert published[name].to_pylist() == table[name].take(rows).to_pylist()
    groups = np.array(published["shoal_group"])
    for group in set(groups.tolist()):
        own = np.array(table["pay"])[rows[groups == group]]
        assert Counter(np.array(published["pay"])[groups == group].tolist()) == Counter(own.tolist())
        assert len(set(own.tolist())) >= 3
        assert np.ptp(own) >= 500
    assert all(verdict.holds for verdict in release.verdicts)


def test_two_runs_permute_differently():
    table = people()
    first, second = (shoal.anonymize(table, policy()).result for _ in range(2))
    by_row = [np.array(made.table["pay"])[np.argsort(made.input_rows)] for made in (first, second)]
    assert not np.array_equal(*by_row)
    assert sorted(by_row[0].tolist()) == sorted(by_row[1].tolist())


def test_a_fixed_point_is_as_likely_as_any_other_place():
    """A person keeps the own value with probability 1 / size of the group; never keeping it would tell."""
    table = pa.table({"age": [1, 2, 3], "pay": [10, 20, 30]})
    asked = shoal.Policy(
        columns={"age": "quasi", "pay": "sensitive"},
        guarantees=[shoal.KeAnonymity(k=3, e=1, sensitive="pay")],
    )
    kept = []
    for seed in range(300):
        made = shoal.anonymize(table, asked, seed=seed).result
        kept.append(10 in {pay for age, pay in zip(*map(pa.ChunkedArray.to_pylist, made.table.columns[:2]),
                                                   strict=True) if age == 1})  # fmt: skip
    assert 70 < sum(kept) < 130


def test_columns_are_permuted_together_or_each_on_its_own():
    table = people(200)
    table = table.append_column("bonus", pa.array(np.array(table["pay"]) * 2))
    ties = []
    for way in ("together", "separately"):
        asked = shoal.Policy(
            columns=dict.fromkeys(["name", "illness"], "identifier")
            | dict.fromkeys(["age", "sex"], "quasi")
            | dict.fromkeys(["pay", "bonus"], "sensitive"),
            rows="people",
            guarantees=[shoal.KeAnonymity(k=5, e=500, sensitive="pay")],
            method={"options": {"permute": way}},
        )
        made = shoal.anonymize(table, asked, seed=5).result
        ties.append((np.array(made.table["bonus"]) == 2 * np.array(made.table["pay"])).mean())
        assert any("on its own" in note or "together" in note for note in made.notes)
    assert ties[0] == 1
    assert ties[1] < 0.5


def test_several_columns_all_get_their_k_and_e():
    table = people(200).append_column("bonus", pa.array(np.random.default_rng(3).integers(0, 9, 200)))
    asked = shoal.Policy(
        columns=dict.fromkeys(["name", "illness"], "identifier")
        | dict.fromkeys(["age", "sex"], "quasi")
        | dict.fromkeys(["pay", "bonus"], "sensitive"),
        rows="people",
        guarantees=[
            shoal.KeAnonymity(k=3, e=500, sensitive="pay"),
            shoal.KeAnonymity(k=6, e=7, sensitive="bonus"),
        ],
    )
    release = shoal.anonymize(table, asked, seed=5)
    assert [verdict.achieved["k"] for verdict in release.verdicts[:2]] >= [3, 6]
    assert all(verdict.holds for verdict in release.verdicts)
    assert "merged" in release.result.notes[0]


def test_records_without_a_value_leave_when_the_policy_says_so():
    table = people()
    pays = [None if row < 5 else pay for row, pay in enumerate(table["pay"].to_pylist())]
    table = table.set_column(3, "pay", pa.array(pays))
    with pytest.raises(shoal.ShoalError, match="column 'pay' has 5 of 60 cells that are missing") as refused:
        shoal.anonymize(table, policy())
    assert 'pay = "suppress"' in str(refused.value)
    for method in ("min-sum", "mondrian"):
        asked = policy({"name": method, "suppression": 0.1}, missing={"pay": "suppress"})
        release = shoal.anonymize(table, asked, seed=1)
        assert release.result.suppressed == 5
        assert all(verdict.holds for verdict in release.verdicts)


def test_the_impossible_is_refused_with_what_is_possible():
    table = people()
    table = table.set_column(3, "pay", pa.array([5, 7] * 30))
    with pytest.raises(shoal.Infeasible, match="has 2 different values: ask for a k of at most 2"):
        shoal.anonymize(table, policy(e=0))
    with pytest.raises(shoal.Infeasible, match="ask for a smaller e"):
        shoal.anonymize(table, policy(k=2, e=3))


def test_the_guarantee_that_fails_is_the_one_named():
    more = [shoal.KeAnonymity(k=2, e=1000, sensitive="illness")]
    table = people().set_column(4, "illness", pa.array(range(0, 120, 2)))
    with pytest.raises(shoal.Infeasible, match="values of illness that span at least 1000;"):
        shoal.anonymize(table, policy(illness="sensitive", more=more))


@pytest.mark.parametrize("method", [*PERMUTING, "mondrian"])
@pytest.mark.parametrize("asked", [{"e": 10**30}, {"gap": 10**30}], ids=str)
def test_what_no_column_can_span_is_refused(method, asked):
    with pytest.raises(shoal.Infeasible, match="even the whole table as one group fails"):
        shoal.anonymize(people(), policy(method, **asked))


@pytest.mark.parametrize("method", [*PERMUTING, "mondrian", "rank-swap"])
def test_values_further_apart_than_can_be_told_are_a_fault(method):
    table = people().set_column(3, "pay", pa.array([9 * 10**18, -9 * 10**18, *range(58)]))
    with pytest.raises(shoal.ShoalError, match="the values of 'pay' lie further apart than 63 bits can tell"):
        shoal.anonymize(table, policy(method))


@pytest.mark.parametrize("cells", [[5, 3, 8, 2], ["c", "a", "b", "d"], ["2020-01-05", "2019-01-01"] * 2])
def test_a_copy_of_a_permuted_column_is_a_fault_however_few_its_values(cells):
    different = len(set(cells))
    table = pa.table(
        {"age": range(8), "pay": [4, 0, 6, 2, 7, 1, 5, 3], "copied": cells * 2, "copy": cells * 2}
    )
    asked = shoal.Policy(
        columns={"age": "quasi", "pay": "sensitive", "copied": "sensitive", "copy": "other"},
        guarantees=[shoal.KeAnonymity(k=2, e=1, sensitive="pay")],
    )
    if different == 2:  # may agree by accident
        assert shoal.anonymize(table, asked).verdicts[0].holds
        return
    with pytest.raises(
        shoal.ShoalError,
        match="column 'copy' is published as it is and fills 4 of 4 hidden cells of 'copied'",
    ):
        shoal.anonymize(table, asked)


def test_an_exact_column_that_tells_the_permuted_one_is_a_fault():
    table = people()
    taxes = pa.array(np.array(table["pay"]) * 3 // 10)
    table = table.set_column(4, "illness", taxes)
    with pytest.raises(
        shoal.ShoalError, match=r"column 'illness' is published as it is and \w+.* 'pay'"
    ) as refused:
        shoal.anonymize(table, policy(illness="other"))
    assert "sensitive" in str(refused.value)


@pytest.mark.parametrize(
    "write", [lambda pay: f"CHF {pay}", lambda pay: "".join(chr(ord(sign) + 50) for sign in str(pay))]
)
def test_words_that_tell_the_permuted_column_are_a_fault_too(write):
    table = pa.concat_tables([people(), people()])
    words = pa.array([write(pay) for pay in table["pay"].to_pylist()])
    table = table.set_column(4, "illness", words)
    with pytest.raises(shoal.ShoalError, match=r"column 'illness' is published as it is and \w+.* 'pay'"):
        shoal.anonymize(table, policy(illness="other"))


def test_one_slip_in_many_rows_makes_a_dependency_no_less_telling():
    rows = 10_000
    pay = np.arange(rows) % 50 * 100
    told = pay // 100
    told[-1] = 0
    table = pa.table({"age": told, "pay": pay})
    asked = shoal.Policy(
        columns={"age": "quasi", "pay": "sensitive"},
        guarantees=[shoal.KeAnonymity(k=2, e=100, sensitive="pay")],
    )
    for given, filled in ((table, "9,999 of 10,000"), (table.slice(0, rows - 1), "9,999 of 9,999")):
        with pytest.raises(shoal.ShoalError, match=f"fills {filled} hidden cells of 'pay'"):
            shoal.anonymize(given, asked)


def test_rank_swap_keeps_no_promise_and_is_never_written(tmp_path):
    release = shoal.anonymize(people(), policy("rank-swap"), seed=1)
    assert sorted(release.result.table["pay"].to_pylist()) == sorted(people()["pay"].to_pylist())
    assert not release.verdicts[0].holds
    with pytest.raises(shoal.Infeasible, match="Nothing was written"):
        release.write(tmp_path / "release")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"kind": "k-anonymity", "k": 2}, "blurs quasi values"),
        ({"kind": "kf-anonymity", "k": 2, "knows": ["age"]}, "blurs quasi values"),
        ({"kind": "alpha-k-anonymity", "k": 2, "alpha": 0.5}, "blurs quasi values"),
        ({"kind": "ke-anonymity", "k": 2, "e": 0, "sensitive": "age"}, "whose role is not sensitive"),
        ({"kind": "ke-anonymity", "k": 2, "e": -1, "sensitive": "pay"}, "greater than or equal to 0"),
        ({"kind": "ke-anonymity", "k": 1, "e": 0, "sensitive": "pay"}, "greater than or equal to 2"),
    ],
)
def test_what_a_policy_cannot_ask_for(more, fault):
    with pytest.raises(shoal.ShoalError, match=fault):
        policy(more=[more])


def test_a_column_of_the_name_for_groups_is_refused():
    with pytest.raises(shoal.ShoalError, match="'shoal_group' is the name"):
        shoal.Policy(
            columns={"shoal_group": "quasi", "pay": "sensitive"},
            guarantees=[shoal.KeAnonymity(k=2, e=0, sensitive="pay")],
        )


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ({"age": "quasi", "Age": "other"}, "'age' and 'Age' differ in capitals only"),
        ({"pay": "sensitive", "PAY": "quasi"}, "'pay' and 'PAY' differ in capitals only"),
        ({"age": "quasi", "Shoal_Group": "quasi"}, "'Shoal_Group' and 'shoal_group' differ in capitals only"),
        ({"": "quasi"}, "a column has no name"),
    ],
)
def test_names_that_a_database_cannot_tell_apart_are_refused(columns, fault):
    asked = [shoal.KeAnonymity(k=2, e=1, sensitive="pay")]
    with pytest.raises(shoal.ShoalError, match=fault):
        shoal.Policy(columns={"pay": "sensitive", "sex": "quasi"} | columns, guarantees=asked)


def test_words_cannot_lie_apart():
    with pytest.raises(shoal.ShoalError, match="column 'pay' has 60 of 60 cells"):
        shoal.anonymize(people().set_column(3, "pay", people()["sex"]), policy())


def test_an_unknown_way_to_permute_is_refused():
    with pytest.raises(shoal.ShoalError, match='must be "separately" or "together"'):
        shoal.anonymize(people(), policy({"name": "min-sum", "options": {"permute": "often"}}))


def test_a_column_that_goes_with_the_permuted_one_is_named_in_a_note():
    table = people(400)
    near = np.array(table["pay"]) + np.random.default_rng(2).integers(-300, 300, 400)
    release = shoal.anonymize(table.set_column(4, "illness", pa.array(near)), policy(illness="other", e=2000))
    assert [(leak.columns, leak.protected, leak.fills) for leak in release.result.leaks] == [
        (("illness",), "pay", False)
    ]
    assert any("'illness'" in note and "'pay'" in note for note in release.result.notes)
    assert shoal.anonymize(table, policy()).result.leaks == ()


def test_a_group_of_nearly_everybody_is_named_in_a_note():
    table = people(100).set_column(3, "pay", pa.array([0] * 90 + [1000 * row for row in range(10)]))
    assert any("the largest group has" in note for note in shoal.anonymize(table, policy()).result.notes)


def test_groups_that_are_not_proved_to_be_the_narrowest_are_said_to_be_so(monkeypatch):
    table = pa.table({"age": range(60), "pay": [(at * at) % 97 for at in range(60)]})
    asked = {"kind": "ke-anonymity", "k": 3, "e": 5, "gap": 2, "sensitive": "pay"}
    policy = shoal.Policy(
        columns={"age": "quasi", "pay": "sensitive"}, guarantees=[asked], method={"name": "min-max-exact"}
    )
    assert not any("not proved" in note for note in shoal.anonymize(table, policy, seed=1).result.notes)
    monkeypatch.setattr("shoal.methods.permutation.min_max_gap.MOST_PAIRS", 1)
    release = shoal.anonymize(table, policy, seed=1)
    assert any("not proved" in note for note in release.result.notes)
    assert all(verdict.holds for verdict in release.verdicts)
