"""Releases with stars: what is published, counted and said."""

from typing import Any

import pyarrow as pa
import pytest

import shoal

TABLE = {
    "name": list("abcdef"),
    "age": [30, 30, 31, 52, 52, 53],
    "town": ["Ulm", "Ulm", "Ulm", None, None, "*"],
    "illness": ["flu", "cold", "flu", "cold", "flu", "burnout"],
}


def starred(
    stars: str = "own", k: int = 2, table: dict[str, Any] | None = None, **more: Any
) -> shoal.Release:
    method = {"name": "suppress-cells", **more.pop("method", {})}
    policy = shoal.Policy(
        columns={"name": "identifier", "age": "quasi", "town": "quasi", "illness": "sensitive"},
        guarantees=more.pop("guarantees", [shoal.KAnonymity(k=k, stars=stars)]),
        method=method,
        **more,
    )
    return shoal.anonymize(pa.table(table or TABLE), policy, seed=1)


def rows(release: shoal.Release) -> list[tuple[Any, ...]]:
    columns = [release.table[name].to_pylist() for name in ("age", "town")]
    return sorted(zip(*columns, strict=True), key=str)


def test_cells_are_starred_or_as_they_were_and_missing_ones_are_values():
    release = starred()
    assert all(verdict.holds for verdict in release.verdicts)
    assert rows(release).count(("30", "Ulm")) in (0, 2)
    assert release.table.column_names == ["age", "town", "illness"]
    assert release.table["age"].type == pa.string()
    cells = [cell for row in rows(release) for cell in row]
    assert release.result.starred == cells.count("*") > 0
    assert release.loss["ncp"] == release.result.starred / 12
    assert release.result.exact_cells == pytest.approx(1 - release.result.starred / 12)


def test_a_word_that_looks_like_a_star_is_written_as_a_set():
    table = TABLE | {"age": [1] * 6, "town": ["*", "*", "{a}", "{a}", "Ulm", "Ulm"]}
    release = starred(table=table)
    assert release.result.starred == 0
    assert sorted(set(release.table["town"].to_pylist())) == ["Ulm", '{"*"}', '{"{a}"}']
    assert release.table["age"].type == pa.int64()


def test_where_a_star_matches_anything_both_counts_are_told():
    own, matching = starred(), starred("any")
    assert matching.result.starred < own.result.starred
    assert f"{matching.result.starred} stars" in matching.result.notes[1]
    assert f"{own.result.starred} if it is a value of its own" in matching.result.notes[1]
    verdict = matching.verdicts[0]
    assert verdict.holds
    assert verdict.achieved["k"] == 1
    assert verdict.achieved["k_any"] == 2


def test_weights_say_which_columns_pay():
    table = TABLE | {"age": [1, 2, 1, 2, 1, 2], "town": ["A", "B", "B", "A", "C", "C"]}
    spared = starred(table=table, method={"weights": {"age": 9.0}})
    assert spared.result.paid == {"age": 0.0, "town": 1.0}
    assert spared.result.notes[0] == "stars: town 6"


def test_a_record_may_be_suppressed_instead_and_counts_as_all_stars():
    table = TABLE | {"age": [1] * 5 + [9], "town": ["A"] * 5 + ["B"]}
    release = starred(k=5, table=table, method={"suppression": 0.2})
    assert release.result.suppressed == 1
    assert release.loss["ncp"] == pytest.approx(2 / 12)
    assert starred(k=5, table=table).result.starred == 12


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("stars", ["own", "any"])
def test_written_stars_are_read_again(tmp_path, format, stars):
    release = starred(stars)
    release.write(tmp_path / "release", format)
    verdicts = shoal.open_release(tmp_path / "release").verify(against=pa.table(TABLE))
    assert all(verdict.holds for verdict in verdicts)


def test_classes_are_diverse_where_that_is_asked():
    diverse = [shoal.KAnonymity(k=2), shoal.LDiversity(l=3, sensitive="illness")]
    assert all(verdict.holds for verdict in starred(guarantees=diverse).verdicts)


def test_nothing_stands_beside_stars_that_match_anything():
    beside = [shoal.KAnonymity(k=2, stars="any"), shoal.LDiversity(l=2, sensitive="illness")]
    with pytest.raises(shoal.ShoalError, match='guarantee 1 has stars = "any", which cannot stand beside'):
        starred(guarantees=beside)


def test_the_manifest_names_the_reading_only_where_it_is_not_the_usual_one():
    assert starred().policy.public()["guarantees"] == [{"kind": "k-anonymity", "k": 2}]
    assert starred("any").policy.public()["guarantees"] == [{"kind": "k-anonymity", "k": 2, "stars": "any"}]
