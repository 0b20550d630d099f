"""Policies that are shown whole can be used as they stand."""

import re
from pathlib import Path

import pytest

from shoal.policy.model.policy import Policy

PAGE = Path(__file__).parents[2] / "docs" / "policy.md"
BLOCKS = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
WHOLE = [text for text in BLOCKS if "[columns]" in text and "[[guarantees]]" in text and ".csv" not in text]


@pytest.mark.parametrize("text", WHOLE)
def test_a_policy_of_the_page_has_no_fault(text):
    assert Policy.parse(text).guarantees


def test_some_are_looked_at():
    assert len(WHOLE) >= 3
