"""The least by which a policy has to ask for less, so that a release exists and is verified.

Whoever asks for less is served whenever someone is who asks for more, so of each parameter alone the nearest
value that works is found by bisection. A search that tried not everything may fail where a release exists:
then less may do, and the change says so. If no parameter alone helps, everything asked for is relaxed at
once, and each parameter in turn goes back as far as it can.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from time import perf_counter
from typing import Any

from shoal.anonymizer.choose import choose, method_faults
from shoal.anonymizer.fit import size_faults
from shoal.anonymizer.registry import METHODS, MethodRow
from shoal.comparison.diagnosis import Diagnosis, PolicyChange, Shortfall
from shoal.comparison.relaxations import Relaxation, plain_number, relaxations
from shoal.comparison.vary import policy_with_parameters
from shoal.errors import Infeasible, NotFound, ShoalError
from shoal.policy.model.guarantee import LDiversity
from shoal.policy.model.policy import Policy
from shoal.progress import Step, unwatched
from shoal.release.release import anonymize_in_memory
from shoal.table.read import Source, read_table
from shoal.table.table import Table

SECONDS = 10.0
FIRST_ROWS = 1_000
OTHERS_UNKNOWN = "let each sensitive column be protected from somebody who does not know the other ones"
LOADING = 0.1  # seconds that a search with a time limit has to load


class _TimeIsUp(Exception):
    """What has been found by now has to do."""


def diagnose(
    source: Source,
    policy: Policy,
    refused: ShoalError | None = None,
    seconds: float = SECONDS,
    on_step: Step = unwatched,
) -> Diagnosis:
    """How far a policy is from what the table allows, and the smallest changes that have a release, the least
    first. ``refused`` is the error that says there is none; without it, that is tried first.

    The time is looked at between tries, and what was found until then is returned.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": [30, 31, 52, 53], "ill": ["flu", "flu", "cold", "cold"]})
    >>> asked = [{"kind": "k-anonymity", "k": 2}, {"kind": "l-diversity", "l": 3, "sensitive": "ill"}]
    >>> policy = Policy(columns={"age": "quasi", "ill": "sensitive"}, guarantees=asked)
    >>> found = diagnose(table, policy, seconds=60)
    >>> found.shortfalls[0].sentence
    'guarantee 2 (l-diversity): asked for 3 different values of ill, 2 can be reached'
    >>> found.changes[0].sentence, found.changes[0].written
    ('ask for 2 instead of 3 different values of ill', ('l = 2 in [[guarantees]] number 2',))
    """
    table = read_table(source, reading=policy.how_to_read)
    if refused is not None and not asks_too_much(refused, table, policy):
        return Diagnosis()
    able = relaxations(policy, len(table))
    tries = _Tries(table, able, perf_counter() + seconds, on_step)
    shortfalls: list[Shortfall] = []
    changes: list[PolicyChange] = []
    with suppress(_TimeIsUp):
        if refused is None and tries.works(policy):
            return Diagnosis()
        for found in _findings(tries, policy, able):
            if isinstance(found, Shortfall):
                shortfalls.append(found)
            else:
                changes.append(found)
    return Diagnosis(tuple(shortfalls), tuple(sorted(changes, key=lambda change: change.costs)))


def asks_too_much(refused: ShoalError, source: Source, policy: Policy) -> bool:
    """Does the policy ask for too much, a k above the number of records included, or is something wrong?"""
    if isinstance(refused, Infeasible):
        return True
    return refused.faults == tuple(size_faults(policy, len(read_table(source, reading=policy.how_to_read))))


class _Tries:
    """Anonymizes and verifies, in memory, until the time is up."""

    def __init__(self, table: Table, able: list[Relaxation], until: float, on_step: Step) -> None:
        self.table, self.able, self.until, self.on_step = table, able, until, on_step
        self.loaded: set[str] = set()
        self.doubtful = False  # has a search failed that tried not everything?

    def works(self, policy: Policy) -> bool:
        if perf_counter() >= self.until:
            raise _TimeIsUp
        self._load(policy)
        try:
            return _works(self.table, _hurried(policy, self.until - perf_counter()))
        except NotFound:
            self.doubtful = True
            return False

    def _load(self, policy: Policy) -> None:
        """Let a method run on a few rows first: loading and compiling it does not count."""
        name = choose(policy).method.name
        if name in self.loaded:
            return
        began = perf_counter()
        self.loaded.add(name)
        with suppress(NotFound):
            _works(self.table.first(FIRST_ROWS), _hurried(_loosest(policy, self.able), LOADING))
        self.until += perf_counter() - began

    def nearest(self, values: Sequence[Any], one: Relaxation, policy: Policy) -> tuple[Any, bool] | None:
        """The first value that works, and whether that is sure; none if not even the last one does."""
        if not self.works(one.applied(policy, values[-1])):
            return None
        fails, works = -1, len(values) - 1
        self.doubtful = False
        with suppress(_TimeIsUp):
            while works - fails > 1:
                middle = (fails + works) // 2
                if self.works(one.applied(policy, values[middle])):
                    works = middle
                else:
                    fails = middle
            return values[works], not self.doubtful
        return values[works], False


def _works(table: Table, policy: Policy) -> bool:
    try:
        release = anonymize_in_memory(table, policy)
        return release.result.table.num_rows > 0 and all(verdict.holds for verdict in release.verdicts)
    except NotFound:
        raise
    except ShoalError:
        return False


def _loosest(policy: Policy, able: list[Relaxation]) -> Policy:
    for one in able:
        policy = one.applied(policy, one.values[-1])
    return policy


def _hurried(policy: Policy, seconds: float) -> Policy:
    """A search that takes the time it is given is given no more than is left."""
    if "time_limit" not in choose(policy).method.options:
        return policy
    own = float(policy.method.options.get("time_limit", seconds))
    return policy_with_parameters(policy, {"options.time_limit": min(own, seconds)})


def _findings(tries: _Tries, policy: Policy, able: list[Relaxation]) -> Iterator[Shortfall | PolicyChange]:
    yield from _other_method(tries, policy)
    yield from _others_unknown(tries, policy)
    one_is_enough = False
    for one in able:
        tries.on_step(f"looking for what would work: {one.parameter}")
        if found := tries.nearest(one.values, one, policy):
            one_is_enough = True
            yield from _single_relaxation(one, policy, *found)
    if not one_is_enough:
        yield from _joint_relaxation(tries, policy, [one for one in able if one.place is not None])


def _other_method(tries: _Tries, policy: Policy) -> Iterator[PolicyChange]:
    for name in _other_methods(policy):
        tries.on_step(f"looking for what would work: method {name}")
        other = _with_method(policy, name)
        if tries.works(other):
            written = [f'name = "{name}" in [method]']
            if other.method.options != policy.method.options:
                written.append("options = {} in [method]")
            sentence = f"use method {name}, which can keep everything that is asked"
            yield PolicyChange(
                "method", None, policy.method.name, name, other, sentence, tuple(written), costs=0.0
            )
            return


def _others_unknown(tries: _Tries, policy: Policy) -> Iterator[PolicyChange]:
    """Every diversity guarantee on its own: nobody is thought to know the other sensitive columns."""
    joined = [
        place
        for place, asked in enumerate(policy.guarantees, 1)
        if isinstance(asked, LDiversity) and any(policy.known_beside(asked, name) for name in asked.columns)
    ]
    if not joined:
        return
    tries.on_step("looking for what would work: other sensitive columns as unknown")
    guarantees = [
        asked.model_copy(update={"alone": True}) if place in joined else asked
        for place, asked in enumerate(policy.guarantees, 1)
    ]
    other = policy.model_copy(update={"guarantees": tuple(guarantees)})
    if tries.works(other):
        written = tuple(f"alone = true in [[guarantees]] number {place}" for place in joined)
        yield PolicyChange("alone", None, False, True, other, OTHERS_UNKNOWN, written, costs=0.0)


def _other_methods(policy: Policy) -> list[str]:
    """Methods that may keep what the policy's own cannot, one for each way to publish but single stars, whose
    search is slow.

    If no record may be left out, there is nothing to try: every method that keeps its promises can do
    what the whole table as one class can.
    """
    own = choose(policy).method
    if own.family == "means" or not (own.baseline or policy.method.suppression):
        return []
    first: dict[str, str] = {}
    for row in METHODS:
        unfit = row.family in ("means", "stars") or row.baseline or row == own
        if not unfit and not method_faults(_with_method(policy, row.name)):
            first.setdefault(_way(row), row.name)
    chosen = choose(_with_method(policy, "auto")).method
    if chosen == own:
        return list(first.values())
    return ["auto", *(name for name in first.values() if name != chosen.name)]


def _way(row: MethodRow) -> str:
    return row.family if row.family in ("levels", "permutation") else "classes"


def _with_method(policy: Policy, name: str) -> Policy:
    method = policy.method.model_copy(update={"name": name, "options": {}})
    return policy.model_copy(update={"method": method})


def _single_relaxation(
    one: Relaxation, policy: Policy, then: Any, sure: bool
) -> Iterator[Shortfall | PolicyChange]:
    if one.place is not None:
        yield _shortfall(one, then, sure)
    if not one.is_hollow(then):
        yield _change(one, one.applied(policy, then), then, sure)


def _shortfall(one: Relaxation, then: Any, sure: bool) -> Shortfall:
    return Shortfall(one.place, one.kind, one.parameter, one.now, then, one.shortfall(then, not sure))


def _change(one: Relaxation, policy: Policy, then: Any, sure: bool) -> PolicyChange:
    where = "[method]" if one.place is None else f"[[guarantees]] number {one.place}"
    return PolicyChange(
        one.parameter,
        one.place,
        one.now,
        then,
        policy,
        one.sentence(then),
        (f"{one.parameter} = {plain_number(then)} in {where}",),
        one.costs(then),
        sure,
    )


def _joint_relaxation(
    tries: _Tries, policy: Policy, able: list[Relaxation]
) -> Iterator[Shortfall | PolicyChange]:
    """Several parameters at once, none of which can go back any further."""
    tries.on_step("looking for what would work: several parameters together")
    loosest = _loosest(policy, able)
    if not able or not tries.works(loosest):
        return
    changed: list[tuple[Relaxation, Any, bool]] = []
    for one in able:
        then, sure = tries.nearest([one.now, *one.values], one, loosest) or (one.values[-1], False)
        loosest = one.applied(loosest, then)
        if then != one.now:
            changed.append((one, then, sure))
    yield from (_shortfall(one, then, sure) for one, then, sure in changed)
    if not any(one.is_hollow(then) for one, then, _ in changed):
        yield _all_of([_change(one, loosest, then, sure) for one, then, sure in changed])


def _all_of(changes: list[PolicyChange]) -> PolicyChange:
    first, *others = changes
    return replace(
        first,
        sentence=", and ".join(change.sentence for change in changes),
        written=tuple(line for change in changes for line in change.written),
        costs=sum(change.costs for change in changes),
        smallest=all(change.smallest for change in changes),
        besides=tuple(others),
    )
