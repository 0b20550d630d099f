"""Values that differ in capitals alone count as different, and that is said by every door."""

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.decision.decision import decide
from shoal.decision.evidence import evidence_of_run
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.release.opened_release import verify_large
from shoal.verify.case_variants import CAPITALS, count_case_variants, join_words

SAID = "2 values of illness differ from another one in capitals alone, and count as different"
ASKED = {
    "l": {"kind": "l-diversity", "l": 2, "sensitive": "illness"},
    "t": {"kind": "t-closeness", "t": 0.9, "sensitive": "illness"},
    "alpha": {"kind": "alpha-k-anonymity", "alpha": 0.9, "k": 2},
    "p": {"kind": "p-sensitivity", "p": 2},
}
PEOPLE = pa.table({"age": [20, 20, 30, 30] * 5, "illness": ["Flu", "flu", "cold", "flu"] * 5})


def policy(asked):
    return shoal.Policy(
        columns={"age": "quasi", "illness": "sensitive"},
        guarantees=[{"kind": "k-anonymity", "k": 2}, asked],
    )


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_check_says_how_many_values_differ_in_capitals_alone(asked):
    plain, about_values = shoal.check(PEOPLE, policy(asked))
    assert CAPITALS not in plain.achieved
    assert about_values.achieved[CAPITALS] == {"illness": 2}
    assert any(note.startswith(SAID) for note in about_values.notes)
    assert not any("flu" in note.lower() for note in about_values.notes)


def test_run_and_verify_say_it_and_the_decision_is_to_think_first(tmp_path):
    release = shoal.anonymize(PEOPLE, policy(ASKED["l"]))
    verdicts = release.write(tmp_path / "release")
    decision = decide(evidence_of_run(release, verdicts))
    assert decision.level == "watch"
    assert any(reason.text.startswith(SAID) and reason.level == "watch" for reason in decision.reasons)
    again = shoal.open_release(tmp_path / "release").verify()
    assert all(verdict.holds for verdict in again)
    assert any(note.startswith(SAID) for note in again[-1].notes)
    on_disk = verify_large(DiskEngine(1 << 30, tmp_path, RowProgress(), 6), tmp_path / "release")
    assert [one.as_dict() for one in on_disk] == [one.as_dict() for one in again]


@pytest.mark.parametrize("cells", [["Flu", "cold"], ["flu", "cold"], ["1e3", "1E3"], ["7", "8"], [7, 8]])
def test_nothing_is_said_of_values_that_differ_otherwise(cells):
    table = pa.table({"age": [20] * 10, "illness": cells * 5})
    assert all(CAPITALS not in verdict.achieved for verdict in shoal.check(table, policy(ASKED["t"])))


@given(st.lists(st.text("aAbBé1", max_size=3)), st.lists(st.text("aAbBÉ1", max_size=3)))
def test_words_of_parts_are_counted_like_those_of_the_whole(one, two):
    words = join_words(*({"illness": pa.array(sorted(set(part)), pa.large_string())} for part in (one, two)))
    different = set(one) | set(two)
    beside = Counter(word.lower() for word in different)
    expected = sum(1 for word in different if beside[word.lower()] > 1)
    assert count_case_variants(words["illness"]) == expected
