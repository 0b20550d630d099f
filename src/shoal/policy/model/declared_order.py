"""What guarantees take from the declared type of its column: an order of its words, or that there is none."""

from typing import Any

from pydantic import ValidationInfo

from shoal.policy.model.guarantee import KpqrAnonymity, TCloseness
from shoal.policy.model.type_spec import TypeSpec, spec_of


def declared_order(info: ValidationInfo, name: str) -> tuple[str, ...]:
    """The words of a column from low to high, as far as types are known already."""
    declared, prepared = _declared(info, name), info.data.get("prepare")
    labels = None if prepared is None else prepared.labels.get(name)
    return labels or (() if declared is None else declared.order or ())


def by_declared_types(asked: Any, info: ValidationInfo) -> Any:
    """The guarantee with the order, or the distance, of its column where it names none."""
    if isinstance(asked, TCloseness) and asked.distance == "ordered" and not asked.order:
        return asked.model_copy(update={"order": declared_order(info, asked.sensitive)})
    if isinstance(asked, KpqrAnonymity) and asked.distance in (None, "ordered") and not asked.order:
        return _with_distance(asked, info)
    return asked


def _with_distance(asked: KpqrAnonymity, info: ValidationInfo) -> KpqrAnonymity:
    order = declared_order(info, asked.columns[0]) if len(asked.columns) == 1 else ()
    if order:
        return asked.model_copy(update={"order": order})
    declared = [_declared(info, name) for name in asked.columns]
    if asked.distance is None and all(one is not None and one.of_words for one in declared):
        return asked.model_copy(update={"distance": "equal"})
    return asked


def _declared(info: ValidationInfo, name: str) -> TypeSpec | None:
    types = info.data.get("types", {})
    return spec_of(types[name]) if name in types else None
