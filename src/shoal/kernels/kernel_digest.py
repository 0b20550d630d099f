"""One digest of all that a kernel's machine code is made of: byte code, the kernels it calls, constants.

Numba's own cache looks at the file of a kernel only, and misses what changed in another file. Comments,
docstrings and lines that moved change nothing here.
"""

import enum
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from inspect import CO_OPTIMIZED
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.types import Type

PLAIN = (int, float, complex, str, bytes, type(None))


@cache
def kernel_digest(kernel: Dispatcher) -> str:
    """Digest of all that the kernel is compiled from, but for the types of its arguments."""
    return digest_of(_parts_of_kernel(kernel, set()))


def types_digest(types: Iterable[Type]) -> str:
    """Digest of argument types; fields of records and members of enumerations count."""
    return digest_of(part for type_ in types for part in _parts_of_type(type_))


def digest_of(parts: Iterable[str]) -> str:
    """Digest of texts in this order.

    >>> digest_of(["ab", "c"]) == digest_of(["a", "bc"])
    False
    """
    digest = sha256()
    for part in parts:
        digest.update(f"{len(part)}:{part}".encode())
    return digest.hexdigest()


def _parts_of_kernel(kernel: Dispatcher, visited: set[Any]) -> Iterator[str]:
    function = kernel.py_func
    yield f"{function.__module__}.{function.__qualname__}"
    if function in visited:  # kernels may call themselves and each other
        return
    visited.add(function)
    code: CodeType = function.__code__
    flags = code.co_flags | CO_OPTIMIZED  # which a profiler takes away
    yield repr((sorted(kernel.targetoptions.items()), function.__defaults__, flags))
    yield repr((code.co_argcount, code.co_varnames, code.co_names, code.co_code))
    for constant in code.co_consts:
        yield "" if constant is function.__doc__ else repr(constant)
    inner = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    for name in (*code.co_names, *inner):
        if name in inner:
            yield from _parts_of_value(inner[name].cell_contents, visited)
        elif name in function.__globals__:
            yield from _parts_of_value(function.__globals__[name], visited)


def _parts_of_value(value: Any, visited: set[Any]) -> Iterator[str]:
    if isinstance(value, Dispatcher):
        yield from _parts_of_kernel(value, visited)
    elif isinstance(value, PLAIN):
        yield repr(value)
    elif isinstance(value, tuple):
        for item in value:
            yield from _parts_of_value(item, visited)
    elif isinstance(value, np.generic | np.ndarray):
        yield repr((value.dtype.str, value.shape, value.tobytes()))
    elif isinstance(value, type):
        yield _class_text(value)
    elif isinstance(value, ModuleType) and value.__name__ in ("numpy", "math"):
        yield value.__name__
    else:
        raise TypeError(f"a kernel uses {value!r}, of which its digest cannot tell when it changes")


def _parts_of_type(type_: Type) -> Iterator[str]:
    yield str(type_)
    class_ = getattr(type_, "instance_class", None)
    if isinstance(class_, type):
        yield _class_text(class_)
    inner = getattr(type_, "types", ())
    for one in inner if isinstance(inner, tuple) else ():
        yield from _parts_of_type(one)


def _class_text(class_: type) -> str:
    members = {one.name: one.value for one in class_} if issubclass(class_, enum.Enum) else {}
    return f"{class_.__module__}.{class_.__qualname__} {getattr(class_, '_fields', ())} {members}"
