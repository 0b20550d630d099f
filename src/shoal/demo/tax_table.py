"""A generated tax table: what real returns look like, without being anybody's.

Most people have one source of income, many cells are zero, many amounts are round, and losses are
negative.
"""

import numpy as np
import pyarrow as pa

from shoal.arrays import Floats, Ints

ROWS = 20_000
INCOMES = ("salary", "business", "farm", "interest", "dividends", "pension", "benefits")
K = 10
POLICY = f"""\
# The policy of the demo: whoever knows the total income of a person finds {K} records that fit.
[columns]
taxpayer  = "identifier"
salary    = "quasi"
business  = "quasi"
farm      = "quasi"
interest  = "quasi"
dividends = "quasi"
pension   = "quasi"
benefits  = "quasi"
region    = "other"

[[guarantees]]
kind = "kf-anonymity"
k = {K}
knows = ["salary + business + farm + interest + dividends + pension + benefits"]

[method]
name = "auto"
"""
SPAN = 5_000
QUESTION = "select region, avg(salary), count(*) from data where benefits > 0 group by region"
PERMUTED_POLICY = f"""\
# A second policy of the demo, for analysts: salaries are right, but in the wrong rows of their group.

[columns]
taxpayer  = "identifier"
salary    = "sensitive"
business  = "drop"
farm      = "drop"
interest  = "drop"
dividends = "drop"
pension   = "quasi"
benefits  = "quasi"
region    = "quasi"

[[guarantees]]
kind = "ke-anonymity"
k = {K}
e = {SPAN}
sensitive = "salary"
"""


def tax_incomes(rows: int = ROWS, seed: int = 2011) -> Ints:
    """Seven incomes per person: zero-inflated, heaped, some negative."""
    draw = np.random.default_rng(seed)
    works = draw.random(rows) < 0.62
    retired = ~works & (draw.random(rows) < 0.6)
    return np.column_stack(
        [
            _heaped(draw, draw.lognormal(10.3, 0.7, rows), 0.6) * works,
            _heaped(draw, draw.normal(9_000, 16_000, rows), 0.5) * (draw.random(rows) < 0.09),
            _heaped(draw, draw.normal(2_000, 9_000, rows), 0.5) * (draw.random(rows) < 0.02),
            _heaped(draw, draw.lognormal(5.2, 1.4, rows), 0.2) * (draw.random(rows) < 0.3),
            _heaped(draw, draw.lognormal(6.0, 1.5, rows), 0.2) * (draw.random(rows) < 0.12),
            _heaped(draw, draw.lognormal(9.6, 0.5, rows), 0.5) * retired,
            _heaped(draw, draw.lognormal(8.3, 0.5, rows), 0.7) * (draw.random(rows) < 0.15),
        ]
    )


def _heaped(draw: np.random.Generator, amounts: Floats, share: float) -> Ints:
    """People round: a share of the amounts to hundreds, half of those to thousands."""
    rounding = draw.random(len(amounts))
    step = np.where(rounding < share / 2, 1_000, np.where(rounding < share, 100, 1))
    return (np.rint(amounts / step) * step).astype(np.int64)


def tax_table(rows: int = ROWS, seed: int = 2011) -> pa.Table:
    """A made-up table of taxpayers with their incomes; the same for the same seed."""
    incomes = tax_incomes(rows, seed)
    regions = np.random.default_rng(seed + 1).choice(["north", "south", "east", "west"], rows)
    return pa.table(
        {
            "taxpayer": [f"T{number:06d}" for number in range(1, rows + 1)],
            **{name: incomes[:, at] for at, name in enumerate(INCOMES)},
            "region": regions,
        }
    )
