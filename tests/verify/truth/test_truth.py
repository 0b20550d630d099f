"""Does every published record stand for a person? Against every way to match boxes and people."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.truth import truth
from shoal.verify.verify import verify_against
from tests.draws import draws
from tests.verify.brute_force import Range, label, ranges

Points = list[tuple[int, ...]]
Boxes = list[tuple[Range, ...]]
NAMES = ("a", "b")
POLICY = shoal.Policy(
    columns={"a": "quasi", "b": "quasi", "note": "other", "illness": "sensitive"},
    guarantees=[shoal.KAnonymity(k=2)],
)


def original_of(points: Points, **more: list) -> Table:
    return table_of(
        {name: [point[at] for point in points] for at, name in enumerate(NAMES)}, len(points), more
    )


def published_of(boxes: Boxes, **more: list) -> Table:
    cells = {name: [label(*box[at]) for box in boxes] for at, name in enumerate(NAMES)}
    return table_of(cells, len(boxes), more)


def table_of(quasi: dict[str, list], rows: int, more: dict[str, list]) -> Table:
    return Table(pa.table({**quasi, "note": [""] * rows, "illness": ["flu"] * rows, **more}))


def truth_of(published: Table, original: Table, rows: list[int] | None = None) -> shoal.Verdict:
    link = None if rows is None else np.array(rows, np.int64)
    return truth.verify_truth(PublishedTable(published), PublishedTable(original), POLICY, link)


def contains(box: tuple[Range, ...], point: tuple[int, ...]) -> bool:
    return all(low <= value <= high for (low, high), value in zip(box, point, strict=True))


def most_true(boxes: Boxes, points: Points) -> int:
    """How many records can be given different people, trying every way."""
    if not boxes:
        return 0
    first, *rest = boxes
    ways = [at for at, point in enumerate(points) if contains(first, point)]
    given = [1 + most_true(rest, points[:at] + points[at + 1 :]) for at in ways]
    return max([most_true(rest, points), *given])


POINTS = st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 2)), min_size=1, max_size=6)
BOXES = st.lists(st.tuples(ranges(-2, 2), ranges(0, 2)), min_size=1, max_size=6)


@given(BOXES, POINTS)
@draws(200)
def test_records_without_a_person_of_their_own_are_counted(boxes: Boxes, points: Points) -> None:
    verdict = truth_of(published_of(boxes), original_of(points))
    assert verdict.achieved["untrue_records"] == len(boxes) - most_true(boxes, points)


@given(POINTS, st.data())
@draws(200)
def test_with_the_link_every_record_is_compared_with_its_own_person(
    points: Points, data: st.DataObject
) -> None:
    rows = data.draw(st.permutations(range(len(points))))
    boxes = data.draw(st.tuples(*[st.tuples(ranges(-2, 2), ranges(0, 2)) for _ in rows]))
    untrue = sum(not contains(box, points[row]) for box, row in zip(boxes, rows, strict=True))
    verdict = truth_of(published_of(list(boxes)), original_of(points), rows)
    assert verdict.achieved["untrue_records"] == untrue
    assert verdict.holds == (untrue == 0)


@st.composite
def true_releases(draw: st.DrawFn) -> tuple[Points, Boxes, list[int]]:
    """People, a record around each in any order, and the link between them."""
    points = draw(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 9)), min_size=1, max_size=6))
    rows = draw(st.permutations(range(len(points))))
    reach = st.integers(0, 3)
    boxes = [tuple((value - draw(reach), value + draw(reach)) for value in points[row]) for row in rows]
    return points, boxes, list(rows)


@given(true_releases())
@draws(200)
def test_a_true_release_holds_with_and_without_the_link(release: tuple[Points, Boxes, list[int]]) -> None:
    points, boxes, rows = release
    assert truth_of(published_of(boxes), original_of(points), rows).holds
    assert truth_of(published_of(boxes), original_of(points)).holds


@given(true_releases(), st.data())
@draws(200)
def test_a_single_false_cell_is_caught(release: tuple[Points, Boxes, list[int]], data: st.DataObject) -> None:
    points, boxes, rows = release
    row, at = data.draw(st.integers(0, len(boxes) - 1)), data.draw(st.integers(0, 1))
    value = points[rows[row]][at]
    false = data.draw(
        st.sampled_from([(value + 1, value + 4), (value - 4, value - 1), (value + 1, value + 1)])
    )
    boxes[row] = tuple(false if column == at else cell for column, cell in enumerate(boxes[row]))
    verdict = truth_of(published_of(boxes), original_of(points), rows)
    assert verdict.achieved["untrue_records"] == 1
    assert not verdict.holds


@given(true_releases())
@draws(200)
def test_a_cell_beyond_all_originals_is_caught_without_the_link(
    release: tuple[Points, Boxes, list[int]],
) -> None:
    points, boxes, _ = release
    boxes[0] = ((100, 200), boxes[0][1])
    verdict = truth_of(published_of(boxes), original_of(points))
    assert verdict.achieved["untrue_records"] == 1
    assert not verdict.holds


def test_nobody_may_be_published_twice() -> None:
    points, boxes = [(1, 1), (2, 2)], [((1, 2), (1, 2)), ((1, 2), (1, 2))]
    assert truth_of(published_of(boxes), original_of(points), [0, 1]).holds
    assert truth_of(published_of(boxes), original_of(points), [0, 0]).achieved["untrue_records"] == 1


def test_a_suppressed_cell_contains_everything() -> None:
    published = published_of([((1, 1), (0, 9))] * 2, a=["*", "1"])
    assert truth_of(published, original_of([(77, 3), (1, 4)]), [0, 1]).holds
    assert not truth_of(published, original_of([(77, 3), (2, 4)]), [0, 1]).holds


def test_decimals_and_whole_numbers_are_compared_by_value() -> None:
    original = original_of([(0, 0), (0, 0)], a=["0.25", "3"])
    published = published_of([((0, 0), (0, 0))] * 2, a=["[0, 0.3]", "3.00"])
    assert truth_of(published, original, [0, 1]).holds


def test_ranges_far_beyond_the_original_are_compared_exactly() -> None:
    """On the original's scale the end of this range does not fit 64 bits."""
    original = original_of([(0, 0), (0, 0)], a=["0.01", "0.02"])
    wide = f"[0, {2**63 - 1}]"
    published = published_of([((0, 0), (0, 0))] * 2, a=[wide, wide])
    assert truth_of(published, original, [0, 1]).holds
    assert truth_of(published, original).holds


@pytest.mark.parametrize("rows", [[1, 0], None], ids=["with the link", "without"])
@pytest.mark.parametrize("name", ["note", "illness"])
def test_a_changed_cell_in_a_column_published_as_it_is_is_caught(name: str, rows: list[int] | None) -> None:
    points, boxes = [(1, 1), (2, 2)], [((1, 2), (1, 2))] * 2
    original = original_of(points, **{name: ["x", "y"]})
    assert truth_of(published_of(boxes, **{name: ["y", "x"]}), original, rows).holds
    verdict = truth_of(published_of(boxes, **{name: ["y", "z"]}), original, rows)
    assert not verdict.holds
    assert verdict.sentence == f"Columns published as they are differ from the original: {name}."


def test_exchanged_sensitive_cells_are_caught_by_the_link() -> None:
    points, boxes = [(1, 1), (2, 2)], [((1, 1), (1, 1)), ((2, 2), (2, 2))]
    original, published = (
        make(of, illness=["flu", "cold"]) for make, of in ((original_of, points), (published_of, boxes))
    )
    assert truth_of(published, original, [0, 1]).holds
    exchanged = published_of(boxes, illness=["cold", "flu"])
    assert not truth_of(exchanged, original, [0, 1]).holds


def test_a_value_that_no_suppressed_record_explains_is_caught_without_the_link() -> None:
    points, box = [(1, 1), (2, 2), (3, 3)], ((1, 3), (1, 3))
    original = original_of(points, illness=["flu", "cold", "flu"])
    assert truth_of(published_of([box, box], illness=["flu", "flu"]), original).holds
    assert not truth_of(published_of([box, box], illness=["cold", "cold"]), original).holds


def test_missing_and_not_a_number_are_the_same_before_and_after() -> None:
    numbers = [float("nan"), None, 1.5]
    points, boxes = [(1, 1)] * 3, [((1, 1), (1, 1))] * 3
    original = original_of(points, note=numbers)
    assert truth_of(published_of(boxes, note=numbers), original, [0, 1, 2]).holds
    assert truth_of(published_of(boxes, note=numbers[::-1]), original).holds
    assert not truth_of(published_of(boxes, note=[1.5, 1.5, None]), original).holds


def test_a_question_too_costly_to_decide_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(truth, "MOST_PAIRS", 3)
    verdict = truth_of(published_of([((1, 2), (1, 2))] * 2), original_of([(1, 1), (2, 2)]))
    assert verdict.achieved["decided"]
    verdict = truth_of(published_of([((0, 2), (1, 2)), ((1, 2), (0, 2))]), original_of([(1, 1), (2, 2)]))
    assert not verdict.achieved["decided"]


def test_a_false_verdict_names_no_value() -> None:
    published = published_of([((70001, 80001), (0, 0))], illness=["secret"])
    verdict = truth_of(published, original_of([(90001, 0)], illness=["hidden"]), [0])
    assert verdict.sentence == "1 published records contain no original record of their own."
    assert not any(word in repr(verdict) for word in ("0001", "secret", "hidden"))


WORDS = shoal.Policy(
    columns={"pay": "quasi", "town": "quasi"},
    guarantees=[shoal.KfAnonymity(k=2, knows=["pay"], also=["town"])],
)


@pytest.mark.parametrize(
    ("towns", "untrue"),
    [
        (["{Kiel, Ulm}", "{Ulm, Kiel}", "Bonn"], 0),
        (["Kiel", "{Bonn, Kiel, Ulm}", "{Bonn, Ulm}"], 0),
        (["Kiel", "Kiel", "Bonn"], 1),
        (["{Kiel, Rome}", "{Kiel, Rome}", "Bonn"], 1),
        (["Rome", "Rome", "Rome"], 3),
        (["*", "Ulm", "Kiel"], 0),
    ],
)
def test_sets_of_words_are_decided_without_the_link(towns, untrue):
    original = Table(pa.table({"pay": [1, 2, 3], "town": ["Kiel", "Ulm", "Bonn"]}))
    published = Table(pa.table({"pay": ["[1, 3]"] * 3, "town": towns}))
    truth = verify_against(published, original, WORDS)[-1]
    assert truth.achieved == {"untrue_records": untrue, "decided": True}


@pytest.mark.parametrize("method", ["residual", "mondrian", "aggranon"])
@pytest.mark.parametrize("rule", [{"intervals": [10, 50]}, {"groups": [2]}, {"dates": ["year"]}])
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_ranges_are_compared_as_numbers_though_the_column_has_a_hierarchy(
    method: str, rule: dict, format: str, tmp_path: Path
) -> None:
    table = pa.table({"a": [3 * row % 41 for row in range(30)], "b": [7 * row % 30 for row in range(30)]})
    policy = shoal.Policy(
        columns={"a": "quasi", "b": "quasi"},
        guarantees=[shoal.KfAnonymity(k=3, knows=["a + b"])],
        hierarchies={"a": rule},
        method={"name": method},
    )
    release = shoal.anonymize(table, policy, seed=1)
    assert all(verdict.holds for verdict in release.verdicts)
    assert all(verdict.holds for verdict in release.write(tmp_path / "release", format))
    assert "the hierarchies of 'a' are not used: this method publishes ranges" in release.result.notes


@pytest.mark.parametrize(("cell", "true"), [("[20, 29]", True), ("[30, 39]", False), ("[21, 26]", True),
                                            ("[21, 24]", False), ("{25, 31}", True), ("{24, 31}", False),
                                            ("tens", True), ("ones", False), ("*", True)])  # fmt: skip
def test_a_cell_that_is_no_label_is_read_as_a_range_or_a_set(cell: str, true: bool) -> None:
    paths = [["25", "[20, 29]", "tens"], ["31", "[30, 39]", "tens"], ["4", "[0, 9]", "ones"]]
    policy = POLICY.model_copy(update={"hierarchies": {"a": shoal.Policy(
        columns={"a": "quasi"}, guarantees=[shoal.KAnonymity(k=2)], hierarchies={"a": {"paths": paths}}
    ).hierarchies["a"]}})  # fmt: skip
    published = PublishedTable(published_of([((1, 1), (0, 9))], a=[cell]))
    original = PublishedTable(original_of([(25, 3), (4, 3)]))
    assert truth.verify_truth(published, original, policy, np.array([0])).holds == true
