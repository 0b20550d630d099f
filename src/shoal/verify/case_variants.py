"""Sensitive values that differ in capitals alone, such as ``Flu`` and ``flu``.

They count as different values, since codes may differ so. If they mean the same, a class has fewer values
than it seems to have: that is never passed over in silence.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from shoal.policy.model.guarantee import KAnonymity, KfAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.columns.dictionary_encoding import Uncomparable, encode
from shoal.table.columns.numbers import is_text
from shoal.table.columns.same_value import value_of
from shoal.table.table import Table
from shoal.verify.verdict import Verdict

CAPITALS = "differ_in_capitals"  # the figure of a verdict: such values, by column
LETTER = r"\pL"
MOST_WORDS = 10_000  # of a column; more are free text, of which nothing is counted

SensitiveWords = Mapping[str, pa.Array]  # the different words with letters, by column


def sensitive_words(table: Table, policy: Policy) -> dict[str, pa.Array]:
    """The words of every sensitive column that holds some."""
    found = {name: _words(table.column(name)) for name in policy.having("sensitive")}
    return {name: words for name, words in found.items() if words is not None}


def join_words(one: SensitiveWords, two: SensitiveWords) -> dict[str, pa.Array]:
    """The words of two parts of a table."""
    both = {**one, **two}
    return {
        name: _few(pa.concat_arrays([one[name], two[name]]).unique())
        if name in one and name in two
        else words
        for name, words in both.items()
    }


def count_case_variants(words: pa.Array) -> int:
    """How many different values are another one but for capitals; two spellings of a number are one.

    >>> count_case_variants(pa.array(["Flu", "flu", "FLU", "cold", "1e3", "1E3"]))
    3
    """
    if len(words) > MOST_WORDS:
        return 0
    lower = pc.utf8_lower(words)
    found = pc.value_counts(lower)
    several = found.field("values").filter(pc.greater(found.field("counts"), 1))
    alike = words.filter(pc.is_in(lower, value_set=several)).to_pylist()
    values = {value for word in alike if (value := value_of(word)) is not None}
    beside = Counter(map(str.lower, values))
    return sum(count for count in beside.values() if count > 1)


def with_case_notes(verdicts: list[Verdict], policy: Policy, words: SensitiveWords) -> list[Verdict]:
    """Verdicts about sensitive values, with how many of these differ in capitals alone, where some do."""
    counts = {name: count_case_variants(found) for name, found in words.items()}
    return [
        _said(verdict, {name: count for name in _columns(asked, policy) if (count := counts.get(name, 0))})
        for verdict, asked in zip(verdicts, policy.guarantees, strict=True)
    ]


def case_variants_sentence(name: str, count: int) -> str:
    """What is said of a column with so many such values.

    >>> case_variants_sentence("illness", 2)[:64]
    '2 values of illness differ from another one in capitals alone, a'
    """
    return (
        f"{count:,} values of {name} differ from another one in capitals alone, and count as different: if "
        "they mean the same, classes have fewer values than counted."
    )


def _said(verdict: Verdict, counts: dict[str, int]) -> Verdict:
    if not counts:
        return verdict
    notes = (case_variants_sentence(name, count) for name, count in counts.items())
    achieved = {**verdict.achieved, CAPITALS: counts}
    return replace(verdict, achieved=achieved, notes=(*verdict.notes, *notes))


def _columns(asked: object, policy: Policy) -> list[str]:
    """The sensitive columns that a guarantee counts values of."""
    if isinstance(asked, KAnonymity | KfAnonymity):
        return []
    return list(getattr(asked, "columns", None) or policy.having("sensitive"))


def _words(column: pa.ChunkedArray) -> pa.Array | None:
    try:
        cells = encode(column).cells
    except Uncomparable:
        return None
    if not is_text(cells.type):
        return None
    words = cells.filter(pc.match_substring_regex(cells, LETTER).fill_null(False))
    return _few(words.cast(pa.large_string()))


def _few(words: pa.Array) -> pa.Array:
    """The words, or of too many just as many as show that."""
    return words.slice(0, MOST_WORDS + 1)
