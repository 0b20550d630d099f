"""Published cells as the words that they may stand for."""

import numpy as np
import pyarrow as pa
import pytest

from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.utility.word_pair import WordPair, word_pair

TREE = {"tree": {"south": ["Ulm", "Rom"], "north": ["Kiel", "Bonn"]}}


def pair_of(before: list, after: list, role: str = "quasi", **more: object) -> WordPair:
    columns = {"town": role} if role == "quasi" else {"town": role, "q": "quasi"}
    policy = Policy(columns=columns, guarantees=[{"kind": "k-anonymity", "k": 2}], **more)
    return word_pair(Table(pa.table({"town": before})), Table(pa.table({"town": after})), policy, "town")


def after(pair: WordPair) -> dict[str | None, float]:
    return {word: count for word, count in zip(pair.words, pair.counts_after(), strict=True) if count}


def test_sets_are_shared_out_evenly() -> None:
    pair = pair_of(["a", "b", "c", None], ["{a, b}", "{a, b}", "c", "{c, }"])
    assert after(pair) == {"a": 1, "b": 1, "c": 1.5, None: 0.5}
    assert pair.counts_before().tolist() == [1, 1, 1, 1]


def test_a_star_is_every_word_of_the_original() -> None:
    assert after(pair_of(["a", "b", "a", "d"], ["*", "*", "*", "*"])) == pytest.approx(
        {"a": 4 / 3, "b": 4 / 3, "d": 4 / 3}
    )


def test_a_label_is_all_that_lies_below_it_even_what_nobody_has() -> None:
    pair = pair_of(["Ulm", "Kiel", "Kiel"], ["south", "Kiel", "*"], hierarchies={"town": TREE})
    assert after(pair) == {"Ulm": 0.75, "Rom": 0.75, "Kiel": 1.25, "Bonn": 0.25}
    assert pair.words[: pair.own] == ("Kiel", "Ulm")
    assert pair.leaves == 4


def test_words_of_other_roles_stand_for_themselves() -> None:
    pair = pair_of(["*", "{a, b}", " x"], ["{a, b}", "x ", "*"], role="other")
    assert after(pair) == {"*": 1, "{a, b}": 1, "x": 1}


def test_rare_words_are_those_that_the_hierarchy_calls_so() -> None:
    pair = pair_of(
        ["a"] * 8 + ["b", "c"], ["a"] * 8 + ["(rare)"] * 2, hierarchies={"town": {"frequency": [0.2]}}
    )
    assert after(pair) == {"a": 8, "b": 1, "c": 1}


def test_shares_of_labels_add_up_to_one() -> None:
    pair = pair_of(["a", "b", "c", "d"], ["{a, b}", "{a, b}", "*", "d"])
    labels = np.unique(pair.after)
    columns = np.array([0, 1, 2, 2])
    found = pair.shares(labels, columns, 3)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(pair.shares(labels[:1], columns, 3), found[:1])
    star = pair.after[2]
    assert found[star].tolist() == [0.25, 0.25, 0.5]
