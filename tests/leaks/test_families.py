"""A copy of a protected column is refused whatever made the release; what merely goes along is said."""

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.web.forms.policy_edit import with_role

DRAW = np.random.default_rng(4)
ROWS = 300
AGE = DRAW.integers(20, 80, ROWS)
ZIP = np.array([f"{4000 + 7 * at}" for at in DRAW.integers(0, 30, ROWS)])
NAMES = {code: f"Town {at}" for at, code in enumerate(DRAW.permutation(np.unique(ZIP)))}
ZIP_NAME = np.array([NAMES[code] for code in ZIP])
LEVELS = {"age": {"intervals": [5, 10, 30]}, "zip": {"mask": "right"}}
METHODS = [
    {"name": "optimal", "suppression": 0.1},
    {"name": "incognito", "suppression": 0.1},
    {"name": "samarati", "suppression": 0.1},
    {"name": "datafly", "suppression": 0.1},
    {"name": "mondrian"},
    {"name": "cluster"},
    {"name": "suppress-cells"},
    {"name": "mdav"},
]


def publish(method, extra, accept=(), role="other", diverse=()):
    policy = shoal.Policy(
        columns={"age": "quasi", "zip": "quasi", "extra": role, "job": "sensitive"},
        hierarchies=LEVELS if method["name"] != "mdav" else {},
        guarantees=[{"kind": "k-anonymity", "k": 4}, *diverse],
        method=method,
        leaks={"accept": list(accept)},
    )
    jobs = [("cook", "smith", "clerk")[row % 3] for row in range(ROWS)]
    return shoal.anonymize(pa.table({"age": AGE, "zip": ZIP, "extra": extra, "job": jobs}), policy, seed=1)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method["name"])
def test_a_year_of_birth_beside_an_age_is_refused(method):
    with pytest.raises(
        shoal.ShoalError, match=r"column 'extra' is published as it is and fills .* 'age'"
    ) as refused:
        publish(method, 2026 - AGE)
    assert 'accept = ["extra"] in [leaks]' in str(refused.value)
    assert 'the role "drop" (left out)' in str(refused.value)
    assert refused.value.exit_code == 2


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method["name"])
def test_the_name_of_a_place_beside_its_code_is_refused_under_diversity_too(method):
    diverse = (
        [{"kind": "l-diversity", "l": 2, "sensitive": "job"}] if method["name"] != "suppress-cells" else []
    )
    with pytest.raises(shoal.ShoalError, match=r"column 'extra' .* hidden cells of 'zip'"):
        publish(method, ZIP_NAME, diverse=diverse)


def test_six_slips_in_a_hundred_hide_nothing():
    cells = np.where(np.arange(ROWS) % 17 == 3, ZIP_NAME[::-1], ZIP_NAME)
    with pytest.raises(shoal.ShoalError, match=r"column 'extra' .* hidden cells of 'zip'"):
        publish({"name": "mondrian"}, cells, role="sensitive")


def test_an_accepted_copy_is_published_and_said_in_the_manifest(tmp_path):
    release = publish({"name": "mondrian"}, ZIP_NAME, accept=["extra"])
    release.write(tmp_path / "release")
    manifest = shoal.open_release(tmp_path / "release").manifest
    assert manifest.policy.leaks.accept == ("extra",)
    assert any("'extra'" in note and "(accepted by the policy)" in note for note in manifest.notes)
    assert any("extra" in limit and "tells" in limit for limit in manifest.does_not_protect)


def test_what_narrows_hidden_cells_is_said_and_published():
    near = AGE // 15 * 15 + DRAW.integers(0, 3, ROWS)
    release = publish({"name": "suppress-cells"}, near)
    assert [(leak.columns, leak.protected, leak.fills) for leak in release.result.leaks] == [
        (("extra",), "age", False)
    ]
    assert any("'extra' is published as it is" in note for note in release.notes)


@pytest.mark.parametrize(
    "extra", [DRAW.integers(0, 9, ROWS), np.arange(ROWS), [f"id {row}" for row in range(ROWS)]]
)
@pytest.mark.parametrize("method", METHODS[3:], ids=lambda method: method["name"])
def test_a_column_that_has_nothing_to_do_with_it_is_published_without_a_word(method, extra):
    assert publish(method, extra).result.leaks == ()


def permuted(extra, pay):
    policy = shoal.Policy(
        columns={"age": "quasi", "extra": "other", "pay": "sensitive"},
        guarantees=[{"kind": "ke-anonymity", "k": 3, "e": 30, "sensitive": "pay"}],
    )
    return shoal.anonymize(pa.table({"age": AGE, "extra": extra, "pay": pay}), policy, seed=1)


def test_permuted_dates_are_told_by_dates_in_another_spelling():
    days = np.datetime64("2001-01-01") + DRAW.integers(0, 3000, ROWS)
    spelled = [f"{day.day}.{day.month}.{day.year}" for day in days.astype(object)]
    for extra in (spelled, pa.array(days.astype("datetime64[D]")), days.astype(str)):
        with pytest.raises(
            shoal.ShoalError, match=r"column 'extra' is published as it is and fills .* 'pay'"
        ):
            permuted(extra, pa.array(days.astype("datetime64[D]")))


def test_a_column_that_leaves_the_policy_is_no_longer_accepted():
    policy = {"columns": {"age": "quasi", "job": "other"}, "leaks": {"accept": ["job"]}}
    assert with_role(policy, "job", None) == {"columns": {"age": "quasi"}}


def test_verify_with_the_link_states_what_the_written_columns_tell(tmp_path):
    table = pa.table({"age": AGE, "zip": ZIP, "extra": ZIP_NAME})
    columns = {"age": "quasi", "zip": "quasi", "extra": "other"}
    asked = {
        "columns": columns,
        "guarantees": [{"kind": "k-anonymity", "k": 4}],
        "method": {"name": "mondrian"},
    }
    release = shoal.anonymize(table, shoal.Policy(**asked, leaks={"accept": ["extra"]}))
    release.write(tmp_path / "release", audit=tmp_path / "audit.csv")
    verdict = shoal.open_release(tmp_path / "release").verify(against=table, audit=tmp_path / "audit.csv")[-1]
    assert (verdict.kind, verdict.holds) == ("hidden-cells", True)
    assert any(
        "'extra' is published as it is and fills" in note and "accepted" in note for note in verdict.notes
    )
