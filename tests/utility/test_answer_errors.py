"""Random questions: their truth against plain SQL on the original, their bounds against the engine's."""

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from shoal.policy.model.policy import Policy
from shoal.query.answer import Bounds
from shoal.release.database.questions import open_table
from shoal.table.table import Table
from shoal.utility.answer_errors import answer_error, answer_errors, random_questions
from shoal.utility.column_pairs import ColumnPairs

DRAW = np.random.default_rng(0)
HOSTILE = 'the "age"; drop'
ORIGINAL = pa.table(
    {
        HOSTILE: DRAW.integers(-5, 40, 80),
        "born": [f"2001-01-{day:02}" for day in DRAW.integers(1, 28, 80)],
        "town": DRAW.choice(["it's", "a, b", "c"], 80),
        "pay": [None if draw < 0.1 else round(draw * 100, 2) for draw in DRAW.random(80).tolist()],
    }
)
ROLES = {HOSTILE: "quasi", "born": "quasi", "town": "quasi", "pay": "sensitive"}


def policy(roles: dict, **more: object) -> Policy:
    return Policy(columns=roles, guarantees=[{"kind": "k-anonymity", "k": 2}], **more)


def blurred(table: pa.Table) -> pa.Table:
    """Ages in tens, half of the towns in sets, rows turned round."""
    ages = [f"[{age // 10 * 10}, {age // 10 * 10 + 9}]" for age in table[HOSTILE].to_pylist()]
    towns = [f'{{"{town}", c}}' if at % 2 else town for at, town in enumerate(table["town"].to_pylist())]
    return table.set_column(0, HOSTILE, [ages]).set_column(2, "town", [towns]).take(list(range(79, -1, -1)))


def pairs(original: pa.Table = ORIGINAL, published: pa.Table | None = None) -> ColumnPairs:
    shown = blurred(original) if published is None else published
    return ColumnPairs.of(Table(original), Table(shown), policy(ROLES))


def test_the_truth_is_what_plain_sql_says() -> None:
    connection = duckdb.connect()
    connection.register("given", ORIGINAL)
    connection.execute("create table data as from given")
    for question in random_questions(pairs(), 60, np.random.default_rng(1)):
        count, total, mean = connection.execute(question.sql).fetchall()[0]
        assert question.truth["count"] == count
        assert question.truth["sum"] == (None if total is None else pytest.approx(float(total)))
        assert question.truth["avg"] == (None if mean is None else pytest.approx(float(mean)))


def test_questions_pick_about_a_tenth() -> None:
    many = pa.table({"x": DRAW.integers(0, 10**6, 2000), "y": DRAW.integers(0, 10**6, 2000)})
    asked = ColumnPairs.of(Table(many), Table(many), policy({"x": "quasi", "y": "quasi"}))
    picked = [question.truth["count"] for question in random_questions(asked, 100, np.random.default_rng(0))]
    assert np.mean(picked) == pytest.approx(200, rel=0.1)


def test_figures_are_the_means_over_the_questions() -> None:
    found = answer_errors(pairs(), 40, np.random.default_rng(2))
    assert found is not None
    assert (found.asked, found.refused) == (40, 0)
    ask = open_table(blurred(ORIGINAL), policy(ROLES), 0)
    widths, errors, left_out = [], [], 0
    for question in random_questions(pairs(), 40, np.random.default_rng(2)):
        bounds, truth = ask(question.sql).rows[0]["count"], question.truth["count"]
        if not truth:
            left_out += 1
            continue
        widths.append((bounds.upper - bounds.lower) / truth)
        errors.append(abs((bounds.upper + bounds.lower) / 2 - truth) / truth)
    count = found.aggregates[0]
    assert (count.aggregate, count.questions, count.left_out) == ("count", 40, left_out)
    assert (count.width, count.median_width) == pytest.approx((np.mean(widths), np.median(widths)))
    assert (count.error, count.median_error) == pytest.approx((np.mean(errors), np.median(errors)))
    assert [one.within for one in found.aggregates] == [1.0, 1.0, 1.0]


def test_a_table_published_as_it_is_answers_exactly() -> None:
    found = answer_errors(pairs(published=ORIGINAL), 20, np.random.default_rng(3))
    assert found is not None
    for one in found.aggregates:
        assert (one.width, one.within) == (0.0, 1.0)
        assert one.error == pytest.approx(0, abs=1e-9)


def test_a_permuted_release_counts_exactly_and_bounds_sums() -> None:
    ages, pays = list(range(20, 40)), list(range(100, 120))
    roles = {"age": "quasi", "pay": "sensitive"}
    asked = Policy(columns=roles, guarantees=[{"kind": "ke-anonymity", "k": 2, "e": 1, "sensitive": "pay"}])
    turned = [pay + 1 if pay % 2 == 0 else pay - 1 for pay in pays]
    published = pa.table({"age": ages, "pay": turned, "shoal_group": [at // 2 for at in range(20)]})
    original = pa.table({"age": ages, "pay": pays})
    found = answer_errors(
        ColumnPairs.of(Table(original), Table(published), asked), 30, np.random.default_rng(4)
    )
    assert found is not None
    count, total, _ = found.aggregates
    assert count.width == 0
    assert total.within == 1
    assert total.width is not None
    assert 0 <= total.width < 0.02


def test_class_means_are_refused() -> None:
    asked = policy({"x": "quasi", "y": "other"}, method={"name": "mdav"})
    table = Table(pa.table({"x": [1, 1, 5, 5], "y": [1, 2, 3, 4]}))
    found = answer_errors(ColumnPairs.of(table, table, asked), 5, np.random.default_rng(0))
    assert found is not None
    assert (found.refused, found.aggregates) == (5, ())


def test_without_a_column_to_ask_about_there_are_no_figures() -> None:
    blank = Table(pa.table({"x": [" ", "", None]}))
    assert answer_errors(ColumnPairs.of(blank, blank, policy({"x": "quasi"})), 5) is None


def test_words_with_blanks_around_them_are_asked_about() -> None:
    words = Table(pa.table({"x": [" a", "b ", "b"]}))
    found = answer_errors(ColumnPairs.of(words, words, policy({"x": "quasi"})), 5)
    assert found is not None
    (count,) = found.aggregates
    assert (count.left_out, count.width, count.error, count.within) == (0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("truth", [0.0, None])
def test_no_relative_error_without_a_truth(truth: float | None) -> None:
    assert answer_error(Bounds(0, None, 4, None, 0), truth) is None
    assert answer_error(Bounds(None, None, 4, None, 0), 1.0) is None


def test_bounds_that_miss_the_truth_are_told() -> None:
    found = answer_error(Bounds(5, 6, 7, None, 0), -10.0)
    assert found == (0.2, 1.6, False)
