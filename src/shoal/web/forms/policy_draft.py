"""The policy of a table as it stands: a text that may be at fault, and on its way to be sound."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from pydantic import BaseModel, Field

from shoal.errors import Fault, ShoalError
from shoal.web.problem import FaultView, Refused
from shoal.web.project import Project

CHANGING = Lock()
LONGEST_LINE = 200
Back = Literal["previous", "sound"]
BACK: dict[Back, str] = {"previous": "policy.previous.toml", "sound": "policy.sound.toml"}
Role = Literal["identifier", "drop", "quasi", "sensitive", "other"]


class Stale(Refused):
    """A form was made from another text than the one that stands."""


class WrongLine(BaseModel):
    """Where a text is no TOML."""

    number: int
    text: str


class PolicyState(BaseModel):
    """The text is the truth; the mapping is what it holds, and empty where it is no TOML."""

    text: str
    sound: bool
    readable: bool  # is it TOML, so that forms can change it?
    faults: list[FaultView]
    line: WrongLine | None = None
    mapping: dict[str, Any] = Field(exclude=True)
    policy: Any = Field(
        default=None, exclude=True
    )  # a Policy, if the text is one; its method may be at fault


def policy_state(project: Project) -> PolicyState:
    """The policy of a table with its faults; refused until a draft is there."""
    if not project.policy_file.is_file():
        raise Refused(409, "the table has no policy yet", "wait until its data page shows the columns.")
    return text_state(project.policy_file.read_text(encoding="utf-8"), project)


def text_state(text: str, project: Project) -> PolicyState:
    """The state of a policy's text, stored or not. Files of hierarchies are looked for beside the table."""
    from shoal.anonymizer.suitability import sound_policy
    from shoal.policy.toml import toml_mapping

    try:
        mapping = toml_mapping(text)
    except ShoalError as error:
        faults = [FaultView(**fault.as_dict()) for fault in error.faults]
        line = _line(error)
        return PolicyState(text=text, sound=False, readable=False, faults=faults, line=line, mapping={})
    policy, found = None, _outside(mapping, project)
    if not found:
        policy, found = sound_policy(text, project.table.parent)
    faults = [FaultView(**fault.as_dict()) for fault in found]
    return PolicyState(
        text=text, sound=not found, readable=True, faults=faults, mapping=mapping, policy=policy
    )


def _line(error: ShoalError) -> WrongLine | None:
    from shoal.policy.toml import NoToml

    if not isinstance(error, NoToml) or error.line is None:
        return None
    return WrongLine(number=error.line, text=error.written[:LONGEST_LINE])


def _outside(mapping: Mapping[str, Any], project: Project) -> list[Fault]:
    """Files of hierarchies that the page may not read."""
    named = {name: one for name, one in entries(mapping, "hierarchies").items() if isinstance(one, str)}
    return [
        Fault(
            f"the hierarchy file of {name!r} lies outside the folders given at start",
            "start `shoal serve` with its folder, or write the hierarchy into the policy.",
        )
        for name, given in named.items()
        if not _inside((project.table.parent / given), project)
    ]


def _inside(path: Path, project: Project) -> bool:
    try:
        place = path.resolve()
    except (OSError, ValueError, RuntimeError):
        return False
    return any(place.is_relative_to(root) for root in project.roots)


def change_policy(
    project: Project,
    change: Callable[[dict[str, Any]], Mapping[str, Any]],
    made_from: str | None = None,
    anew: bool = False,
) -> None:
    """Change what the text holds, if it can be read; two forms at once do so one after the other. Written
    ``anew``, it loses its comments even if nothing else changes.
    """
    from shoal.policy.text.policy_text import policy_text

    with CHANGING:
        state = policy_state(project)
        _refuse_stale(state.text, made_from)
        if not state.readable:
            raise Refused(
                409, "the policy's text is no TOML, so forms cannot change it", "mend the text first."
            )
        mapping = change(state.mapping)
        if anew or mapping != state.mapping:
            _keep(project, policy_text(mapping))


def keep_policy(project: Project, text: str, made_from: str | None = None) -> None:
    """Keep a new text of the policy, unless it was made from one that has changed since."""
    with CHANGING:
        before = _read(project.policy_file)
        if text == before:  # a text may be sent twice: as it is typed, and on leaving the page
            return
        _refuse_stale(before or "", made_from)
        _keep(project, text)


def go_back(project: Project, to: Back, made_from: str | None = None) -> None:
    """Go back to the text before the last change, or to the last one that was sound."""
    with CHANGING:
        _refuse_stale(_read(project.policy_file) or "", made_from)
        text = text_before(project, to)
        if text is None:
            raise Refused(409, "there is no text to go back to", "load the page again.")
        _keep(project, text)


def text_before(project: Project, to: Back) -> str | None:
    """None where there is none, or it is the one that stands."""
    text = _read(project.folder / BACK[to])
    return None if text == _read(project.policy_file) else text


def fingerprint(text: str) -> str:
    """What a form is made from: it is refused once the text is another.

    >>> fingerprint("k = 5") == fingerprint("k = 6")
    False
    """
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _refuse_stale(text: str, made_from: str | None) -> None:
    if made_from is not None and made_from != fingerprint(text):
        raise Stale(
            409, "this has changed meanwhile", "look at what stands there now, and make your change again."
        )


def _keep(project: Project, text: str) -> None:
    """The text, the one before it, and the last of both that is sound."""
    before = _read(project.policy_file)
    if text_state(text, project).sound:
        project.write(BACK["sound"], text)
    elif (
        before is not None
        and not (project.folder / BACK["sound"]).exists()
        and text_state(before, project).sound
    ):
        project.write(BACK["sound"], before)
    if before is not None:
        project.write(BACK["previous"], before)
    project.write(project.policy_file.name, text)


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def entries(mapping: Mapping[str, Any], section: str) -> Mapping[str, Any]:
    """What a section holds; nothing where it is none."""
    found = mapping.get(section)
    return found if isinstance(found, Mapping) else {}
