"""A report's first sections: the policy in words, and how the release was made."""

from shoal.decision.sentence import Sentence
from shoal.policy.model.policy import Policy, Role
from shoal.release.integrity.manifest import Manifest
from shoal.release.integrity.statements import UNCHECKED
from shoal.report.content import Cell, Grid, Section
from shoal.report.public_view import sentence_case

ROLES: dict[Role, str] = {
    "identifier": "identifier: left out",
    "drop": "drop: left out",
    "quasi": "quasi: others may know it",
    "sensitive": "sensitive: nobody is to learn it",
    "other": "other: published as it is",
}
ALWAYS = 2  # name and role; the rest of the table only where it says something


def policy_section(policy: Policy) -> Section:
    """The section on what the policy asks for, in sentences."""
    promises = tuple(
        Sentence(sentence_case(policy.sentence_of(asked)), name=asked.kind) for asked in policy.guarantees
    )
    method = "shoal chose the method" if policy.method.name == "auto" else f"method {policy.method.name}"
    share = policy.method.suppression
    left_out = f"at most {share:.2%} of the records may be left out" if share else "no record may be left out"
    how = f"{method}; {left_out}; the loss to keep small is {policy.method.objective}"
    return Section(
        "asked",
        "What was asked for",
        (
            *promises,
            Sentence(sentence_case(how)),
            *_left_out(policy),
            _columns(policy),
        ),
    )


def _left_out(policy: Policy) -> list[Sentence]:
    condition = policy.prepare.leave_out
    return [Sentence(f"Rows were left out before all else, where {condition}.")] if condition else []


def _columns(policy: Policy) -> Grid:
    missing = policy.missing_counts
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            name,
            ROLES[role],
            _hierarchy(policy, name),
            _limits(policy, name),
            missing.get(name, ""),
            policy.prepare.words_of(name),
        )
        for name, role in policy.columns.items()
    )
    head = ("column", "role", "hierarchy", "limits", "missing cells", "prepared")
    used = [at for at in range(len(head)) if at < ALWAYS or any(row[at] for row in rows)]
    return Grid(
        "Columns and their roles",
        tuple(head[at] for at in used),
        tuple(tuple(row[at] for at in used) for row in rows),
    )


def _hierarchy(policy: Policy, name: str) -> str:
    if name not in policy.hierarchies:
        return ""
    given = policy.hierarchies[name].model_dump(exclude_defaults=True, exclude_none=True)
    return ", ".join(key for key in given) or "yes"


def _limits(policy: Policy, name: str) -> str:
    if name not in policy.domains:
        return ""
    low, high = policy.domains[name]
    return f"{low:f} to {high:f}"


def release_section(manifest: Manifest) -> Section:
    """The section on the method, the number of records and the notes of a release."""
    rows: list[tuple[Cell, ...]] = [
        ("method", manifest.method),
        ("records published", manifest.records),
        ("records left out", manifest.suppressed),
        ("made by", manifest.software),
    ]
    notes = [Sentence(UNCHECKED.format(note=note)) for note in manifest.notes]
    if manifest.recoded:
        notes.append(Sentence("A saved recoding, found on another table, was applied to these rows."))
    if manifest.seeded:
        notes.append(Sentence("Random choices came from a seed; for tests only, do not publish.", "exposed"))
    return Section("done", "What was done", (Grid("The release", ("figure", "value"), tuple(rows)), *notes))
