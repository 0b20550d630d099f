"""The words of a question, spelled as the cells that they are compared with, and its lists of numbers.

Tables that are asked hold one spelling of each value (``same_value``). Whoever asks for ``'flu '`` or
``'50000.0'`` means the cells of that value. What is put together from pieces stays as it is. A part of a
word, as in ``like 'New %'``, is no value: the blanks around it count, as one each.
"""

import re
import unicodedata

from sqlglot import exp

from shoal.table.columns.same_value import WITHOUT_WIDTH, value_of

COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In)
PARTS = (exp.Like, exp.ILike, exp.StartsWith)
WORDS = (
    exp.Column, exp.Identifier, exp.Paren, exp.Lower, exp.Upper, exp.Trim, exp.Coalesce, exp.Literal,
)  # fmt: skip


def spell_as_published(tree: exp.Expression) -> None:
    """The words in a tree, wherever they are compared with a column.

    >>> from shoal.query.sql_text import sql_text
    >>> tree = exp.maybe_parse("job in ('x ', 'y') and job || ' ' = 'x '")
    >>> spell_as_published(tree)
    >>> sql_text(tree)
    "job IN ('x', 'y') AND (job || ' ') = 'x '"
    """
    for node in list(tree.find_all(*COMPARISONS, *PARTS, exp.Case)):
        parts = _compared(node)
        if all(isinstance(inner, WORDS) for part in parts for inner in part.walk()):
            for literal in (part for part in parts if isinstance(part, exp.Literal) and part.is_string):
                partial = isinstance(node, PARTS) and _is_part(node, literal.this)
                literal.set("this", compose(literal.this) if partial else spelling(literal.this))


def join_numbers(tree: exp.Expression) -> None:
    """The numbers of a list ``in (...)`` as one literal, which prints as they do: a statement copies its
    conditions many times, and a list may have thousands of members.

    >>> tree = exp.maybe_parse("age in (1, -2, 3.5)")
    >>> join_numbers(tree)
    >>> len(tree.expressions), str(tree)
    (1, 'age IN (1, -2, 3.5)')
    """
    for node in list(tree.find_all(exp.In)):
        numbers = [_number(part) for part in node.expressions]
        known = [number for number in numbers if number is not None]
        if known and len(known) == len(numbers):
            node.set("expressions", [exp.Literal.number(", ".join(known))])


def _number(part: exp.Expression) -> str | None:
    """The text of a number, with a sign or without; None of anything else."""
    if isinstance(part, exp.Neg):
        number = _number(part.this)
        return None if number is None or number.startswith("-") else f"-{number}"
    return str(part.this) if isinstance(part, exp.Literal) and not part.is_string else None


def _is_part(node: exp.Expression, pattern: str) -> bool:
    """Does this pattern leave something of the word open? ``like 'flu '`` asks for a whole value."""
    return isinstance(node, exp.StartsWith) or bool(set(pattern) & set("%_"))


def _compared(node: exp.Expression) -> list[exp.Expression]:
    """What stands on the sides of a comparison; ``case job when 'x' then ...`` is one, too."""
    if not isinstance(node, exp.Case):
        return [part for part in node.iter_expressions() if isinstance(part, exp.Expression)]
    return [node.this, *(one.this for one in node.args["ifs"])] if node.this else []


def spelling(word: str) -> str:
    """A literal as its value is spelled; a word that would be a missing cell is left alone.

    >>> spelling(" cafe\\u0301"), spelling("New  York"), spelling("5e4"), spelling(" ")
    ('café', 'New York', '50000', ' ')
    """
    return value_of(word) or word


def compose(part: str) -> str:
    """A part of a word as it stands inside a value: letters composed, and one blank for several.

    >>> compose("New\\u00a0 "), compose("cafe\\u0301%")
    ('New ', 'café%')
    """
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", part.translate(WITHOUT_WIDTH)))
