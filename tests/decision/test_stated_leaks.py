"""A leak that is stated is a reason to think first; everybody is told of it without counts."""

import numpy as np
import pyarrow as pa

import shoal
from shoal.decision.decision import decide
from shoal.decision.evidence import evidence_of_run


def released(folder):
    random = np.random.default_rng(4)
    age = random.integers(18, 90, 400)
    table = pa.table({"age": age, "kids": random.integers(0, 4, 400), "again": age})
    policy = shoal.Policy(
        columns={"age": "quasi", "kids": "quasi", "again": "other"},
        guarantees=[{"kind": "k-anonymity", "k": 4}],
        method={"name": "mondrian"},
        leaks={"accept": ["again"]},
    )
    release = shoal.anonymize(table, policy)
    release.write(folder / "release", audit=folder / "audit.csv")
    return table, release


def about(decision):
    return [reason for reason in decision.reasons if "'again'" in reason.text]


def test_the_decision_of_a_run_names_the_leak_with_people_and_in_public_without(tmp_path):
    _, release = released(tmp_path)
    evidence = evidence_of_run(release, release.verdicts)
    (owner,), (public,) = about(decide(evidence)), about(decide(evidence, public=True))
    assert (owner.level, public.level) == ("watch", "watch")
    assert owner.people
    assert "hidden cells" in owner.text
    assert any(sign.isdigit() for sign in owner.text)
    assert not any(sign.isdigit() for sign in public.text)


def test_the_manifest_names_columns_without_counts(tmp_path):
    released(tmp_path)
    (note,) = [one for one in shoal.open_release(tmp_path / "release").manifest.notes if "'again'" in one]
    assert not any(sign.isdigit() for sign in note)


def test_no_verdict_says_that_there_are_no_leaks(tmp_path):
    table, _ = released(tmp_path)
    opened = shoal.open_release(tmp_path / "release")
    kinds = [verdict.kind for verdict in opened.verify(against=table, audit=tmp_path / "audit.csv")]
    assert "hidden-cells" in kinds
    assert "no-leaks" not in kinds
