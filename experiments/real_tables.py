"""Where the real tables are, and what to say when they are not there."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[1] / "../shared/data"))


def complain(folder: Path, missing: Sequence[str]) -> int:
    """Name the files that are missing; the exit code of bad input."""
    for name in missing:
        print(f"error: {folder / name} is missing", file=sys.stderr)
    print(
        "  Hint: --data or SHOAL_DATA names the folder of the real tables; or try --quick.", file=sys.stderr
    )
    return 2
