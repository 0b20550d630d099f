"""Values that name people are found among many others, and numbers and words that name nobody are not."""

import random

import numpy as np
import pyarrow as pa
import pytest

from shoal.table.identifying.check_digits import checked
from shoal.table.identifying.column_scan import findings_in, join_tallies, scan_column, tallies_of
from shoal.table.identifying.payments import iban
from shoal.table.identifying.person_names import listed

DRAW = random.Random(1)
WORDS = [
    "red",
    "Green house",
    "part-time",
    "Married-civ-spouse",
    "New York",
    "12 km",
    "7",
    "1999-12-31",
    "a. b.",
]
OTHERS = [f"{DRAW.choice(WORDS)} {DRAW.randrange(400)}" for _ in range(99_000)]
PLANTED = 1_000


def with_check_digits(country: str, account: str) -> str:
    numbers = [f"{country}{check:02d}{account}" for check in range(2, 99)]
    return numbers[int(np.argmax(checked(iban)(pa.array(numbers))))]


def digits(places: int) -> str:
    return f"{DRAW.randrange(10 ** (places - 1), 10**places)}"


def names(letters: str) -> list[str]:
    """Given names and surnames whose first letter is one of these."""
    given, surnames = (
        [name.capitalize() for name in listed(title).to_pylist() if name[0] in letters]
        for title in ("given", "surnames")
    )
    return [f"{DRAW.choice(given)} {DRAW.choice(surnames)}" for _ in range(PLANTED)]


KINDS = {
    "e-mail address": lambda: [f"{word}.{digits(4)}@mail.example.org" for word in "abcde" * 200],
    "IBAN": lambda: [with_check_digits("DE", digits(18)) for _ in range(PLANTED)],
    "phone number": lambda: [
        DRAW.choice(
            [
                f"+49 30 {digits(7)}",
                f"0171 {digits(7)}",
                f"06 {digits(2)} {digits(2)} {digits(2)} {digits(2)}",
                f"(212) {digits(3)}-{digits(4)}",
                f"+30 210 {digits(7)}",
                f"+39 06 {digits(4)} {digits(4)}",
                f"6{digits(2)} {digits(3)} {digits(3)}",
                f"+41 44 {digits(3)} {digits(2)} {digits(2)}",
            ]
        )
        for _ in range(PLANTED)
    ],
    "name of a person": lambda: [*names("abcdefghijklm")[:500], *names("αβγδεζηθικλμ")[:500]],
}


@pytest.mark.parametrize("kind", KINDS)
def test_planted_values_are_found_among_a_hundred_thousand_cells(kind):
    found = {one.kind: one.cells for one in scan_column(pa.chunked_array([KINDS[kind]() + OTHERS]))}
    assert list(found) == [kind]
    assert found[kind] == pytest.approx(PLANTED, rel=0.01)


def test_words_that_name_nobody_are_no_hits():
    assert scan_column(pa.chunked_array([OTHERS])) == ()


@pytest.mark.parametrize("places", [9, 10, 11, 13, 15, 16])
@pytest.mark.parametrize("as_text", [True, False])
def test_random_numbers_are_no_cards_and_no_insurance_numbers(places, as_text):
    drawn = np.random.default_rng(places).integers(10 ** (places - 1), 10**places, 20_000)
    cells = pa.array(drawn).cast(pa.string()) if as_text else pa.array(drawn)
    assert scan_column(pa.chunked_array([cells])) == ()


def test_numbers_with_a_check_digit_are_found_among_random_ones():
    drawn = np.random.default_rng(0).integers(10**7, 10**8, 2_000)
    numbers = [4_000_000_000_000_000 + int(one) * 10 for one in drawn]
    cards = [
        number + next(check for check in range(10) if luhn_by_hand(number + check)) for number in numbers
    ]
    [found] = scan_column(pa.chunked_array([pa.array(cards)]))
    assert (found.kind, found.cells) == ("payment card", 2_000)


def luhn_by_hand(number: int) -> bool:
    total = 0
    for place, digit in enumerate(reversed(str(number))):
        doubled = int(digit) * (2 if place % 2 else 1)
        total += doubled // 10 + doubled % 10
    return total % 10 == 0


def test_free_text_is_found_and_answers_to_choose_from_are_not():
    texts = [f"She came {n} times and told us that her knee hurts" for n in range(100)]
    answers = [f"I would say that I agree with statement number {n}" for n in range(8)] * 50
    [found] = scan_column(pa.chunked_array([texts]))
    assert (found.kind, found.cells) == ("free text", 100)
    assert scan_column(pa.chunked_array([answers])) == ()


def test_tallies_of_batches_add_up_to_those_of_the_whole():
    cells = KINDS["e-mail address"]() + OTHERS[:5_000] + KINDS["phone number"]()
    DRAW.shuffle(cells)
    halves = [tallies_of(pa.chunked_array([half]), hashed=True) for half in (cells[:3_000], cells[3_000:])]
    assert findings_in(join_tallies(*halves)) == scan_column(pa.chunked_array([cells]))


def test_a_value_that_passes_by_chance_counts_once_however_often_it_occurs():
    [card] = [
        number for number in range(4_000_000_000_000_000, 4_000_000_000_000_010) if luhn_by_hand(number)
    ]
    batches = [tallies_of(pa.chunked_array([pa.array([card] * 50)]), hashed=True) for _ in range(20)]
    joined = batches[0]
    for batch in batches[1:]:
        joined = join_tallies(joined, batch)
    assert findings_in(joined) == ()


def test_members_of_sets_are_looked_at():
    sets = ["{Anna Schmidt, Maria Huber, Peter Wagner}"] * 3 + ["{Eva Bauer, Karl Gruber}"] * 2
    [found] = findings_in(tallies_of(pa.chunked_array([sets]), sets=True))
    assert (found.kind, found.cells) == ("name of a person", 13)


@pytest.mark.parametrize(
    "column", [[], [None, None], [[1], [2]], [b"\xff", b"a"], [1.5, None], [True, False]]
)
def test_columns_without_words_hold_nothing(column):
    assert scan_column(pa.chunked_array([pa.array(column)])) == ()
