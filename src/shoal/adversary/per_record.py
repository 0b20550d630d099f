"""What every attacker finds of every person, in a file for the owner alone."""

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import numpy as np

from shoal.adversary.result import AttackResult
from shoal.errors import ShoalError
from shoal.release.storage.private_file import refuse_existing_file, refuse_inside, write_privately

WHAT = "per-record file"
HEADER = "# shoal attack: PRIVATE, says who is exposed"


def check_per_record(path: Path, force: bool, releases: Sequence[Path]) -> None:
    """What can be known to go wrong with writing, before any work is done."""
    if not path.parent.is_dir():
        raise ShoalError(f"there is no folder {str(path.parent)!r}", "make it, or choose another place.")
    for release in releases:
        refuse_inside(release, path, WHAT)
    refuse_existing_file(path, WHAT, HEADER, force)


def write_per_record(results: list[AttackResult], path: Path) -> None:
    """One line per person and attacker: the input row (from 1), candidates and success."""
    write_privately(path, WHAT, lambda file: _write(results, file))


def _write(results: list[AttackResult], file: TextIO) -> None:
    file.write(f"{HEADER}\n")
    for number, result in enumerate(results, 1):
        file.write(f"# attacker {number}: {result.attack}, someone who knows {_one_line(result.knows)}\n")
    file.write("attacker,input_row,candidates,success\n")
    for number, result in enumerate(results, 1):
        candidates, success = result.of_people()
        rows = np.column_stack([np.full(len(result.people), number), result.people + 1, candidates, success])
        np.savetxt(file, rows, fmt=["%d", "%d", "%d", "%.6g"], delimiter=",")


def _one_line(text: str) -> str:
    return " ".join(text.split())
