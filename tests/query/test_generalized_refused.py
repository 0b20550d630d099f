"""What a generalized release cannot answer is refused; what only a permuted one cannot tell is answered."""

import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.query.answer import Bounds
from shoal.query.generalized.answer import answer_generalized
from shoal.query.generalized.database import GeneralizedDatabase, open_generalized
from tests.query.generalized_releases import NINE, NINE_POLICY, ask
from tests.query.test_safety import REFUSED

# Here the sensitive column is published as it was, in the right rows.
ANSWERED = {
    "select salary, count(*) from data group by salary": (1, 1),
    "select salary + 1, count(*) from data group by salary + 1": (1, 1),
    "select count(*) from data group by salary": (1, 1),
    "select sum(salary::double) from data": (615000, 615000),
    "select sum(salary * age) from data": (25965000, 31500000),
    "select sum(case when age > 50 then salary else 0 end) from data": (None, None),
    "select sum(salary / age) from data": (pytest.approx(12325), pytest.approx(15150.414217)),
    "select avg(salary) from data where salary > age": (pytest.approx(615000 / 9),) * 2,
    "select avg(salary) from data where salary > 5 or age > 50": (pytest.approx(615000 / 9),) * 2,
    "select avg(salary) from data where not (salary > 5 and age > 50)": (62500, 62500),
    "select avg(age) from data where salary > 60000": (46, 55),
    "select median(salary) from data where salary > 60000": (75000, 75000),
}
ALSO_REFUSED = [
    "select age, count(*) from data group by age",
    "select zipcode, count(*) from data group by zipcode",
    "select gender || zipcode as x, count(*) from data group by gender || zipcode",
    "select gender, count(*) from data group by gender having count(*) > 1",
    "select sum(zipcode) from data",
    "select max(gender) from data",
    "select quantile_cont(salary, 1.5) from data",
    "select count(distinct gender) from data",
    "select sum(age * age * age * age * age * age) from data",
]


@pytest.fixture(scope="module")
def nine() -> GeneralizedDatabase:
    return open_generalized(NINE, NINE_POLICY, 0)


@pytest.mark.parametrize(
    "sql", [sql for sql in REFUSED + ALSO_REFUSED if sql not in ANSWERED], ids=lambda sql: sql[:60]
)
def test_what_has_no_bounds_is_refused(nine: GeneralizedDatabase, sql: str) -> None:
    with pytest.raises(ShoalError) as caught:
        answer_generalized(nine, sql)
    assert all(fault.hint for fault in caught.value.faults)


@pytest.mark.parametrize("sql", ANSWERED, ids=lambda sql: sql[:60])
def test_exact_columns_may_be_tied_to_others(nine: GeneralizedDatabase, sql: str) -> None:
    assert sql in REFUSED
    *_, found = next(iter(answer_generalized(nine, sql).rows)).values()
    assert isinstance(found, Bounds)
    assert (found.lower, found.upper) == ANSWERED[sql]


def test_an_error_of_the_engine_shows_no_cell() -> None:
    with pytest.raises(ShoalError, match="cannot be computed") as caught:
        ask("select count(*) from data where cast(gender as int) = 1")
    assert "'M'" not in str(caught.value)


def test_keys_that_nobody_knows_are_refused() -> None:
    policy = Policy(columns=NINE_POLICY.columns, guarantees=NINE_POLICY.guarantees)
    with pytest.raises(ShoalError, match="may hold any word"):
        ask("select gender, count(*) from data group by gender", policy=policy)


@pytest.mark.parametrize(
    "compared", ["= '2023-06'", "< '2023-06'", "in ('2023-06', '2023-07')", "= '2023-Q1'"]
)
def test_a_label_that_is_no_full_date_is_refused_with_the_way_to_ask(compared: str) -> None:
    policy = Policy(
        columns={"admitted": "quasi"},
        hierarchies={"admitted": {"dates": ["month", "year"]}},
        guarantees=[{"kind": "k-anonymity", "k": 2}],
    )
    opened = open_generalized(pa.table({"admitted": ["2023-06"] * 2 + ["2023-07"] * 2}), policy, 0)
    with pytest.raises(ShoalError, match="no full date") as caught:
        answer_generalized(opened, f"select count(*) from data where admitted {compared}")
    assert "day >= '2023-06-01' and day < '2023-07-01'" in str(caught.value)
    month = "admitted >= '2023-06-01' and admitted < '2023-07-01'"
    [found] = answer_generalized(opened, f"select count(*) from data where {month}").rows[0].values()
    assert isinstance(found, Bounds)
    assert (found.lower, found.upper) == (2, 2)
