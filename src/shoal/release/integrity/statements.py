"""Does a release follow from its files? All that its manifest states is found again and compared.

A fingerprint tells that a file was damaged, not that somebody replaced it and wrote a new fingerprint. So the
columns and their kinds, what was prepared, the number of records, the verdicts, the labels and the limits are
recomputed. Left are statements that no file bears out, such as the role of a column, the notes, and the words
of another version: only a signature vouches for these. So limits are shown in the words of this one.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from math import isclose
from typing import Any

from shoal.anonymizer.method_facts import FACTS
from shoal.hierarchy.hierarchy import TOP
from shoal.policy.model.guarantee import KfAnonymity
from shoal.policy.model.policy import GROUP, Policy
from shoal.release.database.database_file import DATABASE
from shoal.release.integrity.contents import CellKinds, Contents
from shoal.release.integrity.manifest import Manifest
from shoal.release.integrity.protection_limits import protection_limits
from shoal.verify.case_variants import CAPITALS
from shoal.verify.verdict import Verdict
from shoal.version import __version__

CLOSE = 1e-9  # figures that were added up in another order
OF_THE_OWNER = "posterior"  # figures that take the original, which only the owner has
DATA = ("data.csv", "data.parquet")
UNCHECKED = "A note that no file bears out: {note}"
RANGES_ONLY = ("residual", "aggranon", "aligned")


def file_faults(manifest: Manifest) -> list[str]:
    """Files that no release of this policy has, or that every one has."""
    data = [name for name in manifest.files if name.split("/")[0] in DATA]
    kinds = {name.split("/")[0].rsplit(".")[1] for name in data}
    beside = {DATABASE, *(f"help.{kind}" for kind in kinds)} if manifest.policy.permutes else set()
    others = set(manifest.files) - set(data)
    return [
        *(f"{name} is no file of such a release" for name in sorted(others - beside)),
        *(f"{name} is missing" for name in sorted(beside - others)),
    ]


def form_faults(manifest: Manifest, contents: Contents) -> list[str]:
    """Files and columns that a release of this policy does not have, or not in this form."""
    return [
        *file_faults(manifest),
        *_column_faults(manifest.policy, contents.names),
        *(
            f"column {name!r} {fault}"
            for name, kinds in contents.kinds.items()
            for fault in _kind_faults(manifest, name, kinds)
        ),
        *sorted(contents.unprepared),
    ]


def one_spelling_columns(policy: Policy) -> list[str]:
    """The columns in which every value has one spelling; permuted releases show quasi cells as they are."""
    return [] if policy.permutes else policy.having("quasi")


def spelling_faults(spare: Mapping[str, int]) -> list[str]:
    """What to say of columns with so many spellings beyond one for every value."""
    return [
        f"column {name!r} spells a value in several ways ({count:,} more than it has values), which tells "
        "records apart that count as alike"
        for name, count in spare.items()
    ]


def statement_faults(manifest: Manifest, contents: Contents, found: Sequence[Verdict]) -> list[str]:
    """What the manifest says that is not so, of a table of the right form with these verdicts."""
    return [
        *_record_faults(manifest, contents),
        *_label_faults(manifest, contents),
        *_suppression_faults(manifest),
        *_method_faults(manifest),
        *verdict_faults(manifest, found),
        *limit_faults(manifest),
    ]


def original_faults(manifest: Manifest, rows: int) -> list[str]:
    """What it says of the original, which has so many rows by the rules of its policy, that is not so."""
    stated = manifest.records + manifest.suppressed
    if stated == rows:
        return []
    return [f"it states {stated:,} records, published or suppressed, and the original has {rows:,}"]


def verdict_faults(manifest: Manifest, found: Sequence[Verdict]) -> list[str]:
    """Which stated verdicts are not those that the table has."""
    stated = manifest.verdicts
    if [one.kind for one in stated] != [one.kind for one in found]:
        return ["its verdicts are not those of its policy"]
    pairs = zip(stated, found, strict=True)
    same_words = is_of_this_version(manifest)
    return [
        f"the stated verdict on {one.kind} does not follow from the data"
        for one, other in pairs
        if not _same_verdict(_plain(one), _plain(other), same_words)
    ]


def limit_faults(manifest: Manifest) -> list[str]:
    """Are the limits those of its policy? Another version may have had other words, but had some."""
    stated = manifest.does_not_protect
    if stated == current_limits(manifest) or (
        any(map(str.strip, stated)) and not is_of_this_version(manifest)
    ):
        return []
    return ["what it says it does not protect against is not what its policy leaves open"]


def current_limits(manifest: Manifest) -> tuple[str, ...]:
    """What its policy leaves open, in the words of this version: a manifest may name another version and then
    say anything."""
    return tuple(protection_limits(manifest.policy, manifest.seeded, manifest.recoded))


def is_of_this_version(manifest: Manifest) -> bool:
    """Was the release written by this version of shoal?"""
    return manifest.software == f"shoal {__version__}"


def _column_faults(policy: Policy, names: Iterable[str]) -> list[str]:
    expected = [*policy.published, *([GROUP] if policy.permutes else [])]
    there = list(names)
    return [
        *(f"column {name!r} is missing" for name in expected if name not in there),
        *(f"column {name!r} is not one that its policy publishes" for name in there if name not in expected),
        *(f"column {name!r} is there more than once" for name in expected if there.count(name) > 1),
    ]


def _kind_faults(manifest: Manifest, name: str, kinds: CellKinds) -> list[str]:
    """A column in another form than its method publishes."""
    policy = manifest.policy
    if name == GROUP:
        return [] if kinds.whole and not kinds.missing else ["has cells that are no group numbers"]
    if kinds.pairs:
        whole_columns = policy.permutes or policy.averages or manifest.method == "suppress-cells"
        return ["holds ranges, which its method does not publish"] if whole_columns else []
    if policy.permutes:
        return []
    if policy.averages:
        means = kinds.numbers and not kinds.words  # and no words, of which a class shows one
        return ["holds ranges among its means"] if means and kinds.ranges else []
    known = {column for one in policy.guarantees if isinstance(one, KfAnonymity) for column in one.columns}
    rule = policy.hierarchies.get(name)  # without one, a word of the table may look like a range
    numeric = name in known or (kinds.ranges and rule is not None and rule.intervals is not None)
    return ["holds words among its numbers and ranges"] if numeric and kinds.words else []


def _label_faults(manifest: Manifest, contents: Contents) -> list[str]:
    """Labels that no cell shows, or cells that are no labels."""
    faults = []
    for name, words in contents.words.items():
        shown = manifest.policy.hierarchies[name].shown
        if shown is None:
            faults.append(f"the hierarchy of {name!r} names values that the release does not show")
            continue
        faults += [f"the labels of {name!r} {fault}" for fault in shown.faults()]
        if not shown.names <= words:
            faults.append(f"the hierarchy of {name!r} names labels that no record shows")
        sets = {word for word in words if word.startswith("{")}
        if _shows_labels(manifest, name) and not words - sets <= shown.names | {TOP, ""}:
            faults.append(f"column {name!r} shows words that are no labels of its hierarchy")
    return faults


def _shows_labels(manifest: Manifest, name: str) -> bool:
    """Does every cell of a column show a label of its hierarchy, or a set of them? Permuted ones and means do
    not, nor do ranges."""
    policy = manifest.policy
    aside = policy.permutes or policy.averages or manifest.method in RANGES_ONLY
    return policy.columns[name] == "quasi" and not aside and not _is_left_aside(manifest, name)


def _is_left_aside(manifest: Manifest, name: str) -> bool:
    return any(isinstance(one, KfAnonymity) and name in one.columns for one in manifest.policy.guarantees)


def _record_faults(manifest: Manifest, contents: Contents) -> list[str]:
    if manifest.records == contents.records:
        return []
    return [f"it states {manifest.records:,} records and has {contents.records:,}"]


def _suppression_faults(manifest: Manifest) -> list[str]:
    """Records that leave for a missing cell count like any others: methods hold them to the same limit."""
    rows = manifest.records + manifest.suppressed
    if manifest.suppressed <= manifest.policy.method.most_suppressed(rows):
        return []
    return [f"it states {manifest.suppressed:,} suppressed records, more than its policy allows"]


def _method_faults(manifest: Manifest) -> list[str]:
    asked = manifest.policy.method.name
    kinds = {one.kind for one in manifest.policy.guarantees}
    suits = {facts.name for facts in FACTS if kinds <= set(facts.serves) and not facts.baseline}
    if manifest.method in (suits if asked == "auto" else {asked}):
        return []
    return ["its method is not one that its policy asks for"]


def _plain(verdict: Verdict) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(json.dumps(verdict.as_dict()))
    return content


def _same_verdict(stated: dict[str, Any], found: dict[str, Any], same_words: bool) -> bool:
    ours, figures = (_figures(one["achieved"], same_words) for one in (found, stated))
    compared = ("kind", "holds", "asked", "worst", *(("sentence", "notes") if same_words else ()))
    return _same(figures, ours) and all(_same(stated[name], found[name]) for name in compared)


def _figures(achieved: dict[str, Any], same_words: bool) -> dict[str, Any]:
    """What a release bears out, and versions before this one counted as well."""
    spared = (OF_THE_OWNER,) if same_words else (OF_THE_OWNER, CAPITALS)
    return {name: value for name, value in achieved.items() if not name.startswith(spared)}


def _same(one: Any, other: Any) -> bool:
    """
    >>> _same({"k": [3, 0.1]}, {"k": [3, 0.1 + 1e-15]}), _same(True, 1)
    (True, False)
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=CLOSE)
    return type(one) is type(other) and bool(one == other)
