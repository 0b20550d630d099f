"""JSON lines whose columns change on the way, or never end."""

from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.table.files.json_file import SAMPLE_LINES
from shoal.table.files.limits import Limits
from shoal.table.read import read_table

ROOMY = Limits(bytes=100_000_000, cells=2_000_000)


def written(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def refusal(path: Path, limits: Limits = ROOMY) -> str:
    with pytest.raises(ShoalError) as refused:
        read_table(path, limits)
    return str(refused.value)


FIRST = ['{"a": 1, "b": null, "c": "2020-01-02"}'] * SAMPLE_LINES


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ('{"a": 2.5, "b": "x", "c": "n/a"}', {"a": 2.5, "b": "x", "c": "n/a"}),
        ('{"a": 2, "b": 7, "c": "2020-01-02", "d": "2021-01-01"}',
         {"a": 2, "b": 7, "c": "2020-01-02", "d": "2021-01-01"}),
        ('{"c": null}', {"a": None, "b": None, "c": None}),
    ],
    ids=["other kinds", "a new column", "nothing"],
)  # fmt: skip
def test_later_lines_may_say_more_than_the_first(line: str, cells: dict[str, object], tmp_path: Path) -> None:
    table = read_table(written(tmp_path, *FIRST, line))
    assert table.arrow.slice(SAMPLE_LINES).to_pylist() == [cells]
    assert table.arrow.slice(0, 1)["c"].to_pylist() == ["2020-01-02"]


@pytest.mark.parametrize("before", [[], ['{"k0": 1}'] * SAMPLE_LINES], ids=["at once", "later"])
def test_a_new_key_in_every_line_is_refused(before: list[str], tmp_path: Path) -> None:
    path = written(tmp_path, *before, *(f'{{"k{line}": 1}}' for line in range(20_000)))
    assert "t.jsonl has more than 2,000,000 cells" in refusal(path)


def test_keys_inside_cells_count_too(tmp_path: Path) -> None:
    path = written(tmp_path, *(f'{{"a": {{"k{line}": 1}}}}' for line in range(20_000)))
    assert "t.jsonl has more than 2,000,000 cells" in refusal(path)


@pytest.mark.parametrize("before", [[], ['{"a": 1}'] * SAMPLE_LINES, ['{"a": [1]}'] * SAMPLE_LINES])
def test_endless_nesting_is_refused(before: list[str], tmp_path: Path) -> None:
    path = written(tmp_path, *before, '{"a": ' + "[" * 400_000 + "]" * 400_000 + "}")
    assert refusal(path).startswith("t.jsonl cannot be read as JSON lines")


@pytest.mark.parametrize("line", ["[1, 2]", '"a"', "1", "{", "null", '{"a": 1} null'])
def test_lines_that_are_no_objects_are_refused(line: str, tmp_path: Path) -> None:
    assert refusal(written(tmp_path, line)).startswith("t.jsonl cannot be read as JSON lines")
