"""What a release does not protect against is said, and only what applies."""

import pytest

from shoal.policy.model.policy import Policy
from shoal.release.integrity.protection_limits import protection_limits
from tests.release.conftest import POLICY

FULL = {"kind": "k-anonymity", "k": 3}
TOTAL = {"kind": "kf-anonymity", "k": 3, "knows": ["salary + bonus"]}


def limits(*guarantees: dict[str, object], seeded: bool = False) -> str:
    return "\n".join(protection_limits(Policy(**POLICY.model_dump() | {"guarantees": guarantees}), seeded))


@pytest.mark.parametrize("phrase", ["may all have the same", "published as they are (", "Several releases"])
def test_what_no_guarantee_here_covers_is_always_said(phrase: str) -> None:
    assert phrase in limits(FULL)
    assert phrase in limits(TOTAL)


def test_knowing_more_than_the_total_is_a_limit_of_the_total_alone() -> None:
    assert "Someone who knows single quasi values" in limits(TOTAL)
    assert "Someone who knows single quasi values" not in limits(TOTAL, FULL)


@pytest.mark.parametrize("phrase", ["whoever knows all of them but one", "the end of what is possible"])
def test_what_a_mean_gives_away_is_said_of_class_means(phrase: str) -> None:
    columns, asked = {"pay": "quasi", "debt": "sensitive"}, [FULL]
    means = Policy(columns=columns, guarantees=asked, method={"name": "mdav"})
    ranges = Policy(columns=columns, guarantees=asked, method={"name": "mondrian"})
    assert phrase in "\n".join(protection_limits(means))
    assert phrase not in "\n".join(protection_limits(ranges))


def test_a_seed_is_a_limit() -> None:
    assert "For tests only." in limits(FULL, seeded=True)
    assert "For tests only." not in limits(FULL)
