"""The first story: a table that is safe from someone who knows a total."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pyarrow import csv

from shoal.demo.tax_table import POLICY, K, tax_incomes, tax_table
from shoal.policy.policy import Policy
from shoal.release.release import anonymize
from shoal.table.profile import shared_totals
from shoal.verify.verdict import Verdict

EXAMPLE_LINES = 5


@dataclass(frozen=True)
class Made:
    name: str
    protects: str
    loss: dict[str, float]
    exact_cells: float
    classes: int


@dataclass(frozen=True)
class Story:
    rows: int
    k: int
    unique: int  # people whose total nobody else has
    exposed: int  # people who share their total with fewer than k
    methods: tuple[Made, ...]
    verdicts: tuple[Verdict, ...]
    example: tuple[str, ...]


def tell_story(folder: Path, on_step: Callable[[str], None]) -> Story:
    """Make the table in this folder, attack it, publish it, and compare with other methods."""
    on_step("making a tax table")
    table = tax_table()
    csv.write_csv(table, folder / "tax.csv")
    (folder / "policy.toml").write_text(POLICY, encoding="utf-8")
    policy = Policy.load(folder / "policy.toml")
    shared = shared_totals(tax_incomes().sum(axis=1))
    on_step("anonymizing (the first time, kernels are compiled: some seconds)")
    release = anonymize(folder / "tax.csv", policy)
    verdicts = release.write(folder / "release", on_step=on_step)
    on_step("comparing with other methods")
    others = [_with_method(table, policy, name) for name in ("aggranon", "mondrian")]
    with (folder / "release" / "data.csv").open(encoding="utf-8") as file:
        example = tuple(line.rstrip("\n") for line, _ in zip(file, range(EXAMPLE_LINES), strict=False))
    made = release.made
    ours = Made(made.method, "the total", made.loss, made.exact_cells, made.classes)
    return Story(
        rows=table.num_rows,
        k=K,
        unique=int((shared == 1).sum()),
        exposed=int((shared < K).sum()),
        methods=(ours, *others),
        verdicts=tuple(verdicts),
        example=example,
    )


def _with_method(table: object, policy: Policy, name: str) -> Made:
    made = anonymize(table, Policy(**policy.model_dump() | {"method": {"name": name}})).made
    protects = "every income" if name == "mondrian" else "the total"
    return Made(name, protects, made.loss, made.exact_cells, made.classes)
