import subprocess
import sys

from shoal.anonymizer.method_facts import FACTS, PERMUTE
from shoal.anonymizer.registry import METHODS
from shoal.anonymizer.suitability import method_faults_among, unsuited_faults
from shoal.policy.model.policy import Policy
from shoal.web.forms.option_fields import LABELS, changed_options, option_fields

VALUES = {bool: True, int: 3, float: 2.5, list: True, dict: {"a": ["b"]}}


def test_every_method_has_its_facts_in_the_same_order():
    assert [row.name for row in METHODS] == [facts.name for facts in FACTS]
    for row in METHODS:
        assert row.permutes == ("ke-anonymity" in row.serves and "k-anonymity" not in row.serves)
        assert row.baseline == (row.name == "rank-swap")


def test_facts_load_no_compiler():
    modules = "shoal.anonymizer.suitability, shoal.web.forms.option_fields"
    code = f"import sys, {modules}; print('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_a_method_that_is_unsuited_is_a_fault_when_it_is_named():
    for asked in ({"kind": "k-anonymity", "k": 2}, {"kind": "kf-anonymity", "k": 2, "knows": ["a"]}):
        for row in FACTS:
            policy = Policy(columns={"a": "quasi"}, guarantees=[asked], method={"name": row.name})
            assert unsuited_faults(policy, row) == method_faults_among(policy)


def test_options_survive_a_form_that_is_sent_as_it_is():
    for row in FACTS:
        options = {
            name: asked[-1] if isinstance(asked, tuple) else VALUES[asked]
            for name, asked in row.options.items()
        }
        form = {field.name: [field.value] for field in option_fields(row, options)}
        assert changed_options(row, options, form) == options
        assert changed_options(row, options, {name: [""] for name in options}) == {}
        assert changed_options(row, {"unknown": 1}, {}) == {}


def test_every_option_has_a_label() -> None:
    named = {name for row in FACTS for name in (*row.options, *PERMUTE)}
    assert named == set(LABELS)
