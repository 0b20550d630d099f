"""A file without a line of names does not make names of a person."""

import gzip

import pytest

from shoal.errors import ShoalError
from shoal.table.batches import batches_of
from shoal.table.files.reading import Reading
from shoal.table.profile.preview import preview
from shoal.table.read import read_table
from shoal.table.source_lines import SourceLines

NAMES = ("who", "age", "sex")
PEOPLE = [("Zaphod", "42", "m"), ("Trillian", "30", "f"), ("Ford", "51", "m"), ("Arthur", "33", "m")]


def written(tmp_path, rows, delimiter=",", name="people.csv", encoding="utf-8"):
    path = tmp_path / name
    text = "".join(delimiter.join(row) + "\n" for row in rows).encode(encoding)
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    return path


def refusal(read, path):
    with pytest.raises(ShoalError) as refused:
        read(path)
    assert not any(cell in str(refused.value) for row in PEOPLE for cell in row if len(cell) > 1)
    return str(refused.value)


@pytest.mark.parametrize("read", [read_table, batches_of, preview])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_first_row_that_is_a_person_is_not_taken_for_names(read, delimiter, tmp_path):
    said = refusal(read, written(tmp_path, PEOPLE, delimiter))
    assert said.startswith("the first line of people.csv looks like a row, not like names of columns")
    assert "--header" in said
    assert "--names" in said


@pytest.mark.parametrize(
    "rows",
    [
        [("Ulm", "D-89073"), ("Bern", "C-30110"), ("Wien", "A-10100"), ("Graz", "A-80100")],
        [("Zoe", "1999-01-02"), ("Ann", "2001-05-06")],
        [("Zoe", "1.250,50"), ("Ann", "20")],
        [("flu", "m", "Ulm"), ("cold", "f", "Ulm"), ("flu", "m", "Bern")],
    ],
)
def test_codes_dates_numbers_and_words_of_the_rows_below_are_no_names(rows, tmp_path):
    assert "looks like a row" in refusal(read_table, written(tmp_path, rows))


@pytest.mark.parametrize("header", [("who", "q1", "q2"), ("m", "age", "sex"), ("name", "age 2020", "sex/1")])
def test_names_are_taken_for_names(header, tmp_path):
    assert read_table(written(tmp_path, [header, *PEOPLE])).names == list(header)


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_names_can_be_given_and_the_first_row_is_a_row_then(name, encoding, tmp_path):
    path = written(tmp_path, [("Zoë", "42", "m"), *PEOPLE], name=name, encoding=encoding)
    reading = Reading(names=NAMES)
    table = read_table(path, reading=reading)
    assert table.names == list(NAMES)
    assert table.arrow["who"].to_pylist() == ["Zoë", *(row[0] for row in PEOPLE)]
    assert table.lines == SourceLines(1, multiline=True)
    batches = list(batches_of(path, reading=reading).read(100))
    assert [cell for batch in batches for cell in batch["age"].to_pylist()] == ["42", "42", "30", "51", "33"]
    assert preview(path, reading=reading).rows[0] == ("Zoë", "42", "m")


def test_the_owner_s_word_makes_names_of_numbers(tmp_path):
    path = written(tmp_path, [("land", "2019", "2020"), ("DE", "81", "82"), ("FR", "65", "66")])
    assert "looks like a row" in refusal(read_table, path)
    assert read_table(path, reading=Reading(header=True)).names == ["land", "2019", "2020"]


def test_a_first_row_with_an_expected_name_is_names(tmp_path):
    path = written(tmp_path, [("land", "2019"), ("DE", "81")])
    assert read_table(path, reading=Reading(known=frozenset(["land"]))).names == ["land", "2019"]


def test_as_many_names_as_cells_are_needed(tmp_path):
    with pytest.raises(ShoalError, match=r"2 names are given, but people\.csv has 3 cells"):
        read_table(written(tmp_path, PEOPLE), reading=Reading(names=("who", "age")))


def test_a_header_and_names_cannot_both_be_said():
    with pytest.raises(ShoalError, match="said to be names"):
        Reading(header=True, names=("a",))


@pytest.mark.parametrize("names", [("a", "a"), ("a", " ")])
def test_given_names_are_different_words(names):
    with pytest.raises(ShoalError, match="not all different"):
        Reading(names=names)


def test_repeated_cells_of_a_person_are_not_told(tmp_path):
    said = refusal(read_table, written(tmp_path, [("Zaphod", "Zaphod", "m"), *PEOPLE]))
    assert "at position 1, 2" in said


def test_a_header_of_blanks_is_refused(tmp_path):
    assert "no name at position 1, 2, 3" in refusal(
        read_table, written(tmp_path, [(" ", "  ", " "), *PEOPLE])
    )


@pytest.mark.parametrize(
    "read", [lambda path: read_table(path).arrow, lambda path: next(batches_of(path).read(9))]
)
@pytest.mark.parametrize(
    ("header", "named"),
    [
        (("", "age", "pay"), ["row", "age", "pay"]),
        (('""', '"row"', '"pay"'), ["row_", "row", "pay"]),
    ],
)
def test_the_names_of_rows_that_programs_write_get_a_name(read, header, named, tmp_path):
    found = read(written(tmp_path, [header, ('"1"', "30", "1200"), ('"2"', "41", "900")]))
    assert found.column_names == named
    assert found.column(0).to_pylist() == ["1", "2"]


def test_a_table_that_has_no_names_gets_numbers_for_them(tmp_path):
    path = written(tmp_path, PEOPLE)
    assert read_table(path, reading=Reading(header=False)).names == ["column_1", "column_2", "column_3"]
    assert len(read_table(path, reading=Reading(header=False))) == len(PEOPLE)
