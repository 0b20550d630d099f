"""Which method makes a release, and what a policy may not ask of it."""

from decimal import Decimal

import pytest

from shoal.anonymizer.choose import choose, method_faults
from shoal.anonymizer.registry import METHODS
from shoal.policy.model.guarantee import KAnonymity, KfAnonymity, KpqrAnonymity
from shoal.policy.model.policy import Policy

KF = KfAnonymity(k=2, knows=["a"])
K = KAnonymity(k=2)
BY_NAME = {row.name: row for row in METHODS}


def policy(*guarantees, **method):
    return Policy(columns={"a": "quasi"}, guarantees=guarantees, method=method)


def faults(*guarantees, **method):
    return [(fault.what, fault.hint) for fault in method_faults(policy(*guarantees, **method))]


@pytest.mark.parametrize("guarantees", [[K], [KF], [KF, KF], [K, KF], [K, K]])
def test_auto_picks_a_method_that_gives_all_guarantees_and_says_why(guarantees):
    choice = choose(policy(*guarantees))
    assert {guarantee.kind for guarantee in guarantees} <= set(choice.method.serves)
    assert method_faults(policy(*guarantees)) == []
    assert len(choice.why) > 20


def test_auto_does_not_open_what_one_aggregate_leaves_closed():
    assert choose(policy(KF)).method.name != "mondrian"


@pytest.mark.parametrize("name", BY_NAME)
def test_a_named_method_is_taken(name):
    kind = BY_NAME[name].serves[0]
    choice = choose(policy(K if kind == "k-anonymity" else KF, name=name))
    assert (choice.method.name, choice.why) == (name, "the policy names it")


def test_an_unknown_method_is_a_fault_that_names_the_nearest():
    assert faults(K, name="mondrain") == [
        ("[method] name: there is no method 'mondrain'", "shoal has 'mondrian'.")
    ]


def test_a_method_that_cannot_give_a_guarantee_is_a_fault_that_names_those_that_can():
    ((what, hint),) = faults(K, name="aggranon")
    assert what == "method 'aggranon' cannot give k-anonymity"
    assert all(row.name in hint for row in METHODS if "k-anonymity" in row.serves)


def test_guarantees_that_no_method_gives_together_are_named_as_such():
    rare = KpqrAnonymity(k=2, p=2, q="0.5", r="0.5", sensitive="b")
    both = Policy(columns={"a": "quasi", "b": "sensitive"}, guarantees=[KF, rare])
    (fault,) = method_faults(both)
    assert fault.what == "method 'kpqr' cannot give kf-anonymity"
    assert fault.hint == "no method gives all of these guarantees together: leave one of them out."


def test_each_guarantee_out_of_reach_is_a_fault_of_its_own():
    assert len(faults(K, K, name="aggranon")) == 2


@pytest.mark.parametrize("name", ["aggranon", "aligned"])
@pytest.mark.parametrize(
    "guarantees",
    [[KF, KF], [KfAnonymity(k=2, knows=["a", "2 * a"])], [KfAnonymity(k=2, knows=["a"], also=["a"])]],
)
def test_a_method_for_one_aggregate_refuses_more_and_names_those_that_do_not(name, guarantees):
    ((what, hint),) = faults(*guarantees, name=name)
    assert what == f"method '{name}' protects from someone who knows one aggregate and nothing else"
    assert "residual" in hint
    assert faults(*guarantees, name="residual") == faults(*guarantees, name="mondrian") == []


def test_a_method_for_sums_refuses_other_aggregates():
    ((what, hint),) = faults(KfAnonymity(k=2, knows=["a ^ 2"]), name="aligned")
    assert what == "method 'aligned' needs a sum, a weighted sum or an average"
    assert "residual" in hint


def test_an_option_with_other_words_than_its_own_is_a_fault():
    ((what, _),) = faults(KF, name="aligned", options={"draw": "lots"})
    assert what == "option 'draw' of 'aligned' must be \"blind\" or \"eligible\""


def test_aligned_is_never_chosen_by_itself():
    assert all(choose(policy(*asked)).method.name != "aligned" for asked in ([K], [KF], [KF, KF], [K, KF]))


def test_an_unknown_option_is_a_fault_that_names_the_nearest():
    assert faults(K, name="mondrian", options={"relax": True}) == [
        ("method 'mondrian' has no option 'relax'", "mondrian has 'relaxed'.")
    ]


def test_an_option_of_a_method_without_options_is_to_be_left_out():
    assert faults(KF, name="aggranon", options={"relaxed": True}) == [
        ("method 'aggranon' has no option 'relaxed'", "leave it out, or name a method that has it: mondrian.")
    ]


def test_an_option_of_the_wrong_type_is_a_fault():
    ((what, _),) = faults(K, name="mondrian", options={"relaxed": "yes"})
    assert what == "option 'relaxed' of 'mondrian' must be true or false"


@pytest.mark.parametrize("seconds", [0, -1, True, "10", float("nan"), float("inf"), Decimal("nan"), 10**400])
def test_a_number_that_is_none_or_none_above_zero_is_a_fault(seconds):
    ((what, _),) = faults(K, name="refined", options={"time_limit": seconds})
    assert what == "option 'time_limit' of 'refined' must be a number above 0"


def test_options_are_checked_for_the_method_that_auto_picks():
    assert faults(K, options={"relaxed": True}) == []
    assert len(faults(K, options={"speed": 3, "relaxed": 1})) == 2


def test_a_sound_method_has_no_faults():
    assert faults(KF, name="aggranon") == []
    assert faults(K, KF, name="mondrian", options={"relaxed": True}) == []
