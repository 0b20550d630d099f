"""The policy of a table as pages read and change it. The text is the one truth."""

from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from shoal.web.problem import Refused
from shoal.web.work import Work

WRITING = Lock()  # two forms sent at once change it one after the other


def policy_text_of(work: Work) -> str:
    if not work.policy_file.is_file():
        raise Refused(409, "the table has not been looked at yet", "wait until its columns are shown.")
    return work.policy_file.read_text(encoding="utf-8")


def keep_text(work: Work, text: str) -> None:
    """Also a text that is at fault. A form sends every end of a line as two characters."""
    with WRITING:
        work.write(work.policy_file.name, text.replace("\r\n", "\n"))


def change_policy(work: Work, change: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
    """Read, change and write the entries of a policy; comments in it are lost."""
    from shoal.policy.policy_text import policy_text
    from shoal.policy.toml import toml_mapping

    with WRITING:
        changed = change(toml_mapping(policy_text_of(work)))
        work.write(work.policy_file.name, policy_text(changed))
