"""What a run made, as plain values: for the command, the page and whoever reads their JSON."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from shoal.release.integrity.manifest import FILE_NAME, SIGNATURE, file_hash
from shoal.release.integrity.release_files import is_file_in
from shoal.release.run_summary import RunSummary
from shoal.verify.verdict import Verdict


def run_result(
    release: RunSummary, out: Path, verdicts: list[Verdict], seconds: dict[str, float]
) -> dict[str, Any]:
    """All that a run has made, as plain values for JSON."""
    made = release.result
    return {
        "release": str(out),
        "fingerprint": file_hash(out / FILE_NAME),
        "signed": is_file_in(out, SIGNATURE),
        "method": made.method,
        "why": made.why,
        "rows": release.rows,
        "published": release.records,
        "suppressed": made.suppressed,
        "starred": made.starred,
        "classes": made.classes,
        "exact_cells": made.exact_cells,
        "loss": made.loss,
        "paid": made.paid,
        "fallen": made.fallen,
        "nodes": [asdict(node) for node in made.nodes],
        "gap": made.gap,
        "verdicts": [verdict.as_dict() for verdict in verdicts],
        "notes": list(made.notes),
        "seconds": {name: round(value, 4) for name, value in seconds.items()},
        "unsafe_seed": release.seeded,
    }
