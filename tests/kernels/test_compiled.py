"""Work on several cores gives what work on one core gives, and every kernel is compiled once."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from shoal.kernels import code_cache, compiled
from shoal.kernels.compiled import over_ranges
from shoal.kernels.keyed_hash import Purpose, hash_rows, seeded_key
from shoal.kernels.order import random_tie_order
from shoal.methods.aggregates.aggranon import aggranon
from shoal.methods.aggregates.aggregate import WeightedSum
from shoal.methods.permutation.max_groups import max_groups
from shoal.methods.permutation.min_sum import min_sum
from shoal.methods.permutation.permute import permute
from shoal.methods.ranges import Ranges


@compiled.compiled
def larger_by(value, step):
    return value + step


@compiled.compiled
def with_constants(value):
    return larger_by(value, 1) + larger_by(value, -1) + larger_by(value, step=0) + larger_by(value, value)


def test_a_kernel_is_compiled_once_whatever_constants_other_kernels_pass_to_it(monkeypatch):
    """Relies on `get_call_template` of Numba's dispatchers, which `kernels/compiled.py` replaces."""
    monkeypatch.setattr(code_cache, "_folders", list)  # nothing is there, nothing is kept
    assert with_constants(5) == 6 + 4 + 5 + 10
    assert len(larger_by.signatures) == 1, (
        "Numba no longer asks a kernel's `get_call_template` which types a call has: every constant is "
        "compiled anew. Mend `_once` in kernels/compiled.py before the bound in pyproject.toml is raised"
    )


def test_numba_has_an_upper_bound_as_kernels_rely_on_how_it_works_inside():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    (asked,) = (one for one in project["project"]["dependencies"] if one.startswith("numba"))
    assert "<" in asked


@pytest.fixture(params=[1, 2, 3, 7])
def cores(request, monkeypatch):
    """So many cores, and nothing too small to be shared out."""
    monkeypatch.setattr(compiled, "CORES", request.param)
    monkeypatch.setattr(compiled, "SMALL", 1)
    return request.param


def test_every_item_is_worked_on_once(cores):
    for total in (0, 1, 5, 100):
        visits = np.zeros(total, int)

        def work(start, stop, visits=visits):
            visits[start:stop] += 1

        over_ranges(work, total)
        assert (visits == 1).all(), (cores, total)


def test_small_work_stays_on_one_thread(monkeypatch):
    monkeypatch.setattr(compiled, "CORES", 4)
    pieces = []
    over_ranges(lambda *piece: pieces.append(piece), 10, weight=3)
    assert pieces == [(0, 10)]


def test_an_error_in_a_thread_reaches_the_caller(cores):
    def work(start, stop):
        raise ArithmeticError(f"{start}..{stop} of {cores}")

    with pytest.raises(ArithmeticError):
        over_ranges(work, 100)


TABLE = np.random.default_rng(5).integers(-4, 5, (300, 3))
KEY = seeded_key(11)
F = WeightedSum(np.array([1, -2, 3]))
RESULTS = {
    "hashes": lambda: hash_rows(KEY, Purpose.SHUFFLE, 300),
    "tie order": lambda: random_tie_order(TABLE[:, 0], KEY),
    "min-sum": lambda: min_sum(TABLE[:, 0], 2, 2, KEY),
    "max-groups": lambda: max_groups(F.of(TABLE) * 1000, 3, 2000, KEY),
    "permuted": lambda: permute(TABLE[:, 0] + 4, KEY),
    "totals": lambda: F.of(TABLE),
    "aggranon": lambda: np.hstack(aggranon(TABLE, F, 4, KEY).in_input_order()),
    "gathered columns": lambda: np.hstack(
        Ranges(np.arange(300), np.array([0, 300]), TABLE, TABLE + 1).columns(np.arange(300)[::-1])
    ),
}
ON_ONE_CORE = {name: compute() for name, compute in RESULTS.items()}


@pytest.mark.parametrize("name", RESULTS)
def test_the_number_of_cores_changes_no_result(name, cores):
    assert np.array_equal(RESULTS[name](), ON_ONE_CORE[name]), cores
