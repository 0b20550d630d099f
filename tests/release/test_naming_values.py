"""Published values that name people are refused at every door, unless the policy allows their column."""

import tempfile
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.decision.decision import decide
from shoal.decision.evidence import evidence_of_run
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.policy.text.policy_text import policy_text
from shoal.release.large_release import release_large

ROWS = 40
TABLE = pa.table(
    {
        "age": [30 + row % 4 for row in range(ROWS)],
        "remark": ["none"] * (ROWS - 2) + ["ann@example.org", "write to bob@example.org"],
        "who": [f"{given} {name}" for given in ("Anna", "Peter") for name in ("Schmidt", "Wagner")] * 10,
    }
)
ROLES = {"age": "quasi", "remark": "other", "who": "drop"}
ASKED = {"guarantees": [{"kind": "k-anonymity", "k": 3}], "method": {"name": "mondrian"}}
POLICY = shoal.Policy(columns=ROLES, **ASKED)
ALLOWED = shoal.Policy(columns=ROLES, publish={"allow": ["remark"]}, **ASKED)
SAID = "column 'remark' is published, and 2 cells look like e-mail address"


def on_disk(policy, folder):
    engine = DiskEngine(1 << 30, Path(tempfile.gettempdir()), RowProgress(), 10)
    return release_large(engine, TABLE, policy, folder / "release", seed=1)


def test_a_column_that_names_people_is_refused_in_memory_and_on_disk(tmp_path):
    for make in (lambda: shoal.anonymize(TABLE, POLICY), lambda: on_disk(POLICY, tmp_path)):
        with pytest.raises(shoal.ShoalError, match=SAID) as refused:
            make()
        assert refused.value.exit_code == 2
        assert "example.org" not in str(refused.value)
        assert 'allow = ["remark"] in [publish]' in refused.value.faults[0].hint
    assert not list(tmp_path.iterdir())


def test_a_column_that_is_allowed_is_published_and_said_so(tmp_path):
    stored = on_disk(ALLOWED, tmp_path)
    release = shoal.anonymize(TABLE, ALLOWED)
    for made in (release, stored):
        assert f"names: {SAID} (allowed by the policy)" in made.result.notes
        assert any("allows remark to be published" in limit for limit in made.limits)
    decision = decide(evidence_of_run(release, release.verdicts))
    assert decision.level == "watch"
    assert any("cells look like e-mail address" in reason.text for reason in decision.reasons)


def test_check_has_a_verdict_on_it():
    found = {verdict.kind: verdict for verdict in shoal.check(TABLE.drop_columns(["who"]), POLICY)}
    assert not found["naming-values"].holds
    assert found["naming-values"].sentence == f"Published values look as if they named people: {SAID}."
    allowed = {verdict.kind: verdict for verdict in shoal.check(TABLE.drop_columns(["who"]), ALLOWED)}
    assert allowed["naming-values"].holds


def test_sets_of_names_in_a_quasi_column_are_refused():
    roles = {"age": "quasi", "remark": "drop", "who": "quasi"}
    with pytest.raises(
        shoal.ShoalError, match=r"'who' is published, and .* cells look like name of a person"
    ):
        shoal.anonymize(TABLE, shoal.Policy(columns=roles, **ASKED))


def test_allowed_columns_survive_writing_the_policy_and_must_exist():
    assert shoal.Policy.parse(policy_text(ALLOWED)) == ALLOWED
    with pytest.raises(shoal.ShoalError, match=r"\[publish\] allow"):
        shoal.Policy(columns=ROLES, publish={"allow": ["remarks"]}, **ASKED)
