"""Attacks from Python: what they take and refuse, and that written and unwritten releases are alike."""

from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.adversary.attacks import ATTACKS

PEOPLE = pa.table({"age": [30, 31, 33, 52, 53, 57], "ill": ["flu", "cold", "flu", "cough", "flu", "cold"]})
SETTLED = [one.name for one in ATTACKS if one.name not in ("definetti", "minimality")]  # these draw at random


@pytest.fixture
def policy() -> shoal.Policy:
    return shoal.Policy(
        columns={"age": "quasi", "ill": "sensitive"},
        guarantees=[shoal.KAnonymity(k=3), shoal.LDiversity(l=2, sensitive="ill")],
        method={"name": "mondrian"},
    )


def figures(found: list[shoal.AttackResult]) -> list[tuple]:
    return [(one.attack, one.candidates.tolist(), one.success.tolist(), one.level) for one in found]


def test_a_release_in_memory_is_attacked_as_the_written_one_with_its_link(policy, tmp_path: Path) -> None:
    release = shoal.anonymize(PEOPLE, policy)
    release.write(tmp_path / "release", audit=tmp_path / "link")
    written = shoal.attack(PEOPLE, tmp_path / "release", audit=tmp_path / "link", only=SETTLED)
    assert figures(written) == figures(shoal.attack(PEOPLE, release, only=SETTLED))
    assert {one.attack for one in written} >= {"linkage", "homogeneity", "background", "skewness", "ends"}


def test_only_those_that_are_asked_for_are_run(policy) -> None:
    for name in (one.name for one in ATTACKS):
        found = shoal.attack(PEOPLE, policy=policy, only=[name])
        assert {one.attack for one in found} <= {name}


def test_what_makes_no_sense_is_refused(policy, tmp_path: Path) -> None:
    release = shoal.anonymize(PEOPLE, policy)
    release.write(tmp_path / "release")
    with pytest.raises(shoal.ShoalError, match="nothing to attack"):
        shoal.attack(PEOPLE)
    with pytest.raises(shoal.ShoalError, match="a policy is no release"):
        shoal.attack(PEOPLE, policy)
    with pytest.raises(shoal.ShoalError, match="has 5 rows, but the release was made of 6"):
        shoal.attack(PEOPLE.slice(1), tmp_path / "release")
    with pytest.raises(shoal.ShoalError, match="6 people of the table fit no record"):
        shoal.attack(pa.table({"age": [1] * 6, "ill": PEOPLE["ill"]}), tmp_path / "release")


def test_a_link_of_another_release_is_refused(policy, tmp_path: Path) -> None:
    shoal.anonymize(PEOPLE, policy).write(tmp_path / "release")
    turned = PEOPLE.take([5, 4, 3, 2, 1, 0])
    shoal.anonymize(turned, policy).write(tmp_path / "other", audit=tmp_path / "link")
    with pytest.raises(shoal.ShoalError, match="does not belong to this release"):
        shoal.attack(PEOPLE, tmp_path / "release", audit=tmp_path / "link")


def test_links_of_further_releases_let_attackers_read_own_classes(tmp_path: Path) -> None:
    table = pa.table({"a": [0, 1, 1, 2, 2, 3, 4, 4], "b": [0, 3, 1, 2, 0, 3, 1, 2], "ill": list("uvwxuvwx")})
    columns = {"a": "quasi", "b": "quasi", "ill": "sensitive"}
    for name, method in (("first", "mondrian"), ("second", "cluster")):
        asked = shoal.Policy(columns=columns, guarantees=[shoal.KAnonymity(k=3)], method={"name": method})
        shoal.anonymize(table, asked, seed=1).write(tmp_path / name, audit=tmp_path / f"{name}.link")
    given = {"audit": tmp_path / "first.link", "others": [tmp_path / "second"], "only": ["composition"]}
    without = shoal.attack(table, tmp_path / "first", **given)
    linked = shoal.attack(table, tmp_path / "first", **given, other_audits=[tmp_path / "second.link"])
    assert all("own class" not in [read.name for read in one.all_readings] for one in without)
    assert all("own class" in [read.name for read in one.all_readings] for one in linked)
    for known, less in zip(linked, without, strict=True):
        assert known.largest >= less.all_readings[0].largest
    with pytest.raises(shoal.ShoalError, match="2 links of other releases, but 1 other releases"):
        shoal.attack(table, tmp_path / "first", **given, other_audits=[tmp_path / "second.link"] * 2)
