"""Policies with other parameters, and whether they still promise what was written."""

from decimal import Decimal
from typing import Any

import pytest

from shoal.comparison.strictness import promises_no_less
from shoal.comparison.vary import (
    combinations,
    name_faults,
    number_of_combinations,
    parameters_of,
    policy_with_parameters,
    value_faults,
)
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy

COLUMNS = {"pay": "quasi", "gains": "quasi", "ill": "sensitive", "debt": "sensitive"}
RECURSIVE = {"kind": "l-diversity", "variant": "recursive", "l": 3, "c": 4.0, "sensitive": "ill"}


def policy(*guarantees: dict[str, Any], **method: Any) -> Policy:
    return Policy(columns=COLUMNS, guarantees=guarantees, method=method)


def test_a_field_changes_in_every_guarantee_that_has_it() -> None:
    both = policy(
        {"kind": "k-anonymity", "k": 5},
        {"kind": "alpha-k-anonymity", "alpha": "0.5", "k": 3},
        {"kind": "l-diversity", "l": 2, "sensitive": "ill"},
    )
    other = policy_with_parameters(both, {"k": 7, "alpha": 0.4})
    assert [getattr(asked, "k", None) for asked in other.guarantees] == [7, 7, None]
    assert other.guarantees[1].alpha == Decimal("0.4")
    assert other.guarantees[2] == both.guarantees[2]
    assert policy_with_parameters(both, {}) is both


def test_suppression_objective_and_options_change_the_method() -> None:
    given = policy({"kind": "k-anonymity", "k": 5}, name="mdav", options={"standardize": "sample"})
    asked = {"suppression": 0.02, "objective": "ncp_range", "options.rule": "one-group"}
    method = policy_with_parameters(given, asked).method
    assert (method.suppression, method.objective) == (0.02, "ncp_range")
    assert method.options == {"standardize": "sample", "rule": "one-group"}


def test_one_word_for_a_list_is_a_list() -> None:
    given = policy({"kind": "kf-anonymity", "k": 2, "knows": ["pay + gains"]})
    assert policy_with_parameters(given, {"knows": "pay - gains"}).guarantees[0].knows == ("pay - gains",)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [({"k": "five"}, "k: input should be"), ({"within": 2}, "within"), ({"knows": "wages"}, "'wages'")],
)
def test_what_makes_no_sound_policy_is_refused(parameters: dict[str, Any], says: str) -> None:
    given = policy({"kind": "kf-anonymity", "k": 2, "knows": ["pay + gains"]})
    with pytest.raises(ShoalError, match=says):
        policy_with_parameters(given, parameters)


def test_every_value_meets_every_other_where_the_policy_has_the_parameter() -> None:
    given = policy({"kind": "k-anonymity", "k": 5}, RECURSIVE, name="vmdav")
    vary = {"k": [2, 3], "t": [0.1, 0.2], "c": [1, 2, 3], "options.gamma": [0.5], "options.rule": ["x"]}
    made = list(combinations(given, vary))
    assert len(made) == number_of_combinations(given, vary) == 6
    assert made[0] == {"k": 2, "c": 1, "options.gamma": 0.5}
    assert list(combinations(given, {"t": [0.1]})) == [{}]


def test_what_can_be_varied_depends_on_guarantees_and_method() -> None:
    distinct = policy({"kind": "l-diversity", "l": 2, "sensitive": "ill"}, name="mdav")
    assert "c" not in parameters_of(distinct)
    assert "c" in parameters_of(policy(RECURSIVE))
    assert "options.rule" in parameters_of(distinct)
    assert "options.permute" in parameters_of(
        policy({"kind": "ke-anonymity", "k": 2, "e": 1, "sensitive": "debt"}, name="mondrian")
    )
    assert parameters_of(policy({"kind": "k-anonymity", "k": 2}, name="nothing")) == [
        "k", "stars", "suppression", "objective"
    ]  # fmt: skip


def test_unknown_names_come_with_a_hint() -> None:
    given = [policy({"kind": "k-anonymity", "k": 5}, name="mdav")]
    hints = {name: name_faults(given, {name: [1]})[0].hint for name in ("supression", "rule", "options.rul")}
    assert hints == {
        "supression": "this comparison has 'suppression'.",
        "rule": "it is an option of the method: write options.rule.",
        "options.rul": "this comparison has 'options.rule'.",
    }
    assert name_faults(given, {"k": [2], "suppression": [0.1]}) == []


def test_values_that_no_policy_could_have() -> None:
    said = [fault.what for fault in value_faults({"k": [1, 2, 0], "l": []})]
    assert said == [
        "'l' is to be varied, but has no values",
        "k = 1 protects nobody",
        "k = 0 protects nobody",
    ]


KF = {"kind": "kf-anonymity", "k": 4, "knows": ["pay + gains"]}
KE = {"kind": "ke-anonymity", "k": 3, "e": 100, "sensitive": "debt"}
KPQR = {"kind": "kpqr-anonymity", "k": 3, "p": 2, "q": "0.2", "r": "0.5", "sensitive": "debt"}


@pytest.mark.parametrize(
    ("written", "name", "less", "more"),
    [
        (KF, "k", 3, 5),
        (KF | {"within": "0.05"}, "within", 0.1, 0.01),
        (KF | {"within": "0.05"}, "within", 0.06, None),
        (KF | {"within": "0.05", "band": "any"}, "band", "centred", "any"),
        (KF, "within", 0.01, None),
        (KF, "knows", "pay - gains", "pay + gains"),
        (RECURSIVE, "l", 2, 4),
        (RECURSIVE, "c", 5, 3),
        (RECURSIVE, "alone", True, False),
        (RECURSIVE, "sensitive", "debt", "ill"),
        (RECURSIVE | {"variant": "npd-recursive", "c2": 5.0, "protected": ["flu"]}, "c2", 4, 6),
        ({"kind": "k-anonymity", "k": 4}, "stars", "any", "own"),
        ({"kind": "t-closeness", "t": "0.2", "sensitive": "ill"}, "t", 0.3, 0.1),
        ({"kind": "alpha-k-anonymity", "alpha": "0.5", "k": 3}, "alpha", 0.6, 0.4),
        ({"kind": "p-sensitivity", "p": 2}, "p", 1, 3),
        (KE, "e", 99, 101),
        (KE | {"gap": 5}, "gap", None, 6),
        (KPQR, "q", 0.1, 0.3),
        (KPQR, "r", 0.4, 0.6),
        (KPQR, "p", 1, 3),
    ],
)
def test_every_field_knows_which_way_promises_more(
    written: dict[str, Any], name: str, less: Any, more: Any
) -> None:
    given = policy(written)
    assert promises_no_less(given, given)
    assert not promises_no_less(policy_with_parameters(given, {name: less}), given)
    assert promises_no_less(policy_with_parameters(given, {name: more}), given)


def test_another_set_of_guarantees_is_another_promise() -> None:
    one, two = policy(RECURSIVE), policy({"kind": "k-anonymity", "k": 2})
    assert not promises_no_less(one, two)
    assert not promises_no_less(policy(RECURSIVE, {"kind": "k-anonymity", "k": 2}), one)
