"""Expressions: what they mean, and why some are refused."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ShoalError
from shoal.policy.model.expression import (
    FUNCTIONS,
    NOT_MONOTONE,
    ColumnTerm,
    Combine,
    Constant,
    Divide,
    Negate,
    Power,
    columns_of,
    linear_form,
    parse_expression,
)
from tests.draws import draws

A, B, C = ColumnTerm("a"), ColumnTerm("b"), ColumnTerm("c")


def number(value):
    return Constant(Fraction(value))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a", A),
        ("  a  ", A),
        ("((a))", A),
        ("a + b + c", Combine("sum", (A, B, C))),
        ("a - b", Combine("sum", (A, Negate(B)))),
        ("a - b - c", Combine("sum", (A, Negate(B), Negate(C)))),
        ("a + b * c", Combine("sum", (A, Combine("product", (B, C))))),
        ("(a + b) * c", Combine("product", (Combine("sum", (A, B)), C))),
        ("a / b / c", Divide(Divide(A, B), C)),
        ("a / b * c", Combine("product", (Divide(A, B), C))),
        ("a * b ^ 2", Combine("product", (A, Power(B, 2)))),
        ("-a ^ 2", Negate(Power(A, 2))),
        ("a ** 3", Power(A, 3)),
        ("--a", Negate(Negate(A))),
        ("2 * -a", Combine("product", (number(2), Negate(A)))),
        ("+a", A),
        (".5 * a", Combine("product", (number("1/2"), A))),
        ("0.10 * a", Combine("product", (number("1/10"), A))),
        ("2 * 3 * a", Combine("product", (number(6), A))),
        ("a * (1 + 2 - 4)", Combine("product", (A, number(-1)))),
        ("a / (3 / 4)", Divide(A, number("3/4"))),
        ("a\n+\tb", Combine("sum", (A, B))),
    ],
)
def test_operators_bind_as_in_arithmetic(text, tree):
    assert parse_expression(text) == tree


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_takes_any_number_of_parts(function):
    assert parse_expression(f"{function}(a)") == Combine(function, (A,))
    assert parse_expression(f"{function.upper()} ( a , b, 2 )") == Combine(function, (A, B, number(2)))


@pytest.mark.parametrize("name", ["mean", "average", "Mean"])
def test_the_average_has_other_names(name):
    assert parse_expression(f"{name}(a, b)") == Combine("avg", (A, B))


@pytest.mark.parametrize("word", ["sum", "min", "norm", "var", "größe", "_x1"])
def test_a_word_without_brackets_behind_it_is_a_column(word):
    assert parse_expression(word) == ColumnTerm(word)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('"net pay"', "net pay"),
        ("`net pay`", "net pay"),
        ('"a + b"', "a + b"),
        ('"say ""hi"""', 'say "hi"'),
        ("`tick `` tock`", "tick ` tock"),
        ('"`"', "`"),
        ('`"`', '"'),
        ('" a "', " a "),
        ('"2024"', "2024"),
    ],
)
def test_quoted_columns_may_have_any_name(text, name):
    assert parse_expression(text) == ColumnTerm(name)


def test_columns_are_listed_in_order():
    tree = parse_expression("max(d, 2) * -b ^ 2 + sum(a, c) / e")
    assert list(columns_of(tree)) == ["d", "b", "a", "c", "e"]


UNREADABLE = "cannot be read: unexpected "
REFUSALS = [
    ("", UNREADABLE + "'end of expression'"),
    ("a +", UNREADABLE + "'end of expression'"),
    ("(a", UNREADABLE + "'end of expression', ')' is missing"),
    ("a)", UNREADABLE + "')'"),
    ("a b", UNREADABLE + "'b'"),
    ("2 a", UNREADABLE + "'a'"),
    ("a, b", UNREADABLE + "','"),
    ("* a", UNREADABLE + "'*'"),
    ("sum()", UNREADABLE + "')'"),
    ("sum(a,)", UNREADABLE + "')'"),
    ("sum(a b)", UNREADABLE + "'b', ')' is missing"),
    ("total(a)", UNREADABLE + "function 'total'"),
    ("a $ b", UNREADABLE + "character '$' at position 3"),
    ("a.b", UNREADABLE + "character '.' at position 2"),
    ('"a', UNREADABLE + "character '\"' at position 1"),
    ('""', UNREADABLE + "character '\"' at position 1"),
    ("a ^ 5", UNREADABLE + "exponent '5'; it must be a whole number from 1 to 4"),
    ("a ^ 0", UNREADABLE + "exponent '0'"),
    ("a ^ -1", UNREADABLE + "exponent '-'"),
    ("a ^ 0.5", UNREADABLE + "exponent '0.5'"),
    ("a ^ b", UNREADABLE + "exponent 'b'"),
    ("a / 0", UNREADABLE + "division by zero"),
    ("a / (1 - 1)", UNREADABLE + "division by zero"),
    ("1 + 2", "names no column"),
    ("norm(3, 4)", "names no column"),
    ("a + a", "uses 'a' more than once, so its range over a published record is not exact"),
    ("b * a + max(a, b)", "uses 'a', 'b' more than once"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSALS)
def test_what_cannot_be_protected_is_refused_with_the_reason_and_a_way_out(text, reason):
    with pytest.raises(ShoalError) as refused:
        parse_expression(text)
    (fault,) = refused.value.faults
    assert fault.what.startswith(f"expression {text!r} {reason}")
    assert fault.hint


@pytest.mark.parametrize("function", NOT_MONOTONE)
def test_functions_that_are_not_monotone_name_k_anonymity_instead(function):
    with pytest.raises(ShoalError, match="is not monotone in its columns") as refused:
        parse_expression(f"{function}(a, b)")
    assert "k-anonymity" in refused.value.faults[0].hint


# Random linear expressions: each knows how it is written and what it is worth.

VALUES = dict(zip("abcdef", map(Fraction, ["3", "-7", "1/2", "0", "1000", "-0.35"]), strict=True))
JOINS = (
    lambda a, b: (f"{a[0]} + {b[0]}", a[1] + b[1]),
    lambda a, b: (f"{a[0]} - ({b[0]})", a[1] - b[1]),
    lambda a, b: (f"sum({a[0]}, {b[0]}, 4)", a[1] + b[1] + 4),
    lambda a, b: (f"avg({a[0]}, {b[0]})", (a[1] + b[1]) / 2),
)
CHANGES = (
    lambda text, value, _: (text, value),
    lambda text, value, _: (f"-({text})", -value),
    lambda text, value, n: (f"{written(n)} * ({text})", n * value),
    lambda text, value, n: (f"({text}) * {written(n)}", n * value),
    lambda text, value, n: (f"({text}) / -{written(n)}", value / -n),
    lambda text, value, n: (f"({text}) ^ 1 + {written(n)}", value + n),
    lambda text, value, n: (f"{written(n)} - ({text})", n - value),
)
numbers = st.integers(0, 9999).map(lambda hundredths: Fraction(hundredths, 100))


def written(value: Fraction) -> str:
    return f"{float(value):.2f}"


@st.composite
def linear_expressions(draw):
    """(text, value) of an expression in which some columns occur once each."""

    def drawn(names):
        if len(names) == 1:
            text, value = names[0], VALUES[names[0]]
        else:
            cut = draw(st.integers(1, len(names) - 1))
            text, value = draw(st.sampled_from(JOINS))(drawn(names[:cut]), drawn(names[cut:]))
        return draw(st.sampled_from(CHANGES))(text, value, draw(numbers.filter(bool)))

    names = draw(st.permutations("abcdef"))
    return drawn(names[: draw(st.integers(1, 6))])


@draws(200)
@given(linear_expressions())
def test_the_weights_of_a_linear_expression_give_its_exact_value(expression):
    text, value = expression
    form = linear_form(parse_expression(text))
    assert form.constant + sum(weight * VALUES[name] for name, weight in form.weights.items()) == value


@pytest.mark.parametrize(
    "text",
    ["a * b", "a / b", "2 / a", "a ^ 2", "norm(a)", "norm(a, b)", "min(a, b)", "a + max(b, 0)",
     "median(a, b, c)", "-(a * b)", "avg(a, b ^ 2)", "product(a, b)"],
)  # fmt: skip
def test_what_is_not_linear_has_no_weights(text):
    assert linear_form(parse_expression(text)) is None


@pytest.mark.parametrize("function", sorted(set(FUNCTIONS) - {"norm"}))
def test_a_function_of_one_column_is_the_column(function):
    assert linear_form(parse_expression(f"{function}(a)")).weights == {"a": 1}


# Random trees of any kind, written out in full and parsed again.

leaves = st.one_of(
    st.sampled_from(["a", "net pay", 'x"y', "z`z", "größe", "sum", "1st"]).map(ColumnTerm),
    numbers.map(Constant),
)


def branches(parts):
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Negate, parts.filter(lambda part: not isinstance(part, Constant))),
        st.builds(Power, parts, st.integers(1, 4)),
        st.builds(Divide, parts, parts.filter(lambda part: not isinstance(part, Constant))),
        st.builds(Combine, st.sampled_from(["avg", "min", "max", "median", "norm"]), several),
    )


def print_tree(tree) -> str:
    match tree:
        case ColumnTerm(name):
            return '"' + name.replace('"', '""') + '"'
        case Constant(value):
            return written(value)
        case Negate(part):
            return f"-({print_tree(part)})"
        case Power(part, exponent):
            return f"({print_tree(part)}) ^ {exponent}"
        case Divide(top, bottom):
            return f"({print_tree(top)}) / ({print_tree(bottom)})"
        case Combine(function, parts):
            return f"{function}({', '.join(map(print_tree, parts))})"


@draws(200)
@given(st.recursive(leaves, branches, max_leaves=6))
def test_a_printed_tree_is_parsed_to_the_same_tree(tree):
    names = list(columns_of(tree))
    if names and len(set(names)) == len(names):
        assert parse_expression(print_tree(tree)) == tree
    else:
        with pytest.raises(ShoalError, match=r"names no column|more than once"):
            parse_expression(print_tree(tree))
