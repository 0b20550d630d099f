"""The words of a question, spelled as the cells that they are compared with.

A release publishes words in one spelling: without blanks around them, in Unicode's composed form. Whoever
asks for ``'flu '`` means the cells that were spelled so. What is put together from pieces stays as it is.
"""

import pyarrow as pa
from sqlglot import exp

from shoal.table.spelling import one_spelling

COMPARISONS = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Like, exp.ILike,
    exp.StartsWith,
)  # fmt: skip
WORDS = (exp.Column, exp.Identifier, exp.Paren, exp.Lower, exp.Upper, exp.Trim, exp.Literal)


def spell_as_published(tree: exp.Expression) -> None:
    """The words in a tree, wherever they are compared with a column.

    >>> from shoal.query.sql_text import sql_text
    >>> tree = exp.maybe_parse("job in ('x ', 'y') and job || ' ' = 'x '")
    >>> spell_as_published(tree)
    >>> sql_text(tree)
    "job IN ('x', 'y') AND (job || ' ') = 'x '"
    """
    for node in list(tree.find_all(*COMPARISONS)):
        parts = [part for part in node.iter_expressions() if isinstance(part, exp.Expression)]
        if all(isinstance(inner, WORDS) for part in parts for inner in part.walk()):
            for literal in (part for part in parts if isinstance(part, exp.Literal) and part.is_string):
                literal.set("this", spelling(literal.this))


def spelling(word: str) -> str:
    """As it is published; a word that would be missing there is left alone.

    >>> spelling(" cafe\\u0301"), spelling(" ")
    ('café', ' ')
    """
    found: str | None = one_spelling(pa.chunked_array([[word]])).to_pylist()[0]
    return word if found is None else found
