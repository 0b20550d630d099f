"""Every method gives every guarantee it claims, on tables that are awkward, checked on the written files."""

import os
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import shoal
from shoal.anonymizer.registry import METHODS
from shoal.policy.guarantee import GUARANTEES
from shoal.verify.verify import VERIFIERS

from .tables import ASKED, cases, could_be_diverse

ROOT = Path(shoal.__file__).parents[2]
EXAMPLES = 500 if "SHOAL_EXPLORE" in os.environ else 3
KINDS = [guarantee.model_fields["kind"].default for guarantee in GUARANTEES]


@pytest.fixture(autouse=True, scope="module")
def quick_disk():
    """Thousands of releases are written here; that they reach the disk is tested elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda _: None)
        yield


SERVED = [
    pytest.param(method, kind, id=f"{method.name}-{kind}")
    for method in METHODS
    for kind in method.serves
    if not method.swap  # a baseline, which keeps no promise
]


def made_or_refused(case):
    try:
        return shoal.anonymize(case.original, case.policy, seed=case.seed)
    except shoal.Infeasible as refused:
        return refused
    except shoal.ShoalError as refused:
        if "gives the permuted" in str(refused):  # two columns were drawn alike
            reject()
        raise


@pytest.mark.parametrize(("method", "kind"), SERVED)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_the_written_release_keeps_its_promises(method, kind, data):
    case = data.draw(cases(method, kind))
    promised = [guarantee.kind for guarantee in case.policy.guarantees]
    release = made_or_refused(case)
    if isinstance(release, shoal.Infeasible):
        if case.policy.method.options.get("totals") and "cannot keep the total" in str(release):
            return  # so few classes, and totals that are no multiples of their sizes
        assert not could_be_diverse(case)
        assert re.search("even the whole table|fewer than k|no generalization satisfies", str(release))
        return
    assert could_be_diverse(case) or method.search  # which may leave out the records that are in the way
    with tempfile.TemporaryDirectory() as parent:
        release.write(Path(parent) / "release", case.format)
        opened = shoal.open_release(Path(parent) / "release")
        verdicts = opened.verify()
        against = opened.verify(against=case.original)
    assert [verdict.kind for verdict in verdicts] == ["integrity", *promised]
    assert [verdict.kind for verdict in against] == ["integrity", *promised, "truth"]
    for verdict in [*verdicts, *against]:
        assert verdict.holds, verdict
    assert release.made.table.num_rows == case.original.num_rows - release.made.suppressed
    shares = [loss for name, loss in release.loss.items() if name.startswith("ncp")]
    assert all(0 <= share <= 1 + 1e-9 for share in shares)


@pytest.mark.parametrize("kind", KINDS)
def test_every_guarantee_has_a_method_a_verifier_and_a_place_in_the_docs(kind):
    (guarantee,) = (one for one in GUARANTEES if one.model_fields["kind"].default == kind)
    assert guarantee in dict(VERIFIERS)
    assert (ROOT / "src/shoal/verify" / f"{kind.replace('-', '_')}.py").is_file()
    assert any(kind in method.serves for method in METHODS)
    assert f"`{kind}`" in (ROOT / "docs/policy.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_has_a_file_of_its_name_and_a_place_in_the_docs(method):
    name = (
        "random_groups" if method.name == "random" else method.name.replace("-", "_")
    )  # beside Python's own
    assert (ROOT / "src/shoal/methods" / f"{name}.py").is_file()
    assert f"`{method.name}`" in (ROOT / "docs/methods.md").read_text(encoding="utf-8")


def test_methods_claim_only_guarantees_that_exist_and_all_of_them_are_tried_here():
    assert {kind for method in METHODS for kind in method.serves} == set(KINDS) == set(ASKED)


def test_names_of_methods_are_unique():
    assert len({method.name for method in METHODS}) == len(METHODS)
