"""Anonymize a table under a policy, verify what was written, keep it only if all holds."""

import json
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

from shoal.policy.policy import Policy
from shoal.release.private_file import write_privately
from shoal.release.release import anonymize
from shoal.release.run_result import run_result
from shoal.report.compare import figures_of
from shoal.startup import compiling_told

RELEASE, AUDIT, RESULT, FIGURES = "release", "audit.csv", "result.json", "figures.json"


def run_task(folder: Path, arguments: dict[str, Any], tell: Any) -> dict[str, Any]:
    """The policy lies in the job's folder, as it was when the run was asked for."""
    started = perf_counter()
    source = Path(arguments["source"])
    policy = Policy.parse((folder / "policy.toml").read_text(encoding="utf-8"), source.parent)
    with compiling_told(tell):
        release = anonymize(
            source,
            policy,
            on_step=tell,
            on_progress=lambda share, told: tell(f"anonymizing: {told}", share),
        )
        verdicts = release.write(folder / RELEASE, arguments["format"], folder / AUDIT, on_step=tell)
    seconds = {**release.seconds, "total": perf_counter() - started}
    result = run_result(release, Path(RELEASE), verdicts, seconds)
    write_privately(
        folder / RESULT, "file", lambda file: json.dump(result, file, default=str, ensure_ascii=False)
    )
    tell("measuring what a comparison needs")
    figures = asdict(figures_of(release, verdicts))
    write_privately(folder / FIGURES, "file", lambda file: json.dump(figures, file))
    return {name: result[name] for name in ("method", "rows", "published", "suppressed", "classes", "loss")}
