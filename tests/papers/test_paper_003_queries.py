"""Aggregate queries on a permuted table: figure 4 of the paper and its three questions."""

import pytest

from shoal.query.permuted.database import open_database
from tests.query.releases import NINE, ask

FIGURE_4 = [  # group, hits, sum and min, lower and upper, in thousands
    (1, 1, 54, 56, 54, 56), (1, 2, 109, 111, 54, 55), (1, 3, 165, 165, 54, 54),
    (2, 1, 65, 75, 65, 75), (2, 2, 135, 145, 65, 70), (2, 3, 210, 210, 65, 65),
    (3, 1, 75, 85, 75, 85), (3, 2, 155, 165, 75, 80), (3, 3, 240, 240, 75, 75),
]  # fmt: skip


def test_the_help_table_is_that_of_figure_4() -> None:
    connection, _ = open_database(NINE, ["salary"])
    figures = ("sum_lower", "sum_upper", "min_lower", "min_upper")
    columns = ", ".join(f"salary_{figure} // 1000" for figure in figures)
    assert (
        connection.execute(f"select shoal_group, hits, {columns} from help order by all").fetchall()
        == FIGURE_4
    )


@pytest.mark.parametrize(
    ("sql", "lower", "upper"),
    [
        ("select avg(salary) as x from data where age > 50", 80000, 80000),
        ("select sum(salary) as x from data where age between 35 and 55", 530000, 540000),
        # The paper prints [65K, 75K]; two rows of group 2 are female, so one of them has at most 70K.
        ("select min(salary) as x from data where gender = 'F'", 65000, 70000),
    ],
)
def test_the_three_questions(sql: str, lower: int, upper: int) -> None:
    (row,) = ask(sql).rows
    assert (row["x"].lower, row["x"].upper) == (lower, upper)
