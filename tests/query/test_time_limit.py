"""A question that takes too long is given up, in every engine, and the next one is answered."""

from time import monotonic

import numpy as np
import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.query.answer import answer
from shoal.query.generalized.answer import answer_generalized
from shoal.query.generalized.database import open_generalized
from shoal.query.permuted.database import open_database

ROWS = 400_000
LIST = ",".join(map(str, range(100, 2_000)))
POLICY = Policy(columns={"age": "quasi", "pay": "sensitive"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
GENERALIZED = pa.table({"age": ["[1, 5]", "[2, 90]", "7", None] * 50, "pay": range(200)})


def test_the_engine_is_interrupted_and_answers_the_next_question() -> None:
    rows = np.arange(ROWS)
    table = pa.table({"age": rows % 90, "pay": rows, "shoal_group": rows // 1_000})
    connection, schema = open_database(table, ("pay",))
    slow = "select age, variance(pay * pay), median(pay + 1), min(-pay) from data group by age"
    with connection:
        since = monotonic()
        with pytest.raises(ShoalError, match=r"no answer after 0\.3 seconds") as caught:
            answer(connection, schema, slow, seconds=0.3)
        assert monotonic() - since < 20
        assert caught.value.faults[0].hint
        (row,) = answer(connection, schema, "select count(*) as n from data").rows
    assert row["n"].lower == ROWS


def test_a_question_to_a_generalized_release_is_given_up_too_and_the_next_one_is_not() -> None:
    opened = open_generalized(GENERALIZED, POLICY, 0)
    with opened.connection:
        for _ in range(20):
            with pytest.raises(ShoalError, match="no answer after 1e-06 seconds"):
                answer_generalized(opened, "select avg(pay) from data where age > 3", seconds=1e-6)
            assert answer_generalized(opened, "select count(*) as n from data").rows[0]["n"].lower == 200


@pytest.mark.parametrize(
    ("condition", "counts"),
    [
        (f"age in ({LIST})", (0, 0)),
        (f"age not in ({LIST})", (150, 150)),
        (f"age in (3, {LIST})", (0, 100)),
        (f"age in (-1, 7, {LIST})", (50, 100)),
        (f"age not in (7, {LIST})", (50, 100)),
        (f"pay in ({LIST})", (100, 100)),
    ],
)
def test_a_list_of_thousands_of_numbers_is_answered_as_a_short_one_is(
    condition: str, counts: tuple[int, int]
) -> None:
    opened = open_generalized(GENERALIZED, POLICY, 0)
    with opened.connection:
        (row,) = answer_generalized(opened, f"select count(*) as n from data where {condition}", 30).rows
    assert (row["n"].lower, row["n"].upper) == counts


@pytest.mark.parametrize("seconds", [float("inf"), float("nan"), 0.0, -1.0])
def test_a_limit_that_is_no_time_is_refused(seconds: float) -> None:
    opened = open_generalized(GENERALIZED, POLICY, 0)
    with opened.connection, pytest.raises(ShoalError, match="no number of seconds"):
        answer_generalized(opened, "select count(*) from data", seconds=seconds)


def test_a_limit_beyond_what_a_clock_can_wait_is_a_limit_all_the_same() -> None:
    opened = open_generalized(GENERALIZED, POLICY, 0)
    with opened.connection:
        (row,) = answer_generalized(opened, "select count(*) as n from data", seconds=1e12).rows
    assert row["n"].lower == 200
