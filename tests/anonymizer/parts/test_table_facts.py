"""Policy and table together: all faults at once, and how missing cells count."""

import re

import pyarrow as pa
import pytest

import shoal
from shoal.anonymizer.anonymize import anonymize_table
from shoal.anonymizer.parts.staging import stage_rows
from shoal.anonymizer.parts.table_facts import summarize_columns, table_facts
from shoal.engines.memory.rows import MemoryRows
from shoal.engines.steps.gather_rows import gather_rows
from shoal.errors import Infeasible, ShoalError
from shoal.kernels.keyed_hash import seeded_key
from shoal.policy.model.guarantee import KAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.columns.numbered_rows import ids_of, matrix_of
from shoal.table.table import Table


def policy(columns, k=2, **more):
    return Policy(columns=columns, guarantees=[KAnonymity(k=k)], **more)


def table(**columns):
    return Table(pa.table(columns))


def facts_of(table, policy):
    rows = MemoryRows.of(table)
    return table_facts(rows, policy, summarize_columns(rows, policy))


def staged(table, policy):
    """The quasi columns in whole numbers, and which rows stay."""
    facts = facts_of(table, policy)
    found = gather_rows(stage_rows(MemoryRows.of(table), facts))
    return matrix_of(found, facts.ends.names).tolist(), ids_of(found).tolist()


def faults(table, policy):
    with pytest.raises(ShoalError) as refused:
        facts_of(table, policy)
    return [fault.what for fault in refused.value.faults]


GAPS = table(pay=[10, None, 30, None, 50, 60, 70], age=[1, 2, None, 4, 5, 6, 7])
QUASI = {"pay": "quasi", "age": "quasi"}


def test_all_mismatches_of_columns_and_method_are_reported_at_once():
    asked = policy({"incom": "quasi", "age": "quasi"}, method={"name": "mondrian", "options": {"fast": True}})
    with pytest.raises(ShoalError) as refused:
        anonymize_table(table(income=[1, 2], age=[3, 4], zip=[5, 6]), asked, seeded_key(1))
    assert [str(fault) for fault in refused.value.faults] == [
        "column 'incom' is in the policy but not in the table\nHint: the table has 'income'.",
        "column 'income' is in the table but not in the policy\n"
        'Hint: add income = "identifier", "drop", "quasi", "sensitive" or "other" to [columns].',
        "column 'zip' is in the table but not in the policy\n"
        'Hint: add zip = "identifier", "drop", "quasi", "sensitive" or "other" to [columns].',
        "method 'mondrian' has no option 'fast'\nHint: mondrian has 'relaxed', 'textbook', 'cells'.",
    ]


def test_all_faults_of_cells_and_size_are_reported_at_once():
    asked = policy({"name": "quasi", "pay": "quasi", "rate": "quasi"}, k=9)
    found = faults(table(name=["x", "2", "3"], pay=[1, None, 3], rate=[0.5, float("inf"), 1]), asked)
    assert found == [
        "column 'name' has 1 of 3 cells that are text, not numbers (row 1)",
        "column 'pay' has 1 of 3 cells that are missing (row 2)",
        "column 'rate' has 1 of 3 cells that are infinite numbers (row 2)",
        "guarantee 1 asks for k = 9, but the table has only 3 rows",
    ]


def test_the_hint_quotes_a_column_name_as_toml_needs_it():
    with pytest.raises(ShoalError, match=re.escape('"net pay" = "identifier"')):
        anonymize_table(table(**{"net pay": [1, 2], "a": [1, 2]}), policy({"a": "quasi"}), seeded_key(1))


@pytest.mark.parametrize("missing", [{}, {"pay": "error", "age": "error"}])
def test_a_missing_number_is_an_error_by_default(missing):
    found = faults(GAPS, policy(QUASI, missing=missing))
    assert found == [
        "column 'pay' has 2 of 7 cells that are missing (rows 2, 4)",
        "column 'age' has 1 of 7 cells that are missing (row 3)",
    ]


def test_a_missing_number_cannot_be_a_value_of_its_own():
    with pytest.raises(ShoalError, match="cannot be a value of its own inside a range"):
        facts_of(GAPS, policy(QUASI, missing={"pay": "value", "age": "zero"}))


def test_missing_as_zero_keeps_every_record():
    values, rows = staged(GAPS, policy(QUASI, missing={"pay": "zero", "age": "zero"}))
    assert values == [[10, 1], [0, 2], [30, 0], [0, 4], [50, 5], [60, 6], [70, 7]]
    assert rows == list(range(7))


def test_missing_as_suppress_leaves_the_record_out():
    asked = policy(QUASI, missing={"pay": "suppress", "age": "zero"}, method={"suppression": 0.5})
    values, rows = staged(GAPS, asked)
    assert values == [[10, 1], [30, 0], [50, 5], [60, 6], [70, 7]]
    assert rows == [0, 2, 4, 5, 6]


def test_nan_is_missing():
    asked = policy({"pay": "quasi"}, missing={"pay": "zero"})
    assert staged(table(pay=[1.5, float("nan"), 2.5]), asked)[0] == [[15], [0], [25]]


def limited(suppression):
    missing = {"pay": "suppress", "age": "suppress"}
    return policy(QUASI, missing=missing, method={"suppression": suppression})


def test_suppressing_more_than_allowed_is_infeasible_and_the_hint_is_the_smallest_share_that_helps():
    with pytest.raises(Infeasible, match="3 of 7 records have missing cells") as refused:
        facts_of(GAPS, limited(0.0))
    share = float(re.search(r"suppression = ([\d.]+) in \[method\]", refused.value.faults[0].hint)[1])
    assert facts_of(GAPS, limited(share)).staying == 4
    with pytest.raises(Infeasible):
        facts_of(GAPS, limited(share - 1e-4))


def test_a_share_that_needs_no_rounding_is_named_as_it_is():
    gaps = table(pay=[None] * 7 + [1] * 93)
    with pytest.raises(Infeasible) as refused:
        facts_of(gaps, policy({"pay": "quasi"}, missing={"pay": "suppress"}))
    assert "suppression = 0.07 in" in refused.value.faults[0].hint


def test_fewer_than_k_records_left_is_infeasible():
    asked = policy(QUASI, k=5, missing={"pay": "suppress", "age": "suppress"}, method={"suppression": 1})
    with pytest.raises(Infeasible, match=r"only 4 records are left .* a class needs 5"):
        facts_of(GAPS, asked)


def test_real_floats_are_noted_with_their_grid():
    fitted = facts_of(table(pay=[1 / 3, 2 / 3, 0.5]), policy({"pay": "quasi"})).ends
    assert fitted.scales == [15]
    assert fitted.notes == ("column 'pay' holds real numbers and is published on a grid of 1e-15",)


def test_a_table_without_rows_is_none():
    assert faults(table(pay=[]), policy({"pay": "quasi"}, k=3)) == ["the table has a header but no rows"]


@pytest.mark.parametrize("method", ["optimal", "suppress-cells", "mondrian"])
def test_exactly_as_many_records_may_leave_as_the_share_says(method):
    """0.57 of 100 records are 57, although 0.57 * 100 is a little less in floats."""
    asked = policy(
        {"town": "quasi"}, missing={"town": "suppress"}, method={"name": method, "suppression": 0.57}
    )
    release = shoal.anonymize(pa.table({"town": [None] * 57 + ["Ulm"] * 43}), asked, seed=1)
    assert release.result.suppressed == 57
