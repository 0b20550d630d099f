"""l-diversity against the definitions, class by class, and for every total that a person may have."""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import exp, inf, log
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from tests.draws import draws
from tests.verify.brute_force import Record, label, ranges, values_over

Values = list[str | None]

ASKED = st.one_of(
    st.builds(lambda l: shoal.LDiversity(sensitive="ill", l=l), st.integers(1, 4)),
    st.builds(
        lambda l: shoal.LDiversity(sensitive="ill", variant="entropy", l=l),
        st.sampled_from([1, 1.5, 2, 2.5, 3]),
    ),
    st.builds(
        lambda l, c: shoal.LDiversity(sensitive="ill", variant="recursive", l=l, c=c),
        st.integers(1, 4),
        st.sampled_from([0.5, 1, 2, 3.5]),
    ),
)
ILLNESSES = st.sampled_from(["flu", "flu", "cold", "ulcer", None])


def figure_of(asked: shoal.LDiversity, values: Values) -> float:
    """The l (or, for recursive diversity, the c) that a class with these values reaches."""
    counts = sorted(Counter(values).values(), reverse=True)
    if asked.variant == "distinct":
        return len(counts)
    if asked.variant == "entropy":
        return exp(-sum(count / len(values) * log(count / len(values)) for count in counts))
    tail = sum(counts[int(asked.l) - 1 :])
    return counts[0] / tail if tail else inf


def is_diverse(asked: shoal.LDiversity, values: Values) -> bool:
    if asked.variant == "recursive":
        return asked.l == 1 or figure_of(asked, values) < (asked.c or 0)
    return figure_of(asked, values) >= asked.l - 1e-9


def worst_of(asked: shoal.LDiversity, classes: list[Values]) -> float | None:
    figures = [figure_of(asked, values) for values in classes]
    worst = max(figures) if asked.variant == "recursive" else min(figures)
    return None if worst == inf else pytest.approx(worst, abs=2e-6)


def verdict_on(
    asked: shoal.LDiversity, ill: Values, attacker: Any = None, **columns: list[str]
) -> shoal.Verdict:
    policy = shoal.Policy(
        columns={**dict.fromkeys(columns, "quasi"), "ill": "sensitive"},
        guarantees=[attacker or shoal.KAnonymity(k=2), asked],
    )
    return shoal.check(pa.table({**columns, "ill": pa.array(ill, pa.string())}), policy)[1]


def split(keys: list[Hashable], ill: Values) -> list[Values]:
    classes = defaultdict(list)
    for key, value in zip(keys, ill, strict=True):
        classes[key].append(value)
    return list(classes.values())


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[Record], Values]:
    """Boxes of two columns, drawn with ties from a few, each with a sensitive value or none."""
    box = st.fixed_dictionaries({name: ranges(-3, 3) for name in "ab"})
    few = draw(st.lists(box, min_size=1, max_size=3))
    boxes = draw(st.lists(st.sampled_from(few), min_size=1, max_size=10))
    return boxes, draw(st.lists(ILLNESSES, min_size=len(boxes), max_size=len(boxes)))


def columns_of(boxes: list[Record]) -> dict[str, list[str]]:
    return {name: [label(*box[name]) for box in boxes] for name in "ab"}


@draws(150)
@given(release=releases(), asked=ASKED)
def test_classes_of_equal_cells_are_judged_by_the_definition(release, asked) -> None:
    boxes, ill = release
    verdict = verdict_on(asked, ill, **columns_of(boxes))
    classes = split([(box["a"], box["b"]) for box in boxes], ill)
    assert verdict.holds == all(is_diverse(asked, values) for values in classes)
    assert next(iter(verdict.achieved.values())) == worst_of(asked, classes)


@draws(150)
@given(release=releases(), asked=ASKED, text=st.sampled_from(["a + b", "a - b", "max(a, b)"]))
def test_classes_of_equal_image_are_judged_by_the_definition(release, asked, text) -> None:
    boxes, ill = release
    verdict = verdict_on(asked, ill, shoal.KfAnonymity(k=2, knows=[text]), **columns_of(boxes))
    classes = split([frozenset(values_over(text, box, {"a": 0, "b": 0})) for box in boxes], ill)
    assert verdict.holds == all(is_diverse(asked, values) for values in classes)
    assert next(iter(verdict.achieved.values())) == worst_of(asked, classes)


@draws(60)
@given(release=releases(), asked=ASKED)
def test_several_attackers_are_judged_by_the_class_that_is_worst_for_any(release, asked) -> None:
    boxes, ill = release
    apart = [
        verdict_on(asked, ill, attacker, **columns_of(boxes))
        for attacker in (shoal.KAnonymity(k=2), shoal.KfAnonymity(k=2, knows=["a + b"]))
    ]
    policy = shoal.Policy(
        columns={"a": "quasi", "b": "quasi", "ill": "sensitive"},
        guarantees=[shoal.KAnonymity(k=2), shoal.KfAnonymity(k=2, knows=["a + b"]), asked],
    )
    table = pa.table({**columns_of(boxes), "ill": pa.array(ill, pa.string())})
    assert shoal.check(table, policy)[2].holds == all(verdict.holds for verdict in apart)


def totals_worth_trying(images: list[tuple[int, int]], share: Fraction) -> Iterator[Fraction]:
    """Every total at which a range or a band begins or ends, and one between any two of them."""
    ends = {Fraction(end) for image in images for end in image}
    for end in list(ends):
        ends |= {end / (1 + share), end / (1 - share)}
    ordered = sorted(ends)
    tried = [*ordered, *((a + b) / 2 for a, b in pairwise(ordered))]
    yield from (v for v in tried if any(low <= v <= high for low, high in images))


def candidate_sets(images: list[tuple[int, int]], share: Fraction, ill: Values) -> list[Values]:
    """For every total, the values of the records that meet the band around it."""
    found = []
    for v in totals_worth_trying(images, share):
        left, right = v - share * abs(v), v + share * abs(v)
        meets = [low <= right and left <= high for low, high in images]
        found.append([value for value, met in zip(ill, meets, strict=True) if met])
    return found


@draws(250)
@given(
    data=st.data(),
    asked=ASKED,
    share=st.sampled_from(["0.1", "0.25", "0.5", "0.9"]),
    far=st.sampled_from([4, 30]),
)
def test_with_a_band_the_class_is_whoever_fits_it(data, asked, share, far) -> None:
    images = data.draw(st.lists(ranges(-far, far, widest=far // 2), min_size=1, max_size=8))
    ill = data.draw(st.lists(ILLNESSES, min_size=len(images), max_size=len(images)))
    attacker = shoal.KfAnonymity(k=2, knows=["a"], within=Decimal(share))
    verdict = verdict_on(asked, ill, attacker, a=[label(*image) for image in images])
    candidates = candidate_sets(images, Fraction(share), ill)
    classes = split(list(images), ill)
    assert verdict.holds == all(is_diverse(asked, values) for values in candidates)
    achieved = next(iter(verdict.achieved.values()))
    if all(is_diverse(asked, values) for values in classes):
        assert achieved == worst_of(asked, classes)  # a bound: more fit than one class
    else:
        assert achieved == worst_of(asked, candidates)


def test_a_band_joins_records_that_alone_would_not_be_diverse() -> None:
    asked = shoal.LDiversity(sensitive="ill", l=2)
    exactly, nearly = (
        verdict_on(
            asked, ["flu", "cold"], shoal.KfAnonymity(k=2, knows=["a"], within=share), a=["100", "104"]
        )
        for share in (None, Decimal("0.05"))
    )
    assert (exactly.achieved["l"], nearly.achieved["l"]) == (1, 2)
    assert (exactly.notes, nearly.notes) == ((), ())


def test_records_with_a_suppressed_cell_are_a_class_of_their_own() -> None:
    asked = shoal.LDiversity(sensitive="ill", l=2)
    attacker = shoal.KfAnonymity(k=2, knows=["a + b"])
    cells = {"a": ["1", "2", "*", "*"], "b": ["2", "1", "7", "9"]}
    assert verdict_on(asked, ["flu", "cold", "flu", "cold"], attacker, **cells).holds
    assert not verdict_on(asked, ["flu", "cold", "flu", "flu"], attacker, **cells).holds


def test_beside_a_suppressed_cell_a_band_widens_nothing() -> None:
    """Stricter than need be, never looser: classes of equal image have to be diverse."""
    asked = shoal.LDiversity(sensitive="ill", l=2)
    attacker = shoal.KfAnonymity(k=2, knows=["a"], within=Decimal("0.5"))
    verdict = verdict_on(asked, ["flu", "cold", "flu", "cold"], attacker, a=["100", "101", "*", "*"])
    assert verdict.achieved["l"] == 1
    assert "it may hold for these" in verdict.notes[0]


def test_missing_sensitive_values_are_one_value() -> None:
    asked = shoal.LDiversity(sensitive="ill", l=2)
    assert verdict_on(asked, [None, "flu"], a=["1", "1"]).achieved["l"] == 2
    assert verdict_on(asked, [None, None], a=["1", "1"]).achieved["l"] == 1
    assert verdict_on(asked, [None, "0"], a=["1", "1"]).achieved["l"] == 2  # a missing number is no 0


@pytest.mark.parametrize("asked", [
    shoal.LDiversity(sensitive="ill", l=3),
    shoal.LDiversity(sensitive="ill", variant="entropy", l=3),
    shoal.LDiversity(sensitive="ill", variant="recursive", l=3, c=4),
])  # fmt: skip
@pytest.mark.parametrize("attacker", [
    None,
    shoal.KfAnonymity(k=2, knows=["a"]),
    shoal.KfAnonymity(k=2, knows=["a"], within=Decimal("0.25")),
])  # fmt: skip
def test_a_verdict_says_nothing_about_a_cell(asked, attacker) -> None:
    verdict = verdict_on(
        asked, ["71384", "scurvy", "71384"], attacker, a=["52917", "52917", "[40000, 52917]"]
    )
    words = " ".join([str(verdict.as_dict()), repr(verdict), verdict.sentence])
    assert not re.findall(r"\d{4,}|scurvy", words)


def test_recursive_diversity_is_strict_and_l_1_always_holds() -> None:
    ill: Values = ["flu"] * 6 + ["cold", "ulcer"]  # 6 = 3 * 2
    for c, holds in ((3, False), (3.01, True)):
        asked = shoal.LDiversity(sensitive="ill", variant="recursive", l=2, c=c)
        assert verdict_on(asked, ill, a=["1"] * 8).holds == holds
    one = shoal.LDiversity(sensitive="ill", variant="recursive", l=1, c=0.01)
    assert verdict_on(one, ["flu", "flu"], a=["1", "1"]).holds


@pytest.mark.parametrize("l", range(1, 8))
def test_l_equally_frequent_values_are_exactly_entropy_l_diverse(l: int) -> None:
    asked = shoal.LDiversity(sensitive="ill", variant="entropy", l=l)
    ill: Values = [f"illness {at}" for at in range(l)] * 3
    assert verdict_on(asked, ill, a=["1"] * len(ill)).holds
    assert verdict_on(asked, [*ill, ill[0]], a=["1"] * (len(ill) + 1)).holds == (l == 1)


def test_a_suppressed_sensitive_value_is_no_further_value() -> None:
    """Flu or a star: the star may be flu as well."""
    asked = shoal.LDiversity(sensitive="ill", l=2)
    assert not verdict_on(asked, ["flu", "*"], a=["1", "1"]).holds
    assert not verdict_on(asked, ["flu", " * "], a=["1", "1"]).holds


@pytest.mark.parametrize(
    ("ill", "more"),
    [
        (["flu", "cold", "*"], {"variant": "entropy"}),
        (["flu", "cold", "*"], {"variant": "recursive", "c": 1.5}),
        (["flu", "cold", "*"], {"variant": "pd-recursive", "c": 1.5}),
        (["flu", "*", "*"], {"variant": "pd-recursive", "c": 1.5, "allowed": ["flu"]}),
        (["flu", "cold", "*"], {"variant": "npd-recursive", "c": 3, "c2": 40, "protected": ["cold"]}),
    ],
)
def test_suppressed_sensitive_values_count_for_the_most_frequent(ill: Values, more: dict[str, Any]) -> None:
    """Without the stars, each of these classes is diverse."""
    asked = shoal.LDiversity(sensitive="ill", l=2, **more)
    assert not verdict_on(asked, ill, a=["1"] * 3).holds
    spread = [f"illness {at}" for at in range(20)]
    assert verdict_on(asked, [*spread, *["cold"] * 18, "flu", "*"], a=["1"] * 40).holds


@pytest.mark.parametrize("variant", ["recursive", "pd-recursive", "npd-recursive"])
def test_a_number_is_one_value_however_it_is_spelt(variant: Any) -> None:
    more: dict[str, Any] = {"c2": 10} if variant == "npd-recursive" else {}
    asked = shoal.LDiversity(sensitive="ill", variant=variant, l=2, c=2, **more)
    assert not verdict_on(asked, ["1", "1.0"], a=["5", "5"]).holds
    assert verdict_on(asked, ["1", "2.0"], a=["5", "5"]).holds


@draws(150)
@given(rows=st.lists(st.tuples(st.integers(0, 1), ILLNESSES, st.integers(0, 2)), min_size=1, max_size=12))
def test_of_several_sensitive_columns_each_is_checked_while_the_others_are_known(rows) -> None:
    table = pa.table(
        {name: list(cells) for name, cells in zip(("q", "ill", "pay"), zip(*rows, strict=True), strict=True)}
    )
    policy = shoal.Policy(
        columns={"q": "quasi", "ill": "sensitive", "pay": "sensitive"},
        guarantees=[{"kind": "l-diversity", "l": 2, "sensitive": ["ill", "pay"]}],
    )
    (verdict,) = shoal.check(table, policy)
    fewest = min(
        min(len({ill for q, ill, pay in rows if (q, pay) == (place, other)}) for place, _, other in rows),
        min(len({pay for q, ill, pay in rows if (q, ill) == (place, other)}) for place, other, _ in rows),
    )
    assert verdict.achieved["l"] == fewest
    assert verdict.holds == (fewest >= 2)


def test_a_class_of_99_to_1_needs_a_c_above_99() -> None:
    ill: Values = ["flu"] * 99 + ["cold"]
    for c, holds in ((1, False), (98.99, False), (99, False), (99.01, True), (1000, True)):
        asked = shoal.LDiversity(sensitive="ill", variant="recursive", l=2, c=c)
        verdict = verdict_on(asked, ill, a=["1"] * 100)
        assert (verdict.holds, verdict.achieved["c"]) == (holds, 99)


@pytest.mark.parametrize("times", [1, 3, 7])
def test_m_equally_frequent_values_have_entropy_l_of_exactly_m(times: int) -> None:
    """No 2.999999 and no 3.000001, however the logarithms round."""
    for m in range(2, 51):
        ill: Values = [f"illness {at}" for at in range(m)] * times
        cells = ["1"] * len(ill)
        asked = shoal.LDiversity(sensitive="ill", variant="entropy", l=m)
        verdict = verdict_on(asked, ill, a=cells)
        assert verdict.holds
        assert verdict.achieved["l"] == m
        assert f"as mixed as {m} equally frequent ones ({m} were asked for)" in verdict.sentence
        just_above = shoal.LDiversity(sensitive="ill", variant="entropy", l=m + 0.001)
        assert not verdict_on(just_above, ill, a=cells).holds


@draws(60)
@given(release=releases(), asked=ASKED, data=st.data())
def test_neither_the_order_of_rows_nor_a_frames_index_changes_a_verdict(release, asked, data) -> None:
    boxes, ill = release
    order = data.draw(st.permutations(range(len(boxes))))
    index = data.draw(st.lists(st.sampled_from([0, 1, "x"]), min_size=len(boxes), max_size=len(boxes)))
    policy = shoal.Policy(
        columns={"a": "quasi", "b": "quasi", "ill": "sensitive"}, guarantees=[shoal.KAnonymity(k=2), asked]
    )
    frame = pd.DataFrame({**columns_of(boxes), "ill": ill})
    expected = [verdict.as_dict() for verdict in shoal.check(frame, policy)]
    for other in (frame.iloc[list(order)], frame.set_axis(index), frame.iloc[::-1].reset_index(drop=True)):
        assert [verdict.as_dict() for verdict in shoal.check(other, policy)] == expected


def test_one_missing_quasi_value_among_pairs_stands_alone() -> None:
    """Missing matches nothing: neither its former twin nor anybody else."""
    words: Values = ["east", "east", "west", None, "north", "north"]
    policy = shoal.Policy(columns={"a": "quasi", "b": "quasi"}, guarantees=[shoal.KAnonymity(k=2)])
    for missing in (words, ["1", "1", "2", None, "3", "3"], [1.5, 1.5, 2.5, None, 3.5, 3.5]):
        (verdict,) = shoal.check(pa.table({"a": missing, "b": ["7"] * 6}), policy)
        assert not verdict.holds
        assert {"k": 1, "records_below": 2, "classes": 4}.items() <= verdict.achieved.items()


def test_an_empty_text_beside_words_is_a_missing_cell() -> None:
    policy = shoal.Policy(columns={"a": "quasi"}, guarantees=[shoal.KAnonymity(k=2)])
    verdict = shoal.check(pa.table({"a": ["x", "x", "", None]}), policy)[0]
    assert verdict.achieved["k"] == 2


@pytest.mark.parametrize(
    ("values", "people"),
    [
        (["flu", "flu", None, "flu", "cold", None], 3),
        (["flu", None, None, "cold", None, None], 6),
        (["flu", "cold", None, None, None, None], 0),
        (["flu", "*", None, "cold", "flu", None], 0),
    ],
)
@pytest.mark.parametrize(
    "asked", [{"kind": "l-diversity", "l": 2, "sensitive": "ill"}, {"kind": "p-sensitivity", "p": 2}]
)
def test_people_in_classes_of_which_one_value_alone_is_known_are_said(
    asked: dict[str, Any], values: Values, people: int
) -> None:
    table = pa.table({"age": ["1*"] * 3 + ["2*"] * 3, "ill": values})
    policy = shoal.Policy(
        columns={"age": "quasi", "ill": "sensitive"},
        guarantees=[{"kind": "k-anonymity", "k": 2}, asked],
    )
    verdict = next(one for one in shoal.check(table, policy) if one.kind == asked["kind"])
    said = [note for note in verdict.notes if "only one value of ill is known" in note]
    assert [note.split()[0] for note in said] == ([str(people)] if people else [])
