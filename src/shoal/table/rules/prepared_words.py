"""What becomes of single words before a table is looked at: capitals, small letters, blanks."""

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.columns.numbers import is_text
from shoal.table.columns.spelling import BLANKS, WIDE_BLANKS, same_values
from shoal.table.rules.column_readers import ReadCells

SEVERAL_BLANKS = f"[{BLANKS}{WIDE_BLANKS}]+"


@dataclass(frozen=True)
class TextForm:
    """Words in capitals, in small letters, or without blanks around them and with single ones inside.

    >>> TextForm("trim").read(pa.array([" New   York "])).cells.to_pylist()
    ['New York']
    """

    form: Literal["upper", "lower", "trim"]

    @property
    def reason(self) -> str:
        return "no words"

    def hint(self, _cells: pa.Array, /) -> str:
        return "leave the column out of [prepare.columns]."

    def read(self, cells: pa.Array) -> ReadCells:
        try:
            words = (cells if is_text(cells.type) else same_values(cells)).cast(pa.string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return ReadCells.none_of(cells)
        if self.form == "trim":
            return ReadCells.all_of(pc.utf8_trim(pc.replace_substring_regex(words, SEVERAL_BLANKS, " "), " "))
        return ReadCells.all_of((pc.utf8_upper if self.form == "upper" else pc.utf8_lower)(words))
