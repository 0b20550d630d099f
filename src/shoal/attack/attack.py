"""Attack a table before others do: every attacker, on whatever was published."""

from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path

from shoal.attack.aggregate import aggregate
from shoal.attack.composition import composition
from shoal.attack.definetti import definetti
from shoal.attack.linkage import linkage
from shoal.attack.minimality import minimality
from shoal.attack.result import AttackResult
from shoal.attack.scene import Scene
from shoal.errors import Fault, ShoalError, nearest
from shoal.policy.columns import column_faults
from shoal.policy.policy import Policy
from shoal.release.audit import input_rows_of
from shoal.release.opened import OpenedRelease, open_release
from shoal.table.read import Source, read_table
from shoal.table.table import Table
from shoal.verify.cells import Published

Attack = Callable[[Scene], Iterator[AttackResult]]

ATTACKS: tuple[tuple[str, Attack], ...] = (
    ("linkage", linkage),
    ("aggregate", aggregate),
    ("definetti", definetti),
    ("minimality", minimality),
    ("composition", composition),
)


def _silent(_: str) -> None:
    """Nobody is watching."""


def attack(
    source: Source,
    release: str | PathLike[str] | OpenedRelease | None = None,
    *,
    policy: Policy | str | PathLike[str] | None = None,
    audit: str | PathLike[str] | None = None,
    others: tuple[str | PathLike[str], ...] = (),
    attacks: tuple[str, ...] = (),
    besides: int = 1,
    seed: int | None = None,
    on_step: Callable[[str], None] = _silent,
) -> list[AttackResult]:
    """What every attacker finds in a release of this table or, with a policy instead, in the table itself.

    >>> import pyarrow as pa
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> [found] = attack(pa.table({"age": [30, 30, 52]}), policy=policy, attacks=("linkage",))
    >>> found.below, found.smallest, found.level
    (0.3333333333333333, 1, 'exposed')
    """
    _refuse_unknown(attacks)
    on_step("reading")
    table = read_table(source)
    scene = _scene(table, release, policy, audit, others, besides, seed)
    found: list[AttackResult] = []
    for name, run in ATTACKS:
        if not attacks or name in attacks:
            on_step(name)
            found += run(scene)
    return found


def _scene(
    table: Table,
    release: str | PathLike[str] | OpenedRelease | None,
    policy: Policy | str | PathLike[str] | None,
    audit: str | PathLike[str] | None,
    others: tuple[str | PathLike[str], ...],
    besides: int,
    seed: int | None,
) -> Scene:
    if release is None:
        if policy is None:
            raise ShoalError(
                "there is nothing to attack",
                "give the folder of a release or, for the table itself, a policy.",
            )
        asked = Policy.of(policy)
        _insist_on_columns(table, asked)
        return Scene.raw_table(table, asked, besides=besides, seed=seed)
    opened = release if isinstance(release, OpenedRelease) else open_release(release)
    _insist_on_columns(table, opened.policy)
    further = tuple(_beside(table, open_release(other)) for other in others)
    published = opened.read()
    rows = None if audit is None else input_rows_of(Path(audit), len(published), len(table))
    return Scene(
        Published(table), Published(published), opened.policy, False, rows, further, besides, seed=seed
    )


def _beside(table: Table, other: OpenedRelease) -> Scene:
    _insist_on_columns(table, other.policy)
    return Scene(Published(table), Published(other.read()), other.policy)


def _insist_on_columns(table: Table, policy: Policy) -> None:
    if faults := column_faults(policy, table.names, optional=("identifier",)):
        raise ShoalError(faults)


def _refuse_unknown(attacks: tuple[str, ...]) -> None:
    known = [name for name, _ in ATTACKS]
    faults = [
        Fault(f"there is no attack {name!r}", nearest(name, known, "shoal"))
        for name in attacks
        if name not in known
    ]
    if faults:
        raise ShoalError(faults)
