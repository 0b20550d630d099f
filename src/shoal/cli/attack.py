"""``shoal attack``."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shoal.adversary.attacks import (
    ATTACKS,
    left_out,
    open_counted_scene,
    open_scene,
    refuse_unknown,
    run_attacks,
)
from shoal.adversary.large.counted_scene import CountedScene
from shoal.adversary.per_record import check_per_record, write_per_record
from shoal.adversary.result import AttackResult, percent, with_margin
from shoal.adversary.risk_figures import risk_figures
from shoal.adversary.scene import Scene
from shoal.arrays import Floats
from shoal.cli.engine import refuse_in_memory_only, running_engine
from shoal.cli.terminal.output import BOLD, DIM, GREEN, RED, paint, say, say_json, steps
from shoal.cli.terminal.standard_output import note_done
from shoal.engines.protocol import Engine
from shoal.errors import ShoalError
from shoal.policy.draft.presets import find_preset
from shoal.release.engine_choice import is_in_memory
from shoal.release.opened_release import OpenedRelease, open_release
from shoal.risk.preset_judgement import Judgement, preset_judgement
from shoal.risk.reidentification import Risk
from shoal.table.read import Source, read_table

MARKS = {"safe": ("safe", GREEN), "watch": ("watch", BOLD), "exposed": ("EXPOSED", RED)}
IN_MEMORY_ONLY = {
    "--with": "others",
    "--audit": "audit",
    "--with-audit": "other_audits",
    "--per-record": "per_record",
    "--population": "population",
    "--population-size": "population_size",
    "--weights": "weights",
    "--preset": "preset",
}
WIDTH = 30  # of the longest bar
SHOWN_CLASSES = 3
LEGEND = (
    "safe: nobody has fewer candidates than asked for, however what fits is read; watch: somebody has, but "
    "nothing was promised against this attacker; EXPOSED: a promise is broken, or guesses are far better "
    "than chance"
)


@dataclass(frozen=True)
class AttackOptions:
    """What the command was asked, as it was given."""

    data: Source
    release: Path | None
    policy: Path | None
    others: tuple[Path, ...]
    audit: Path | None
    other_audits: tuple[Path, ...]
    only: tuple[str, ...]
    besides: int
    seed: int | None
    per_record: Path | None
    population: Path | None
    population_size: int | None
    weights: str | None
    preset: str | None
    key: Path | None

    def opened(self) -> OpenedRelease | None:
        """The release; with a public key, only if it is signed with it."""
        if self.release is None and self.key is not None:
            raise ShoalError("--key needs a release", "give its folder after the table.")
        return None if self.release is None else open_release(self.release, self.key)


def run_attack(
    asked: AttackOptions,
    force: bool,
    as_json: bool,
    engine: str,
    memory: str | None,
    temp: Path | None,
    master: str | None,
) -> None:
    """Simulate attackers on a table or a release and tell what each of them finds; beyond memory those that
    need no more than counts."""
    refuse_in_memory_only({option: getattr(asked, name) for option, name in IN_MEMORY_ONLY.items()}, engine)
    _refuse_contradictions(asked)
    refuse_unknown(asked.only)
    preset = None if asked.preset is None else find_preset(asked.preset)
    if asked.per_record is not None:
        releases = [*asked.others, *([] if asked.release is None else [asked.release])]
        check_per_record(asked.per_record, force, releases)
    with (
        steps(quiet=as_json) as step,
        running_engine(engine, memory, temp, master, step) as (place, watched),
    ):
        watched.begin("reading")
        scene = _scene(asked, place)
        found = run_attacks(scene, asked.only, watched.begin)
        risk = judged = None
        if isinstance(scene, Scene):
            step("counting")
            risk = _risk(scene, asked)
            if preset is not None:
                judged = preset_judgement(preset, risk, scene.policy, verified=not scene.raw)
        if asked.per_record is not None:
            write_per_record(found, asked.per_record)
            note_done(f"{str(asked.per_record)!r} was written")
    left = [] if isinstance(scene, Scene) else list(left_out(scene, asked.only))
    if as_json:
        in_memory = {
            "risk": risk and risk.as_dict(),
            "preset": judged and judged.as_dict(),
            "per_record": asked.per_record and str(asked.per_record),
        }
        used = {"name": engine, "bytes_spilled": watched.bytes_spilled}
        say_json(
            {
                "attacked": str(asked.release or asked.data),
                "raw": scene.raw,
                "attacks": [result.as_dict() for result in found],
                **(in_memory if is_in_memory(engine) else {"left_out": left, "engine": used}),
            }
        )
        return
    _say_attacks(found, asked.only, left)
    if risk is not None:
        _tell_risk(risk, judged)
    if asked.per_record is not None:
        say(f"\nWrote {asked.per_record}, which only you can read: it says who is exposed")


def _scene(asked: AttackOptions, engine: Engine) -> Scene | CountedScene:
    if not is_in_memory(engine):
        return open_counted_scene(engine, asked.data, asked.opened(), asked.policy)
    others = [open_release(other, asked.key) for other in asked.others]
    return open_scene(asked.data, asked.opened(), asked.policy, asked.audit, others,
                      asked.besides, asked.seed, asked.other_audits)  # fmt: skip


def _risk(scene: Scene, asked: AttackOptions) -> Risk:
    """The classic figures, against the population if one was given."""
    expected = scene.policy.how_to_read.expecting(scene.policy.columns)
    return risk_figures(
        scene.published,
        scene.policy,
        population=None if asked.population is None else read_table(asked.population, reading=expected),
        weights=_weights(scene, asked.weights),
        population_size=asked.population_size,
        threshold=1 / scene.k if asked.preset is None else find_preset(asked.preset).thresholds.largest_risk,
    )


def _weights(scene: Scene, name: str | None) -> str | Floats | None:
    """The column, or what the owner's link brings of it where it is not published."""
    if name is None or name in scene.published.table.names or name not in scene.original.table.names:
        return name
    if scene.input_rows is None:
        raise ShoalError(
            f"column {name!r} is not published, so the records have no weights",
            "give the owner's link with --audit, and those of the table are taken.",
        )
    numbers = scene.original.table.numbers(name)
    weights = np.where(numbers.missing, np.nan, numbers.units / 10.0**numbers.scale)
    return np.asarray(weights[scene.input_rows])


def _refuse_contradictions(asked: AttackOptions) -> None:
    both = asked.release is not None and asked.policy is not None
    if both and not open_release(asked.release or "").policy.hidden_labels():
        raise ShoalError(
            "both a release and a policy were given",
            "a release has its policy in it: leave --policy out, or leave the release out.",
        )
    if asked.release is None and asked.others:
        raise ShoalError("--with needs a release", "give the folder of the first release after the table.")
    if asked.release is None and asked.audit is not None:
        raise ShoalError("--audit needs a release", "give its folder after the table.")
    given = [asked.population, asked.population_size, asked.weights]
    if sum(one is not None for one in given) > 1:
        raise ShoalError(
            "the population was given in several ways",
            "give one of --population, --population-size and --weights.",
        )


def _say_attacks(found: list[AttackResult], only: tuple[str, ...], left: list[str]) -> None:
    """Print what every attacker found, how many there were at each level, and which have no result or were
    ``left`` out."""
    for result in found:
        for line in _lines(result):
            say(line)
        say()
    counts = {level: sum(result.level == level for result in found) for level in MARKS}
    levels = ", ".join(f"{count} {paint(*MARKS[level])}" for level, count in counts.items() if count)
    nobody = "nothing was tested here" if left else "none applies here"
    say(f"{len(found)} {'attacker' if len(found) == 1 else 'attackers'}: {levels or nobody}")
    told = {result.attack for result in found}
    silent = [one.name for one in ATTACKS if one.name not in told and (not only or one.name in only)]
    if silent and not left:
        say(f"No result (does not apply here, or could not be judged in its time): {', '.join(silent)}")
    if found:
        say(paint(LEGEND, DIM))
    if left:
        say("\nNot tested, since they need the whole table in memory (--engine memory):")
        for one in left:
            say(f"  - {one}")


def _tell_risk(risk: Risk, judged: Judgement | None) -> None:
    say()
    say(paint("Someone who knows every quasi value, in the classic figures", BOLD))
    for sentence in risk.sentences():
        say(f"  {sentence}")
    if judged is not None:
        mark = paint("met", GREEN) if judged.holds else paint("NOT MET", RED)
        say(f"\n{mark}  {paint(judged.preset, BOLD)}")
        for sentence in judged.sentences:
            say(f"  {sentence}")


def _lines(result: AttackResult) -> Iterator[str]:
    mark = paint(*MARKS[result.level])
    beyond = "" if result.promised else paint("  (beyond the promise)", DIM)
    yield f"{mark}  {paint(result.attack, BOLD)}: someone who knows {result.knows}{beyond}"
    what = "records" if result.finds == "record" else "values"
    share = with_margin(result.below, result.below_margin)
    yield f"  {share} of {result.who()} have fewer than {result.needed:,} {what} that may be theirs"
    margin = f" ± {result.margin:.2g}" if result.margin else ""
    baseline = "" if result.baseline is None else f", {result.baseline:.2g} by chance"
    yield (
        f"  fewest {result.smallest:,}, median {result.median:,g}; the right one is picked with probability "
        f"{result.expected:.2g}{margin} on average, at most {result.largest:.2g}{baseline}{result.read_by()}"
    )
    if telling := result.figures.get("telling"):
        name, often = next(iter(telling.items()))
        yield f"  most telling: {name} (for {often:.0%} of the people)"
    if many := result.figures.get("homogeneous_classes"):
        told = [f"class {one['class']} ({one['in_the_release']} of what is published)"
                for one in result.figures["worst"] if one["share"] == 1]  # fmt: skip
        yield f"  one value is that of all records in {many:,} of {result.figures['classes']:,} classes, as:"
        yield f"  {'; '.join(told[:SHOWN_CLASSES])}"
    yield from _bars(result)
    for note in result.notes:
        yield paint(f"  {note}", DIM)


def _bars(result: AttackResult) -> Iterator[str]:
    """How many people have how many candidates."""
    total = max(result.best.people, 1)
    most = max(result.histogram.values(), default=0)
    for bar, count in result.histogram.items():
        if count:
            yield f"  {bar:>7}  {'█' * max(round(WIDTH * count / most), 1)} {percent(count / total)}"
