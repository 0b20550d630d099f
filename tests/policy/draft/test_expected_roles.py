"""Drafts for 40 real tables beside the roles that were written down before any draft was seen."""

from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest

from shoal.comparison.draft_trial import tried_draft
from shoal.policy.draft.draft import DraftRequest
from shoal.policy.model.guarantee import KfAnonymity
from shoal.policy.model.policy import Policy
from shoal.release.release import anonymize_in_memory
from shoal.table.read import read_table
from tests.policy.draft.expected_roles import TABLES
from tests.policy.draft.real_tables import MissingPackage, load

NUMBERED = [
    pytest.param(at, id=f"{one.package}-{one.table}".replace("/", "-")) for at, one in enumerate(TABLES)
]
HELD_OUT, OTHERS = 0.82, 0.88  # shares of columns with a right role, as measured


def rows_of(at: int) -> pa.Table:
    try:
        frame = load(TABLES[at].package, TABLES[at].table)
    except MissingPackage as error:
        pytest.skip(str(error))
    return pa.Table.from_pandas(frame, preserve_index=False)


@cache
def policy_of(at: int) -> Policy:
    """The policy that `shoal init` proposes."""
    return Policy.parse(tried_draft(DraftRequest(read_table(rows_of(at)), "table.csv")).text)


@pytest.mark.slow
@pytest.mark.parametrize(("held_out", "share"), [(True, HELD_OUT), (False, OTHERS)])
def test_roles_are_right_in_most_columns(held_out: bool, share: float) -> None:
    places = [at for at, one in enumerate(TABLES) if one.held_out == held_out]
    right = [
        policy_of(at).columns[name] in roles for at in places for name, roles in TABLES[at].columns.items()
    ]
    assert sum(right) / len(right) >= share


@pytest.mark.slow
@pytest.mark.parametrize("at", NUMBERED)
def test_nothing_is_promised_about_a_meaningless_sum(at: int) -> None:
    asked = [one for one in policy_of(at).guarantees if isinstance(one, KfAnonymity)]
    assert {frozenset(one.columns) for one in asked} <= {frozenset(names) for names in TABLES[at].sums}


@pytest.mark.slow
@pytest.mark.parametrize("at", NUMBERED)
def test_what_a_draft_says_a_run_accepts(at: int, tmp_path: Path) -> None:
    verdicts = anonymize_in_memory(rows_of(at), policy_of(at)).write(tmp_path / "release")
    assert all(verdict.holds for verdict in verdicts)
