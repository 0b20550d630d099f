"""Types and codes in a policy: what they mean, what is refused, and that they survive being written."""

import json

import pytest

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.policy.text.policy_text import policy_text
from shoal.table.files.reading import AS_IT_LOOKS

TEXT = """\
[columns]
income = "quasi"
school = "quasi"
region = "quasi"
born   = "quasi"
ill    = "sensitive"

[types]
income = { kind = "number", decimal = ",", thousands = "." }
school = { kind = "ordered", order = ["none", "primary"] }
region = "category"
born   = { kind = "date", format = "%d.%m.%y", years_from = 1930 }

[missing]
"*"    = ["NA", "?"]
income = { codes = [-9, 99.50], count = "suppress" }
born   = [1900-01-01]
region = "suppress"

# every combination of published quasi values is shared by at least 5 records
[[guarantees]]
kind = "k-anonymity"
k = 5
"""


def refusal(**sections):
    columns = {"a": "quasi", "b": "sensitive"}
    with pytest.raises(ShoalError) as refused:
        Policy(columns=columns, guarantees=[{"kind": "k-anonymity", "k": 5}], **sections)
    return "\n".join(fault.what for fault in refused.value.faults)


def test_a_text_is_written_as_it_was_read():
    assert policy_text(Policy.parse(TEXT)) == TEXT


def test_what_a_manifest_has_of_it_reads_in_the_same_way():
    policy = Policy.parse(TEXT)
    again = Policy.from_mapping(json.loads(json.dumps(policy.public())))
    assert again.how_to_read == policy.how_to_read
    assert (again.missing_counts, again.types) == (policy.missing_counts, policy.types)


def test_codes_and_counts_are_told_apart():
    policy = Policy.parse(TEXT)
    assert policy.missing_counts == {"income": "suppress", "region": "suppress"}
    assert policy.missing_codes == {"*": ("NA", "?"), "income": ("-9", "99.50"), "born": ("1900-01-01",)}


def test_a_count_for_all_columns_is_that_of_each_which_says_nothing():
    text = TEXT.replace('["NA", "?"]', '{ codes = ["NA"], count = "value" }')
    counts = Policy.parse(text).missing_counts
    assert (counts["school"], counts["income"], counts["ill"]) == ("value", "suppress", "value")


def test_a_policy_without_rules_reads_a_table_as_it_is():
    policy = Policy(columns={"a": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 5}])
    assert policy.how_to_read.rules == AS_IT_LOOKS.rules == ()


@pytest.mark.parametrize(
    ("sections", "why"),
    [
        ({"types": {"a": "numbr"}}, "[types] a"),
        ({"types": {"a": {"kind": "ordered"}}}, "an ordered column needs its different words"),
        (
            {"types": {"a": {"kind": "number", "thousands": "."}}},
            "the mark between thousands is the decimal mark",
        ),
        ({"types": {"a": {"kind": "date", "format": "%m/%y"}}}, "no whole date"),
        ({"types": {"a": {"kind": "date", "format": "%d.%m.%y"}}}, "has no century"),
        (
            {"types": {"a": {"kind": "category", "decimal": ","}}},
            "'decimal' does not go with the kind 'category'",
        ),
        ({"types": {"a": {"kind": "number", "decimals": ","}}}, "[types] a decimals is not part of a policy"),
        ({"types": {"zzz": "number"}}, "[types] names column 'zzz'"),
        ({"types": {"a": "category"}, "missing": {"a": "zero"}}, "counts its missing cells as zero"),
        ({"types": {"a": "category"}, "hierarchies": {"a": {"intervals": [5]}}}, "makes intervals of it"),
        ({"missing": {"a": "nul"}}, "[missing] a"),
        ({"missing": {"a": {"code": [1]}}}, "[missing] a code is not part of a policy"),
        ({"missing": {"zzz": ["NA"]}}, "[missing] names column 'zzz'"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_place(sections, why):
    assert why in refusal(**sections)


def test_aggregates_need_numbers():
    text = TEXT.replace('kind = "k-anonymity"', 'kind = "kf-anonymity"\nknows = ["region + income"]')
    with pytest.raises(ShoalError, match="and guarantee 1 needs its numbers"):
        Policy.parse(text)


def test_guarantees_take_the_declared_order_of_their_column():
    asked = [
        {"kind": "t-closeness", "t": 0.2, "sensitive": "ill", "distance": "ordered"},
        {"kind": "kpqr-anonymity", "k": 5, "p": 2, "q": 0.2, "r": 0, "sensitive": "ill"},
    ]
    order = ("low", "high")
    declared = {"ill": {"kind": "ordered", "order": order}}
    columns = {"a": "quasi", "ill": "sensitive"}
    by_order = Policy(columns=columns, types=declared, guarantees=asked)
    assert [one.order for one in by_order.guarantees] == [order, order]
    by_codes = Policy(columns=columns, types={"ill": "category"}, guarantees=asked[1:])
    assert by_codes.guarantees[0].distance == "equal"


def test_a_hint_about_missing_cells_keeps_the_codes():
    policy = Policy.parse(TEXT)
    assert policy.missing_line("income", "zero") == 'income = { codes = [-9, 99.50], count = "zero" }'
    assert policy.missing_line("school", "zero") == 'school = "zero"'
