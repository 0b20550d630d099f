"""``shoal attack``."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from shoal.attack.attack import attack
from shoal.attack.per_record import check_per_record, written_per_record
from shoal.attack.result import AttackResult
from shoal.cli.output import BOLD, DIM, GREEN, RED, painted, say, say_json, steps
from shoal.errors import ShoalError

MARKS = {"safe": ("safe", GREEN), "watch": ("watch", BOLD), "exposed": ("EXPOSED", RED)}
WIDTH = 30  # of the longest bar
LEGEND = (
    "safe: nobody has fewer candidates than asked for; watch: somebody has, but nothing was promised against "
    "this attacker; EXPOSED: a promise is broken, or guesses are far better than chance"
)


def run_attack(
    data: Path,
    release: Path | None,
    policy: Path | None,
    others: list[Path],
    audit: Path | None,
    attacks: str | None,
    besides: int,
    per_record: Path | None,
    seed: int | None,
    force: bool,
    as_json: bool,
) -> None:
    _refuse_contradictions(release, policy, others, audit)
    if per_record is not None:
        check_per_record(per_record, force, release)
    chosen = () if attacks is None else tuple(part.strip() for part in attacks.split(",") if part.strip())
    with steps(quiet=as_json) as step:
        found = attack(
            data,
            release,
            policy=policy,
            audit=audit,
            others=tuple(others),
            attacks=chosen,
            besides=besides,
            seed=seed,
            on_step=step,
        )
        with nullcontext() if per_record is None else written_per_record(found, per_record):
            pass
    if as_json:
        say_json(
            {
                "attacked": str(release or data),
                "raw": release is None,
                "attacks": [result.as_dict() for result in found],
                "per_record": None if per_record is None else str(per_record),
            }
        )
        return
    _tell(found)
    if per_record is not None:
        say(f"\nWrote {per_record}, which only you can read: it says who is exposed")


def _refuse_contradictions(
    release: Path | None, policy: Path | None, others: list[Path], audit: Path | None
) -> None:
    if release is not None and policy is not None:
        raise ShoalError(
            "both a release and a policy were given",
            "a release has its policy in it: leave --policy out, or leave the release out.",
        )
    if release is None and others:
        raise ShoalError("--with needs a release", "give the folder of the first release after the table.")
    if release is None and audit is not None:
        raise ShoalError("--audit needs a release", "give its folder after the table.")


def _tell(found: list[AttackResult]) -> None:
    for result in found:
        say("\n".join(_lines(result)))
        say()
    counts = {level: sum(result.level == level for result in found) for level in MARKS}
    told = ", ".join(f"{count} {painted(*MARKS[level])}" for level, count in counts.items() if count)
    say(f"{len(found)} attackers: {told or 'none applies here'}")
    say(painted(LEGEND, DIM))


def _lines(result: AttackResult) -> Iterator[str]:
    mark = painted(*MARKS[result.level])
    beyond = "" if result.promised else painted("  (beyond the promise)", DIM)
    yield f"{mark}  {painted(result.attack, BOLD)}: someone who knows {result.knows}{beyond}"
    what = "records" if result.finds == "record" else "values"
    share = f"{result.below:.1%}" + (f" ± {result.below_margin:.1%}" if result.below_margin else "")
    people = f"{result.population:,} people"
    if result.sampled:
        people = f"{len(result.people):,} of {people}, drawn at random,"
    yield f"  {share} of {people} have fewer than {result.needed:,} {what} that may be theirs"
    margin = f" ± {result.margin:.2g}" if result.margin else ""
    baseline = "" if result.baseline is None else f", {result.baseline:.2g} by chance"
    yield (
        f"  fewest {result.smallest:,}, median {result.median:,g}; the right one is picked with probability "
        f"{result.expected:.2g}{margin} on average, at most {result.largest:.2g}{baseline}"
    )
    if telling := result.figures.get("telling"):
        name, often = next(iter(telling.items()))
        yield f"  most telling: {name} (for {often:.0%} of the people)"
    yield from _bars(result)
    for note in result.notes:
        yield painted(f"  {note}", DIM)


def _bars(result: AttackResult) -> Iterator[str]:
    """How many people have how many candidates."""
    total = max(len(result.people), 1)
    most = max(result.histogram.values(), default=0)
    for bar, count in result.histogram.items():
        if count:
            yield f"  {bar:>7}  {'█' * max(round(WIDTH * count / most), 1)} {count / total:.1%}"
