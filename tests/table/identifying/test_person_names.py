"""Names in six languages are found in whatever order and letters; places and firms are none."""

import pyarrow as pa
import pytest

from shoal.table.identifying.column_scan import scan_column
from shoal.table.identifying.detector import DifferentWords
from shoal.table.identifying.person_names import full_names

NAMES = [
    "Mary Johnson",
    "JOHN SMITH",
    "Müller, Hans",
    "Dr. Anna-Lena Schmidt",
    "Jean-Pierre Dubois",
    "François Lefèvre",
    "María García López",
    "José Fernández",
    "Giuseppe Rossi",
    "Bianchi, Maria",
    "Γιώργος Παπαδόπουλος",
    "ΜΑΡΙΑ ΠΑΠΑΔΟΠΟΥΛΟΥ",
    "Giorgos Papadopoulos",
    "Ludwig van der Meyer",
    "Mr. Robert Miller",
]
PLACES = [
    "West Virginia",
    "New York",
    "North Carolina",
    "Santa Fe",
    "Fort Worth",
    "Los Angeles",
    "Bad Homburg",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_found(name):
    assert len(full_names(DifferentWords(pa.array([name]))).counted) == 1


@pytest.mark.parametrize("place", PLACES)
def test_a_place_is_none(place):
    assert not full_names(DifferentWords(pa.array([place]))).passed.any()


def test_given_names_alone_are_found_where_most_words_are_names():
    given = [
        "Anna",
        "Peter",
        "Maria",
        "Hans",
        "Jean",
        "Marie",
        "Paolo",
        "Lucia",
        "Carlos",
        "Carmen",
        "Giorgos",
        "Eleni",
        "Mary",
        "John",
        "Susan",
        "Karl",
        "Luise",
        "Pierre",
        "Elena",
        "Dimitris",
    ]
    [found] = scan_column(pa.chunked_array([given * 3]))
    assert (found.kind, found.cells) == ("name of a person", 60)


def test_states_of_which_some_are_names_are_none():
    states = [
        "Georgia",
        "Virginia",
        "Texas",
        "Ohio",
        "Iowa",
        "Utah",
        "Maine",
        "Idaho",
        "Oregon",
        "Nevada",
        "Kansas",
        "Alabama",
        "Alaska",
        "Florida",
        "Hawaii",
        "Montana",
        "Vermont",
        "Wyoming",
        "Indiana",
        "Delaware",
    ]
    assert scan_column(pa.chunked_array([states * 3])) == ()


BESIDE_WORDS = [
    "ask Maria Schmidt",
    "Ask Maria Schmidt",
    "contact: John Smith",
    "please call Mary Johnson again",
    "daughter of Hans Müller",
    "Anna Schmidt called",
    "see Dr. Hans Müller, tomorrow",
]
NO_NAMES = [
    "Thomas Jefferson High School",
    "moved from West Virginia",
    "born in New York City",
    "works in a mine",
    "Never married at all",
    "about 12 km away",
    "Trade union of New South Wales",
]


@pytest.mark.parametrize("cell", BESIDE_WORDS)
def test_a_name_beside_other_words_is_found(cell):
    assert full_names(DifferentWords(pa.array([cell]))).passed.all()


@pytest.mark.parametrize("cell", NO_NAMES)
def test_other_words_hold_none(cell):
    assert not full_names(DifferentWords(pa.array([cell]))).passed.any()


def test_names_behind_one_word_are_found_in_a_column():
    given, surnames = ["Maria", "Anna", "Peter", "Hans"], ["Schmidt", "Müller", "Huber"]
    cells = [f"ask {one} {other}" for one in given for other in surnames]
    [found] = scan_column(pa.chunked_array([cells * 3]))
    assert (found.kind, found.cells) == ("name of a person", 36)
