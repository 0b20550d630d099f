"""Quotes of CSV that shoal has written: those inside of a cell are doubled, so their number is even.

Such cells may hold whatever there is, also what looks like rows. A file that was cut inside of one shows in
an odd number of quotes, and counting them costs next to nothing.
"""

from shoal.errors import ShoalError


class QuoteParity:
    """Counts the quotes of a text piece by piece; ``end`` raises if one of them is open.

    >>> quotes = QuoteParity("data.csv")
    >>> quotes.look(b'pay\\n"[1, 2]"\\n"[3')
    >>> quotes.end()
    Traceback (most recent call last):
    shoal.errors.ShoalError: data.csv ends inside of a quote
    Hint: it was cut or changed; make the release again.
    """

    def __init__(self, file: str) -> None:
        self._file, self._count = file, 0

    def look(self, text: bytes) -> None:
        self._count += text.count(b'"')

    def end(self) -> None:
        if self._count % 2:
            what = f"{self._file} ends inside of a quote"
            raise ShoalError(what, "it was cut or changed; make the release again.")
