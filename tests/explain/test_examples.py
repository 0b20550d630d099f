"""The examples are true: verified where they show a promise, made again where they show a method."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import mean, pvariance

import pytest

from shoal.anonymizer.registry import METHODS
from shoal.explain.explanation import Example, Explanation
from shoal.explain.registry import explanation, explanations
from shoal.release.check import check

from .conftest import alike, made, published, written

NO_PROMISE = [row.name for row in METHODS if row.baseline]
by_name = {"ids": lambda one: one.name}
RUN = [one for one in (*explanations("method"), *explanations("word")) if one.name not in NO_PROMISE]


def promises_hold(example: Example, table: str, folder: Path) -> bool:
    """Names in the table before are not what its promise is about."""
    verdicts = check(written(getattr(example, table), folder), example.policy)
    return all(verdict.holds for verdict in verdicts if verdict.kind != "no-identifiers")


@pytest.mark.parametrize("one", [*explanations("guarantee"), *RUN], **by_name)
def test_the_table_after_keeps_the_promise_and_the_one_before_does_not(
    one: Explanation, tmp_path: Path
) -> None:
    assert promises_hold(one.example, "after", tmp_path)
    assert not promises_hold(one.example, "before", tmp_path)


@pytest.mark.parametrize("one", RUN, **by_name)
def test_the_method_makes_the_table_that_is_shown(one: Explanation, tmp_path: Path) -> None:
    shown = one.example
    table = published(made(shown, tmp_path), tmp_path)
    assert alike(table, shown.after, shown.policy.having("sensitive"))


@pytest.mark.parametrize("name", NO_PROMISE)
def test_a_method_without_a_promise_makes_what_is_shown_and_keeps_none(name: str, tmp_path: Path) -> None:
    shown = explanation(name).example
    release = made(shown, tmp_path)
    rows = {tuple(map(str, row.values())) for row in release.table.to_pylist()}
    assert rows == set(shown.after.rows)
    assert not all(verdict.holds for verdict in release.verdicts)


@pytest.mark.parametrize("one", explanations("guarantee"), **by_name)
def test_the_sensitive_values_of_a_guarantee_are_the_same_before_and_after(one: Explanation) -> None:
    """The people stay, only what is shown of them differs."""
    before, after = one.example.before, one.example.after
    for name in one.example.policy.having("sensitive"):
        at = before.head.index(name)
        assert sorted(row[at] for row in before.rows) == sorted(row[at] for row in after.rows)


def test_the_loss_is_the_one_that_is_worked_out(tmp_path: Path) -> None:
    shown = explanation("loss").example
    assert "0.25" in shown.shows
    assert made(shown, tmp_path).loss["ncp"] == pytest.approx(0.25)


def groupings(values: list[int]) -> Iterator[list[list[int]]]:
    """Every way to put the values into groups."""
    if not values:
        yield []
        return
    first, *rest = values
    for groups in groupings(rest):
        yield [[first], *groups]
        for at, group in enumerate(groups):
            yield [*groups[:at], [first, *group], *groups[at + 1 :]]


def width(group: list[int]) -> int:
    return max(group) - min(group)


def are_stretches(groups: list[list[int]]) -> bool:
    return all(max(group) < min(after) for group, after in pairwise(sorted(groups, key=min)))


def test_no_grouping_is_better_than_those_shown(tmp_path: Path) -> None:
    shown = {
        name: explanation(name).example for name in ("min-sum", "min-max", "min-max-exact", "max-groups")
    }
    salaries = [int(row[2]) for row in shown["min-sum"].before.rows]
    valid = [groups for groups in groupings(salaries) if all(width(group) >= 5 for group in groups)]
    stretches = [groups for groups in valid if are_stretches(groups)]
    losses = {name: made(example, tmp_path).loss for name, example in shown.items()}
    assert min(sum(map(width, groups)) for groups in valid) == losses["min-sum"]["sum_of_error"] == 23
    assert min(max(map(width, groups)) for groups in stretches) == losses["min-max"]["max_of_error"] == 12
    assert min(max(map(width, groups)) for groups in valid) == losses["min-max-exact"]["max_of_error"] == 11
    assert max(map(len, stretches)) == len({row[-1] for row in shown["max-groups"].after.rows}) == 2


def test_no_groups_of_one_column_lose_less_than_those_shown() -> None:
    shown = explanation("refined").example
    values = [int(row[0]) for row in shown.before.rows]
    valid = [groups for groups in groupings(values) if all(len(group) >= 2 for group in groups)]
    best = min(valid, key=lambda groups: sum(len(group) * pvariance(group) for group in groups))
    means = sorted(str(mean(group)) for group in best for _ in group)
    assert means == sorted(row[0] for row in shown.after.rows)
