"""A syntax tree as text: the only place where trees are printed, so that what is computed is what was built.

The printer of sqlglot writes operators one behind the other, whatever the tree says: ``x / (s / n)``, put
together from nodes, comes out as ``x / s / n``. So every operand that is an operator is put in parentheses
first, unless both engines are known to read the pair as it was built.
"""

from sqlglot import exp

LEVELS: tuple[tuple[type[exp.Expression], ...], ...] = (
    (exp.Or,),
    (exp.And,),
    (exp.Not,),
    (
        exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ,
        exp.Between, exp.In, exp.Like, exp.ILike,
    ),
    (exp.Add, exp.Sub),
    (exp.Mul, exp.Div, exp.IntDiv, exp.Mod),
    (exp.Neg,),
)  # fmt: skip
LEVEL = {kind: level for level, kinds in enumerate(LEVELS) for kind in kinds}
FROM_THE_LEFT = (exp.Or, exp.And, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod)
OPERATORS = (exp.Binary, exp.Unary, exp.Between, exp.In)
NO_OPERATORS = (exp.Paren, exp.Dot, exp.Slice, exp.Kwarg, exp.PropertyEQ)
OPERANDS = ("this", "expression", "low", "high")


def sql_text(
    tree: exp.Expression, dialect: str = "duckdb", pretty: bool = False, small_letters: bool = False
) -> str:
    """The text of a tree, whatever it was put together from; functions in ``small_letters`` for readers.

    >>> x, y, z = (exp.column(name) for name in "xyz")
    >>> sql_text(x / (y / z)), sql_text(x - (y - z) - z), sql_text(-(x + y) * z)
    ('x / (y / z)', 'x - (y - z) - z', '-(x + y) * z')
    """
    functions = "lower" if small_letters else "upper"
    plain = in_parentheses(tree)
    return str(plain.sql(dialect, copy=False, pretty=pretty, comments=False, normalize_functions=functions))


def in_parentheses(tree: exp.Expression) -> exp.Expression:
    """A copy in which no operand can be read in another way than it was built."""
    copy = tree.copy()
    for node in list(copy.walk()):
        for name in OPERANDS:
            operand = node.args.get(name)
            if isinstance(operand, exp.Expression) and _may_be_misread(node, name, operand):
                paren = exp.Paren()
                operand.replace(paren)
                paren.set("this", operand)
    return copy


def _may_be_misread(node: exp.Expression, name: str, operand: exp.Expression) -> bool:
    if not _is_operator(operand):
        return False
    if isinstance(node, exp.Bracket):
        return name == "this"
    if not _is_operator(node):
        return False
    outer, inner = LEVEL.get(type(node)), LEVEL.get(type(operand))
    if outer is None or inner is None:
        return True
    if outer == inner:
        return name != "this" or not isinstance(node, FROM_THE_LEFT)
    return inner < outer


def _is_operator(node: exp.Expression) -> bool:
    return isinstance(node, OPERATORS) and not isinstance(node, NO_OPERATORS)
