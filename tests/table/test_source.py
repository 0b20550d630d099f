"""What a source is, and that nothing private of it is shown."""

import pytest

import shoal
from shoal.errors import ShoalError
from shoal.table.files.reading import Reading
from shoal.table.source import ChosenTable, reading_of_source, source_name


def test_a_chosen_table_goes_before_what_a_policy_says():
    said = Reading(header=True, table="old")
    assert reading_of_source(ChosenTable("t.db", table="new"), said) == Reading(header=True, table="new")
    assert reading_of_source(ChosenTable("t.db", query="select 1"), said).table is None
    assert reading_of_source("t.db", said) is said


def test_only_one_way_to_choose_a_table_is_taken():
    with pytest.raises(ShoalError, match="chosen in several ways"):
        ChosenTable("t.db", table="a", query="select 1")


def test_a_source_shows_neither_password_nor_query():
    source = ChosenTable("postgresql://ann:secret@host/db", query="select age from t where name = 'Zaphod'")
    shown = f"{source} {source!r} {source_name(source)}"
    assert "ann@host/db" in shown
    assert "secret" not in shown
    assert "Zaphod" not in shown


def test_every_function_that_takes_a_source_takes_a_chosen_table(tmp_path):
    import xlsxwriter

    with xlsxwriter.Workbook(tmp_path / "t.xlsx") as book:
        for name in ("old", "new"):
            sheet = book.add_worksheet(name)
            for at, row in enumerate([("age", "town"), *((20 + at % 4, "Ulm") for at in range(40))]):
                sheet.write_row(at, 0, row)
    source = shoal.ChosenTable(tmp_path / "t.xlsx", sheet="new")
    policy = shoal.Policy(
        columns={"age": "quasi", "town": "other"}, guarantees=[{"kind": "k-anonymity", "k": 5}]
    )
    release = shoal.anonymize(source, policy)
    assert release.records == 40
    assert shoal.check(source, policy)
    assert shoal.attack(source, policy=policy)
    release.write(tmp_path / "release")
    assert all(verdict.holds for verdict in shoal.open_release(tmp_path / "release").verify(against=source))
