"""The joint image of several aggregates against the set of all combinations, point by point."""

from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.kernels.classes import class_numbers
from shoal.policy.model.expression import columns_of, parse_expression
from shoal.verify.aggregate.joint_classes import joint_classes
from shoal.verify.aggregate.joint_keys import connected_aggregates, joint_keys
from tests.draws import draws
from tests.verify.brute_force import Record, cells_of, label, ranges, value_at

Texts = tuple[str, ...]
Scales = dict[str, int]

SUMS = (
    ("a + b", "b + c"),
    ("a + b + c", "c"),
    ("a + b", "a"),
    ("a + b + c", "a + b"),
    ("a + b", "c"),
    ("avg(a, b)", "a + b + c"),
    ("a + b", "b + c", "a + c"),
    ("a + b + 3", "a + c - 1"),
)
WEIGHTED = (
    ("a + b", "a - b"),
    ("a + 2 * b", "b - c"),
    ("2 * a + 3 * b", "a + b"),
    ("a - 2 * b", "3 * c - b"),
    ("a + b + c", "a - b + 2 * c"),
    ("2 * a", "a + b"),
)
OTHERS = (
    ("min(a, b)", "max(a, b)"),
    ("max(a, b, c)", "a + b"),
    ("a * b", "a + b"),
    ("a * b * c", "b"),
    ("norm(a, b)", "a - b"),
    ("norm(a, b, c)", "a + b + c"),
    ("median(a, b, c)", "a + b + c"),
    ("median(a, b, c)", "b"),
    ("a * b", "b * c"),
    ("min(a, b, 0)", "b + c"),
    ("a ^ 2", "a + b"),
    ("a * b + c", "c"),
    ("2 * min(a, b)", "b"),
    ("-(a * b)", "a"),
    ("min(a, b)", "a * c"),
    ("avg(a, b)", "max(b, c)"),
)


def columns_in(texts: Texts) -> list[str]:
    return list(dict.fromkeys(name for text in texts for name in columns_of(parse_expression(text))))


def joint_image(texts: Texts, box: Record, scales: Scales) -> frozenset[Any]:
    """Every combination of values that the grid points of a box give."""
    sides = [
        [Fraction(unit, 10 ** scales[name]) for unit in range(low, high + 1)]
        for name, (low, high) in box.items()
    ]
    trees = [parse_expression(text) for text in texts]
    points = [dict(zip(box, point, strict=True)) for point in product(*sides)]
    return frozenset(tuple(_settled(value_at(tree, point)) for tree in trees) for point in points)


def _settled(value: Any) -> Any:
    return round(value, 9) if isinstance(value, float) else Fraction(value)


def images_by_class(texts: Texts, boxes: list[Record], scales: Scales) -> dict[int, set[frozenset[Any]]]:
    """The different joint images of the records that the verifier counts as alike."""
    cells = cells_of(boxes, scales)
    keys = [
        key
        for group in connected_aggregates(tuple(map(parse_expression, texts)))
        for key in joint_keys(group, {name: cells[name] for tree in group for name in columns_of(tree)})
    ]
    found = defaultdict(set)
    for number, box in zip(class_numbers(keys).tolist(), boxes, strict=True):
        found[number].add(joint_image(texts, box, scales))
    return found


def every_box(texts: Texts, smallest: int, size: int) -> list[Record]:
    sides = list(combinations_with_replacement(range(smallest, smallest + size), 2))
    names = columns_in(texts)
    return [dict(zip(names, cells, strict=True)) for cells in product(sides, repeat=len(names))]


@pytest.mark.parametrize("grids", ["one", "mixed"])
@pytest.mark.parametrize("texts", [*SUMS, *WEIGHTED, *OTHERS], ids=" and ".join)
def test_records_that_count_as_alike_admit_the_same_combinations(texts: Texts, grids: str) -> None:
    """All boxes with ends in -1 .. 1, on one grid or with a finer one for every second column."""
    scales = {name: at % 2 if grids == "mixed" else 0 for at, name in enumerate(columns_in(texts))}
    found = images_by_class(texts, every_box(texts, -1, 3), scales)
    assert max(map(len, found.values())) == 1


@pytest.mark.parametrize("grids", ["one", "mixed"])
@pytest.mark.parametrize("texts", [*SUMS, *WEIGHTED, *OTHERS], ids=" and ".join)
def test_classes_are_those_of_equal_images(texts: Texts, grids: str) -> None:
    """However few of all boxes are alike: every class is compared."""
    scales = {name: at % 2 if grids == "mixed" else 0 for at, name in enumerate(columns_in(texts))}
    boxes = every_box(texts, -1, 3)
    numbers, undecided = joint_classes(
        tuple(map(parse_expression, texts)), cells_of(boxes, scales), [], len(boxes) + 1
    )
    images = [joint_image(texts, box, scales) for box in boxes]
    pairs = set(zip(numbers.tolist(), images, strict=True))
    assert len(pairs) == len(set(images)) == len(set(numbers.tolist()))
    assert not undecided.any()


@pytest.mark.parametrize("texts", SUMS, ids=" and ".join)
def test_records_that_admit_the_same_combinations_of_sums_count_as_alike(texts: Texts) -> None:
    boxes = every_box(texts, -1, 3)
    found = images_by_class(texts, boxes, dict.fromkeys(columns_in(texts), 0))
    assert len(found) == len(set().union(*found.values()))


@st.composite
def releases(draw: st.DrawFn, choice: tuple[Texts, ...]) -> tuple[Texts, list[Record], Scales]:
    """Records drawn with ties from a few, with decimals in some columns."""
    texts = draw(st.sampled_from(choice))
    names = columns_in(texts)
    box = st.fixed_dictionaries({name: ranges(-4, 4) for name in names})
    few = draw(st.lists(box, min_size=1, max_size=5))
    scales = {name: draw(st.sampled_from([0, 0, 1])) for name in names}
    return texts, draw(st.lists(st.sampled_from(few), min_size=2, max_size=8)), scales


def cell(low: int, high: int, scale: int) -> str:
    """A cell as it is written, with one decimal or none."""
    ends = [f"{'-' * (end < 0)}{abs(end) // 10}.{abs(end) % 10}" for end in (low, high)]
    return f"[{ends[0]}, {ends[1]}]" if scale else label(low, high)


def verdict_on(texts: Texts, boxes: list[Record], scales: Scales, also: Texts = ()) -> shoal.Verdict:
    columns = {name: [cell(*box[name], scales[name]) for box in boxes] for name in boxes[0]}
    asked = shoal.KfAnonymity(k=2, knows=texts, also=also)
    read = {*columns_in(texts), *also}
    roles = {name: "quasi" if name in read else "other" for name in columns}
    policy = shoal.Policy(columns=roles, guarantees=[asked])
    return shoal.check(pa.table(columns), policy)[0]


def smallest_class(texts: Texts, boxes: list[Record], scales: Scales) -> int:
    images = [joint_image(texts, box, scales) for box in boxes]
    return min(map(images.count, images))


@draws(200)
@given(releases(SUMS + WEIGHTED + OTHERS))
def test_the_verdict_is_right_whatever_is_known(release) -> None:
    texts, boxes, scales = release
    verdict, smallest = verdict_on(texts, boxes, scales), smallest_class(texts, boxes, scales)
    assert verdict.holds == (smallest >= 2)
    assert verdict.achieved["k"] <= smallest
    assert "undecided" not in verdict.achieved


def test_a_range_and_its_opposite_are_one_class() -> None:
    """a - b and b - a with a open, or with b open from the other side: (0, 0) and (1, -1) both times."""
    boxes = [{"a": (0, 1), "b": (0, 0)}, {"a": (1, 1), "b": (0, 1)}]
    assert verdict_on(("a - b", "2 * b - 2 * a"), boxes, {"a": 0, "b": 0}).holds
    wide = [{"a": (0, 10**6), "b": (0, 0)}, {"a": (10**6, 10**6), "b": (0, 10**6)}]
    assert verdict_on(("a - b", "2 * b - 2 * a"), wide, {"a": 0, "b": 0}).holds


def test_what_was_too_costly_to_decide_does_not_hold_and_says_so(monkeypatch) -> None:
    boxes = [{"a": (0, 1), "b": (6, 6)}, {"a": (6, 6), "b": (0, 1)}]
    scales = {"a": 0, "b": 0}
    assert verdict_on(("a * b",), boxes, scales).holds
    monkeypatch.setattr("shoal.verify.aggregate.joint_classes.MOST_POINTS", 1)
    verdict = verdict_on(("a * b",), boxes, scales)
    assert not verdict.holds
    assert verdict.achieved["undecided"] == 2
    assert "too costly to decide whether more fit" in verdict.sentence
    other = [{"a": (0, 1), "b": (6, 6)}, {"a": (6, 6), "b": (0, 2)}]
    assert "undecided" not in verdict_on(("a * b",), other, scales).achieved  # they end differently


@draws(120)
@given(
    release=releases((("a + b + c",), ("a + b",), ("a - 2 * b",), ("max(a, b)", "a + c"), ("a * b",))),
    data=st.data(),
)
def test_a_column_known_besides_is_an_aggregate_of_itself(release, data) -> None:
    texts, boxes, scales = release
    known = data.draw(st.lists(st.sampled_from(list(boxes[0])), min_size=1, max_size=2, unique=True))
    verdict = verdict_on(texts, boxes, scales, also=tuple(known))
    assert verdict.holds == (smallest_class((*texts, *known), boxes, scales) >= 2)


@draws(40)
@given(releases(SUMS + WEIGHTED + OTHERS))
def test_two_of_every_record_are_two_candidates(release) -> None:
    texts, boxes, scales = release
    assert verdict_on(texts, boxes * 2, scales).holds


def test_two_sums_that_pass_separately_may_fail_together() -> None:
    """a + b is 0 .. 1 in both, and so is b + c; but with b open both move at once, with a and c open
    they move apart: (0, 1) fits the second record alone."""
    boxes = [{"a": (0, 0), "b": (0, 1), "c": (0, 0)}, {"a": (0, 1), "b": (0, 0), "c": (0, 1)}]
    scales = dict.fromkeys("abc", 0)
    assert verdict_on(("a + b",), boxes, scales).achieved["k"] == 2
    assert verdict_on(("b + c",), boxes, scales).achieved["k"] == 2
    assert verdict_on(("a + b", "b + c"), boxes, scales).achieved["k"] == 1


def test_a_sum_that_passes_may_fail_beside_a_known_column() -> None:
    boxes = [{"a": (0, 1), "b": (0, 0)}, {"a": (0, 0), "b": (0, 1)}]
    scales = {"a": 0, "b": 0}
    assert verdict_on(("a + b",), boxes, scales).achieved["k"] == 2
    assert verdict_on(("a + b",), boxes, scales, also=("a",)).achieved["k"] == 1


def test_decimals_are_steps_of_their_own() -> None:
    """Whole euros and tenths reach the same ends of both sums, in one step and in ten."""
    boxes = [
        {"a": (0, 1), "b": (0, 0), "c": (5, 5)},
        {"a": (0, 0), "b": (0, 10), "c": (5, 5)},
        {"a": (7, 7), "b": (3, 3), "c": (5, 5)},
        {"a": (7, 7), "b": (3, 3), "c": (5, 5)},
    ]
    verdict = verdict_on(("a + b", "a + b + c"), boxes, {"a": 0, "b": 1, "c": 0})
    assert verdict.achieved["k"] == 1


def test_the_grid_of_a_column_is_read_off_its_published_cells_not_off_its_type() -> None:
    """All cells of b are whole, so its grid is that of whole numbers, whatever its type could hold."""
    tenths = pa.decimal128(5, 1)
    ends = [{"lo": Decimal("0.0"), "hi": Decimal("0.0")}, {"lo": Decimal("0.0"), "hi": Decimal("1.0")}]
    b = pa.array(ends, pa.struct([("lo", tenths), ("hi", tenths)]))
    asked = shoal.KfAnonymity(k=2, knows=("a + b",))
    policy = shoal.Policy(columns={"a": "quasi", "b": "quasi"}, guarantees=[asked])
    assert shoal.check(pa.table({"a": ["[0, 1]", "0"], "b": b}), policy)[0].achieved["k"] == 2


def test_aggregates_of_different_columns_are_known_apart() -> None:
    """Nothing links a + b with c: every combination of their values fits both records."""
    boxes = [{"a": (0, 1), "b": (2, 2), "c": (0, 3)}, {"a": (1, 1), "b": (1, 2), "c": (0, 3)}]
    assert verdict_on(("a + b", "c"), boxes, dict.fromkeys("abc", 0)).achieved["k"] == 2
