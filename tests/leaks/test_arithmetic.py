"""Two columns that give a protected one by plain arithmetic are a fault; others that are published beside it
are none, whatever they hold."""

from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.errors import ShoalError

ROWS = 400
K = [{"kind": "k-anonymity", "k": 4}]
RANGES = {"guarantees": K, "method": {"name": "mondrian"}}


def numbers(random, below, rows=ROWS):
    return random.integers(0, below, rows)


def planted(kind, random):
    """Columns, roles, the rest of the policy, the pair that was planted and what it gives."""
    pay, worth = numbers(random, 90_000), numbers(random, 400_000)
    columns = {"pay": pay, "age": numbers(random, 70), "noise": numbers(random, 5_000)}
    roles = {"pay": "quasi", "age": "quasi", "noise": "other", "first": "other", "second": "other"}
    asked = RANGES
    match kind:
        case "difference":
            pair = worth, worth + pay
        case "offset":
            pair = worth, worth + pay + 1_200
        case "negative":
            pair = worth, worth - pay
        case "sum":
            part = random.integers(0, pay + 1)
            pair = part, pay - part
        case "slips":
            typed = np.where(random.random(ROWS) < 0.03, numbers(random, 90_000), pay)
            pair = worth, worth + typed
        case "product":
            hours = random.integers(1, 9, ROWS) * 5
            columns["pay"] = hours * random.integers(10, 90, ROWS)
            pair = hours, columns["pay"] // hours
        case "ratio":
            hours = random.integers(5, 60, ROWS)
            pair = pay * hours, hours
        case "missing":
            half = [value if at % 2 else None for at, value in enumerate(worth.tolist())]
            pair = half, worth + pay
        case "dates":
            born = [date(1950, 1, 1) + timedelta(int(day)) for day in numbers(random, 15_000)]
            days = [int(day) for day in random.integers(20_000, 24_000, ROWS)]
            visits = [day + timedelta(later) for day, later in zip(born, days, strict=True)]
            columns["pay"], pair = born, (visits, days)
        case "years":
            born = numbers(random, 15_000)
            visit = random.integers(24_000, 26_000, ROWS)
            columns["pay"], pair = (visit - born) // 365, (visit, born)
        case "aggregate":
            columns = {"pay": pay, "age": numbers(random, 9_000)}
            total = columns["pay"] + columns["age"]
            part = random.integers(0, total + 1)
            roles.pop("noise")
            pair = part, total - part
            asked = {"guarantees": [{"kind": "kf-anonymity", "k": 4, "knows": ["pay + age"]}]}
        case "permuted":
            roles |= {"pay": "sensitive"}
            pair = worth, worth + pay
            asked = {"guarantees": [{"kind": "ke-anonymity", "k": 4, "e": 5_000, "sensitive": "pay"}]}
    columns |= {"first": pair[0], "second": pair[1]}
    return pa.table({name: pa.array(cells) for name, cells in columns.items()}), {"columns": roles, **asked}


KINDS = ("difference", "offset", "negative", "sum", "slips", "product", "ratio", "missing", "dates", "years",
         "aggregate", "permuted")  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_two_columns_that_give_a_protected_one_by_arithmetic_are_refused(kind):
    table, policy = planted(kind, np.random.default_rng([7, KINDS.index(kind)]))
    with pytest.raises(ShoalError, match=r"columns 'first' and 'second' .* by their \w+"):
        shoal.anonymize(table, shoal.Policy(**policy), seed=1)


def test_a_pair_that_the_policy_accepts_is_published():
    table, policy = planted("difference", np.random.default_rng(3))
    policy["leaks"] = {"accept": ["first", "second"]}
    made = shoal.anonymize(table, shoal.Policy(**policy), seed=1).result
    assert {leak.columns for leak in made.leaks if leak.fills} == {("first", "second")}


def test_either_of_the_pair_alone_is_no_fault():
    table, policy = planted("difference", np.random.default_rng(3))
    for name in ("first", "second"):
        roles = {one: role for one, role in policy["columns"].items() if one != name}
        left = shoal.Policy(**policy | {"columns": roles})
        made = shoal.anonymize(table.drop_columns([name]), left, seed=1).result
        assert not [leak for leak in made.leaks if leak.fills]


def innocent(number):
    """Independent columns of many shapes, some of which go a little with the protected one."""
    random = np.random.default_rng([9, number])
    rows = int(random.integers(12, 500))
    shapes = (
        lambda: numbers(random, 2, rows),
        lambda: numbers(random, 12, rows),
        lambda: numbers(random, 100_000, rows),
        lambda: random.normal(0, 10, rows).round(2),
        lambda: np.exp(random.normal(0, 2, rows)).round(3),
        lambda: numbers(random, 90, rows) + random.normal(0, 60, rows).round(),
    )
    columns = {"age": numbers(random, 90, rows), "kids": numbers(random, 4, rows)}
    others = {f"c{at}": shapes[random.integers(len(shapes))]() for at in range(int(random.integers(2, 8)))}
    others["near"] = columns["age"] + random.normal(0, 40, rows).round()
    roles = {"age": "quasi", "kids": "quasi"} | dict.fromkeys(others, "other")
    return pa.table(columns | others), shoal.Policy(columns=roles, **RANGES)


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_columns_that_have_nothing_to_do_with_a_protected_one_are_no_fault(start):
    wrong = {}
    for number in range(start, start + 20):
        table, policy = innocent(number)
        policy = policy.model_copy(update={"leaks": type(policy.leaks)(accept=list(policy.columns))})
        leaks = shoal.anonymize(table, policy, seed=1).result.leaks
        wrong[number] = [leak for leak in leaks if leak.fills or leak.arithmetic]
    assert {number: leaks for number, leaks in wrong.items() if leaks} == {}
