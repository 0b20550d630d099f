"""Parts that are found from small answers hold the classes of the whole table."""

import pickle
from functools import reduce
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.anonymizer.parts.cuts import cut_into_parts, cut_part, parts_of_tree
from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.boxes.common_cell import LABEL, RANGE, CellForm, Costs
from shoal.methods.boxes.cut_plan import CutRule
from shoal.methods.boxes.mondrian import mondrian
from shoal.methods.diversity import DISTINCT, RECURSIVE, T_ORDERED, Diversity
from shoal.table.columns.numbered_rows import ROW
from tests.draws import draws

KEY = seeded_key(7)
CODES = st.integers(0, 2), st.integers(0, 4)
FORMS = {"strict": {}, "textbook": {"textbook": True}, "relaxed": {"relaxed": True}}


class Batches:
    """Rows in memory, a table per batch; questions and answers travel as they would between machines."""

    def __init__(self, tables):
        self.tables = tables
        self.passes = 0

    @property
    def schema(self):
        return self.tables[0].schema

    def map(self, change, schema):
        changed = [travelled(change)(batch) for batch in self.tables]
        assert {batch.schema for batch in changed} == {schema}
        return Batches(changed)

    def fold(self, look, join):
        self.passes += 1
        found = [travelled(travelled(look)(batch)) for batch in self.tables]
        return reduce(join, reversed(found)) if found else None

    def parts(self, by):
        table = pa.concat_tables(self.tables)
        return {number: table.filter(pc.field(by) == number) for number in table[by].unique().to_pylist()}


def travelled(thing):
    return pickle.loads(pickle.dumps(thing))  # noqa: S301


def batches(values, codes, size):
    """Tables of so many rows."""
    columns = {f"value{at}": column for at, column in enumerate(values.T)}
    columns |= {f"code{at}": column for at, column in enumerate(codes.T)}
    table = pa.table({ROW: np.arange(len(values))} | columns)
    return Batches([table.slice(start, size) for start in range(0, len(values), size)])


def whole(values):
    """How many rows there are, and the ends of their columns."""
    return len(values), values.min(axis=0), values.max(axis=0)


def found_whole(values, k, diversity, costs, form):
    ranges = mondrian(values, k, KEY, diversity=diversity, costs=costs, **form)
    return classes(ranges, np.arange(len(values))), ranges.split_widths


def found_in_parts(values, k, diversity, costs, form, part_rows, size):
    """The classes of all parts together, the widths of their regions, and how often rows were passed."""
    rows = batches(values, diversity.codes, size)
    rule = CutRule(k, rules=diversity.rules, costs=costs, **form)
    names = [name for name in rows.schema.names if name.startswith("value")]
    sensitive = [name for name in rows.schema.names if name.startswith("code")]
    tree = cut_into_parts(rows, names, rule, KEY, whole(values), part_rows, sensitive)
    found, widths = {}, np.zeros(len(names))
    for number, table in parts_of_tree(rows, tree, names).items():
        ranges = cut_part(tree, rule, names, sensitive, number, table)
        part = tree.parts[number]
        assert len(table) == part.count
        assert part.count <= max(part_rows, 2 * k - 1) or ranges.classes == 1
        found |= classes(ranges, table[ROW].to_numpy())
        widths += ranges.split_widths
    return found, widths, rows.passes


def classes(ranges, ids):
    """The rows of every class and its box."""
    return {
        frozenset(ids[ranges.order[start:stop]].tolist()): (
            tuple(ranges.low[start].tolist()),
            tuple(ranges.high[start].tolist()),
        )
        for start, stop in pairwise(ranges.starts)
    }


@st.composite
def tables(draw):
    """Columns of different spread, with many ties, and two sensitive columns."""
    spans = draw(st.lists(st.sampled_from([0, 1, 3, 50, 10**5, 2**62]), min_size=1, max_size=3))
    row = st.tuples(*(st.integers(-span, span) for span in spans))
    values = np.array(draw(st.lists(row, min_size=2, max_size=40)), np.int64)
    if draw(st.booleans()):  # in heaps
        values = values[draw(st.lists(st.integers(0, len(values) - 1), min_size=2, max_size=60))]
    codes = st.lists(st.tuples(*CODES), min_size=len(values), max_size=len(values))
    return values, np.array(draw(codes))


def diverse(rule, codes):
    """Sensitive columns with a rule each."""
    if rule == "none":
        return Diversity.none(len(codes))
    if rule == "two columns":
        return Diversity(codes, np.array([[DISTINCT, 2, 0, *[0.0] * 12], [RECURSIVE, 2, 1.5, *[0.0] * 12]]))
    asked = [T_ORDERED, 0, 0.3, 0, 0, *np.bincount(codes[:, 0], minlength=3), 0, 0, 0]
    return Diversity(codes[:, :1].copy(), np.array([asked]))


@pytest.mark.parametrize("rule", ["none", "two columns", "t-close"])
@pytest.mark.parametrize("form", FORMS)
@draws(100)
@given(table=tables(), k=st.integers(1, 4), share=st.floats(0, 1), size=st.integers(1, 30))
def test_parts_have_the_classes_of_the_whole_table(form, rule, table, k, share, size):
    values, codes = table
    diversity = diverse(rule, codes)
    part_rows = k + int(share * (len(values) - k))
    classes, widths = found_whole(values, k, diversity, None, FORMS[form])
    found, widths_of_parts, _ = found_in_parts(values, k, diversity, None, FORMS[form], part_rows, size)
    assert found == classes
    assert widths_of_parts == pytest.approx(widths)


STEPS = np.array([1 / 5, 2 / 5, 1.0, 1 / 5])  # leaves 0 1 | 2 and 3 | 4 under two labels
MANY = np.where(np.arange(1, 300) % 100, np.where(np.arange(1, 300) % 10, 0.1, 0.4), 1.0)  # in two levels
COSTS = Costs([CellForm(LABEL, 1.0, STEPS), CellForm(RANGE, 1 / 40), CellForm(LABEL, 0.9, MANY)])


@pytest.mark.parametrize("rule", ["none", "two columns"])
@pytest.mark.parametrize("form", FORMS)
@draws(100)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 4), st.integers(-20, 20), st.sampled_from([0, 1, 15, 120, 299]), *CODES),
        min_size=2,
        max_size=60,
    ),
    k=st.integers(1, 4),
    part_rows=st.integers(1, 20),
    size=st.integers(1, 30),
)
def test_labels_are_cut_as_in_the_whole_table(form, rule, rows, k, part_rows, size):
    table = np.array(rows)
    values, diversity = table[:, :3].copy(), diverse(rule, table[:, 3:].copy())
    classes, _ = found_whole(values, k, diversity, COSTS, FORMS[form])
    found, _, _ = found_in_parts(values, k, diversity, COSTS, FORMS[form], part_rows, size)
    assert found == classes


@pytest.mark.parametrize(
    ("leaves", "part_rows", "parts"),
    [
        ([0, 0, 0, 1, 2, 2, 3], 1, [1, 1, 1, 2, 2, 2, 2]),  # the others have fewer than k rows each
        ([0, 0, 0, 1, 1, 1, 1, 2, 2, 2], 6, [2, 2, 2, 1, 1, 1, 1, 2, 2, 2]),
    ],
)
def test_the_largest_branch_is_parted_from_the_others(leaves, part_rows, parts):
    values = np.array(leaves)[:, np.newaxis]
    rule = CutRule(3, costs=Costs([CellForm(LABEL, 1.0, np.ones(3))]))
    tree = cut_into_parts(
        batches(values, values[:, :0], 2), ["value0"], rule, KEY, whole(values), part_rows, []
    )
    assert tree.part_of(values, np.arange(len(leaves))).tolist() == parts


@pytest.mark.parametrize("form", FORMS)
def test_a_larger_table_is_cut_in_a_few_passes(form):
    rng = np.random.default_rng(3)
    amounts = np.where(rng.random(50_000) < 0.4, 0, rng.lognormal(12, 2, 50_000).astype(np.int64))
    years, codes, steps = (rng.integers(0, span, 50_000) for span in (90, 5, 10**7))
    values = np.column_stack([years, amounts, codes, steps])
    no_rule = Diversity.none(len(values))
    classes, widths = found_whole(values, 5, no_rule, None, FORMS[form])
    found, widths_of_parts, passes = found_in_parts(values, 5, no_rule, None, FORMS[form], 3000, 7000)
    assert found == classes
    assert widths_of_parts == pytest.approx(widths)
    assert passes <= 20


def test_a_part_without_a_cut_is_one_class_however_large():
    values = np.zeros((100, 2), np.int64)
    values[:3] = 9
    rows, names = batches(values, np.zeros((100, 0)), 30), ["value0", "value1"]
    tree = cut_into_parts(rows, names, CutRule(5), KEY, whole(values), 10, [])
    assert {number: part.count for number, part in tree.parts.items()} == {0: 100}
