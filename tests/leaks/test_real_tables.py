"""Real tables with sensible roles: no fault is false, and every warning is known.

What is expected beside them is right: `fnlwgt` is computed from demographic groups, wages differ by state,
single people are mostly children of the head, and a total of other incomes is often interest alone.
"""

import os
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

import shoal

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "../shared/data"))
FILES = {
    "adult": "adult/adult.data",
    "cps": "cps_tax/cps_income.parquet",
    "ipums": "ipums/ipums_la_income_clean.parquet",
    "census": "casc/CASCrefmicrodata.csv",
    "testdata": "casc/testdata.csv",
}
ADULT = ("age", "workclass", "fnlwgt", "education", "education_num", "marital", "occupation", "relationship",
         "race", "sex", "gain", "loss", "hours", "country", "income")  # fmt: skip
ROWS = 2_000
K = {"kind": "k-anonymity", "k": 5}
PAY = ("e00200", "e00900", "e02100", "e00300", "e00600", "e01500", "e02400")
INCOMES = ("incwage", "incbus", "incfarm", "incss", "incwelfr", "incother")


def roles(quasi, sensitive, other):
    named = {"quasi": quasi, "sensitive": sensitive, "other": other}
    return {name: role for role, names in named.items() for name in names.split()}


PEOPLE = roles(
    "age sex race marital country", "occupation income", "workclass education hours fnlwgt gain loss"
)
LEVELS = {name: {"mask": "right"} for name in ("sex", "race", "marital", "country")}
HOUSES = roles("urbrur roof walls water electcon relat sex age", "expend income savings", "hhcivil")
WORK = roles("age sex race", "hours", "occupation workclass fnlwgt education")
ORIGINS = roles("age sex race marst educrec", "inctot", "year incwage")


def kf(columns, other):
    asked = [{"kind": "kf-anonymity", "k": 5, "knows": [" + ".join(columns)]}]
    return {"columns": roles(" ".join(columns), "", other), "guarantees": asked}


def k_anonymity(columns, method, **more):
    return {"columns": columns, "guarantees": [K], "method": {"name": method}, **more}


def permuted(columns, sensitive, e):
    asked = [{"kind": "ke-anonymity", "k": 5, "e": e, "sensitive": sensitive}]
    return {"columns": columns, "guarantees": asked}


FNLWGT, FIPS, WAGES = ("fnlwgt", "age"), ("fips", "e00200"), ("e00200", "fips")
CASES = {  # the table, its policy, and the warnings that may be said of it
    "adult levels": (
        "adult",
        k_anonymity(PEOPLE, "datafly", hierarchies=LEVELS | {"age": {"intervals": [5, 10, 20, 40]}}),
        {FNLWGT, ("fnlwgt", "race")},
    ),
    "adult mondrian": ("adult", k_anonymity(PEOPLE, "mondrian"), {FNLWGT}),
    "adult stars": ("adult", k_anonymity(PEOPLE, "suppress-cells"), {FNLWGT}),
    "adult means": (
        "adult",
        k_anonymity(roles("age hours", "income", "occupation workclass fnlwgt education race sex"), "mdav"),
        {FNLWGT},
    ),
    "adult permuted": ("adult", permuted(WORK, "hours", 5), set()),
    "cps aggregate": ("cps", kf(PAY, "fips MARS age_head XTOT nu18 s006"), {FIPS}),
    "cps mondrian": (
        "cps",
        k_anonymity(
            roles("fips MARS age_head XTOT nu18", "e00200", "e00900 e00300 e01500 e02400"), "mondrian"
        ),
        {WAGES},
    ),
    "cps permuted": (
        "cps",
        permuted(roles("MARS age_head fips", "e00200", "XTOT nu18"), "e00200", 5000),
        {FIPS},
    ),
    "ipums mondrian": ("ipums", k_anonymity(ORIGINS, "mondrian"), set()),
    "ipums stars": ("ipums", k_anonymity(ORIGINS, "suppress-cells"), set()),
    "ipums aggregate": (
        "ipums",
        kf(INCOMES, "year age sex race marst educrec") | {"missing": dict.fromkeys(INCOMES, "zero")},
        set(),
    ),
    "census means": (
        "census",
        k_anonymity(roles("AGI PEARNVAL INTVAL", "EMCONTRB", "AFNLWGT"), "mdav"),
        set(),
    ),
    "census mondrian": (
        "census",
        k_anonymity(roles("AGI INTVAL", "EMCONTRB", "AFNLWGT POTHVAL"), "mondrian"),
        {("POTHVAL", "INTVAL")},
    ),
    "testdata mondrian": ("testdata", k_anonymity(HOUSES, "mondrian"), {("hhcivil", "relat")}),
    "testdata stars": ("testdata", k_anonymity(HOUSES, "suppress-cells"), {("hhcivil", "relat")}),
    "testdata cluster": ("testdata", k_anonymity(HOUSES, "cluster"), {("hhcivil", "relat")}),
}


@cache
def whole(name):
    path = DATA / FILES[name]
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    if path.suffix == ".parquet":
        return pq.read_table(path)
    if name != "adult":
        return csv.read_csv(path)
    table = csv.read_csv(path, read_options=csv.ReadOptions(column_names=ADULT))
    words = [column for column in ADULT if pa.types.is_string(table.schema.field(column).type)]
    trimmed = {column: [cell and cell.strip() for cell in table[column].to_pylist()] for column in words}
    return pa.table({column: trimmed.get(column, table[column]) for column in ADULT})


def some_rows(name):
    table = whole(name)
    drawn = np.random.default_rng(1).permutation(len(table))[:ROWS]
    return table.take(np.sort(drawn))


def told_by(table, policy, accept=()):
    """Without a fault, the columns of every warning and what they tell."""
    policy = shoal.Policy(**policy, leaks={"accept": list(accept)})
    release = shoal.anonymize(table.select(list(policy.columns)), policy, seed=1)
    assert not any(leak.fills for leak in release.result.leaks)
    checked = shoal.check(release.result.table, policy)
    assert [verdict.kind for verdict in checked if not verdict.holds] == []
    return {(*leak.columns, leak.protected) for leak in release.result.leaks}


@pytest.mark.parametrize("case", CASES)
def test_some_rows_of_a_real_table_have_no_fault_and_known_warnings(case):
    name, policy, expected = CASES[case]
    assert told_by(some_rows(name), policy) <= expected


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_real_table_has_no_fault_and_known_warnings(case):
    name, policy, expected = CASES[case]
    assert told_by(whole(name), policy) <= expected


@pytest.mark.parametrize("method", ["mondrian", "suppress-cells"])
def test_the_number_of_a_household_is_refused_beside_its_house(method):
    policy = k_anonymity({**HOUSES, "ori_hid": "other"}, method) | {"rows": "people"}
    with pytest.raises(shoal.ShoalError, match=r"'ori_hid' is published as it is and fills .* 'water'"):
        told_by(whole("testdata").slice(0, ROWS), policy)
