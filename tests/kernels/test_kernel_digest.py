"""Whatever machine code is made of changes its digest, wherever it stands; nothing else does."""

from enum import IntEnum
from typing import NamedTuple

import numba
import numpy as np
import pytest

from shoal.kernels.compiled import compiled
from shoal.kernels.kernel_digest import kernel_digest, types_digest
from tests.kernels.kernel_files import HEAD, load_kernels

INNER = "LIMIT = 5\n\n@compiled\ndef inner(value):\n    return value + LIMIT\n"
OUTER = '''
from inner_kernels import inner

@compiled
def outer(value):
    """Doubled."""
    return inner(value) * 2
'''


@pytest.fixture
def digest(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.dont_write_bytecode", True)

    def of(inner=INNER, outer=OUTER):
        return kernel_digest(load_kernels(tmp_path, inner_kernels=inner, outer_kernels=outer).outer)

    return of


@pytest.mark.parametrize(
    "edit",
    [
        {"inner": INNER.replace("= 5", "= 6")},
        {"inner": INNER.replace("= 5", "= 5.0")},
        {"inner": INNER.replace("value + LIMIT", "value - LIMIT")},
        {"inner": INNER.replace("@compiled", "@inlined")},
        {"inner": INNER.replace("LIMIT = 5", "LIMIT = np.uint8(5)")},
        {"outer": OUTER.replace("* 2", "* 3")},
        {"outer": OUTER.replace("(value):", "(value, other=1):")},
    ],
    ids=str,
)
def test_a_change_of_a_kernel_or_of_what_it_calls_or_of_a_constant_is_noticed(digest, edit):
    assert digest(**edit) != digest()


@pytest.mark.parametrize(
    "edit",
    [
        {"inner": "\n\n# said better\n" + INNER},
        {"inner": INNER + "\n\nUNUSED = 7\n"},
        {"outer": OUTER.replace("Doubled", "Twice as much")},
    ],
    ids=str,
)
def test_comments_docstrings_and_lines_that_moved_are_not(digest, edit):
    assert digest(**edit) == digest()


def test_kernels_may_call_themselves(tmp_path):
    source = "@compiled\ndef down(value):\n    return value if value < 1 else down(value - 1)\n"
    down = load_kernels(tmp_path, down_kernels=source).down
    assert kernel_digest(down) == kernel_digest(load_kernels(tmp_path, down_kernels=source).down)


HELPER = object()


@compiled
def with_something_else(value):
    return value if HELPER is None else 0


def test_what_the_digest_cannot_follow_is_refused_by_name():
    with pytest.raises(TypeError, match="cannot tell when it changes"):
        kernel_digest(with_something_else)


def _pair(*fields):
    return NamedTuple("Pair", [(field, int) for field in fields])


def test_the_fields_of_a_record_and_the_members_of_an_enumeration_are_part_of_a_type():
    one, other = (numba.typeof(_pair(*fields)(1, 2)) for fields in (("a", "b"), ("b", "a")))
    assert types_digest([one]) != types_digest([other])
    assert types_digest([numba.types.Tuple((one, one))]) != types_digest([numba.types.Tuple((other, other))])
    few, more = IntEnum("Kind", "A B"), IntEnum("Kind", "B A")
    assert types_digest([numba.typeof(few.A)]) != types_digest([numba.typeof(more.A)])


def test_the_order_of_an_array_is_part_of_its_type():
    table = np.zeros((2, 2))
    assert types_digest([numba.typeof(table)]) != types_digest([numba.typeof(table.T)])
    assert "njit" not in HEAD
