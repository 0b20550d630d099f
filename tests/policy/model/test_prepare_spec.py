"""[prepare] in a policy: what it means, what is refused, and that it survives being written."""

import json
from decimal import Decimal

import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.policy.text.policy_text import policy_text
from shoal.table.read import read_table

TEXT = """\
[columns]
income = "quasi"
born   = "quasi"
town   = "quasi"
age    = "quasi"
bmi    = "other"
weight = "drop"
height = "drop"
status = "drop"

[prepare]
leave_out = "age = 'young' or status = 'test'"

[prepare.columns]
income = { bottom = 0, top = 200000, round = 100 }
born   = { age_at = 2024-12-31 }
town   = { text = "upper" }
age    = { cut = [18, 65], labels = ["young", "grown", "old"] }
bmi    = { top = 60 }

[prepare.derive]
bmi = { value = "weight / (height * height)", round = 1 }

# every combination of published quasi values is shared by at least 5 records
[[guarantees]]
kind = "k-anonymity"
k = 5
"""
COLUMNS = {"a": "quasi", "b": "sensitive", "c": "other"}


def refusal(**prepare):
    with pytest.raises(ShoalError) as refused:
        Policy(columns=COLUMNS, guarantees=[{"kind": "k-anonymity", "k": 5}], prepare=prepare)
    return "\n".join(fault.what for fault in refused.value.faults)


def test_a_text_is_written_as_it_was_read():
    assert policy_text(Policy.parse(TEXT)) == TEXT


def test_what_a_manifest_has_of_it_prepares_in_the_same_way():
    policy = Policy.parse(TEXT)
    again = Policy.from_mapping(json.loads(json.dumps(policy.public())))
    assert again.how_to_read == policy.how_to_read
    assert again.prepare == policy.prepare


def test_derive_comes_before_columns_and_leave_out_comes_last():
    rows = {
        "income": ["250000", "149"],
        "born": ["2000-06-01", "1990-01-01"],
        "town": ["Ulm", "Kiel"],
        "age": ["24", "12"],
        "weight": ["500", "70"],
        "height": ["1.75", "1.75"],
        "status": ["real", "real"],
    }
    (found,) = read_table(pa.table(rows), reading=Policy.parse(TEXT).how_to_read).arrow.to_pylist()
    assert found == {
        "income": "200000",
        "born": "24",
        "town": "ULM",
        "age": "grown",
        "weight": "500",
        "height": "1.75",
        "status": "real",
        "bmi": "60",
    }


def test_a_column_that_is_cut_holds_words_in_the_order_of_its_labels():
    policy = Policy.parse(TEXT)
    assert policy.of_words("age")
    assert policy.order_of("age") == ("young", "grown", "old")


def test_a_table_of_which_nothing_stays_is_refused():
    policy = Policy(
        columns={"a": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 5}], prepare={"leave_out": "a > 0"}
    )
    with pytest.raises(ShoalError, match="leaves no row of the frame"):
        read_table(pa.table({"a": [1, 2]}), reading=policy.how_to_read)


@pytest.mark.parametrize(
    ("prepare", "why"),
    [
        ({"leave_out": "zzz < 3"}, "[prepare] leave_out names column 'zzz'"),
        ({"leave_out": "a <"}, "cannot be read"),
        ({"leave_out": "a"}, "not allowed here"),
        ({"columns": {"zzz": {"top": 1}}}, "[prepare.columns] names column 'zzz'"),
        ({"columns": {"a": {}}}, "say what becomes of it"),
        ({"columns": {"a": {"top": 1, "bottom": 2}}}, "bottom is above top"),
        ({"columns": {"a": {"text": "upper", "top": 2}}}, "each alone"),
        ({"columns": {"a": {"date": "year", "age_at": "2024-01-01"}}}, "each alone"),
        ({"columns": {"a": {"cut": [1], "labels": ["x"]}}}, "one label more"),
        ({"columns": {"a": {"labels": ["x"], "top": 1}}}, "one label more"),
        ({"columns": {"a": {"cut": [2, 1], "labels": ["x", "y", "z"]}}}, "do not grow"),
        ({"columns": {"a": {"cut": [1], "labels": ["x", "x"]}}}, "two labels are the same"),
        ({"columns": {"a": {"round": 0}}}, "round"),
        ({"columns": {"a": {"rounding": 1}}}, "[prepare] columns a rounding is not part of a policy"),
        ({"derive": {"c": "a / 2"}}, "a quotient is rounded"),
        ({"derive": {"c": "a +"}}, "cannot be read"),
        ({"derive": {"d": "a + 1"}}, "[prepare.derive] names column 'd'"),
        ({"derive": {"c": "zzz + 1"}}, "[prepare.derive] names column 'zzz'"),
        ({"leaveout": "a < 3"}, "[prepare] leaveout is not part of a policy"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_place(prepare, why):
    assert why in refusal(**prepare)


def test_numbers_of_a_policy_are_exact():
    policy = Policy.parse(TEXT.replace("top = 200000, round = 100", "top = 0.3, round = 0.1"))
    assert policy.prepare.columns["income"].top == Decimal("0.3")
