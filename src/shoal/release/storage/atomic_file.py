"""A file that appears whole or not at all, under a name that is not taken."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.release.storage.atomic_folder import sync, write_error
from shoal.release.storage.hidden_folder import hidden_folder
from shoal.release.storage.new_file import refuse_existing


@contextmanager
def atomic_file(target: Path, force: bool = False) -> Iterator[Path]:
    """A place with the same name in a hidden folder; what is written there moves to the target when the block
    ends well."""
    refuse_existing(target, force)
    with hidden_folder(target.parent, target.name) as folder:
        new = folder / target.name
        try:
            yield new
            sync(new)
            refuse_existing(target, force)  # someone else may have been faster
            new.replace(target)
        except OSError as error:
            raise write_error(error, folder, target) from None
