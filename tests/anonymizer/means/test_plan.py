"""Class means: what classes show, what they keep, and what is refused."""

from datetime import date
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.anonymizer.registry import METHODS
from shoal.policy.model.policy import CLASS_MEANS

FIRMS = pa.table(
    {
        "turnover": [10, 11, 12, 500, 510, 520, 900, 910, 923],
        "staff": [1, 2, 2, 40, 40, 41, 77, 78, 80],
        "debt": [1, 2, 3, 1, 2, 3, 1, 2, 3],
    }
)
ROLES = {"turnover": "quasi", "staff": "quasi", "debt": "sensitive"}


def made(table, columns=None, guarantees=({"kind": "k-anonymity", "k": 3},), name="mdav", **method):
    policy = shoal.Policy(
        columns=columns or dict.fromkeys(table.column_names, "quasi"),
        guarantees=list(guarantees),
        method={"name": name, **method},
    )
    release = shoal.anonymize(table, policy, seed=1)
    assert all(verdict.holds for verdict in release.verdicts)
    return release


def shown(release, name):
    """What each record shows, in the order of the original."""
    back = np.argsort(release.result.input_rows)
    return release.table[name].take(pa.array(back)).to_pylist()


def test_the_methods_of_class_means_are_those_that_the_policy_knows():
    assert tuple(row.name for row in METHODS if row.family == "means") == CLASS_MEANS


@pytest.mark.parametrize("name", CLASS_MEANS)
def test_classes_show_their_means(name):
    release = made(FIRMS, ROLES, name=name)
    assert shown(release, "turnover") == pytest.approx([11.0] * 3 + [510.0] * 3 + [911.0] * 3)
    assert shown(release, "staff")[:3] == pytest.approx([5 / 3] * 3)
    assert release.result.classes == 3
    assert release.table.schema.field("turnover").type == pa.float64()
    assert shown(release, "debt") == FIRMS["debt"].to_pylist()


@pytest.mark.parametrize("name", CLASS_MEANS)
def test_means_of_columns_are_those_of_the_original(name):
    rng = np.random.default_rng(5)
    table = pa.table({"a": rng.integers(-999, 10**6, 200), "b": rng.lognormal(3, 2, 200).round(2)})
    release = made(table, name=name, guarantees=[{"kind": "k-anonymity", "k": 4}])
    for column in table.column_names:
        before, after = (one[column].to_numpy() for one in (table, release.table))
        assert np.mean(after) == pytest.approx(np.mean(before), rel=1e-13)


def test_numbers_that_elsewhere_mean_missing_are_numbers_here():
    table = pa.table({"pay": [-999, -999, -999, 5, 6, 7]})
    assert shown(made(table), "pay") == [-999.0] * 3 + [6.0] * 3


def test_decimals_can_be_kept():
    table = pa.table(
        {"a": pa.array([1, 2, 2, 9, 9, 10], pa.int16()), "b": ["1.25", "1.50", "1.50", "8", "8", "9"]}
    )
    release = made(table, options={"keep_decimals": True})
    assert shown(release, "a") == [2, 2, 2, 9, 9, 9]
    assert release.table.schema.field("a").type == pa.int16()
    assert shown(release, "b") == [Decimal("1.42")] * 3 + [Decimal("8.33")] * 3


@pytest.mark.parametrize("rows", [9, 10, 11, 31, 60, 300])
def test_totals_can_be_kept_exactly(rows):
    rng = np.random.default_rng(rows)
    table = pa.table({"a": rng.integers(0, 50, rows), "b": rng.integers(-500, 500, rows) / 100})
    release = made(table, options={"totals": True})
    assert sum(shown(release, "a")) == sum(table["a"].to_pylist())
    cents = [round(value * 100) for value in shown(release, "b")]
    assert sum(cents) == sum(round(value * 100) for value in table["b"].to_pylist())


@pytest.mark.parametrize("k", [4, 5, 10])
def test_kept_totals_show_no_value_that_the_class_could_not_have(k):
    rng = np.random.default_rng(k)
    table = pa.table({"size": rng.lognormal(3, 1, 300).round(2), "owned": rng.integers(0, 6, 300)})
    release = made(table, guarantees=[{"kind": "k-anonymity", "k": k}], options={"totals": True})
    assert set(shown(release, "owned")) <= set(range(6))
    for column in table.column_names:
        before, after = (round(100 * sum(one[column].to_pylist())) for one in (table, release.table))
        assert before == after
    assert not release.notes


def test_totals_that_one_class_cannot_have_are_infeasible():
    table = pa.table({"a": [1, 1, 2], "b": [3, 3, 6]})
    with pytest.raises(shoal.Infeasible, match="cannot keep the total of 'a'"):
        made(table, options={"totals": True})
    release = made(table, options={"totals": ["b"]})
    assert shown(release, "b") == [4, 4, 4]
    assert shown(release, "a") == pytest.approx([4 / 3] * 3)


def test_dates_show_a_day():
    days = [date(2024, 1, day) for day in (1, 2, 4, 20, 20, 21)]
    for table in (pa.table({"since": days}), pa.table({"since": [str(day) for day in days]})):
        expected = [date(2024, 1, 2)] * 3 + [date(2024, 1, 20)] * 3
        assert [str(day) for day in shown(made(table), "since")] == [str(day) for day in expected]


def test_times_at_midnight_are_dates():
    days = [date(2024, 1, day) for day in (1, 2, 4, 20, 20, 21)]
    table = pa.table({"since": pa.array(days).cast(pa.timestamp("ns"))})
    assert shown(made(table), "since") == [date(2024, 1, 2)] * 3 + [date(2024, 1, 20)] * 3


def test_numbers_with_a_decimal_comma_are_no_words():
    with pytest.raises(shoal.ShoalError, match="decimal comma"):
        made(pa.table({"pay": ["1,5", "2,5", "3,25", "4"]}))


def test_words_that_nobody_shares_are_noted():
    release = made(pa.table({"town": list("abcdef"), "x": [1, 1, 1, 9, 9, 9]}))
    assert any("somebody's own" in note for note in release.notes)


def test_words_with_an_order_show_their_median():
    table = pa.table(
        {"size": ["small", "small", "large", "huge", "huge", "large", "huge"], "x": [1, 1, 1, 9, 9, 9, 9]}
    )
    release = made(table, options={"order": {"size": ["small", "large", "huge"]}})
    assert shown(release, "size") == ["small"] * 3 + ["huge"] * 4


def test_words_show_the_most_frequent_one():
    table = pa.table({"town": ["Ulm", "Ulm", "Kiel", None, "Bonn", None], "x": [1, 1, 1, 9, 9, 9]})
    assert shown(made(table), "town") == ["Ulm"] * 3 + [None] * 3


def test_words_lie_by_their_hierarchy():
    table = pa.table({"town": ["Ulm", "Lahr", "Kiel", "Husum"] * 2})
    columns = {"town": "quasi"}
    tree = {"south": ["Ulm", "Lahr"], "north": ["Kiel", "Husum"]}
    policy = shoal.Policy(
        columns=columns,
        guarantees=[{"kind": "k-anonymity", "k": 4}],
        hierarchies={"town": {"tree": tree}},
        method={"name": "mdav"},
    )
    release = shoal.anonymize(table, policy, seed=1)
    south = {row for row, town in enumerate(shown(release, "town")) if town in tree["south"]}
    assert south == {0, 1, 4, 5}


def test_blanks_around_a_word_of_a_hierarchy_make_no_other_one():
    """Together, the spellings of Ulm are most frequent."""
    table = pa.table({"town": ["Ulm", "Ulm ", "Kiel ", "Kiel", "Kiel", " Ulm", "Ulm"]})
    policy = shoal.Policy(
        columns={"town": "quasi"},
        guarantees=[{"kind": "k-anonymity", "k": 7}],
        hierarchies={"town": {"tree": {"south": ["Ulm"], "north": ["Kiel"]}}},
        method={"name": "mdav"},
    )
    release = shoal.anonymize(table, policy, seed=1)
    assert all(verdict.holds for verdict in release.verdicts)
    assert shown(release, "town") == ["Ulm"] * 7


def test_two_words_weigh_as_much_as_zero_and_one():
    rng = np.random.default_rng(3)
    numbers, ones = rng.normal(size=60), rng.integers(0, 2, 60)
    as_words = pa.table({"x": numbers, "y": ["yes" if one else "no" for one in ones]})
    as_numbers = pa.table({"x": numbers, "y": ones})
    losses = [made(table).loss["sse_sst"] for table in (as_words, as_numbers)]
    assert losses[0] == pytest.approx(losses[1])


@pytest.mark.parametrize("table", [
    pa.table({"a": [7] * 6}),
    pa.table({"a": [7] * 6, "b": [1, 2, 3, 4, 5, 6]}),
    pa.table({"a": [1, 1, 1, 2, 2]}),
    pa.table({"a": [1, 5, 9]}),
    pa.table({"a": [3, 3, 3, 3, 3, 3], "b": ["x"] * 6}),
])  # fmt: skip
@pytest.mark.parametrize("name", CLASS_MEANS)
def test_constant_columns_duplicates_and_few_rows_are_no_harm(table, name):
    release = made(table, name=name)
    assert np.bincount(release.result.class_of).min() >= 3


@pytest.mark.parametrize("rows", [14, 19, 29])
def test_a_column_that_is_the_same_everywhere_weighs_nothing(rows):
    numbers = pa.table({"x": [row**2 for row in range(rows)]})
    same = numbers.append_column("town", [["Ulm"] * rows]).append_column("id", [[2**62 + 1] * rows])
    assert made(same).loss["sse_sst"] == pytest.approx(made(numbers).loss["sse_sst"], rel=1e-12)
    assert made(same.drop_columns("x")).loss["sse_sst"] == 0


def test_numbers_that_only_differ_beyond_floats_still_differ():
    near = [2**62 + 1, 2**62 + 2, 2**62 + 3, 2**62 + 7, 2**62 + 8, 2**62 + 9]
    release = made(pa.table({"a": near}))
    assert shown(release, "a") == [2**62 + 2] * 3 + [2**62 + 8] * 3
    assert release.loss["sse_sst"] == pytest.approx(made(pa.table({"a": [1, 2, 3, 7, 8, 9]})).loss["sse_sst"])
    assert release.result.linkage() == (1.0, 1 / 3)
    assert release.result.exact_cells == 0


def test_the_largest_and_the_smallest_number_can_be_in_one_column():
    table = pa.table({"a": [-(2**63), -(2**63), 2**63 - 1, 2**63 - 1]})
    release = made(table, guarantees=[{"kind": "k-anonymity", "k": 2}])
    assert shown(release, "a") == table["a"].to_pylist()
    assert release.loss["sse_sst"] == 0


def test_classes_that_show_the_same_are_one_class_and_judged_as_one():
    """Two groups with the same mean, one of which has only frequent values."""
    table = pa.table({"a": [0, 10, 0, 10, 5, 5, 5, 5], "debt": [1, 1, 1, 1, 9, 1, 9, 1]})
    asked = {"kind": "kpqr-anonymity", "k": 2, "p": 2, "q": "0.3", "r": "0.9", "sensitive": "debt"}
    for name in ("kpqr", "kpqr-paper", "auto"):
        made(table, {"a": "quasi", "debt": "sensitive"}, [asked], name)


@pytest.mark.parametrize("name", ["auto", *CLASS_MEANS])
def test_classes_that_would_show_the_same_again_stay_merged(name):
    """Cut in two for the sake of the loss, they would show one word again and again."""
    table = pa.table({"town": ["b", "a", "b", "b", "b", "a"], "debt": [3, 0, 4, 1, 3, 3]})
    asked = {"kind": "kpqr-anonymity", "k": 2, "p": 1, "q": "0.3", "r": "0.9", "sensitive": "debt"}
    made(table, {"town": "quasi", "debt": "sensitive"}, [asked], name)


PAPER = {"kind": "kpqr-anonymity", "k": 4, "p": 3, "q": "0.15", "r": "0.5", "sensitive": "L"}


@pytest.mark.parametrize("name", ["auto", *CLASS_MEANS])
def test_the_case_on_which_the_printed_heuristic_fails_is_solved(name):
    table = pa.table({"x": list(range(8)), "L": [9, 9, 4, 9, 1, 1, 2, 1]})
    made(table, {"x": "quasi", "L": "sensitive"}, [PAPER], name)


def test_auto_publishes_the_better_of_both_and_says_what_the_other_would_lose():
    rng = np.random.default_rng(8)
    table = pa.table({"x": rng.normal(size=90).round(3), "L": rng.integers(1, 11, 90)})
    columns = {"x": "quasi", "L": "sensitive"}
    asked = {"kind": "kpqr-anonymity", "k": 4, "p": 3, "q": "0.2", "r": "0.5", "sensitive": "L"}
    best = made(table, columns, [asked], "auto")
    other = "kpqr" if best.result.method == "kpqr-paper" else "kpqr-paper"
    assert best.loss["sse_sst"] <= best.loss["sse_sst_other"]
    assert best.loss["sse_sst_other"] == pytest.approx(made(table, columns, [asked], other).loss["sse_sst"])
    assert other in best.result.why


@pytest.mark.parametrize("guarantee", [
    {"kind": "p-sensitivity", "p": 3},
    {"kind": "l-diversity", "l": 2, "variant": "entropy", "sensitive": "debt"},
    {"kind": "t-closeness", "t": "0.1", "sensitive": "debt", "distance": "ordered"},
    {"kind": "alpha-k-anonymity", "alpha": "0.6", "k": 3},
])  # fmt: skip
@pytest.mark.parametrize("name", CLASS_MEANS)
def test_groups_are_merged_until_every_guarantee_holds(guarantee, name):
    table = FIRMS.set_column(2, "debt", [[1, 1, 1, 2, 2, 2, 3, 3, 3]])
    release = made(table, ROLES, [{"kind": "k-anonymity", "k": 3}, guarantee], name)
    assert release.result.classes < 3


@pytest.mark.parametrize(("able", "columns"), [
    ("kpqr", {"a": [3, 1, 2, 6, 2, 2], "debt": [0, 0, 1, 2, 0, 0]}),
    ("kpqr-paper", {"a": [4, 1, 1, 4, 2, 6, 5, 6], "b": [1, 6, 3, 5, 0, 3, 4, 2],
                    "debt": [0, 2, 0, 2, 2, 1, 0, 1]}),
])  # fmt: skip
def test_auto_takes_the_one_that_can_keep_the_totals(able, columns):
    roles = {name: "sensitive" if name == "debt" else "quasi" for name in columns}
    asked = {"kind": "kpqr-anonymity", "k": 2, "p": 2, "q": "0.4", "r": "0.3", "sensitive": "debt"}
    release = made(pa.table(columns), roles, [asked], "auto", options={"totals": True})
    assert release.result.method == able
    assert "sse_sst_other" not in release.loss


@pytest.mark.parametrize("name", [*CLASS_MEANS, "cluster", "mondrian", "optimal"])
def test_values_that_may_be_known_need_no_others_however_many_are_asked_for(name):
    table = pa.table({"a": [1, 2, 3, 4], "ill": ["flu"] * 4})
    columns = {"a": "quasi", "ill": "sensitive"}
    asked = {"kind": "l-diversity", "variant": "pd-recursive", "l": 9, "c": 1, "allowed": ["flu"]}
    made(table, columns, [{"kind": "k-anonymity", "k": 2}, asked | {"sensitive": "ill"}], name)


@pytest.mark.parametrize(("asked", "hint"), [
    ({"p": 4}, "p of at most 3"),
    ({"r": "1.5"}, "r of at most 1"),
])  # fmt: skip
def test_what_not_even_the_whole_table_has_is_infeasible(asked, hint):
    guarantee = {"kind": "kpqr-anonymity", "k": 2, "p": 2, "q": 1, "r": 1, "sensitive": "debt"} | asked
    with pytest.raises(shoal.Infeasible, match="even the whole table") as refused:
        made(FIRMS, ROLES, [guarantee], "auto")
    assert hint in str(refused.value)


def test_missing_numbers_are_a_fault_and_can_count_as_zero_or_leave():
    table = pa.table({"a": [1, None, 2, 3, 4, 5, 6]})
    asked = {"columns": {"a": "quasi"}, "guarantees": [{"kind": "k-anonymity", "k": 3}]}
    with pytest.raises(shoal.ShoalError, match="missing"):
        shoal.anonymize(table, shoal.Policy(**asked, method={"name": "mdav"}))
    zero = shoal.anonymize(table, shoal.Policy(**asked, missing={"a": "zero"}, method={"name": "mdav"}))
    assert sum(zero.table["a"].to_pylist()) == pytest.approx(21)
    leaving = {"name": "mdav", "suppression": 0.2}
    fewer = shoal.anonymize(table, shoal.Policy(**asked, missing={"a": "suppress"}, method=leaving))
    assert fewer.result.suppressed == 1
    assert any("left out" in note for note in fewer.result.notes)


def test_missing_dates_cannot_count_as_zero():
    table = pa.table({"since": ["2024-01-01", None, "2024-01-02", "2024-01-09"]})
    policy = shoal.Policy(
        columns={"since": "quasi"},
        guarantees=[{"kind": "k-anonymity", "k": 2}],
        missing={"since": "zero"},
        method={"name": "mdav"},
    )
    with pytest.raises(shoal.ShoalError, match="holds dates"):
        shoal.anonymize(table, policy)


def test_it_is_said_where_everything_is_rare_or_in_one_class():
    asked = {"kind": "kpqr-anonymity", "k": 2, "p": 2, "q": 1, "r": 1, "sensitive": "debt"}
    notes = " ".join(made(FIRMS, ROLES, [asked], "kpqr").notes)
    assert "all values of 'debt' are rare" in notes
    same = [{"kind": "k-anonymity", "k": 3}, {"kind": "t-closeness", "t": 0, "sensitive": "debt"}]
    odd = FIRMS.set_column(2, "debt", [[1, 1, 1, 1, 1, 1, 1, 1, 2]])
    assert "all records are one class" in " ".join(made(odd, ROLES, same).notes)


def test_missing_secrets_are_a_value_of_words_and_a_fault_in_numbers():
    asked = {"kind": "kpqr-anonymity", "k": 2, "p": 2, "q": 1, "r": "0.1", "sensitive": "s"}
    roles = {"x": "quasi", "s": "sensitive"}
    made(pa.table({"x": [1, 2, 3, 4], "s": ["a", None, "a", None]}), roles, [asked], "auto")
    numbers = pa.table({"x": [1, 2, 3, 4], "s": [1, None, 2, 3]})
    with pytest.raises(shoal.ShoalError, match="missing"):
        made(numbers, roles, [asked], "auto")
    policy = shoal.Policy(
        columns=roles, guarantees=[asked], missing={"s": "suppress"}, method={"suppression": 0.5}
    )
    assert shoal.anonymize(numbers, policy).result.suppressed == 1


@pytest.mark.parametrize(("options", "fault"), [
    ({"rule": "three-groups"}, "two-groups"),
    ({"order": ["turnover"]}, "must be a table"),
    ({"order": {"debt": ["1"]}}, "no quasi column"),
    ({"order": {"turnover": "low"}}, "list of words"),
    ({"order": {"turnover": ["10", "10"]}}, "twice"),
    ({"order": {"turnover": ["10"]}}, "not in the order"),
    ({"totals": 1}, "list of quasi columns"),
    ({"totals": ["debt"]}, "no quasi column"),
    ({"keep_decimals": 1}, "true or false"),
])  # fmt: skip
def test_options_that_make_no_sense_are_faults(options, fault):
    with pytest.raises(shoal.ShoalError, match=fault):
        made(FIRMS, ROLES, options=options)


def test_a_column_of_too_many_words_is_refused(monkeypatch):
    monkeypatch.setattr("shoal.anonymizer.means.mean_columns.MOST_CELLS", 20)
    with pytest.raises(shoal.Infeasible, match="too many"):
        made(pa.table({"town": list("abcdef")}))


def test_answers_are_about_columns_as_they_are():
    release = made(FIRMS, ROLES)
    answer = release.query("select count(*), sum(debt) from data where debt > 1")
    assert [cell["lower"] for cell in answer.as_dict()["rows"][0].values()] == [6, 15]
    with pytest.raises(shoal.ShoalError, match="modes of classes"):
        release.query("select avg(turnover) from data")


def test_standardizing_by_the_sample_changes_no_loss():
    losses = [
        made(FIRMS, ROLES, options={"standardize": way}).loss["sse_sst"] for way in ("population", "sample")
    ]
    assert losses[0] == pytest.approx(losses[1])


def test_weights_make_a_column_count_more():
    rng = np.random.default_rng(2)
    table = pa.table({"a": rng.normal(size=60).round(3), "b": rng.normal(size=60).round(3)})
    heavy = made(table, weights={"a": 100.0}).result.paid
    assert heavy["a"] < made(table).result.paid["a"]
