"""Rows are people: an identifier in several rows is refused at every door, unless the policy says so."""

import tempfile
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.adversary.attacks import attack_large
from shoal.decision.decision import decide
from shoal.decision.evidence import evidence_of_run
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.policy.model.people import row_warnings
from shoal.policy.text.policy_text import policy_text
from shoal.release.large_release import release_large

VISITS = pa.table({"patient": ["p1", "p1 ", "p1", "p2", "p3", None], "age": [30, 31, 32, 33, 34, 35]})
ROLES = {"patient": "identifier", "age": "quasi"}
ASKED = [{"kind": "k-anonymity", "k": 3}]
POLICY = shoal.Policy(columns=ROLES, guarantees=ASKED, method={"name": "mondrian"})
PEOPLE = shoal.Policy(columns=ROLES, guarantees=ASKED, method={"name": "mondrian"}, rows="people")
REPEATS = r"identifier column 'patient' repeats: 3 of 6 rows(.|\n)*rows = \"people\" at the top"


def on_disk(table, policy, folder, part_rows=2):
    engine = DiskEngine(1 << 30, Path(tempfile.gettempdir()), RowProgress(), part_rows)
    return release_large(engine, table, policy, folder / "release", seed=1)


def test_visits_of_one_person_are_no_class_of_three(tmp_path):
    with pytest.raises(shoal.ShoalError, match=REPEATS) as refused:
        shoal.anonymize(VISITS, POLICY)
    assert refused.value.exit_code == 2
    assert "p1" not in str(refused.value)
    with pytest.raises(shoal.ShoalError, match=REPEATS):
        shoal.check(VISITS, POLICY)
    with pytest.raises(shoal.ShoalError, match=REPEATS):
        on_disk(VISITS, POLICY, tmp_path)
    assert not list(tmp_path.iterdir())


def test_visits_of_one_person_are_no_candidates_for_each_other(tmp_path):
    release = shoal.anonymize(VISITS, PEOPLE)
    assert shoal.attack(VISITS, policy=PEOPLE, only=["linkage"])
    release.write(tmp_path / "release")
    opened = shoal.open_release(tmp_path / "release")
    assert shoal.attack(VISITS, opened, only=["linkage"])
    engine = DiskEngine(1 << 30, tmp_path, RowProgress(), 2)
    assert attack_large(engine, VISITS, policy=PEOPLE, only=["linkage"]).results
    with pytest.raises(shoal.ShoalError, match=REPEATS):
        shoal.attack(VISITS, policy=POLICY)
    with pytest.raises(shoal.ShoalError, match=REPEATS):
        attack_large(engine, VISITS, policy=POLICY)


def test_a_recoding_is_not_applied_to_visits():
    first = shoal.anonymize(VISITS.slice(2), POLICY)
    with pytest.raises(shoal.ShoalError, match=REPEATS):
        shoal.apply_recoding(first.recoding, VISITS)


@pytest.mark.parametrize(
    "names", [[1, 2, 3, 4, 5, 6], ["a", "b", "c", None, None, ""], [0.5, float("nan"), 2, 3, 4, None]]
)
def test_empty_cells_are_no_repeats(names, tmp_path):
    table = VISITS.set_column(0, "patient", pa.array(names))
    assert shoal.anonymize(table, POLICY).verdicts[0].holds
    assert on_disk(table, POLICY, tmp_path).verdicts[0].holds


def test_a_table_without_the_identifier_is_checked():
    assert shoal.check(pa.table({"age": ["[30, 35]"] * 6}), POLICY)[0].holds


def test_rows_that_are_people_are_said_to_be_everywhere(tmp_path):
    release = shoal.anonymize(VISITS, PEOPLE)
    verdicts = release.write(tmp_path / "here")
    beyond = on_disk(VISITS, PEOPLE, tmp_path)
    for made in (release, beyond):
        assert row_warnings(made.result.notes)[-1] == (
            'every row counts as a person, as the policy says (rows = "people"); '
            "'patient' repeats in 3 of 6 rows"
        )
        assert any("Every row counts as a person" in limit for limit in made.limits)
    for folder, found in (("here", verdicts), ("release", beyond.verdicts)):
        opened = shoal.open_release(tmp_path / folder)
        assert opened.policy.rows == "people"
        assert "Every row counts as a person" in found[0].notes[-1]
        assert opened.verify()[1].notes == found[0].notes
        assert opened.manifest.verdicts[0].notes == found[0].notes


def test_nothing_is_said_of_rows_without_the_key():
    release = shoal.anonymize(VISITS.slice(2), POLICY)
    assert not any("counts as a person" in text for text in release.notes)
    assert not any("as the policy says" in text for text in release.limits)
    assert release.verdicts[0].notes == shoal.check(pa.table({"age": ["[30, 35]"] * 6}), POLICY)[0].notes


def test_the_keys_stay_in_a_policy_that_is_written_and_read_again():
    policy = shoal.Policy(
        columns={**ROLES, "job": "other"}, guarantees=ASKED, rows="people", leaks={"accept": ["job"]}
    )
    assert shoal.Policy.parse(policy_text(policy)) == policy
    assert shoal.Policy.parse(policy_text(POLICY)) == POLICY


def test_an_accepted_column_has_to_be_there():
    with pytest.raises(shoal.ShoalError, match=r"\[leaks\] accept names column 'jbo'"):
        shoal.Policy(columns={**ROLES, "job": "other"}, guarantees=ASKED, leaks={"accept": ["jbo"]})


@pytest.mark.parametrize(
    "names",
    [
        ["500", "500.0", "5e2", "501", "502", None],
        ["A  B", "A B", "A\u00a0B ", "C", "D", ""],
        ["caf\u00e9", "cafe\u0301", "caf\u00e9\u200b", "d", "e", "nan"],
        [0.3, 0.1 + 0.2, 0.3, 1.0, 2.0, None],
        ["2020-01-01", "2020-01-01T00:00", "2020-01-01 00:00:00", "x", "y", " "],
    ],
    ids=["numbers", "blanks", "letters", "floats", "days"],
)
def test_two_spellings_of_a_name_are_one_person(names, tmp_path):
    table = VISITS.set_column(0, "patient", pa.array(names))
    with pytest.raises(shoal.ShoalError, match=REPEATS):
        shoal.anonymize(table, POLICY)
    with pytest.raises(shoal.ShoalError, match=REPEATS):
        on_disk(table, POLICY, tmp_path)


def test_codes_with_leading_zeros_are_different_people(tmp_path):
    table = VISITS.set_column(0, "patient", pa.array(["7", "07", "007", "A", "a", "b"]))
    assert shoal.anonymize(table, POLICY).verdicts[0].holds
    assert on_disk(table, POLICY, tmp_path).verdicts[0].holds


NAMED_LIKE_A_KEY = r"column 'nr' is named like the number of a person(.|\n)*rows = \"people\""
MEN = 60


def panel(name="nr"):
    """Eight yearly rows of each man, whose origin and union stay while the wage changes."""
    rows = range(8 * MEN)
    return pa.table(
        {
            name: [row // 8 for row in rows],
            "origin": [(row // 8 * 7) % 5 for row in rows],
            "union": [(row // 8 * 11) % 3 for row in rows],
            "wage": [(row * 37) % 101 for row in rows],
        }
    )


def asked(name, role, **more):
    roles = {name: role, "origin": "quasi", "union": "quasi", "wage": "sensitive"}
    return shoal.Policy(columns=roles, guarantees=ASKED, method={"name": "mondrian"}, **more)


@pytest.mark.parametrize("role", ["drop", "quasi", "other"])
def test_years_of_one_man_are_no_people_whatever_role_his_number_has(role, tmp_path):
    with pytest.raises(shoal.ShoalError, match=NAMED_LIKE_A_KEY):
        shoal.anonymize(panel(), asked("nr", role))
    with pytest.raises(shoal.ShoalError, match=NAMED_LIKE_A_KEY):
        on_disk(panel(), asked("nr", role), tmp_path, part_rows=100)
    if role == "other":
        with pytest.raises(shoal.ShoalError, match=NAMED_LIKE_A_KEY):
            shoal.check(panel(), asked("nr", role))
    assert shoal.anonymize(
        panel(), asked("nr", role, rows="people", leaks={"accept": ["nr"]} if role == "other" else {})
    )


def test_a_number_that_only_its_rows_tell_is_a_reason_to_think(tmp_path):
    policy = asked("xq", "drop")
    release = shoal.anonymize(panel("xq"), policy)
    told = "column 'xq' seems to number people or households, and every row counts as a person of its own"
    beyond = on_disk(panel("xq"), policy, tmp_path, part_rows=100)
    for made in (release, beyond):
        assert f"rows: {told}" in made.result.notes
        decision = decide(evidence_of_run(made, made.verdicts))
        assert (f"{told[0].upper()}{told[1:]}.", "watch") in [
            (one.text, one.level) for one in decision.reasons
        ]


def test_a_household_that_is_published_is_a_reason_to_think_although_rows_are_people(tmp_path):
    policy = asked("xq", "other", rows="people", leaks={"accept": ["xq"]})
    release = shoal.anonymize(panel("xq"), policy)
    release.write(tmp_path / "here")
    told = "column 'xq' is published as it is and seems to show which rows belong to one person or household"
    assert f"rows: {told}" in shoal.open_release(tmp_path / "here").manifest.notes
    decision = decide(evidence_of_run(release, release.verdicts))
    assert f"{told[0].upper()}{told[1:]}." in [reason.text for reason in decision.reasons]
    assert told in shoal.check(panel("xq"), policy)[0].notes


def test_a_column_that_is_dropped_may_repeat():
    columns = {"remark": "drop", "age": "quasi"}
    policy = shoal.Policy(columns=columns, guarantees=ASKED, method={"name": "mondrian"})
    table = pa.table({"remark": ["a", "a", "b", "b", "a", None], "age": VISITS.column("age")})
    release = shoal.anonymize(table, policy)
    assert release.table.column_names == ["age"]
    assert not any("person" in note for note in release.notes)
    verdicts = shoal.check(table, policy)
    assert [(one.kind, one.holds) for one in verdicts if one.kind == "no-identifiers"] == [
        ("no-identifiers", False)
    ]
