"""The first story: a table that is safe from someone who knows a total."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from shoal.adversary.attacks import attack
from shoal.adversary.result import AttackResult
from shoal.demo.tax_table import PERMUTED_POLICY, POLICY, QUESTION, K, tax_table
from shoal.policy.model.policy import Policy
from shoal.progress import Step
from shoal.release.opened_release import open_release
from shoal.release.release import anonymize_in_memory
from shoal.verify.verdict import Verdict

if TYPE_CHECKING:
    from shoal.query.answer import Answer

EXAMPLE_LINES = 5


@dataclass(frozen=True)
class MethodOutcome:
    """What one method made of the table of the demo, and what that cost."""

    name: str
    protects: str
    loss: dict[str, float]
    exact_cells: float
    classes: int


@dataclass(frozen=True)
class Story:
    """All figures that the demo tells: attacks before and after, methods and verdicts."""

    rows: int
    k: int
    before: AttackResult  # of somebody who knows the total, in the table as it is
    after: tuple[AttackResult, ...]  # in the release: the same, and somebody who knows one income more
    methods: tuple[MethodOutcome, ...]
    verdicts: tuple[Verdict, ...]
    example: tuple[str, ...]
    question: str
    answer: "Answer"
    truth: dict[str, float]  # the true average of every region


def tell_story(folder: Path, on_step: Step) -> Story:
    """Make the table in this folder, attack it, publish it, and compare with other methods."""
    on_step("making a tax table")
    table = tax_table()
    csv.write_csv(table, folder / "tax.csv")
    (folder / "policy.toml").write_text(POLICY, encoding="utf-8")
    policy = Policy.load(folder / "policy.toml")
    on_step("attacking the table as it is")
    [before] = attack(folder / "tax.csv", policy=policy, only=["aggregate"], besides=0)
    on_step("anonymizing (the first time, kernels are compiled: some seconds)")
    release = anonymize_in_memory(folder / "tax.csv", policy)
    verdicts = release.write(folder / "release", on_step=on_step)
    on_step("comparing with other methods")
    others = [_with_method(table, policy, name) for name in ("aggranon", "mondrian")]
    with (folder / "release" / "data.csv").open(encoding="utf-8") as file:
        example = tuple(line.rstrip("\n") for line, _ in zip(file, range(EXAMPLE_LINES), strict=False))
    on_step("attacking the release")
    after = attack(folder / "tax.csv", folder / "release", only=["aggregate"])
    answer, truth = _analysts_release(folder, table, on_step)
    made = release.result
    ours = MethodOutcome(made.method, "the total", made.loss, made.exact_cells, made.classes)
    return Story(
        rows=table.num_rows,
        k=K,
        before=before,
        after=tuple(after),
        methods=(ours, *others),
        verdicts=tuple(verdicts),
        example=example,
        question=QUESTION,
        answer=answer,
        truth=truth,
    )


def _analysts_release(folder: Path, table: pa.Table, on_step: Step) -> tuple["Answer", dict[str, float]]:
    """A release for analysts, a question to it, and what only the office knows."""
    on_step("permuting salaries for analysts")
    (folder / "analysts.toml").write_text(PERMUTED_POLICY, encoding="utf-8")
    anonymize_in_memory(folder / "tax.csv", folder / "analysts.toml").write(folder / "analysts")
    met = table.filter(pc.greater(table["benefits"], 0)).group_by("region").aggregate([("salary", "mean")])
    truth = dict(zip(met["region"].to_pylist(), met["salary_mean"].to_pylist(), strict=True))
    return open_release(folder / "analysts").query(QUESTION), truth


def _with_method(table: object, policy: Policy, name: str) -> MethodOutcome:
    made = anonymize_in_memory(table, Policy(**policy.model_dump() | {"method": {"name": name}})).result
    protects = "every income" if name == "mondrian" else "the total"
    return MethodOutcome(name, protects, made.loss, made.exact_cells, made.classes)
