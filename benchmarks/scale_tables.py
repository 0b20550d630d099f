"""Tables of any size to measure with, and what each method is asked for on them.

``python scale_tables.py incomes 1000000 incomes.parquet`` writes one, a million rows at a time. A table of
n rows has the first rows of every longer one.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

CHUNK = 1_000_000
SEED = 5
K = 10
INCOMES = ("wages", "business", "farm", "interest", "dividends", "rents", "pension")
MOST = 999_999
EDUCATION = ("none", "primary", "lower secondary", "secondary", "vocational", "bachelor", "master", "doctor")
OCCUPATIONS = (
    "agriculture", "care", "construction", "crafts", "education", "engineering", "health", "hospitality",
    "management", "office", "sales", "science", "security", "services", "transport", "none",
)  # fmt: skip


def incomes(rng: np.random.Generator, rows: int) -> pa.Table:
    """Seven incomes, each lower and rarer than the one before; half of what is there is rounded to 100s."""
    columns = {}
    for place, name in enumerate(INCOMES):
        amounts = rng.lognormal(9.5 - 0.5 * place, 1.0, rows)
        amounts[rng.random(rows) < 0.1 + 0.1 * place] = 0
        columns[name] = _rounded(rng, amounts)
    return pa.table(columns)


def people(rng: np.random.Generator, rows: int) -> pa.Table:
    """Five columns of everyday facts and an income that depends on two of them."""
    age = np.clip(rng.normal(45, 18, rows), 16, 99).astype(np.int64)
    education = np.minimum(rng.poisson(3.2, rows), len(EDUCATION) - 1)
    code = 1000 + 10 * np.minimum(rng.zipf(1.5, rows), 899)
    income = rng.lognormal(9.0 + 0.15 * education + 0.005 * age, 0.6)
    return pa.table(
        {
            "age": age,
            "sex": _words(("female", "male"), rng.integers(0, 2, rows)),
            "code": pa.array(code).cast(pa.string()),
            "education": _words(EDUCATION, education),
            "occupation": _words(OCCUPATIONS, rng.integers(0, len(OCCUPATIONS), rows)),
            "income": _rounded(rng, income),
        }
    )


def _rounded(rng: np.random.Generator, amounts: np.ndarray) -> np.ndarray:
    unit = np.where(rng.random(len(amounts)) < 0.5, 100, 1)
    return np.asarray(np.minimum(amounts // unit * unit, MOST).astype(np.int64))


def _words(words: tuple[str, ...], codes: np.ndarray) -> pa.Array:
    return pa.array(words).take(pa.array(codes))


TABLES: dict[str, Callable[[np.random.Generator, int], pa.Table]] = {"incomes": incomes, "people": people}
TABLE_OF = {
    "aggranon": "incomes",
    "residual": "incomes",
    "mondrian": "incomes",
    "min-sum": "people",
    "optimal": "people",
}
PEOPLE = ("age", "sex", "code", "education", "occupation")
HIERARCHIES = '[hierarchies]\nage = { intervals = [5, 10, 20, 40] }\ncode = { mask = "right" }\n\n'


def chunks(name: str, rows: int) -> Iterator[pa.Table]:
    """Each chunk is drawn by itself, so that it is the same in every table that has it whole."""
    for place, first in enumerate(range(0, rows, CHUNK)):
        whole = TABLES[name](np.random.default_rng((SEED, place)), CHUNK)
        yield whole.slice(0, rows - first)


def write_table(name: str, rows: int, path: Path) -> None:
    """Plain columns, not compressed: 56 bytes a row of incomes."""
    schema = TABLES[name](np.random.default_rng(0), 1).schema
    plain = [field.name for field in schema if pa.types.is_integer(field.type)]
    words = [field.name for field in schema if field.name not in plain]
    with parquet.ParquetWriter(path, schema, compression="none", use_dictionary=words) as writer:
        for chunk in chunks(name, rows):
            writer.write_table(chunk)


def policy_for(method: str) -> str:
    """What an owner of the table would ask the method for."""
    if TABLE_OF[method] == "incomes":
        return _policy(INCOMES, "", _total_known() if method != "mondrian" else _known(), method, "")
    if method == "min-sum":
        asked = f"kind = 'ke-anonymity'\nk = {K}\ne = 2000\nsensitive = 'income'\n"
        return _policy(PEOPLE, "income = 'sensitive'\n", asked, method, "")
    return _policy(PEOPLE, "income = 'sensitive'\n", _known(), method, "suppression = 0.02\n", HIERARCHIES)


def _total_known() -> str:
    return f"kind = 'kf-anonymity'\nk = {K}\nknows = ['{' + '.join(INCOMES)}']\n"


def _known() -> str:
    return f"kind = 'k-anonymity'\nk = {K}\n"


def _policy(
    quasi: tuple[str, ...], more: str, asked: str, method: str, options: str, hierarchies: str = ""
) -> str:
    columns = "".join(f"{name} = 'quasi'\n" for name in quasi) + more
    return (
        f"[columns]\n{columns}\n{hierarchies}[[guarantees]]\n{asked}\n[method]\nname = '{method}'\n{options}"
    )


if __name__ == "__main__":
    write_table(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
