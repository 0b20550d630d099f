"""Apply a saved recoding to other rows: the same labels, and every promise checked again."""

from os import PathLike

from shoal.anonymizer.apply import apply_to_table
from shoal.anonymizer.recoding import Recoding
from shoal.errors import ShoalError
from shoal.progress import Step, unwatched
from shoal.release.release import Release, random_key, release_of
from shoal.release.storage.recoding_file import load_recoding
from shoal.table.read import Source


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
    key = random_key(seed, secret)
    found = recoding if isinstance(recoding, Recoding) else load_recoding(recoding)
    if suppression is not None:
        found = _letting_go(found, suppression)
    return release_of(
        source,
        found.policy,
        key,
        seed is not None,
        lambda table: apply_to_table(table, found, key),
        on_step,
        found,
    )


def _letting_go(recoding: Recoding, share: float) -> Recoding:
    if not 0 <= share <= 1:
        raise ShoalError(f"a suppression of {share:g} is no share", "give a number between 0 and 1.")
    policy = recoding.policy
    method = policy.method.model_copy(update={"suppression": share})
    return Recoding(policy.model_copy(update={"method": method}), recoding.method, recoding.columns)
