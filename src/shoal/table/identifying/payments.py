"""Numbers of bank accounts (IBAN, ISO 13616) and payment cards."""

import numpy as np

from shoal.arrays import Bools, Bytes
from shoal.table.identifying.check_digits import checked, digits, luhn, remainder_97
from shoal.table.identifying.detector import Detector, by_shape

IBAN_SHAPE = r"(?i)^[A-Z]{2}\d{2}[ -]?([A-Z0-9]{4}[ -]?){2,7}[A-Z0-9]{0,4}$"
CARD_SHAPE = (
    r"^(4\d{3}|5[0-9]\d{2}|2[1-7]\d{2}|6\d{3}|1800|3\d{3})([ -]?\d{4}){2}[ -]?\d{0,7}$"
    r"|^3[47]\d{2}[ -]\d{6}[ -]\d{5}$"
)


def iban(signs: Bytes) -> Bools:
    """The first four signs moved to the end, letters as numbers: 1 more than a multiple of 97."""
    values = digits(signs)
    return np.asarray(remainder_97(np.hstack([values[:, 4:], values[:, :4]])) == 1)


PAYMENTS = (
    Detector("IBAN", by_shape(IBAN_SHAPE, checked(iban)), chance=1e-6),
    Detector("payment card", by_shape(CARD_SHAPE, checked(luhn)), chance=0.1, fewest=3),
)
