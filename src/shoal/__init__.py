"""shoal: publish a table about people without giving anyone away.

>>> import shoal
>>> policy = shoal.Policy(
...     columns={"salary": "quasi", "gains": "quasi"},
...     guarantees=[shoal.KfAnonymity(k=2, knows=["salary + gains"])],
... )

Every public name is written once, in `__init__.pyi`: type checkers and editors read it there, and so does
this file when a name is used for the first time. Importing shoal imports nothing heavy.
"""

import sys
from typing import Any

from shoal.former_names import FormerModules
from shoal.version import __version__ as __version__

sys.meta_path.append(FormerModules())


def __getattr__(name: str) -> Any:
    """A public name, loaded from its home on first use; else a former one."""
    from shoal.former_names import former_attribute
    from shoal.public_names import public_homes, public_object

    if name == "__all__":
        return sorted(public_homes())
    if name not in public_homes():
        return former_attribute("shoal", name)
    found = globals()[name] = public_object(name)
    return found


def __dir__() -> list[str]:
    from shoal.public_names import public_homes

    return sorted(public_homes())
