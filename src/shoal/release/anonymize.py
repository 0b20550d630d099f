"""The door of the library: a table of any size, in memory or on the engine that its size asks for."""

from os import PathLike
from typing import TYPE_CHECKING, Literal, overload

from shoal.policy.model.policy import Policy
from shoal.progress import Progress, Step, unwatched
from shoal.release import release
from shoal.release.engine_choice import engine_for, is_in_memory
from shoal.release.release import Release
from shoal.table.read import Source

if TYPE_CHECKING:
    from shoal.release.large_release import LargeRelease


@overload
def anonymize(
    source: Source,
    policy: Policy | str | PathLike[str],
    seed: int | None = ...,
    secret: bytes | None = ...,
    on_step: Step = ...,
    on_progress: Progress = ...,
    *,
    engine: Literal["memory"] = ...,
) -> Release: ...  # whose names a release beyond memory shares, but for `query` and recodings


@overload
def anonymize(
    source: Source,
    policy: Policy | str | PathLike[str],
    seed: int | None = ...,
    secret: bytes | None = ...,
    on_step: Step = ...,
    on_progress: Progress = ...,
    *,
    engine: Literal["disk", "spark"],
    memory: str | None = ...,
    work: str | PathLike[str] | None = ...,
) -> "LargeRelease": ...


@overload
def anonymize(
    source: Source,
    policy: Policy | str | PathLike[str],
    seed: int | None = ...,
    secret: bytes | None = ...,
    on_step: Step = ...,
    on_progress: Progress = ...,
    *,
    engine: Literal["auto"],
    memory: str | None = ...,
    work: str | PathLike[str] | None = ...,
) -> "Release | LargeRelease": ...


def anonymize(
    source: Source,
    policy: Policy | str | PathLike[str],
    seed: int | None = None,
    secret: bytes | None = None,
    on_step: Step = unwatched,
    on_progress: Progress = unwatched,
    *,
    engine: str = "auto",
    memory: str | None = None,
    work: str | PathLike[str] | None = None,
) -> "Release | LargeRelease":
    """Anonymize a path or frame under a policy. A seed makes it repeatable and unsafe to publish.

    A file that does not fit into the memory there is, or into as much as ``memory`` says ("2GB"), is worked
    on by way of the disk, unless an ``engine`` is named. Such a release lies in a ``work`` folder until it is
    closed. ``on_step`` is told what is under way, ``on_progress`` how far a long search is: the share of its
    time that has passed, and how good its best result is known to be.

    >>> import pyarrow as pa
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> anonymize(pa.table({"age": [30, 31, 52, 53]}), policy).records
    4
    """
    chosen = engine_for(source, engine, memory)
    if is_in_memory(chosen):
        return release.anonymize_in_memory(source, policy, seed, secret, on_step, on_progress)
    from shoal.release.large_release import anonymize_large  # brings kernels up

    return anonymize_large(
        source, Policy.of(policy), chosen, memory, work, seed, secret, on_step, on_progress
    )
