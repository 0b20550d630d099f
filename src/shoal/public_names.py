"""The names that shoal offers, read from its stub `__init__.pyi`, where each is written once."""

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

STUB = Path(__file__).with_name("__init__.pyi")
LINE = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)


@cache
def public_homes() -> dict[str, str]:
    """The module of every public name.

    >>> public_homes()["check"]
    'shoal.release.check'
    """
    return {name: module for module, name in LINE.findall(STUB.read_text(encoding="utf-8"))}


def public_object(name: str) -> Any:
    """What a public name stands for; its home is imported."""
    return getattr(import_module(public_homes()[name]), name)
