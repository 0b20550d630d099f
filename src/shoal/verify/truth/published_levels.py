"""Do labels stand on the levels of their hierarchies that the policy allows? Looked at beside the original,
over whose values a hierarchy is built."""

from shoal.hierarchy.hierarchy import TOP
from shoal.policy.model.hierarchy_spec import HierarchySpec
from shoal.policy.model.policy import Policy
from shoal.table.columns.same_value import value_of
from shoal.table.columns.word_set import cell_of
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.truth.originals import original_words
from shoal.verify.verdict import Verdict


def verify_levels(published: Table, original: Table, policy: Policy) -> Verdict | None:
    """A verdict on columns of which only some levels may be published; None if there is none."""
    bounded = [name for name in policy.having("quasi") if _bounded(policy, name)]
    if not bounded:
        return None
    outside = {name: _outside(published, original, policy, name) for name in bounded}
    count = sum(outside.values())
    named = ", ".join(bounded)
    sentence = f"the labels of {named} stand on the levels that the policy allows"
    if count:
        found = ", ".join(f"{name} ({number:,})" for name, number in outside.items() if number)
        sentence = f"cells show labels of levels that the policy does not allow: {found}"
    return Verdict("levels", not count, {"columns": len(bounded)}, {"cells_outside": count}, sentence)


def _bounded(policy: Policy, name: str) -> bool:
    return name in policy.hierarchies and policy.hierarchies[name].bounded


def _outside(published: Table, original: Table, policy: Policy, name: str) -> int:
    allowed = _allowed_labels(policy.hierarchies[name], original, policy, name)
    counts = published.words(name).word_counts()
    return sum(count for label, count in counts.items() if value_of(label) not in allowed)


def _allowed_labels(spec: HierarchySpec, original: Table, policy: Policy, name: str) -> set[str | None]:
    """Of a hierarchy that is written out, a manifest has the labels that are shown, with their levels."""
    if spec.shown is not None:
        height = spec.shown.height
        levels = {value_of(one.label): height - len(one.groups) for one in spec.shown.labels} | {TOP: height}
        low, high = spec.window(height)
        return {label for label, level in levels.items() if low <= level <= high}
    words = original_words(PublishedTable(original), policy, name)
    hierarchy = spec.over(words, name)
    low, high = spec.window(hierarchy.height)
    allowed = {value_of(label) for level in hierarchy.levels[low : high + 1] for label in level.labels}
    return allowed | {value_of(cell_of([leaf])) for leaf in hierarchy.leaves} if low == 0 else allowed
