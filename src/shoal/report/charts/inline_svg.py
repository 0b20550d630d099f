"""Charts as SVG inside a page: the page's colours, no clutter, no ids that clash.

Colours are custom properties of the page, so that a chart follows its light and dark scheme; where a page
sets none, the second name counts.
"""

import json
import re
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

if TYPE_CHECKING:
    import altair as alt

INK, QUIET, LINE = "var(--ink, #1d2327)", "var(--quiet, #57606a)", "var(--line, #d5d9de)"
GOOD, WATCH, BAD = "var(--good, #1a6b3c)", "var(--watch, #8a5a00)", "var(--bad, #b3261e)"
PALE, ACCENT = "var(--pale, #b9c6d3)", "var(--accent, #1f4e79)"
SHORT = "format(datum.value, datum.value < 100000 ? ',' : '~s')"  # of a figure on an axis
SVG = "http://www.w3.org/2000/svg"
LONG_NUMBER = re.compile(r"-?\d+\.\d{2,}(?:e-?\d+)?")
CONTROLS = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)
KEPT = 64  # charts that may be asked for again
DROPPED = ("class", "pointer-events", "font-family", "version", "aria-hidden", "aria-roledescription",
           "aria-label", "role")  # fmt: skip


def can_draw() -> bool:
    """Whether the packages that draw charts are installed."""
    return all(find_spec(package) is not None for package in ("altair", "vl_convert"))


def with_page_theme(chart: "alt.LayerChart") -> "alt.LayerChart":
    """The chart in the colours of the page around it."""
    themed: alt.LayerChart = (
        chart.configure(background="transparent", font="sans-serif")
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK, titleColor=INK, gridColor=LINE, domainColor=QUIET, tickColor=QUIET,
            labelFontSize=12, titleFontSize=12, titleFontWeight="normal", grid=False, ticks=False,
            labelPadding=4, titlePadding=10,
        )
        .configure_axisQuantitative(grid=True, domain=False, tickCount=4)
        .configure_legend(labelColor=INK, titleColor=INK, labelFontSize=12)
    )  # fmt: skip
    return themed


def inline_svg(chart: "alt.LayerChart", key: str, label: str) -> str:
    """An ``<svg>`` to stand in a page, where ``key`` is its own and ``label`` tells what it shows."""
    spec = _without_controls(chart.to_dict(validate=False))  # its parts were checked as they were made
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(_svg(json.dumps(spec)))  # noqa: S314 our own
    _strip(root)
    _rename(root, key)
    root.attrib.pop("height", None)
    root.attrib |= {"id": key, "role": "img", "aria-label": printable(label)}
    root.attrib["font-family"] = "system-ui, sans-serif"
    return ElementTree.tostring(root, encoding="unicode")


@lru_cache(maxsize=KEPT)
def _svg(spec: str) -> str:
    """A report and the page that shows a part of it hold the same charts."""
    import vl_convert

    text: str = vl_convert.vegalite_to_svg(spec)
    return text


def printable(text: str) -> str:
    """Text without characters that no page can hold, or that turn the text after them around.

    >>> printable("net\\x00 pay\\u202e!")
    'net\ufffd pay\ufffd!'
    """
    return CONTROLS.sub("\ufffd", text)


def _without_controls(spec: Any) -> Any:
    if isinstance(spec, str):
        return printable(spec)
    if isinstance(spec, dict):
        return {key: _without_controls(value) for key, value in spec.items()}
    return [_without_controls(value) for value in spec] if isinstance(spec, list) else spec


def _strip(element: ElementTree.Element) -> None:
    """Drop what is not seen, and decimals that nobody sees."""
    for child in list(element):
        hidden = _is_hidden(child)
        _strip(child)
        if hidden or (child.tag == f"{{{SVG}}}g" and not len(child)):
            element.remove(child)
    for name in [name for name in element.attrib if name in DROPPED]:
        del element.attrib[name]
    if element.get("opacity") == "1":
        del element.attrib["opacity"]
    for name in ("d", "transform", "x", "y", "x2", "y2", "width", "height", "viewBox"):
        if name in element.attrib:
            element.attrib[name] = LONG_NUMBER.sub(_shorter, element.attrib[name])


def _is_hidden(element: ElementTree.Element) -> bool:
    painted = any(element.get(what, "none") != "none" for what in ("fill", "stroke"))
    return element.get("display") == "none" or (element.get("class") == "background" and not painted)


def _shorter(number: re.Match[str]) -> str:
    return f"{float(number.group()):.1f}".removesuffix(".0")


def _rename(root: ElementTree.Element, key: str) -> None:
    """Give every id the chart's own name, and every reference with it."""
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    for element in root.iter():
        for name, value in element.attrib.items():
            if value in ids:
                element.attrib[name] = f"{key}-{value}"
            elif value.startswith("url(#"):
                element.attrib[name] = value.replace("url(#", f"url(#{key}-")
