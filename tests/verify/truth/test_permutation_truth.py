"""A permuted release holds its people's cells, and their values inside their groups."""

import pyarrow as pa
import pytest

import shoal
from shoal.table.table import Table
from shoal.verify.verify import verify_against, verify_with_link

PEOPLE = pa.table(
    {
        "age": [20, 30, 40, 50, 60, 70],
        "town": ["{a, b}", "*", None, "Ulm", "Ulm", "Kiel"],
        "pay": [1, 2, 3, 10, 11, 12],
    }
)
POLICY = shoal.Policy(
    columns={"age": "quasi", "town": "quasi", "pay": "sensitive"},
    guarantees=[shoal.KeAnonymity(k=3, e=2, sensitive="pay")],
)


@pytest.fixture
def release():
    made = shoal.anonymize(PEOPLE, POLICY, seed=3)
    assert made.result.classes == 2
    return made


def truths(release, table):
    rows = release.result.input_rows
    with_link = verify_with_link(Table(table), Table(PEOPLE), POLICY, rows)[-1]
    return with_link, verify_against(Table(table), Table(PEOPLE), POLICY)[-1]


def changed(table, name, cells):
    return table.set_column(table.column_names.index(name), name, pa.array(cells, table[name].type))


def test_a_sound_release_is_true(release):
    assert all(truth.holds for truth in truths(release, release.result.table))


def test_another_exact_cell_is_caught(release):
    table = release.result.table
    broken = changed(table, "age", [21, *table["age"].to_pylist()[1:]])
    for truth in truths(release, broken):
        assert not truth.holds
        assert truth.achieved["untrue_records"] == 1


def test_a_cell_of_another_person_is_caught(release):
    """Every column keeps its values, but two people have swapped one."""
    cells = release.result.table["age"].to_pylist()
    broken = changed(release.result.table, "age", [cells[1], cells[0], *cells[2:]])
    for truth in truths(release, broken):
        assert not truth.holds


def test_a_value_that_nobody_had_is_caught(release):
    cells = release.result.table["pay"].to_pylist()
    for truth in truths(release, changed(release.result.table, "pay", [99, *cells[1:]])):
        assert not truth.holds
        assert "pay" in truth.sentence


def test_values_across_groups_are_caught(release):
    for name in ("pay", "shoal_group"):
        broken = across_groups(release.result.table, name)
        assert not any(truth.holds for truth in truths(release, broken))


def across_groups(table, name):
    cells, groups = table[name].to_pylist(), table["shoal_group"].to_pylist()
    here, there = groups.index(0), groups.index(1)
    cells[here], cells[there] = cells[there], cells[here]
    return changed(table, name, cells)


def test_without_the_link_people_who_look_alike_may_be_in_any_of_their_groups():
    """Where everybody with the same exact cells is in one group, it must hold their values."""
    alike = PEOPLE.set_column(0, "age", pa.array([20] * 6)).set_column(1, "town", pa.array(["Ulm"] * 6))
    for known, holds in ((alike, True), (alike.set_column(0, "age", pa.array([20] * 3 + [30] * 3)), False)):
        release = shoal.anonymize(known, POLICY, seed=3)
        broken = across_groups(release.result.table, "pay")
        assert not verify_with_link(Table(broken), Table(known), POLICY, release.result.input_rows)[-1].holds
        assert verify_against(Table(broken), Table(known), POLICY)[-1].holds == holds
        assert verify_against(Table(release.result.table), Table(known), POLICY)[-1].holds
