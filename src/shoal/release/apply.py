"""Apply a saved recoding to other rows: the same labels, and every promise checked again."""

from dataclasses import replace
from os import PathLike
from time import perf_counter

from shoal.anonymizer.apply import apply_to_table
from shoal.anonymizer.recoding import Recoding
from shoal.errors import ShoalError
from shoal.policy.model.people import insist_on_people
from shoal.release.leak_judgement import refuse_leaks
from shoal.release.release import Release, random_key
from shoal.release.storage.recoding_file import load_recoding
from shoal.table.read import Source, read_with_restore
from shoal.watchers import Step, unwatched


def apply_recoding(
    recoding: Recoding | str | PathLike[str],
    source: Source,
    suppression: float | None = None,
    seed: int | None = None,
    secret: bytes | None = None,
    on_step: Step = unwatched,
) -> Release:
    """A release of a path or frame by a recoding found on an earlier one.

    Rows that fit no class, and classes that are too small or not diverse enough, are left out, up to the
    policy's share or ``suppression``.

    >>> import pyarrow as pa, shoal
    >>> policy = shoal.Policy(columns={"age": "quasi"}, guarantees=[shoal.KAnonymity(k=2)])
    >>> first = shoal.anonymize(pa.table({"age": [30, 39, 52, 53]}), policy)
    >>> release = apply_recoding(first.recoding, pa.table({"age": [31, 35, 38]}))
    >>> release.table["age"].to_pylist()[0]
    {'lo': 30, 'hi': 39}
    """
    started = perf_counter()
    key = random_key(seed, secret)
    found = recoding if isinstance(recoding, Recoding) else load_recoding(recoding)
    if suppression is not None:
        found = _letting_go(found, suppression)
    on_step("reading")
    table, restore = read_with_restore(source, reading=found.policy.how_to_read)
    read = perf_counter()
    on_step("applying the recoding")
    people = insist_on_people(table, found.policy)
    made = refuse_leaks(table, found.policy, apply_to_table(table, found, key))
    made = replace(made, notes=(*made.notes, *people))
    seconds = {"read": read - started, "anonymize": perf_counter() - read}
    return Release(table, found.policy, made, key, seed is not None, restore, seconds, found)


def _letting_go(recoding: Recoding, share: float) -> Recoding:
    if not 0 <= share <= 1:
        raise ShoalError(f"a suppression of {share:g} is no share", "give a number between 0 and 1.")
    policy = recoding.policy
    method = policy.method.model_copy(update={"suppression": share})
    return Recoding(policy.model_copy(update={"method": method}), recoding.method, recoding.columns)
