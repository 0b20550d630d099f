"""A drafted policy is a policy, whatever the columns are called."""

import tomllib

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.policy.draft.draft import DraftRequest, draft
from shoal.policy.draft.draft_policy import draft_policy
from shoal.policy.model.guarantee import KAnonymity, KfAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.profile.profile import ColumnProfile, Profile, profile
from shoal.table.table import Table
from tests.draws import draws

ROLES = ["identifier", "quasi", "sensitive", "other"]
odd_names = st.text(
    st.one_of(
        st.sampled_from(" .\"'`=#[]{}\\,;:+-*/^()$%äÖß😀漢\t\x7f\u200b"),
        st.characters(exclude_categories=["Cs"]),
    ),
    min_size=1,
    max_size=12,
).filter(lambda name: not set(name) & set("\n\r"))


def loaded(found: Profile) -> Policy:
    return Policy(**tomllib.loads(draft_policy(found, "data.csv")))


def column(name, guess, missing=0, additive=False):
    return ColumnProfile(name, "integer", missing, 90, 80, guess, "many values", additive)


@draws(200)
@given(st.lists(odd_names, min_size=1, max_size=5, unique=True), st.data())
@example(["sum", "net pay", 'a "b"', "x.y", "=1+1", "größe", "💰"], None)
def test_roles_and_columns_of_a_draft_are_those_of_the_profile(names, data):
    roles = [data.draw(st.sampled_from(ROLES)) if data else "quasi" for _ in names]
    roles[0] = "quasi"
    columns = [column(name, role) for name, role in zip(names, roles, strict=True)]
    policy = loaded(Profile(100, tuple(columns)))
    assert policy.columns == dict(zip(names, roles, strict=True))
    assert policy.guarantees == (KAnonymity(k=10),)


@draws(200)
@given(st.lists(odd_names, min_size=1, max_size=5, unique=True))
@example(["sum", "net pay", 'a "b"', "x.y", "=1+1", "größe", "💰", "`"])
def test_a_total_of_any_columns_can_be_read_again(names):
    policy = loaded(Profile(100, tuple(column(name, "quasi", additive=True) for name in names)))
    (guarantee,) = policy.guarantees
    assert isinstance(guarantee, KfAnonymity)
    assert guarantee.columns == tuple(names)


def test_columns_with_missing_cells_get_a_rule():
    policy = loaded(Profile(50, (column("a b", "quasi", missing=3), column("c", "other", missing=5))))
    assert policy.missing == {"a b": "suppress"}  # a missing age is no newborn
    assert policy.method.suppression == 0.06


@pytest.mark.parametrize(("rows", "k"), [(100, 10), (10, 10), (7, 7), (2, 2), (1, 2)])
def test_a_draft_asks_for_no_more_records_than_there_are(rows, k):
    assert loaded(Profile(rows, (column("a", "quasi"),))).guarantees[0].k == k


def test_a_draft_says_that_every_role_is_a_guess():
    text = draft_policy(Profile(9, (column("a", "quasi"), column("b", "other"))), "tax.csv")
    assert "Every role below is a GUESS" in text
    assert text.count("# guess, low: many values") == 2
    assert "tax.csv" in text


def test_a_draft_without_a_quasi_column_says_what_to_do():
    assert "make one quasi" in draft_policy(Profile(9, (column("a", "other"),)), "t.csv")


def test_a_table_is_drafted_through_its_profile():
    rows = range(40)
    amounts = {"salary": [1_000 + row for row in rows], "other pay": [row * row for row in rows]}
    policy = loaded(profile(Table(pa.table({"name": [f"n{row}" for row in rows]} | amounts))))
    assert policy.columns == {"name": "identifier", "salary": "quasi", "other pay": "quasi"}
    assert policy.guarantees == (KfAnonymity(k=10, knows=['salary + "other pay"']),)


@pytest.mark.parametrize("names", ["REGION MARSTAT WEIGHT INCOME", "age year zip wage", "x1 x2 x3 x4"])
def test_nobody_is_said_to_know_a_meaningless_sum(names):
    cells = {name: [(7 * row + at) % 50 for row in range(60)] for at, name in enumerate(names.split())}
    policy = Policy.parse(draft(DraftRequest(Table(pa.table(cells)), "data.csv")).text)
    assert "kf-anonymity" not in [asked.kind for asked in policy.guarantees]


def test_nobody_is_said_to_know_the_sum_of_an_age_and_a_postcode():
    cells = {"Ηλικία": [20 + row % 50 for row in range(60)], "Τ.Κ.": [10_000 + row for row in range(60)]}
    policy = loaded(profile(Table(pa.table(cells))))
    assert [asked.kind for asked in policy.guarantees] == ["k-anonymity"]
