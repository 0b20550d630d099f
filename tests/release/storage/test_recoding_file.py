"""A recoding comes back from its file as it was."""

import json
import stat
from pathlib import Path

import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.release import anonymize_in_memory
from shoal.release.storage.recoding_file import load_recoding, recoding_file_write

PEOPLE = pa.table(
    {
        "pay": ["10.50", "11.25", "70", "71.5"] * 3,
        "town": ["Ulm", None, "Kiel", "Bre, men"] * 3,
        "zip": ["01001", "01002", "02001", "02002"] * 3,
    }
)
HIERARCHIES = {
    "levels": {"pay": {"intervals": ["0.5", 10]}, "town": {"frequency": [0.3]}, "zip": {"mask": "left"}},
    "others": {
        "pay": {"groups": [2]},
        "town": {"tree": {"all": ["Ulm", "Kiel", "Bre, men"]}},
        "zip": {"paths": [[code, code[:2]] for code in ("01001", "01002", "02001", "02002")]},
    },
    "none": {},
}


def found(kind: str, method: str = "optimal"):
    policy = Policy(
        columns=dict.fromkeys(PEOPLE.column_names, "quasi"),
        hierarchies=HIERARCHIES[kind],
        domains={"pay": [0, 100]},
        guarantees=[{"kind": "k-anonymity", "k": 3}],
        method={"name": "mondrian" if kind == "none" else method, "suppression": 0.25},
    )
    return anonymize_in_memory(PEOPLE, policy).recoding


@pytest.mark.parametrize("kind", HIERARCHIES)
@pytest.mark.parametrize("method", ["optimal", "cluster"])
def test_a_recoding_comes_back_as_it_was(tmp_path: Path, kind: str, method: str) -> None:
    recoding, path = found(kind, method), tmp_path / "recoding.json"
    with recoding_file_write(recoding, path):
        assert not path.exists()
    assert load_recoding(path) == recoding
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_spaces_and_order_may_change_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "recoding.json"
    with recoding_file_write(found("none"), path):
        pass
    content = json.loads(path.read_text())
    path.write_text(json.dumps(dict(reversed(content.items())), indent=4))
    assert load_recoding(path) == found("none")
    path.write_text(json.dumps(content | {"method": "samarati"}))
    with pytest.raises(ShoalError, match="does not match its own fingerprint"):
        load_recoding(path)


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail() -> None:
        with recoding_file_write(found("none"), tmp_path / "recoding.json"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(tmp_path.iterdir()) == []
