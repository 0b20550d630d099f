"""Everything that can be asked for is explained, in words that need no explanation."""

import re
from typing import get_args

import pytest

from shoal.anonymizer.registry import METHODS
from shoal.errors import ShoalError
from shoal.explain.explanation import Explanation
from shoal.explain.registry import EXPLANATIONS, explanation, explanations
from shoal.policy.model.guarantee import GUARANTEES, LDiversity
from shoal.policy.model.policy import Role

KINDS = [guarantee.model_fields["kind"].default for guarantee in GUARANTEES]
VARIANTS = [f"{word}-l-diversity" for word in get_args(LDiversity.model_fields["variant"].annotation)]
NEEDED_WORDS = (*get_args(Role), "suppression", "hierarchy", "loss", "class", "permutation")
JARGON = (
    "algorithm", "anonymiz", "API", "array", "boolean", "cluster of", "column type", "correlat", "dataset",
    "dictionary", "distribution", "domain", "equivalence", "generaliz", "heuristic", "index", "integer",
    "lattice", "microdata", "node", "null", "parameter", "partition", "posterior", "recod", "schema",
    "standard deviation", "string", "tuple", "variance", "vector",
)  # fmt: skip
each = pytest.mark.parametrize("one", EXPLANATIONS, ids=lambda one: one.name)


def texts(one: Explanation) -> list[str]:
    return [one.title, *one.says, one.protects_not, one.example.shows]


@pytest.mark.parametrize("name", [*KINDS, *VARIANTS])
def test_every_guarantee_and_variant_is_explained(name: str) -> None:
    assert explanation(name).kind == "guarantee"


@pytest.mark.parametrize("name", ["auto", *(row.name for row in METHODS)])
def test_every_method_is_explained(name: str) -> None:
    assert explanation(name).kind == "method"


@pytest.mark.parametrize("name", NEEDED_WORDS)
def test_the_words_of_a_page_are_explained(name: str) -> None:
    assert explanation(name).kind == "word"


def test_nothing_is_explained_that_cannot_be_asked_for() -> None:
    assert {one.name for one in explanations("guarantee")} == {*KINDS, *VARIANTS}
    assert {one.name for one in explanations("method")} == {"auto", *(row.name for row in METHODS)}


def test_a_name_is_explained_once() -> None:
    names = [one.name for one in EXPLANATIONS]
    assert len(set(names)) == len(names)


def test_capitals_and_blanks_do_not_matter() -> None:
    assert explanation(" K-Anonymity ") is explanation("k-anonymity")


@pytest.mark.parametrize(
    ("asked", "meant"), [("k-anonimity", "k-anonymity"), ("mondrain", "mondrian"), ("npd", "npd-recursive")]
)
def test_an_unknown_name_is_answered_with_the_nearest(asked: str, meant: str) -> None:
    with pytest.raises(ShoalError, match=meant):
        explanation(asked)


@each
def test_an_explanation_is_short(one: Explanation) -> None:
    assert 2 <= len(one.says) <= 4
    assert all(len(text) <= 200 for text in texts(one))
    assert one.source


@each
def test_sentences_end_and_are_plain_text(one: Explanation) -> None:
    for text in texts(one)[1:]:
        assert text.endswith("."), text
    for text in [*texts(one), one.source]:
        assert not re.search(r"[<>]|&\w+;|\*\*", text), text


@each
def test_no_word_needs_an_explanation_that_is_not_there(one: Explanation) -> None:
    for text in texts(one):
        for word in JARGON:
            assert not re.search(rf"\b{word}", text, re.IGNORECASE), (word, text)


@each
def test_an_example_is_tiny_and_whole(one: Explanation) -> None:
    for grid in (one.example.before, one.example.after):
        assert 1 <= len(grid.head) <= 4
        assert 4 <= len(grid.rows) <= 8
        assert all(len(row) == len(grid.head) for row in grid.rows)


@each
def test_a_guarantee_is_shown_by_its_own_policy(one: Explanation) -> None:
    asked = one.example.policy.guarantees[0]
    if one.kind == "guarantee":
        variant = f"{asked.variant}-l-diversity" if isinstance(asked, LDiversity) else None
        assert one.name in (asked.kind, variant)
    if one.kind == "method":
        assert one.example.policy.method.name == one.name
