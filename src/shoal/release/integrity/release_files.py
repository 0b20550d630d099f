"""The files of a release: in its folder, or in a folder of parts there, and never anywhere else."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from shoal.release.integrity.manifest import FILE_NAME, SIGNATURE, file_hash, leads_inside


def is_file_in(folder: Path, name: str) -> bool:
    """Is it a file there, by itself and not by a link to somewhere else?"""
    path = folder / name
    ways = (path, *list(path.parents)[: name.count("/")])
    return leads_inside(name) and not any(way.is_symlink() for way in ways) and path.is_file()


def matches_fingerprint(folder: Path, name: str, expected: str) -> bool:
    """Does a file have the fingerprint that its manifest lists?"""
    return is_file_in(folder, name) and file_hash(folder / name) == expected


def names_in(folder: Path, listed: Iterable[str]) -> set[str]:
    """The names of all that is in a folder; a folder in it is opened if something there is listed."""
    opened = {name.rsplit("/", count)[0] for name in listed for count in range(1, name.count("/") + 1)}
    return set(_names(folder, "", opened))


def _names(folder: Path, before: str, opened: set[str]) -> list[str]:
    found = []
    for entry in os.scandir(folder):
        name = before + entry.name
        inside = _names(folder / entry.name, f"{name}/", opened) if _is_opened(entry, name, opened) else []
        found += inside or [name]
    return found


def _is_opened(entry: "os.DirEntry[str]", name: str, opened: set[str]) -> bool:
    return name in opened and entry.is_dir(follow_symlinks=False)


def file_differences(folder: Path, files: Mapping[str, str]) -> list[str]:
    """How a folder differs from the files and fingerprints in its manifest."""
    present, listed = names_in(folder, files), set(files)
    changed = [
        name for name in sorted(listed & present) if not matches_fingerprint(folder, name, files[name])
    ]
    return (
        [f"{name} differs" for name in changed]
        + [f"{name} is missing" for name in sorted(listed - present)]
        + [f"{name} does not belong to it" for name in strange_names(folder, files)]
    )


def strange_names(folder: Path, files: Iterable[str]) -> list[str]:
    """What is in a folder beside the files of its manifest, the manifest, and its signature."""
    own = {FILE_NAME, SIGNATURE} if is_file_in(folder, SIGNATURE) else {FILE_NAME}
    return sorted(names_in(folder, files) - own - set(files))
