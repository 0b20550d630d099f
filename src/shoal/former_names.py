"""Names that documents once gave: they keep working, and a warning names their new place.

A former module is found after all others, so the finder costs nothing while names are right. Its names come
from the module that took its place. `shoal.attack` is a function now and was a package, so the function
itself stands in for the package while its former modules are imported.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any
from warnings import warn

MODULES = {  # former module: the one in its place
    "shoal.attack": "shoal.adversary.attacks",
    "shoal.attack.attacks": "shoal.adversary.attacks",
    "shoal.attack.meets": "shoal.risk.preset_judgement",
    "shoal.attack.result": "shoal.adversary.result",
    "shoal.attack.risk": "shoal.adversary.risk_figures",
    "shoal.explain.explanations": "shoal.explain.registry",
    "shoal.policy.guarantee": "shoal.policy.model.guarantee",
    "shoal.policy.policy": "shoal.policy.model.policy",
    "shoal.policy.policy_text": "shoal.policy.text.policy_text",
    "shoal.query.database": "shoal.query.permuted.database",
    "shoal.query.generalized.opened": "shoal.query.generalized.database",
    "shoal.query.postgres": "shoal.query.permuted.postgres",
    "shoal.query.rewrite": "shoal.query.permuted.rewrite",
    "shoal.query.typed": "shoal.query.permuted.column_types",
    "shoal.report.compare": "shoal.comparison.compare",
    "shoal.report.measured": "shoal.report.measurements",
    "shoal.report.recommend": "shoal.comparison.recommend",
    "shoal.report.smallest_change": "shoal.comparison.smallest_change",
    "shoal.report.utility": "shoal.utility.utility",
    "shoal.report.workload": "shoal.utility.workload",
}

NAMES = {  # former name: the one in its place, where that is not the same name of the module in its place
    "shoal.attacks": "shoal.adversary.attacks.attack",
    "shoal.attack.attacks.attacks": "shoal.adversary.attacks.attack",
    "shoal.attack.meets.meets": "shoal.risk.preset_judgement.preset_judgement",
    "shoal.query.typed.typed": "shoal.query.permuted.column_types.typed_table",
    "shoal.report.measured.Measured": "shoal.report.measurements.Measurements",
    "shoal.report.utility.utility": "shoal.utility.utility.measure_utility",
    "shoal.verify.cells.BadCells": "shoal.verify.cells.published_table.BadCells",
    "shoal.verify.cells.Cells": "shoal.verify.cells.published_table.Cells",
    "shoal.verify.cells.Published": "shoal.verify.cells.published_table.PublishedTable",
}


class FormerModule(ModuleType):
    """Has the names of the module in its place, and warns of itself."""

    def __getattr__(self, name: str) -> Any:
        return former_attribute(self.__name__, name)


class FormerModules:
    """Finds and loads former modules, as the last of `sys.meta_path`."""

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        loader: Any = self  # the base class would take longer to import than shoal
        return ModuleSpec(name, loader) if name in MODULES else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return FormerModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ == "shoal.attack":  # what is in sys.modules then becomes the attribute of shoal
            function = import_module(MODULES[module.__name__]).attack
            function.__dict__.update(__path__=[], __spec__=module.__spec__)
            sys.modules[module.__name__] = function


def former_attribute(module: str, name: str) -> Any:
    """What a former name stands for, with a warning to whoever asks the module for it."""
    former = f"{module}.{name}"
    home, _, current = NAMES.get(former, f"{MODULES.get(module, '')}.{name}").rpartition(".")
    found = getattr(import_module(home), current, None) if home and not name.startswith("__") else None
    if found is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    warn(f"{former} is now {_best_place(home, current)}", DeprecationWarning, stacklevel=3)
    return found


def _best_place(home: str, name: str) -> str:
    """`shoal` itself where it offers the name, else its module."""
    from shoal.public_names import public_homes

    return f"shoal.{name}" if public_homes().get(name) == home else f"{home}.{name}"
