"""The tasks call every kernel there is."""

import pkgutil
from importlib import import_module

import pytest
from numba.core.dispatcher import Dispatcher

import shoal
from shoal.anonymizer.registry import METHODS
from shoal.warm_up.kernel_tasks import task_groups


def test_every_method_is_a_task_once():
    names = [name for group in task_groups() for name in group]
    assert len(names) == len(set(names))
    assert {row.name for row in METHODS} <= set(names)


@pytest.mark.slow
def test_every_kernel_is_called_by_a_task():
    """A kernel that only other kernels call is part of theirs, and has been compiled or not."""
    kernels = {}
    for module in pkgutil.walk_packages(shoal.__path__, "shoal."):
        if not module.name.endswith("__main__"):
            for value in vars(import_module(module.name)).values():
                if isinstance(value, Dispatcher):
                    kernels[value] = {
                        called
                        for name in value.py_func.__code__.co_names
                        if isinstance(called := value.py_func.__globals__.get(name), Dispatcher)
                    }
    for group in task_groups():
        for task in group.values():
            task()
    used, waiting = set(), {kernel for kernel in kernels if kernel.signatures}
    while waiting:
        used |= waiting
        waiting = {called for kernel in waiting for called in kernels.get(kernel, ())} - used
    assert len(kernels) > 250
    assert sorted(kernel.py_func.__qualname__ for kernel in set(kernels) - used) == []
