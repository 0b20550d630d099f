from dataclasses import replace

import pyarrow as pa

from shoal.policy.model.policy import Policy
from shoal.release.integrity.manifest import Manifest
from shoal.release.publication_checklist import publication_checklist
from shoal.release.release import anonymize_in_memory


def manifest(**columns: str) -> Manifest:
    policy = Policy(columns={"age": "quasi", **columns}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    table = pa.table({"age": [1, 1, 5, 5], **{name: [1, 2, 3, 4] for name in columns}})
    release = anonymize_in_memory(table, policy)
    return Manifest("shoal", policy, "mondrian", 4, 0, tuple(release.verdicts), (), {})


def test_columns_that_are_published_as_they_are_are_named() -> None:
    assert not any("as they are" in thing for thing in publication_checklist(manifest()))
    things = publication_checklist(manifest(pay="sensitive", note="other"))
    assert any("as they are: pay, note." in thing for thing in things)


def test_a_seed_comes_first_and_what_was_left_out_is_told() -> None:
    things = publication_checklist(replace(manifest(), seeded=True, suppressed=1_234))
    assert things[0].startswith("Do not publish this one")
    assert any(thing.startswith("1,234 records were left out") for thing in things)


def test_what_was_not_decided_is_not_taken_for_granted() -> None:
    whole = manifest()
    undecided = replace(whole.verdicts[0], achieved={"decided": False})
    things = publication_checklist(replace(whole, verdicts=(undecided,)))
    assert things[0] == "Whether k-anonymity holds was too costly to decide. Have it decided, or do without."
