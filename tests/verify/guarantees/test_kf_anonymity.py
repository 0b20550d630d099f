"""Structural k^f against classes of records whose f takes exactly the same grid values."""

import re
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.policy.model.expression import columns_of, parse_expression
from tests.draws import draws
from tests.verify.brute_force import Record, class_sizes_by_images, label, ranges

SUMS = ("a + b", "a - b", "-a - b - c", "avg(a, b)", "a + b + 0.5")
ORDERS = ("min(a, b)", "max(a, b, c)", "median(a, b, c)", "median(a, b)", "a - max(b, c)")
WEIGHTS = ("a + 2 * b", "a - 3 * b", "0.5 * a - b", "a + 2 * b + 8 * c")
OTHERS = (
    "2 * a + 3 * b",
    "a * b",
    "a * b + c",
    "(a + b) * c",
    "a ^ 2 - b",
    "norm(a, b)",
    "a + max(2 * b, c)",
)


def verdict_on(text: str, k: int = 2, missing: dict[str, str] | None = None, **columns: Any) -> shoal.Verdict:
    policy = shoal.Policy(
        columns=dict.fromkeys(columns, "quasi"),
        guarantees=[shoal.KfAnonymity(k=k, knows=[text])],
        missing=missing or {},
    )
    return shoal.check(pa.table(columns), policy)[0]


def verdict_on_boxes(text: str, boxes: list[Record]) -> shoal.Verdict:
    return verdict_on(text, **{name: [label(*box[name]) for box in boxes] for name in boxes[0]})


@st.composite
def releases(draw: st.DrawFn, texts: tuple[str, ...]) -> tuple[str, list[Record]]:
    """An aggregate and two to eight records, drawn with ties from at most four different ones."""
    text = draw(st.sampled_from(texts))
    box = st.fixed_dictionaries({name: ranges(-3, 3) for name in columns_of(parse_expression(text))})
    few = draw(st.lists(box, min_size=1, max_size=4))
    return text, draw(st.lists(st.sampled_from(few), min_size=2, max_size=8))


@pytest.mark.parametrize("texts", [SUMS, ORDERS, WEIGHTS], ids=["sums", "orders", "weights"])
@given(st.data())
@draws(200)
def test_classes_are_the_records_with_the_same_image(texts: tuple[str, ...], data: st.DataObject) -> None:
    text, boxes = data.draw(releases(texts))
    verdict = verdict_on_boxes(text, boxes)
    sizes = class_sizes_by_images(text, boxes, dict.fromkeys(boxes[0], 0))
    assert verdict.achieved["k"] == sizes[0]
    assert verdict.achieved["records_below"] == sizes.count(1)
    assert verdict.worst == tuple(sizes[:5])
    assert verdict.holds == (sizes[0] >= 2)


@given(releases(OTHERS))
@draws(200)
def test_no_aggregate_is_promised_more_than_its_images_give(release: tuple[str, list[Record]]) -> None:
    text, boxes = release
    sizes = class_sizes_by_images(text, boxes, dict.fromkeys(boxes[0], 0))
    assert verdict_on_boxes(text, boxes).achieved["k"] <= sizes[0]


@given(releases(SUMS + ORDERS + WEIGHTS + OTHERS))
@draws(200)
def test_k_anonymity_implies_kf_anonymity(release: tuple[str, list[Record]]) -> None:
    text, boxes = release
    assert verdict_on_boxes(text, boxes * 2).holds


def test_equal_ends_of_a_weighted_sum_need_not_be_equal_images() -> None:
    """SPEC 2: both reach from 0 to 2, but 1 fits the second alone."""
    verdict = verdict_on("x + 2 * y", x=["0", "[0, 2]"], y=["[0, 1]", "0"])
    assert verdict.achieved["k"] == 1
    assert not verdict.holds


def test_a_weighted_sum_whose_ranges_leave_no_gap_has_the_image_its_ends_say() -> None:
    verdict = verdict_on("x + 2 * y", x=["[0, 3]", "[0, 1]"], y=["0", "[0, 1]"])
    assert verdict.achieved["k"] == 2


def test_weights_hidden_in_decimal_places_count_too() -> None:
    """Euros and cents: 0 .. 1.00 in one step, or in a hundred."""
    verdict = verdict_on("euros + cents", euros=["[0, 1]", "0", "7"], cents=["0", "[0.00, 1.00]", "0.25"])
    assert verdict.worst == (1, 1, 1)


def test_equal_ends_of_a_sum_of_products_need_not_be_equal_images() -> None:
    """{0, 1, 3, 4} and {0, 2, 4}."""
    open_cells = ["[0, 1]", "[0, 1]"]
    verdict = verdict_on("x * y + z * w", x=["1", "2"], y=open_cells, z=["3", "2"], w=open_cells)
    assert verdict.achieved["k"] == 1


def test_negative_and_zero_totals_are_totals_like_any_other() -> None:
    verdict = verdict_on("a + b", a=["-5", "[-3, -1]", "0", "1", "-4"], b=["2", "0", "0", "-1", "[1, 3]"])
    assert verdict.worst == (1, 2, 2)  # -3 alone, 0 twice, [-3, -1] twice


def test_a_suppressed_record_fits_only_suppressed_ones() -> None:
    one = verdict_on("a + b", a=["1", "1", "*"], b=["2", "2", "[0, 100]"])
    two = verdict_on("a + b", a=["1", "1", "*", "3"], b=["2", "2", "7", " * "])
    assert (one.achieved["k"], two.achieved["k"]) == (1, 2)


def test_cells_beside_a_star_that_bound_the_aggregate_have_to_be_alike() -> None:
    """min(*, 5) is never 6, min(*, 7) may be."""
    apart = verdict_on("min(a, b)", a=["*", "*"], b=["5", "7"])
    alike = verdict_on("min(a, b)", a=["*", "*"], b=["5", "5"])
    assert (apart.achieved["k"], alike.achieved["k"]) == (1, 2)


@pytest.mark.parametrize("text", ["2 * a + b", "b + 0 * a"])
def test_a_star_hides_only_what_its_weight_reaches(text: str) -> None:
    """2 * a + 5 is always odd, 2 * a + 6 even; 0 * a hides nothing."""
    assert verdict_on(text, a=["*", "*"], b=["5", "6"]).achieved["k"] == 1


def test_a_star_as_divisor_is_no_division_by_zero() -> None:
    verdict = verdict_on("a / b", a=["1", "1", "4", "4"], b=["2", "2", "*", "*"])
    assert verdict.worst == (2, 2)


def test_a_table_of_stars_is_one_class() -> None:
    assert verdict_on("a + b", k=3, a=["*", "*", "*"], b=["1", "2", "*"]).achieved["k"] == 3


def test_missing_cells_are_refused_with_their_rows() -> None:
    with pytest.raises(shoal.ShoalError, match=r"column 'a' has 2 of 4 cells that are missing \(rows 2, 4\)"):
        verdict_on("a + b", a=["1", None, "3", ""], b=["1", "2", "3", "4"])


def test_missing_cells_count_as_zero_where_the_policy_says_so() -> None:
    verdict = verdict_on("a + b", missing={"a": "zero"}, a=["0", None, "3", "1"], b=["4", "4", "1", "3"])
    assert verdict.achieved["k"] == 4


def test_the_order_of_rows_never_matters() -> None:
    a, b = ["1", "[0, 2]", "*", "4", "1"], ["3", "0", "1", "0", "[1, 3]"]
    forwards = verdict_on("a + 2 * b", a=a, b=b)
    assert verdict_on("a + 2 * b", a=a[::-1], b=b[::-1]) == forwards


def test_a_verdict_says_nothing_about_a_cell() -> None:
    verdict = verdict_on("a + b", a=["73194", "[51873, 60418]", "*"], b=["1", "20736", "33333"])
    words = [str(verdict.as_dict()), repr(verdict), verdict.sentence]
    assert not re.findall(r"\d{3,}", " ".join(words))
    assert verdict.worst == (1, 1, 1)
    assert "3 records are concerned" in verdict.sentence


def test_totals_beyond_64_bits_are_compared_exactly() -> None:
    huge = str(2**63 - 1)
    verdict = verdict_on("a + b", a=[huge, huge, huge], b=[huge, huge, str(2**63 - 2)])
    assert verdict.worst == (1, 2)


def test_a_band_over_decimals_is_verified_where_no_record_has_a_star(tmp_path):
    table = pa.table({"a": [1, 1, 6, 6], "b": [1.7, 1.7, 2.5, 2.5]})
    asked = {"kind": "kf-anonymity", "k": 2, "knows": ["a + b"], "within": 0.1}
    policy = shoal.Policy(columns={"a": "quasi", "b": "quasi"}, guarantees=[asked])
    assert all(verdict.holds for verdict in shoal.anonymize(table, policy).write(tmp_path / "release"))
