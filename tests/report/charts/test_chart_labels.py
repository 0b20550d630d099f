"""Labels of points hide nothing; axes tell real numbers, however few the points."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.report.charts.chart_axis import scale_of, share_along, span_of
from shoal.report.charts.chart_labels import place_labels
from shoal.report.charts.inline_svg import inline_svg, with_page_theme
from shoal.report.charts.loss_charts import Point, frontier_chart
from tests.draws import draws

PIXELS = st.tuples(st.floats(0, 420), st.floats(0, 300))


@draws(100)
@given(st.lists(PIXELS, min_size=1, max_size=20), st.integers(1, 20))
def test_no_label_hides_another_or_leaves_the_chart(points: list[tuple[float, float]], length: int) -> None:
    placed = place_labels(points, [(at, "m" * length) for at in range(len(points))], (420, 300))
    boxes = [label.box for label in placed]
    assert all(left >= 0 and top >= 0 and right <= 420 and down <= 300 for left, top, right, down in boxes)
    for at, one in enumerate(boxes):
        for other in boxes[:at]:
            assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]


@draws(100)
@given(st.lists(st.floats(0, 1e6, allow_subnormal=False).map(lambda x: round(x, 6)), min_size=1, max_size=9))
def test_every_figure_lies_on_its_axis(figures: list[float]) -> None:
    low, high = span_of(figures)
    assert low < high
    for figure in figures:
        assert 0 <= share_along(figure, (low, high), scale_of(figures)) <= 1


@pytest.mark.parametrize("loss", [0.372, 3e-7, 23_390.0, 1.0])
def test_a_single_point_stands_between_numbers(loss: float) -> None:
    chart = frontier_chart(
        [Point("mondrian", 0.009, loss, label="run 1", named=True)], [True], "risk", "loss"
    )
    told = re.findall(r">([^<>]+)</text>", inline_svg(with_page_theme(chart), "one", "one"))
    risks, losses = told[: told.index("risk")], told[told.index("risk") + 1 : told.index("loss")]
    for ticks, figure in ((risks, 0.009), (losses, loss)):
        numbers = [float(tick.replace(",", "").replace("−", "-")) for tick in ticks]
        assert len(set(numbers)) >= 3
        assert numbers[0] <= figure * 1.001
        assert figure <= numbers[-1] * 1.001


def test_equal_runs_share_a_label() -> None:
    points = [Point("made", 0.1, 0.2, label=f"run {run}", named=True) for run in (2, 1)]
    drawn = inline_svg(
        with_page_theme(frontier_chart(points, [True, True], "risk", "loss")), "equal", "equal"
    )
    assert ">run 2, run 1<" in drawn
