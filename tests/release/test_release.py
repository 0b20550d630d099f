"""A release: shuffled, in the owner's columns, repeatable for the owner alone."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import spearmanr

from shoal.errors import Infeasible, ShoalError
from shoal.methods.ranges import Ranges
from shoal.policy.model.policy import Policy
from shoal.release.opened_release import open_release
from shoal.release.release import anonymize_in_memory
from shoal.verify.verdict import Verdict

from .conftest import POLICY, ROWS, SECRET, Write, people

MANY = 2_000


def cells(write: Write, name: str, **how: Any) -> list[dict[str, Any]]:
    """The published rows, in the order of the input rows behind them."""
    release = write(name, **how).release
    order = np.argsort(release.result.input_rows)
    return release.result.table.take(order).to_pylist()


def test_published_order_does_not_follow_input_order() -> None:
    table = pa.table({"pay": np.arange(MANY), "other": np.arange(MANY) % 7})
    policy = Policy(
        columns={"pay": "quasi", "other": "quasi"},
        guarantees=[{"kind": "kf-anonymity", "k": 3, "knows": ["pay + other"]}],
    )
    made = anonymize_in_memory(table, policy, seed=1).result
    assert abs(spearmanr(made.input_rows, np.arange(MANY)).statistic) < 0.1
    assert abs(spearmanr(made.class_of, np.arange(MANY)).statistic) < 0.1
    assert sorted(made.input_rows.tolist()) == list(range(MANY))


def test_two_runs_are_shuffled_differently(write: Write) -> None:
    first, second = (write(name).release.result.input_rows for name in ("one", "two"))
    assert first.tolist() != second.tolist()


def test_the_same_secret_opens_the_same_cells(write: Write) -> None:
    assert cells(write, "one", secret=SECRET) == cells(write, "two", secret=SECRET)


def test_the_same_seed_opens_the_same_cells(write: Write) -> None:
    one, two = cells(write, "one", seed=3), cells(write, "two", seed=3)
    assert one == two


def test_a_seed_and_a_secret_exclude_each_other() -> None:
    with pytest.raises(ShoalError, match="Hint: leave the seed out"):
        anonymize_in_memory(people(), POLICY, seed=1, secret=SECRET)


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_columns_keep_their_order_and_identifiers_are_gone(write: Write, format: str) -> None:
    assert open_release(write(format=format).folder).read().names == ["region", "salary", "bonus", "illness"]


def test_identifiers_are_nowhere_in_the_folder(write: Write) -> None:
    for path in write().folder.iterdir():
        assert b"Zaphod" not in path.read_bytes()


def test_amounts_keep_their_decimals(write: Write) -> None:
    column = open_release(write().folder).read().column("bonus").to_pylist()
    for cell in column:
        for end in cell.strip("[]").split(", "):
            assert len(end.partition(".")[2]) == 2


def test_parquet_ranges_keep_their_kind(write: Write) -> None:
    schema = open_release(write(format="parquet").folder).read().arrow.schema
    assert schema.field("salary").type == pa.struct([("lo", pa.int64()), ("hi", pa.int64())])
    assert schema.field("bonus").type == pa.struct(
        [("lo", pa.decimal128(18, 2)), ("hi", pa.decimal128(18, 2))]
    )
    assert schema.field("illness").type == pa.string()


def test_other_columns_are_published_to_the_letter_but_for_blanks_around_them(tmp_path: Path) -> None:
    texts = ["=cmd()", "007", " padded ", "", None, "1e5", "TRUE", "a,b", 'say "hi"', "line\nbreak"]
    table = pa.table({"pay": [1] * len(texts), "remark": texts, "kind, of": texts[::-1], "=name": texts})
    columns = {"pay": "quasi", "remark": "other", "kind, of": "sensitive", "=name": "other"}
    policy = Policy(columns=columns, guarantees=[{"kind": "k-anonymity", "k": 5}])
    for format in ("csv", "parquet"):
        anonymize_in_memory(table, policy, secret=SECRET).write(tmp_path / format, format)
        back = open_release(tmp_path / format).read()
        assert back.names == list(columns)
        for name in list(columns)[1:]:
            assert set(back.arrow.column(name).to_pylist()) == {*texts, "padded"} - {" padded ", ""}


@pytest.mark.parametrize("method", ["mdav", "mondrian", "optimal", "suppress-cells"])
def test_words_of_records_that_were_left_out_are_nowhere_in_the_folder(tmp_path: Path, method: str) -> None:
    words = pa.array(["x", "y", "x", "y", "x", "y", "Zzyx7"]).dictionary_encode()
    table = pa.table({"a": [1, 2, 3, 4, 5, 6, None], "town": words, "illness": words, "note": words})
    policy = Policy(
        columns={"a": "quasi", "town": "quasi", "illness": "sensitive", "note": "other"},
        guarantees=[{"kind": "k-anonymity", "k": 2}],
        missing={"a": "suppress"},
        method={"name": method, "suppression": 0.2},
    )
    anonymize_in_memory(table, policy).write(tmp_path / "release", format="parquet")
    assert not any(b"Zzyx7" in file.read_bytes() for file in (tmp_path / "release").iterdir())


def test_verdicts_come_from_what_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A method that breaks its promise gets nothing onto the disk."""
    release = anonymize_in_memory(people(), POLICY)
    monkeypatch.setattr("shoal.engines.memory.engine.write_data", _write_exact_salaries)
    with pytest.raises(Infeasible, match="Nothing was written") as caught:
        release.write(tmp_path / "release", audit=tmp_path / "audit.csv")
    assert caught.value.exit_code == 1
    assert list(tmp_path.iterdir()) == []


def _write_exact_salaries(table: pa.Table, path: Path) -> None:
    low = table["salary"].combine_chunks().field("lo")
    exact = pa.StructArray.from_arrays([low, low], names=["lo", "hi"])
    from shoal.table.files.data_file import write_data

    write_data(table.set_column(1, "salary", exact), path)


def test_an_untrue_cell_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def columns(ranges: Ranges, positions: Any) -> tuple[Any, Any]:
        low, high = ranges.low[positions].T.copy(), ranges.high[positions].T.copy()
        return low + 1, high + 1

    monkeypatch.setattr(Ranges, "columns", columns)
    with pytest.raises(Infeasible, match="contain no original record of their own"):
        anonymize_in_memory(people(), POLICY).write(tmp_path / "release")
    assert list(tmp_path.iterdir()) == []


def test_steps_are_told_in_order(tmp_path: Path) -> None:
    told: list[str] = []
    anonymize_in_memory(people(), POLICY, on_step=told.append).write(
        tmp_path / "release", on_step=told.append
    )
    assert told == ["reading", "anonymizing", "writing", "verifying"]


def test_verdicts_in_memory_are_those_on_disk(write: Write) -> None:
    written = write()
    promised: list[Verdict] = open_release(written.folder).verify()[1:]
    assert written.release.verdicts[:-1] == promised


@pytest.mark.parametrize("format", ["xml", "", "CSV"])
def test_an_unknown_format_is_refused(tmp_path: Path, format: str) -> None:
    with pytest.raises(ShoalError, match="Hint: choose csv or parquet"):
        anonymize_in_memory(people(), POLICY).write(tmp_path / "release", format)
    assert list(tmp_path.iterdir()) == []


def test_the_whole_table_may_be_one_class(tmp_path: Path) -> None:
    plain = POLICY.model_dump() | {"guarantees": [{"kind": "k-anonymity", "k": ROWS}]}
    release = anonymize_in_memory(people(), Policy(**plain))
    assert all(verdict.holds for verdict in release.write(tmp_path / "release"))
    assert release.result.classes == 1
