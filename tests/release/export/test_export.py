"""A release comes out as it is, in every format, and a release that is not what it states does not."""

import datetime
import stat
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import ShoalError
from shoal.release.export import export as module
from shoal.release.export.export import export_table
from shoal.release.export.export_form import ExportForm
from shoal.release.export.export_formats import EXPORTS
from tests.draws import draws
from tests.release.export.people import ENDINGS, PUBLISHED, ROWS, rows_of
from tests.release.tampered import PEOPLE, policy_of

TYPED = [ending for ending in ENDINGS if ending != ".csv"]
PLAIN = ExportForm()
SECRET = bytes(16)  # the same choices in every run, and no seed


def exported(published: pa.Table, path: Path, form: ExportForm = PLAIN) -> Path:
    export_table(published, path, form, force=False)
    return path


def test_every_format_is_tried_here() -> None:
    assert set(ENDINGS) == set(EXPORTS)


@pytest.mark.parametrize("ending", TYPED)
def test_cells_of_every_kind_come_out_readable_and_typed(ending: str, tmp_path: Path) -> None:
    found = rows_of(exported(PUBLISHED, tmp_path / f"t{ending}"))
    assert list(found) == PUBLISHED.column_names
    for name in ("age", "pay", "town", "since", "zip", "nothing"):
        assert found[name] == PUBLISHED[name].to_pylist(), name
    assert found["sex"] == [1, 2, None, 1] * (ROWS // 4)
    assert [None if one is None else float(one) for one in found["weight"][:4]] == [70.6, 62.1, -5.0, None]
    assert found["born"][:3] == [datetime.date(1999, 12, 31), datetime.date(1931, 1, 1), None]


def test_csv_has_every_cell_as_the_release_spells_it(tmp_path: Path) -> None:
    lines = exported(PUBLISHED, tmp_path / "t.csv").read_text().splitlines()
    assert lines[0] == "age,pay,town,sex,weight,born,since,zip,nothing"
    assert (
        lines[1]
        == '"[20, 29]","[-10.5, 15.25]","{Bern, Zürich}",1,70.60,1999-12-31,"[2011-01-01, 2011-12-31]",01234,'
    )
    assert lines[4] == ",1200.00,'=1+1,1,,2020-02-29,,00000,"


@pytest.mark.parametrize("ending", ENDINGS)
def test_ends_of_ranges_are_numbers_and_days_beside(ending: str, tmp_path: Path) -> None:
    path = exported(PUBLISHED, tmp_path / f"t{ending}", ExportForm(ends=True))
    if ending == ".csv":
        assert path.read_text().splitlines()[1].startswith('"[20, 29]",20,29,"[-10.5, 15.25]",-10.5,15.25,')
        return
    found = rows_of(path)
    assert list(found)[:6] == ["age", "age_lo", "age_hi", "pay", "pay_lo", "pay_hi"]
    assert found["age_lo"][:4] == [20, 31, None, None]
    assert found["age_hi"][:4] == [29, 31, None, None]
    assert [float(one) for one in found["pay_lo"][:4]] == [-10.5, 0.1, -7, 1200]
    assert found["since_hi"][:3] == [datetime.date(2011, 12, 31), datetime.date(2012, 5, 5), None]
    assert not {"sex_lo", "town_lo", "weight_lo"} & set(found)


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("family", ["ranges", "labels", "sets", "local", "stars", "means", "permuted"])
def test_releases_of_every_family_are_exported(family: str, format: str, tmp_path: Path) -> None:
    shoal.anonymize(PEOPLE, policy_of(family), secret=SECRET).write(tmp_path / "release", format)
    opened = shoal.open_release(tmp_path / "release")
    for ending in ENDINGS:
        written = opened.export(tmp_path / f"t{ending}", ExportForm(ends=True))
        assert written.records == opened.manifest.records
        if ending not in (".csv",):
            assert list(rows_of(tmp_path / f"t{ending}")) == list(written.columns)


def test_both_formats_of_a_release_give_the_same_export(tmp_path: Path) -> None:
    release = shoal.anonymize(PEOPLE, policy_of("ranges"), secret=SECRET)
    for format in ("csv", "parquet"):
        release.write(tmp_path / format, format)
        shoal.open_release(tmp_path / format).export(tmp_path / f"{format}.csv")
        shoal.open_release(tmp_path / format).export(tmp_path / f"{format}.sav")
    release.export(tmp_path / "memory.csv")
    texts = {(tmp_path / f"{name}.csv").read_text() for name in ("csv", "parquet", "memory")}
    assert len(texts) == 1
    assert rows_of(tmp_path / "csv.sav") == rows_of(tmp_path / "parquet.sav")


def test_a_release_that_was_changed_is_refused(tmp_path: Path) -> None:
    shoal.anonymize(PEOPLE, policy_of("sets"), secret=SECRET).write(tmp_path / "release")
    data = tmp_path / "release" / "data.csv"
    data.write_text(data.read_text().replace("flu", "cold", 1))
    with pytest.raises(ShoalError, match=r"data\.csv does not match the manifest"):
        shoal.open_release(tmp_path / "release").export(tmp_path / "t.sav")
    assert not (tmp_path / "t.sav").exists()


def test_a_seeded_release_is_refused(tmp_path: Path) -> None:
    release = shoal.anonymize(PEOPLE, policy_of("sets"), seed=1)
    release.write(tmp_path / "release")
    for source in (release, shoal.open_release(tmp_path / "release")):
        with pytest.raises(ShoalError, match="made with a seed"):
            source.export(tmp_path / "t.csv")


def test_an_existing_file_stays_without_force(tmp_path: Path) -> None:
    path = exported(PUBLISHED, tmp_path / "t.csv")
    before = path.read_bytes()
    with pytest.raises(ShoalError, match="exists"):
        export_table(PUBLISHED.slice(0, 4), path, PLAIN, force=False)
    assert path.read_bytes() == before
    export_table(PUBLISHED.slice(0, 4), path, PLAIN, force=True)
    assert len(path.read_text().splitlines()) == 5


def test_others_may_read_the_file(tmp_path: Path) -> None:
    for ending in ENDINGS:
        mode = stat.S_IMODE(exported(PUBLISHED, tmp_path / f"t{ending}").stat().st_mode)
        assert mode & 0o044 == 0o044, ending


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_reads_otherwise_is_not_kept(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = EXPORTS[ending]
    for broken in (
        lambda table: table.set_column(0, "age", pa.array(["99"] * len(table))),
        lambda table: table.slice(1),
        lambda table: pa.concat_tables([table, table.slice(0, 1)]),
        lambda table: table.set_column(4, "weight", pa.array([70.6, 62.1, -5.1, None] * (ROWS // 4)).cast(
            table.schema.field("weight").type)),
    ):  # fmt: skip
        write = lambda task, path, broken=broken: found.write(  # noqa: E731
            replace(task, table=broken(task.table)), path
        )
        other = type(found)(found.columns, found.faults, write, found.read_back, found.labelled_in)
        monkeypatch.setattr(module, "export_format", lambda _path, other=other: other)
        with pytest.raises(ShoalError, match="did not become the release"):
            exported(PUBLISHED, tmp_path / f"t{ending}")
        assert list(tmp_path.iterdir()) == []


def test_a_file_inside_the_release_is_refused(tmp_path: Path) -> None:
    shoal.anonymize(PEOPLE, policy_of("sets"), secret=SECRET).write(tmp_path / "release")
    with pytest.raises(ShoalError, match="inside the release"):
        shoal.open_release(tmp_path / "release").export(tmp_path / "release" / "t.csv")


def test_what_a_format_has_no_place_for_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ShoalError, match="does not say how to write it"):
        exported(PUBLISHED, tmp_path / "t.doc")
    release = shoal.anonymize(PEOPLE, policy_of("sets"), secret=SECRET)
    with pytest.raises(ShoalError, match="no delimiter"):
        release.export(tmp_path / "t.sav", ExportForm(delimiter=";"))
    with pytest.raises(ShoalError, match="no place for labels"):
        release.export(tmp_path / "t.csv", ExportForm(labels="people.sav"))


NUMBERS = st.decimals(-(10**9), 10**9, places=3).map(lambda one: format(one, "f"))
CELLS = st.one_of(
    st.none(),
    st.just("*"),
    st.integers(-(10**15), 10**15).map(str),
    NUMBERS,
    st.dates(datetime.date(1583, 1, 1)).map(str),
    st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=9).map(str.strip),
)


COLUMNS = st.one_of(*(st.lists(cells, min_size=3, max_size=3) for cells in (CELLS, NUMBERS)))


@draws(200)
@given(columns=st.lists(COLUMNS, min_size=1, max_size=4))
def test_whatever_is_published_reads_back_from_every_format(
    columns: list[list[str | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("t")
    cells = {
        f"c{place}": pa.array([cell or None for cell in one], pa.string())
        for place, one in enumerate(columns)
    }
    for ending in ENDINGS:
        exported(pa.table(cells), folder / f"t{ending}", ExportForm(ends=True))


def test_numbers_that_a_double_does_not_hold_stay_text(tmp_path: Path) -> None:
    table = pa.table({"id": ["1234567890123456789", "1"], "pay": ["0.1", "123456789012345.67"]})
    for ending in (".sav", ".dta", ".xlsx"):
        assert rows_of(exported(table, tmp_path / f"t{ending}")) == table.to_pydict()
    assert rows_of(exported(table, tmp_path / "t.parquet"))["pay"][1] == Decimal("123456789012345.67")
