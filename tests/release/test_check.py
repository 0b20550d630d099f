"""The function behind ``shoal check``: tables from any tool."""

import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.check import check

from .conftest import POLICY, Write, people

K_ANONYMOUS = Policy(
    columns={"age": "quasi", "name": "identifier"}, guarantees=[{"kind": "k-anonymity", "k": 2}]
)


@pytest.mark.parametrize(
    "ages", [["[20, 39]"] * 2, ["20-39", "20..39"], ["20 - 39", "[20,39]"], [30, 30], ["30", "30.0"]]
)
def test_ranges_are_understood_however_they_are_written(ages: list[object]) -> None:
    assert check(pa.table({"age": ages}), K_ANONYMOUS)[0].holds


@pytest.mark.parametrize("ages", [["20-39", "20..39"], ["30", "30.0"], ["30", "30 "], [0.3, 0.1 + 0.2]])
def test_a_class_that_its_spellings_split_is_not_one_to_who_reads_the_table(ages: list[object]) -> None:
    alike, spelling = check(pa.table({"age": ages}), K_ANONYMOUS)
    assert alike.holds
    assert (spelling.kind, spelling.holds, spelling.achieved["smallest"]) == ("spelling", False, 1)


def test_spellings_are_told_where_enough_records_have_each() -> None:
    _, spelling = check(pa.table({"age": ["30", "30.0"] * 2}), K_ANONYMOUS)
    assert spelling.holds
    assert "age (1 more spellings than values)" in spelling.sentence


def test_spellings_tell_nothing_of_a_total() -> None:
    knows = {"kind": "kf-anonymity", "k": 2, "knows": ["age + pay"]}
    policy = Policy(columns={"age": "quasi", "pay": "quasi"}, guarantees=[knows])
    found = check(pa.table({"age": ["1", "1.0"], "pay": ["2", "2"]}), policy)
    assert [(verdict.kind, verdict.holds) for verdict in found] == [
        ("kf-anonymity", True),
        ("spelling", True),
    ]


def test_a_raw_table_fails(write: Write) -> None:
    verdicts = check(people(), POLICY)
    assert [(verdict.kind, verdict.holds) for verdict in verdicts] == [
        ("kf-anonymity", False),
        ("no-identifiers", False),
    ]
    assert check(write().folder / "data.csv", POLICY)[0].holds


def test_a_column_that_nobody_declared_is_a_fault() -> None:
    with pytest.raises(ShoalError, match="column 'nmae' is in the table but not in the policy"):
        check(pa.table({"age": [1, 1], "nmae": ["a", "b"]}), K_ANONYMOUS)


def diverse(l, **more):
    asked = [{"kind": "l-diversity", "l": l, "sensitive": "ill"}]
    return Policy(columns={"age": "quasi", "ill": "sensitive"}, guarantees=asked, **more)


@pytest.mark.parametrize(
    ("cells", "values", "more"),
    [
        (["flu", "NA", "?", "-9"], 2, {"missing": {"*": ["NA"], "ill": ["?", "-9"]}}),
        (["1,0", "1", "1,00", "2"], 2, {"types": {"ill": {"kind": "number", "decimal": ","}}}),
        (["31.12.1999", "1999-12-31", "31.12.99", "1.1.2000"], 4, {"types": {"ill": "date"}}),
        (["31.12.1999", "1999-12-31", "31.12.1999", "1.1.2000"], 2,
         {"types": {"ill": {"kind": "date", "format": "%d.%m.%Y"}}}),
    ],
)  # fmt: skip
def test_sensitive_values_are_counted_by_value_not_by_spelling(cells, values, more) -> None:
    table = pa.table({"age": [30] * 4, "ill": cells})
    assert check(table, diverse(values, **more))[0].holds
    assert not check(table, diverse(values + 1, **more))[0].holds


def test_quasi_values_are_read_as_they_are_written() -> None:
    codes = {"missing": {"age": ["NA", "?"]}}
    table = pa.table({"age": ["NA", "?"], "ill": ["flu", "cold"]})
    assert not check(table, diverse(2, **codes))[0].holds


def test_ranges_of_a_sensitive_column_stay_as_they_are() -> None:
    ranges = pa.array([{"lo": 1, "hi": 2}, {"lo": 3, "hi": 4}])
    codes = {"missing": {"*": ["NA"]}, "types": {"ill": "number"}}
    assert check(pa.table({"age": [30, 30], "ill": ranges}), diverse(2, **codes))[0].holds
