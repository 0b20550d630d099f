"""A release whose groups keep their promise, and whose values still follow from what is shown beside them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.report.report import make_report

RECORDS, VALUES, KINDS = 2_000, 12, 6
COLUMNS = ("first", "second", "third", "fourth")


def people(follows: float) -> pa.Table:
    """Each column is a function of the sensitive value in this share of the records, and random otherwise."""
    random = np.random.default_rng(17)
    value = random.integers(0, VALUES, RECORDS)
    columns = {
        name: np.where(
            random.random(RECORDS) < follows,
            random.integers(0, KINDS, VALUES)[value],
            random.integers(0, KINDS, RECORDS),
        )
        for name in COLUMNS
    }
    return pa.table({**columns, "illness": value})


@pytest.mark.parametrize(("follows", "light"), [(0.0, "watch"), (0.6, "exposed")])
def test_the_report_turns_red_when_values_can_be_learned_from_all_groups(
    follows: float, light: str, tmp_path: Path
) -> None:
    policy = shoal.Policy(
        columns={**dict.fromkeys(COLUMNS, "quasi"), "illness": "sensitive"},
        guarantees=[shoal.KeAnonymity(k=4, e=3, sensitive="illness")],
        method={"name": "random"},
    )
    table = people(follows)
    shoal.anonymize(table, policy).write(tmp_path / "release", audit=tmp_path / "link")
    report = make_report(shoal.open_release(tmp_path / "release"), table, tmp_path / "link")
    told = [reason.text for reason in report.why if "definetti" in reason.text]
    assert report.light == light
    assert bool(told) == (light == "exposed")
