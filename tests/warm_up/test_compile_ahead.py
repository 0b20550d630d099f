"""All groups of tasks are carried out, and what went wrong in one of them is not hidden."""

import pytest

from shoal.errors import ShoalError
from shoal.warm_up import compile_ahead as module
from shoal.warm_up.compile_ahead import compile_ahead


def test_what_all_processes_say_is_gathered(monkeypatch):
    monkeypatch.setattr(module, "task_groups", lambda: [{"a": None, "b": None}, {"c": None}])
    said = {
        0: [("done", "a"), ("done", "b"), ("loaded", "x"), ("compiled", "y")],
        1: [("done", "c"), ("loaded", "x")],
    }
    asked, heard = [], []

    def events(number, processor):
        asked.append((number, processor))
        return said[number]

    monkeypatch.setattr(module, "_events", events)
    files = compile_ahead("x86-64", lambda task, share: heard.append((task, share)))
    assert sorted(asked) == [(0, "x86-64"), (1, "x86-64")]
    assert (files.loaded, files.compiled) == ({"x"}, {"y"})
    assert sorted(task for task, _ in heard) == ["a", "b", "c"]
    assert sorted(share for _, share in heard) == [1 / 3, 2 / 3, 1]


def test_a_process_that_fails_is_an_error():
    with pytest.raises(ShoalError, match="could not be compiled"):
        list(module._events(1_000, "x86-64"))
