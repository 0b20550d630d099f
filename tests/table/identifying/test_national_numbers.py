"""Published examples of every number are found, and with another last sign they are not."""

import pyarrow as pa
import pytest

from shoal.table.identifying.detector import DifferentWords
from shoal.table.identifying.national_numbers import NATIONAL

EXAMPLES = {
    "German tax number": ["86095742719", "47036892816", "65 929 970 489"],
    "German pension number": ["15 070649 C 103", "15070649C103"],
    "French social security number": ["2 55 08 14 168 025 38", "180126955222380", "1 84 12 2A 112 003 07"],
    "Italian fiscal code": ["RSSMRA85T10A562S", "MRTMTT25D09F205Z"],
    "Spanish identity number": ["12345678Z", "X1234567L", "00000000-T"],
    "Greek insurance number": ["01013099997"],
    "Greek tax number": ["094259216", "998146845"],
    "Swiss insurance number": ["756.9217.0769.85", "7569217076985"],
    "US social security number": ["219-09-9999", "078-05-1120"],
    "UK insurance number": ["AB 12 34 56 C", "JG103759A"],
}
FINDS = {detector.kind: detector.find for detector in NATIONAL}


def test_every_kind_has_examples():
    assert set(EXAMPLES) == set(FINDS)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_examples_are_found(kind):
    found = FINDS[kind](DifferentWords(pa.array(EXAMPLES[kind])))
    assert len(found.counted) == len(EXAMPLES[kind])


@pytest.mark.parametrize("kind", [kind for kind in EXAMPLES if "US" not in kind and "UK" not in kind])
def test_another_last_sign_fails(kind):
    others = []
    for example in EXAMPLES[kind]:
        last = (
            "B" if example[-1] == "A" else "A" if example[-1].isalpha() else str((int(example[-1]) + 1) % 10)
        )
        others.append(example[:-1] + last)
    assert len(FINDS[kind](DifferentWords(pa.array(others))).counted) == 0


@pytest.mark.parametrize("number", ["000-12-3456", "666-12-3456", "900-12-3456", "1999-12-31", "12-34-5678"])
def test_what_is_no_social_security_number_is_none(number):
    assert len(FINDS["US social security number"](DifferentWords(pa.array([number]))).counted) == 0
