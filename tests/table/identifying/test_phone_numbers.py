"""Phone numbers as people write them are found; dates, ranges and amounts are none."""

import pyarrow as pa
import pytest

from shoal.table.identifying.column_scan import scan_column
from shoal.table.identifying.detector import DifferentWords
from shoal.table.identifying.phone_numbers import PHONES

WRITTEN = [
    "+49 30 1234567",
    "0049 171 1234567",
    "030 / 123 45 67",
    "(0351) 123456",
    "0171-1234567",
    "+33 6 12 34 56 78",
    "06.12.34.56.78",
    "(212) 555-0123",
    "212-555-0123",
    "+1-212-555-0123 x12",
    "020 7946 0958",
    "912 345 678",
    "612 34 56 78",
    "+39 06 6982 1234",
    "347 1234567",
    "210 1234567",
    "+30 694 123 4567",
    "044 668 18 00",
    "+41446681800",
]
OTHERS = [
    "31.12.1999",
    "1999-12-31",
    "01/02/2003",
    "12:30",
    "1,234,567",
    "10000-19999",
    "0-4999",
    "1990-1995",
    "978-3-16-148410-0",
    "12.5",
    "2011-05-17 10:30",
    "25 000",
    "room 12",
    "A-123-456",
    "EUR 612 345 678",
    "since 01/02/2003",
    "Room 212",
    "about 25 000",
    "group 2010 100 000",
    "ICD A01 123",
]


@pytest.mark.parametrize("number", WRITTEN)
def test_a_number_with_separators_is_found(number):
    assert len(PHONES[0].find(DifferentWords(pa.array([number]))).counted) == 1


@pytest.mark.parametrize("cell", OTHERS)
def test_a_date_or_an_amount_is_none(cell):
    assert [len(one.find(DifferentWords(pa.array([cell]))).counted) for one in PHONES] == [0, 0, 0]


def test_plain_digits_are_found_where_nearly_all_begin_as_phone_numbers():
    [found] = scan_column(pa.chunked_array([[f"0171{n:07d}" for n in range(0, 400_000, 7_919)]]))
    assert (found.kind, found.cells) == ("phone number", 51)


@pytest.mark.parametrize(
    "cell",
    [
        "tel. 0171 555 0000",
        "Tel: 030/1234567",
        "call me 212-555-0123",
        "mobile 612 345 678",
        "phone 01715550000",
    ],
)
def test_a_number_behind_words_is_found(cell):
    assert sum(len(one.find(DifferentWords(pa.array([cell]))).counted) for one in PHONES) == 1


def test_numbers_behind_one_word_are_found_in_a_column():
    [found] = scan_column(pa.chunked_array([[f"tel. 0171 555 {n:04}" for n in range(40)]]))
    assert (found.kind, found.cells) == ("phone number", 40)
