"""Every method gives every guarantee it claims, on tables that are awkward, checked on the written files.

Beyond memory it gives what it gives in memory, on every engine.
"""

import re
import tempfile
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, reject

import shoal
from shoal.anonymizer.registry import METHODS
from shoal.policy.model.guarantee import GUARANTEES
from shoal.verify.verifiers import VERIFIERS
from tests.draws import CASE, EXPLORING, draws, one_drawn

from .engines import (
    IN_MEMORY_ONLY,
    OnDisk,
    OnSpark,
    assert_as_in_memory,
    beyond_memory,
    has_several_parts,
    in_memory_only,
    may_differ,
)
from .tables import ASKED, cases, could_be_diverse

ROOT = Path(__file__).parents[2]
KINDS = [guarantee.model_fields["kind"].default for guarantee in GUARANTEES]


PAIRS = [
    (method, kind)
    for method in METHODS
    for kind in method.serves
    if not method.baseline  # a baseline, which keeps no promise
]
FIRST = [(method, kind) for method, kind in PAIRS if kind == method.serves[0]]
BEYOND = [(method, kind) for method, kind in PAIRS if not in_memory_only(method.name, kind)]


IN_TIME = "tried in the time"  # then the clock decides what is said


def in_cells(method):
    """Beyond memory it has no plan of its own."""
    return method.family in ("means", "stars", "local")


def tried_on_disk(method, kind):
    """With every guarantee; methods without a plan of their own with the first, unless there is time."""
    return (method, kind) in BEYOND and (EXPLORING or not in_cells(method) or kind == method.serves[0])


def ids_of(pairs):
    return [f"{method.name}-{kind}" for method, kind in pairs]


@pytest.mark.parametrize(("method", "kind"), PAIRS, ids=ids_of(PAIRS))
def test_the_written_release_keeps_its_promises(method, kind):
    """A table is released in memory and on disk, so that what both of them need is made once."""

    @draws(100, CASE, suppress_health_check=list(HealthCheck))
    @given(case=cases(method, kind))
    def kept(case):
        engine = OnDisk() if tried_on_disk(method, kind) and beyond_memory(case) else None
        assert_promises_kept(method, case, engine)

    kept()


# Releases on Spark take seconds: one for some plans, and where there is time, for every method and guarantee.
PLANS = ("aggranon", "mondrian", "min-sum")


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        pytest.param(
            *pair, marks=[] if pair[0].name in PLANS and pair[1] == pair[0].serves[0] else pytest.mark.slow
        )
        for pair in BEYOND
    ],
    ids=ids_of(BEYOND),
)
def test_a_release_on_spark_is_that_of_memory(spark, method, kind):
    case = one_drawn(cases(method, kind).filter(beyond_memory).filter(has_several_parts))
    assert_promises_kept(method, case, OnSpark(spark))


def assert_promises_kept(method, case, engine=None):
    """In memory, and by an engine beyond it if there is one."""
    with tempfile.TemporaryDirectory() as parent, engine.parts() if engine else nullcontext():
        folder = Path(parent)
        try:
            release = shoal.anonymize(case.original, case.policy, seed=case.seed)
        except shoal.Infeasible as refused:
            assert_rightly_refused(case, refused, engine, folder)
            return
        except shoal.ShoalError as refused:
            if "published as it is" in str(refused):  # two columns were drawn alike
                reject()
            raise
        assert (
            could_be_diverse(case) or method.family == "levels"
        )  # which may leave out the records that are in the way
        release.write(folder / "memory", "parquet" if isinstance(engine, OnSpark) else case.format)
        assert_holds(folder / "memory", case)
        assert release.result.table.num_rows == case.original.num_rows - release.result.suppressed
        shares = [loss for name, loss in release.loss.items() if name.startswith("ncp")]
        assert all(0 <= share <= 1 + 1e-9 for share in shares)
        if engine is None:
            return
        engine.write(case, folder)
        if method.name == "refined" or may_differ(folder, release):  # refined stops by the clock
            assert_holds(folder / "release", case)
        else:
            assert_as_in_memory(folder, release)


def assert_holds(folder, case):
    """What can be checked with the original, which is all that can be checked without it and more."""
    verdicts = shoal.open_release(folder).verify(against=case.original)
    promised = [guarantee.kind for guarantee in case.policy.guarantees]
    assert [verdict.kind for verdict in verdicts] == ["integrity", *promised, "truth"]
    for verdict in verdicts:
        assert verdict.holds, verdict


def assert_rightly_refused(case, refused, engine, folder):
    """There is no release of such a table, and beyond memory the same is said."""
    if engine:
        with pytest.raises(shoal.Infeasible) as there:
            engine.write(case, folder)
        messages = {str(there.value), str(refused)}
        assert len(messages) == 1 or any(IN_TIME in message for message in messages)
    if not (case.policy.method.options.get("totals") and "cannot keep the total" in str(refused)):
        # else so few classes, and totals that are no multiples of their sizes
        assert not could_be_diverse(case)
        assert re.search(
            "even the whole table|fewer than k|no generalization (that )?satisfies", str(refused)
        )


@pytest.mark.parametrize(("method", "kind"), FIRST, ids=ids_of(FIRST))
def test_the_written_release_keeps_its_promises_for_readers_without_the_original(method, kind, tmp_path):
    case = one_drawn(cases(method, kind).filter(could_be_diverse))
    shoal.anonymize(case.original, case.policy, seed=case.seed).write(tmp_path / "release", case.format)
    verdicts = shoal.open_release(tmp_path / "release").verify()
    promised = [guarantee.kind for guarantee in case.policy.guarantees]
    assert [verdict.kind for verdict in verdicts] == ["integrity", *promised]
    for verdict in verdicts:
        assert verdict.holds, verdict


@pytest.mark.parametrize("method", IN_MEMORY_ONLY)
def test_what_is_listed_as_made_in_memory_only_is_refused_beyond_it(method, tmp_path):
    (row,) = (one for one in METHODS if one.name == method)
    for kind in row.serves:
        if in_memory_only(method, kind):
            case = one_drawn(cases(row, kind))
            with pytest.raises(shoal.ShoalError, match="in memory only"):
                OnDisk().write(case, tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_every_guarantee_has_a_method_a_verifier_and_a_place_in_the_docs(kind):
    (guarantee,) = (one for one in GUARANTEES if one.model_fields["kind"].default == kind)
    assert guarantee in [row.kind for row in VERIFIERS]
    assert (ROOT / "src/shoal/verify/guarantees" / f"{kind.replace('-', '_')}.py").is_file()
    assert any(kind in method.serves for method in METHODS)
    assert f"`{kind}`" in (ROOT / "docs/policy.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_has_a_file_of_its_name_and_a_place_in_the_docs(method):
    name = (
        "random_groups" if method.name == "random" else method.name.replace("-", "_")
    )  # beside Python's own
    assert len(list((ROOT / "src/shoal/methods").glob(f"*/{name}.py"))) == 1
    assert f"`{method.name}`" in (ROOT / "docs/methods.md").read_text(encoding="utf-8")


def test_methods_claim_only_guarantees_that_exist_and_all_of_them_are_tried_here():
    assert {kind for method in METHODS for kind in method.serves} == set(KINDS) == set(ASKED)


def test_names_of_methods_are_unique():
    assert len({method.name for method in METHODS}) == len(METHODS)
