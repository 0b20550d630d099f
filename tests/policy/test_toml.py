"""Every text that is no TOML is a fault with a hint, never a crash."""

import tomllib
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ShoalError
from shoal.policy.toml import NoToml, toml_comment, toml_key, toml_mapping, toml_text, toml_value


@pytest.mark.parametrize(
    ("text", "name", "hint"),
    [
        ("net pay = 1", "policy.toml", "need quotes"),
        ("net pay = 1", "table.csv", "give the table first"),
        ("a = 1\na = 2", "policy.toml", "[section] header"),
        ("[method]\noptions = {}\n[method.options.order]", "policy.toml", "cannot both be"),
        (f"a = {'9' * 5000}", "policy.toml", ""),
        ("a = 1e99999999999999999999", "policy.toml", ""),
        (f"a = {'[' * 100_000}", "policy.toml", ""),
        ("a = 1\x00", "policy.toml", ""),
    ],
    ids=["name", "table", "twice", "options", "digits", "exponent", "brackets", "zero"],
)
def test_what_is_wrong_with_a_text(text, name, hint):
    with pytest.raises(ShoalError, match=f"^{name} is not valid TOML") as refused:
        toml_mapping(text, name)
    assert hint in refused.value.faults[0].hint


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_texts_keys_and_comments_are_read_as_they_were(text):
    line = f"{toml_key(text)} = {toml_text(text)}\n"
    assert tomllib.loads(toml_comment(text) + line) == {text: text}
    assert not {"\u202e", "\u2066", "\u2028", "\x85"} & set(line)


@given(st.decimals(allow_nan=False) | st.integers() | st.floats(allow_nan=False))
def test_numbers_are_what_they_were(number):
    read = tomllib.loads(f"a = {toml_value(number)}", parse_float=Decimal)["a"]
    assert (float(read) if isinstance(number, float) else read) == number


def test_numbers_are_plain():
    assert [toml_value(number) for number in (Decimal("1E+3"), 3.0, 0.02, Decimal("4.0"), 1e-7)] == [
        "1000", "3", "0.02", "4.0", "0.0000001",
    ]  # fmt: skip
    assert toml_value(Decimal("1E+999999")) == "1E+999999"


def test_a_number_that_would_fill_the_memory_is_a_fault():
    with pytest.raises(ShoalError, match="a number is too large"):
        toml_mapping("k = 1e999999999")


@pytest.mark.parametrize(
    ("text", "line", "hint"),
    [("a = 1\n  k = ten\n", 2, "digits"), ("[columns]\nnet pay = 1", 2, "quotes"), ("a = [", None, "quotes")],
)
def test_a_text_that_is_no_toml_says_which_line(text: str, line: int | None, hint: str) -> None:
    with pytest.raises(NoToml) as refused:
        toml_mapping(text)
    assert refused.value.line == line
    assert refused.value.written == (text.split("\n")[line - 1].strip() if line else "")
    assert hint in refused.value.faults[0].hint
    assert line is None or f"not valid TOML in line {line}: " in refused.value.faults[0].what
