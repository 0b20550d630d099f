"""Every method gives every guarantee it claims, on tables that are awkward, checked on the written files.

Beyond memory it gives what it gives in memory, on every engine.
"""

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, reject, settings

import shoal
from shoal.anonymizer.registry import METHODS
from shoal.policy.model.guarantee import GUARANTEES
from shoal.verify.verifiers import VERIFIERS

from .engines import IN_MEMORY_ONLY, OnDisk, beyond_memory, in_memory_only, refuse_different
from .tables import ASKED, cases, could_be_diverse

ROOT = Path(shoal.__file__).parents[2]
KINDS = [guarantee.model_fields["kind"].default for guarantee in GUARANTEES]


PAIRS = [
    (method, kind)
    for method in METHODS
    for kind in method.serves
    if not method.swap  # a baseline, which keeps no promise
]
BEYOND = [(method, kind) for method, kind in PAIRS if not in_memory_only(method.name, kind)]


def in_cells(method):
    """Beyond memory it has no plan of its own."""
    return method.average or method.stars or (method.group and not method.run)


# Releases on Spark take seconds: one for some plans, and where there is time, for every method and guarantee.
PLANS = ("aggranon", "mondrian", "min-sum")


def on(engine, pairs):
    for method, kind in pairs:
        first = kind == method.serves[0]
        slow = not first and (engine == "spark" or (engine == "disk" and in_cells(method)))
        slow = slow or (engine == "spark" and method.name not in PLANS)
        marks = [pytest.mark.slow] if slow else []
        yield pytest.param(engine, method, kind, id=f"{engine}-{method.name}-{kind}", marks=marks)


def made_or_refused(case):
    try:
        return shoal.anonymize(case.original, case.policy, seed=case.seed)
    except shoal.Infeasible as refused:
        return refused
    except shoal.ShoalError as refused:
        if "published as it is" in str(refused):  # two columns were drawn alike
            reject()
        raise


@pytest.mark.parametrize(
    ("engine", "method", "kind"),
    [*on("memory", PAIRS), *on("disk", BEYOND), *on("spark", BEYOND)],
    indirect=["engine"],
)
def test_the_written_release_keeps_its_promises(engine, method, kind):
    drawn, tried = cases(method, kind), []

    @settings(max_examples=engine.draws, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=drawn.filter(beyond_memory) if engine.beyond_memory else drawn)
    def kept(case):
        if len(tried) == engine.examples or not engine.worth(case):
            return
        tried.append(case)
        with tempfile.TemporaryDirectory() as parent, engine.parts():
            refuse_broken(engine, method, case, Path(parent))

    kept()
    assert tried


def refuse_broken(engine, method, case, parent):
    promised = [guarantee.kind for guarantee in case.policy.guarantees]
    release = made_or_refused(case)
    if isinstance(release, shoal.Infeasible):
        if engine.beyond_memory:
            with pytest.raises(shoal.Infeasible) as refused:
                engine.write(case, release, parent)
            assert str(refused.value) == str(release)
        if case.policy.method.options.get("totals") and "cannot keep the total" in str(release):
            return  # so few classes, and totals that are no multiples of their sizes
        assert not could_be_diverse(case)
        assert re.search(
            "even the whole table|fewer than k|no generalization (that )?satisfies", str(release)
        )
        return
    assert could_be_diverse(case) or method.search  # which may leave out the records that are in the way
    engine.write(case, release, parent)
    opened = shoal.open_release(parent / "release")
    verdicts = opened.verify()
    against = opened.verify(against=case.original)
    assert [verdict.kind for verdict in verdicts] == ["integrity", *promised]
    assert [verdict.kind for verdict in against] == ["integrity", *promised, "truth"]
    for verdict in [*verdicts, *against]:
        assert verdict.holds, verdict
    assert release.made.table.num_rows == case.original.num_rows - release.made.suppressed
    shares = [loss for name, loss in release.loss.items() if name.startswith("ncp")]
    assert all(0 <= share <= 1 + 1e-9 for share in shares)
    if engine.beyond_memory and method.name != "refined":  # which stops by the clock
        refuse_different(parent, release)


@pytest.mark.parametrize("method", IN_MEMORY_ONLY)
def test_what_is_listed_as_made_in_memory_only_is_refused_beyond_it(method, tmp_path):
    (row,) = (one for one in METHODS if one.name == method)
    for kind in row.serves:
        if in_memory_only(method, kind):
            case = example(cases(row, kind))
            with pytest.raises(shoal.ShoalError, match="in memory only"):
                OnDisk().write(case, None, tmp_path)


def example(strategy):
    """One that is drawn."""
    found = []

    @settings(max_examples=1, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(strategy)
    def draw(case):
        found.append(case)

    draw()
    return found[0]


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
