"""The policy of a table as it stands: a text that may be at fault, and on its way to be sound."""

from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from pydantic import BaseModel, Field

from shoal.errors import Fault, ShoalError
from shoal.web.problem import FaultShown, Refused
from shoal.web.work import Work

CHANGING = Lock()
Role = Literal["identifier", "quasi", "sensitive", "other"]


class PolicyState(BaseModel):
    """The text is the truth; the mapping is what it holds, and empty where it is no TOML."""

    text: str
    sound: bool
    readable: bool  # is it TOML, so that forms can change it?
    faults: list[FaultShown]
    mapping: dict[str, Any] = Field(exclude=True)
    policy: Any = Field(
        default=None, exclude=True
    )  # a Policy, if the text is one; its method may be at fault


def policy_state(work: Work) -> PolicyState:
    if not work.policy_file.is_file():
        raise Refused(409, "the table has no policy yet", "wait until its data page shows the columns.")
    return state_of(work.policy_file.read_text(encoding="utf-8"), work)


def state_of(text: str, work: Work) -> PolicyState:
    """Of a text, kept or not. Files of hierarchies are looked for beside the table."""
    from shoal.anonymizer.suitable import sound_policy
    from shoal.policy.toml import toml_mapping

    try:
        mapping = toml_mapping(text)
    except ShoalError as error:
        faults = [FaultShown(**fault.as_dict()) for fault in error.faults]
        return PolicyState(text=text, sound=False, readable=False, faults=faults, mapping={})
    policy, found = None, _outside(mapping, work)
    if not found:
        policy, found = sound_policy(text, work.table.parent)
    faults = [FaultShown(**fault.as_dict()) for fault in found]
    return PolicyState(
        text=text, sound=not found, readable=True, faults=faults, mapping=mapping, policy=policy
    )


def _outside(mapping: Mapping[str, Any], work: Work) -> list[Fault]:
    """Files of hierarchies that the page may not read."""
    named = {name: one for name, one in entries(mapping, "hierarchies").items() if isinstance(one, str)}
    return [
        Fault(
            f"the hierarchy file of {name!r} lies outside the folders given at start",
            "start `shoal serve` with its folder, or write the hierarchy into the policy.",
        )
        for name, given in named.items()
        if not _inside((work.table.parent / given), work)
    ]


def _inside(path: Path, work: Work) -> bool:
    try:
        place = path.resolve()
    except (OSError, ValueError, RuntimeError):
        return False
    return any(place.is_relative_to(root) for root in work.roots)


def change_policy(
    work: Work, change: Callable[[dict[str, Any]], Mapping[str, Any]], anew: bool = False
) -> None:
    """Change what the text holds, if it can be read; two forms at once do so one after the other. Written
    ``anew``, it loses its comments even if nothing else changes.
    """
    from shoal.policy.policy_text import policy_text

    with CHANGING:
        state = policy_state(work)
        if not state.readable:
            raise Refused(
                409, "the policy's text is no TOML, so forms cannot change it", "mend the text first."
            )
        mapping = change(state.mapping)
        if anew or mapping != state.mapping:
            work.write(work.policy_file.name, policy_text(mapping))


def keep_policy(work: Work, text: str) -> None:
    with CHANGING:
        work.write(work.policy_file.name, text)


def entries(mapping: Mapping[str, Any], section: str) -> Mapping[str, Any]:
    """What a section holds; nothing where it is none."""
    found = mapping.get(section)
    return found if isinstance(found, Mapping) else {}
