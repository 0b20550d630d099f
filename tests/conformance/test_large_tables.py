"""Releases of realistic size: slow, so run by `make test-slow`."""

import pytest

import shoal
from shoal.demo.tax_table import INCOMES, tax_table

TOTAL = " + ".join(INCOMES)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["residual", "aggranon", "mondrian"])
@pytest.mark.parametrize("k", [2, 10, 50])
def test_a_release_of_100_000_people_passes_every_check_from_disk(tmp_path, method, k):
    table = tax_table(100_000, seed=k)
    roles = {"taxpayer": "identifier", **dict.fromkeys(INCOMES, "quasi"), "region": "other"}
    asked = shoal.KfAnonymity(k=k, knows=[TOTAL])
    policy = shoal.Policy(columns=roles, guarantees=[asked], method={"name": method})
    release = shoal.anonymize(table, policy)
    release.write(tmp_path / "release", audit=tmp_path / "audit.csv")
    verdicts = shoal.open_release(tmp_path / "release").verify(table, tmp_path / "audit.csv")
    assert all(verdict.holds for verdict in verdicts)
    assert verdicts[1].achieved["global"] >= k
