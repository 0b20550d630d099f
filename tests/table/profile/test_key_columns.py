"""Columns that number people or households are known by their name, or by what their rows have in common."""

import numpy as np
import pyarrow as pa
import pytest

from shoal.table.profile.key_columns import agreement, key_columns
from shoal.table.table import Table

PEOPLE, VISITS = 200, 4


def panel(seed, people=PEOPLE, visits=VISITS):
    """Rows of people with a sex and an origin that stay, and a place and a wage that change."""
    draw = np.random.default_rng(seed)
    person = np.repeat(np.arange(people), visits)
    rows = len(person)
    return {
        "nr": person * 7 + 3,
        "sex": draw.integers(0, 2, people)[person],
        "origin": draw.integers(0, 5, people)[person],
        "place": draw.integers(0, 9, rows),
        "wage": draw.integers(0, 400, rows),
    }


def found(columns, names=None):
    table = Table(pa.table(columns))
    return {key.name: key.certain for key in key_columns(table, names or table.names)}


@pytest.mark.parametrize("seed", range(25))
def test_the_number_of_a_person_is_a_key_by_its_name_and_by_its_traits(seed):
    columns = panel(seed)
    assert found(columns) == {"nr": True}
    renamed = {"xq" if name == "nr" else name: cells for name, cells in columns.items()}
    assert found(renamed) == {"xq": False}
    words = {**renamed, "xq": [f"p-{one}" for one in renamed["xq"]]}
    assert found(words) == {"xq": False}


@pytest.mark.parametrize("seed", range(25))
def test_rows_of_their_own_have_no_key(seed):
    draw = np.random.default_rng(seed)
    rows = 600
    town = draw.integers(0, 60, rows)
    columns = {
        "zip": town * 10 + draw.integers(0, 3, rows),
        "town": town,
        "state": town // 12,
        "sex": draw.integers(0, 2, rows),
        "pay": np.round(draw.lognormal(7, 1, rows), -1).astype(int),
        "rate": np.round(draw.random(rows), 2),
        "born": [f"19{40 + draw.integers(0, 60):02}-0{draw.integers(1, 9)}-11" for _ in range(rows)],
    }
    assert found(columns) == {}


def test_few_slips_hide_no_key():
    columns = {("xq" if name == "nr" else name): cells.copy() for name, cells in panel(1).items()}
    columns["sex"][:8] ^= 1
    assert found(columns) == {"xq": False}


def test_names_that_end_alike_are_no_keys():
    values = np.repeat(np.arange(50), 4)
    for name in ("amount_paid", "covid", "lipid", "fluid_intake", "number_family_members", "diagnosis_name",
                 "city_name", "school_id"):  # fmt: skip
        assert found({name: values}) == {}
    for name in ("hid", "patient_no", "HHID", "Kundennummer", "ori_hid", "case", "id_code"):
        assert found({name: values}) == {name: True}


def test_values_without_a_second_row_number_rows():
    assert found({"id": np.arange(100), "sex": np.arange(100) % 2}) == {}


def test_a_value_that_most_rows_have_is_no_persons():
    """As 0 is in the number of a contract that few people have."""
    values = np.concatenate([np.zeros(300, int), np.arange(1, 60), np.arange(1, 60)])
    assert found({"contract_id": values}) == {}


def test_a_panel_sorted_by_wave_is_found_however_the_rows_are_drawn():
    for people, waves in ((20_000, 10), (50_000, 20)):
        assert found({"person_id": np.tile(np.arange(people), waves)}) == {"person_id": True}


def test_numbers_written_as_floats_and_bytes_are_keys():
    values = np.repeat(np.arange(50), 4)
    assert found({"hid": [f"{one}.0" for one in values]}) == {"hid": True}
    assert found({"hid": values.astype(float)}) == {"hid": True}
    assert found({"hid": pa.array([bytes([one]) * 16 for one in values], pa.binary(16))}) == {"hid": True}
    assert found({"hid": [f"{one}.5" for one in values]}) == {}


def test_visits_in_unlike_numbers_hide_no_key():
    draw = np.random.default_rng(1)
    for rows in (draw.zipf(1.7, 400).clip(max=200), np.append(np.full(399, 3), 200)):
        assert found({"patient_id": np.repeat(np.arange(400), rows)}) == {"patient_id": True}
        sex, origin = (np.repeat(draw.integers(0, many, 400), rows) for many in (2, 5))
        assert found({"xq": np.repeat(np.arange(400), rows), "sex": sex, "origin": origin}) == {"xq": False}
    assert found({"patient_id": np.repeat(np.arange(40), 25)}) == {"patient_id": False}


def test_large_tables_are_judged_by_all_rows_of_some_values():
    assert found(panel(2, people=30_000, visits=3)) == {"nr": True}


@pytest.mark.parametrize("seed", range(25))
def test_agreement_is_that_of_all_pairs(seed):
    draw = np.random.default_rng(seed)
    keys, cells = draw.integers(0, 4, 12), draw.integers(0, 3, 12)
    pairs = [(a, b) for a in range(12) for b in range(12) if a != b]
    chance = np.mean([cells[a] == cells[b] for a, b in pairs])
    alike = np.mean([cells[a] == cells[b] for a, b in pairs if keys[a] == keys[b]])
    assert agreement(keys, cells) == pytest.approx((alike - chance) / (1 - chance))
