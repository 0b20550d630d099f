"""``shoal attack`` on tables beyond memory."""

from pathlib import Path

from shoal.adversary.large.attack_large import attack_large
from shoal.cli.attack import AttackOptions, say_attacks
from shoal.cli.engine import refuse_in_memory_only, running_engine
from shoal.cli.terminal.output import say, say_json, steps


def run_attack_large(
    asked: AttackOptions,
    as_json: bool,
    engine: str,
    memory: str | None,
    temp: Path | None,
    master: str | None,
) -> None:
    """Simulate those attackers that need no more than counts, on disk or on Spark."""
    given = {
        "--with": asked.others,
        "--audit": asked.audit,
        "--with-audit": asked.other_audits,
        "--per-record": asked.per_record,
        "--population": asked.population,
        "--population-size": asked.population_size,
        "--weights": asked.weights,
        "--preset": asked.preset,
    }
    refuse_in_memory_only(given, engine)
    with (
        steps(quiet=as_json) as step,
        running_engine(engine, memory, temp, master, step) as (place, watched),
    ):
        found = attack_large(place, asked.data, asked.opened(), asked.policy, asked.only, watched.begin)
    if as_json:
        say_json(
            {
                "attacked": str(asked.release or asked.data),
                "raw": found.raw,
                "attacks": [result.as_dict() for result in found.results],
                "left_out": list(found.left_out),
                "engine": {"name": engine, "bytes_spilled": watched.bytes_spilled},
            }
        )
        return
    say_attacks(found.results, tuple(result.attack for result in found.results))
    if found.left_out:
        say("\nLeft out, since they need the whole table in memory:")
        for one in found.left_out:
            say(f"  - {one}")
