"""A recoding gives other rows the cells that it gave the first."""

import os
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from shoal.anonymizer.anonymize import anonymize_table
from shoal.anonymizer.apply import apply_to_table, policy_with_recoding_labels
from shoal.errors import Infeasible, ShoalError
from shoal.kernels.keyed_hash import seeded_key
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.verify.verify import verify_with_link
from tests.draws import draws

LEVELS = ("optimal", "incognito", "samarati", "datafly")
LOCAL = ("mondrian", "cluster")
KEY = seeded_key(3)
TOWNS = ["Ulm", "Kiel", "Bremen"]
HIERARCHIES = {
    "age": {"intervals": [5, 10, 20]},
    "zip": {"mask": "right"},
    "town": {"tree": {"south": ["Ulm"], "north": ["Kiel", "Bremen"]}},
    "born": {"dates": ["month", "year"]},
}


def people(rows=60, **columns):
    drawn = {
        "age": [20 + 7 * row % 60 for row in range(rows)],
        "zip": [f"{130 + row % 4}{row % 10}" for row in range(rows)],
        "town": [TOWNS[row % 3] for row in range(rows)],
        "born": [f"19{60 + row % 5}-0{1 + row % 9}-11" for row in range(rows)],
        "illness": [("flu", "asthma", "none")[row % 3] for row in range(rows)],
    }
    drawn = {name: cells[:rows] for name, cells in drawn.items()} | columns
    return Table(pa.table(drawn))


def policy(method, k=3, names=("age", "zip", "town", "born"), hierarchies=None, suppression=0.2, more=()):
    given = HIERARCHIES if hierarchies is None else hierarchies
    roles = dict.fromkeys(names, "quasi") | {"illness": "sensitive"}
    return Policy(
        columns={name: roles.get(name, "other") for name in ("age", "zip", "town", "born", "illness")},
        guarantees=[{"kind": "k-anonymity", "k": k}, *more],
        hierarchies={} if method == "mondrian" else {n: s for n, s in given.items() if n in names},
        method={"name": method, "suppression": suppression},
    )


def locally(method, cells="labels", names=("age", "zip", "town"), k=3, suppression=0.2):
    roles = dict.fromkeys(("age", "zip", "town", "born", "illness"), "other")
    return Policy(
        columns=roles | dict.fromkeys(names, "quasi"),
        guarantees=[{"kind": "k-anonymity", "k": k}],
        hierarchies={name: HIERARCHIES[name] for name in names},
        method={"name": method, "suppression": suppression, "options": {"cells": cells}},
    )


def found(table, asked):
    return anonymize_table(table, asked, KEY).recoding()


def shown(made):
    """Published quasi cells by input row."""
    columns = [made.table[name].to_pylist() for name in ("age", "zip", "town", "born")]
    return dict(zip(made.input_rows.tolist(), zip(*columns, strict=True), strict=True))


@pytest.mark.parametrize("method", [*LEVELS, "mondrian"])
@pytest.mark.parametrize(
    "more", [(), ({"kind": "l-diversity", "l": 2, "sensitive": "illness"},)], ids=["k", "k and l"]
)
def test_the_same_rows_get_the_same_cells(method, more):
    table, asked = people(), policy(method, more=more)
    first = anonymize_table(table, asked, KEY)
    again = apply_to_table(table, first.recoding(), seeded_key(99))
    assert shown(again) == shown(first)
    assert again.loss["ncp"] == pytest.approx(first.loss["ncp"])
    assert again.exact_cells == pytest.approx(first.exact_cells)
    assert again.suppressed == first.suppressed
    assert again.why == "a saved recoding was applied"


@pytest.mark.parametrize("method", [*LEVELS, "mondrian"])
def test_some_of_the_rows_get_their_cells_or_none(method):
    table = people(120)
    first = anonymize_table(table, policy(method, suppression=0.05), KEY)
    part = Table(table.arrow.slice(10, 90))
    recoding = replace(first.recoding(), policy=policy(method, suppression=0.9))
    later = apply_to_table(part, recoding, KEY)
    before = shown(first)
    assert shown(later)
    assert all(before[row + 10] == cell for row, cell in shown(later).items() if row + 10 in before)
    verdicts = verify_with_link(
        Table(later.table), part, policy_with_recoding_labels(part, first.recoding()), later.input_rows
    )
    assert all(verdict.holds for verdict in verdicts)


NEW_VALUES = [
    ("age", {"intervals": [10]}, ["21", "34"], ["97", "-3"], ["[90, 99]", "[-10, -1]"]),
    ("age", {"intervals": [10]}, ["2.5", "34"], ["97", "8"], ["[90, 100)", "[0, 10)"]),
    ("zip", {"mask": "right"}, ["13053", "14850"], ["99999", "123"], ["9999*", "123*"]),
    ("zip", {"mask": "left"}, ["13053", "14850"], ["99999", "123"], ["*9999", "*123"]),
    ("born", {"dates": ["year"]}, ["1999-01-02", "2001-01-01"], ["1960-05-05"], ["1960"]),
    (
        "town",
        {"frequency": [0.3]},
        [*["Ulm"] * 5, "Kiel"],
        ["Trier", "Ulm", "Kiel"],
        ["(rare)", "Ulm", "(rare)"],
    ),
    ("town", {"groups": [2]}, ["Kiel", "Ulm", "Ulm"], ["Ulm", "Kiel"], ["{Kiel, Ulm}"] * 2),
]


@pytest.mark.parametrize(("column", "rule", "seen", "new", "labels"), NEW_VALUES)
def test_values_never_seen_before_get_a_label(column, rule, seen, new, labels):
    asked = policy("optimal", 2, [column], {column: rule})
    recoding = found(people(len(seen), **{column: seen}), asked)
    hierarchy = recoding.levels[column].hierarchy.over(new)
    level = hierarchy.levels[1]
    assert [level.labels[level.group_of[code]] for code in hierarchy.codes(new)] == labels


@pytest.mark.parametrize(("column", "rule", "seen", "new", "labels"), NEW_VALUES)
def test_labels_of_the_recoding_are_verified_though_the_new_rows_would_give_others(
    column, rule, seen, new, labels
):
    asked = policy("optimal", 2, [column], {column: rule}, suppression=0.9)
    recoding = found(people(len(seen), **{column: seen}), asked)
    (only,) = recoding.columns
    recoding = replace(recoding, columns=(only.model_copy(update={"level": 1}),))
    later = people(2 * len(new), **{column: new * 2})
    made = apply_to_table(later, recoding, KEY)
    assert sorted(made.table[column].to_pylist()) == sorted(labels * 2)
    settled = policy_with_recoding_labels(later, recoding)
    assert all(one.holds for one in verify_with_link(Table(made.table), later, settled, made.input_rows))


def test_ages_never_seen_before_are_published_under_the_saved_level():
    asked = policy("optimal", 2, ["age"], {"age": {"intervals": [10]}})
    recoding = found(people(4, age=[21, 22, 34, 35]), asked)
    made = apply_to_table(people(4, age=[97, 98, 21, 29]), recoding, KEY)
    assert sorted(made.table["age"].to_pylist()) == ["[20, 29]", "[20, 29]", "[90, 99]", "[90, 99]"]


def test_every_unknown_value_is_reported_at_once_with_its_place():
    recoding = found(people(), policy("optimal", suppression=0.0))
    later = people(60, town=["Ulm", "Secretville", *["Kiel"] * 58], zip=["130533", *["1300"] * 59])
    with pytest.raises(ShoalError) as error:
        apply_to_table(later, recoding, KEY)
    records, *values = [fault.what for fault in error.value.faults]
    assert records.startswith("2 of 60 records have no class under this recoding")
    assert values == [
        "column 'zip' has 1 of 60 cells that are new values, for which the recoding has no label (row 1)",
        "column 'town' has 1 of 60 cells that are new values, for which the recoding has no label (row 2)",
    ]
    assert "Secretville" not in str(error.value)
    assert "130533" not in str(error.value)


@pytest.mark.parametrize(
    ("column", "rule", "cell"),
    [
        ("age", {"intervals": [5]}, "old"),
        ("age", {"intervals": [5]}, "30.5"),
        ("age", {"intervals": [5]}, "inf"),
        ("born", {"dates": ["year"]}, "yesterday"),
        ("town", {"groups": [2]}, "Trier"),
    ],
)
def test_what_a_rule_cannot_label_is_left_out_or_unknown(column, rule, cell):
    first = [cell, *map(str, people().column(column).to_pylist()[1:])]
    later = people(60, **{column: first})
    asked = policy("optimal", names=[column], hierarchies={column: rule}, suppression=0.0)
    with pytest.raises(ShoalError, match=rf"column '{column}' has 1 of 60 cells .* no label \(row 1\)"):
        apply_to_table(later, found(people(), asked), KEY)
    asked = policy("optimal", names=[column], hierarchies={column: rule}, suppression=0.2)
    assert 0 not in apply_to_table(later, found(people(), asked), KEY).input_rows


@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_too_many_lonely_rows_are_infeasible(method):
    recoding = found(people(120), policy(method, suppression=0.0))
    with pytest.raises(Infeasible, match=r"records have no class .*\nHint: give more rows at once") as error:
        apply_to_table(people(9), recoding, KEY)
    assert error.value.exit_code == 1


def test_rows_outside_every_class_are_suppressed_within_the_limit():
    asked = policy("mondrian", 2, ["age"], suppression=0.5)
    recoding = found(people(4, age=[20, 29, 50, 59]), asked)
    made = apply_to_table(people(5, age=[25, 21, 40, 59, 50]), recoding, KEY)
    assert made.suppressed == 1
    assert shown(made)[0][0] == {"lo": 20, "hi": 29}
    assert 2 not in made.input_rows
    assert made.classes == 2


def test_classes_that_are_not_diverse_are_suppressed():
    asked = policy("mondrian", 2, ["age"], suppression=0.5,
                   more=[{"kind": "l-diversity", "l": 2, "sensitive": "illness"}])  # fmt: skip
    recoding = found(people(4, age=[20, 29, 50, 59]), asked)
    later = people(4, age=[20, 21, 51, 52], illness=["flu", "flu", "flu", "none"])
    assert sorted(apply_to_table(later, recoding, KEY).input_rows.tolist()) == [2, 3]


def test_words_outside_a_set_fit_no_class():
    asked = policy("mondrian", 2, ["town"], suppression=0.5)
    recoding = found(people(4, town=["Ulm", "Kiel", "Ulm", "Kiel"]), asked)
    made = apply_to_table(people(4, town=["Kiel", "Kiel", "Trier", "Ulm"]), recoding, KEY)
    assert 2 not in made.input_rows


def test_decimals_finer_than_the_classes_are_compared_exactly():
    asked = policy("mondrian", 2, ["age"], suppression=0.5)
    recoding = found(people(4, age=[20, 29, 50, 59]), asked)
    later = people(4, age=[Decimal("29.01"), Decimal("28.99"), Decimal("20.00"), Decimal("49.99")])
    made = apply_to_table(later, recoding, KEY)
    assert sorted(made.input_rows.tolist()) == [1, 2]
    assert made.table["age"][0].as_py() == {"lo": 20, "hi": 29}


def test_a_row_that_fits_several_classes_goes_to_one_that_is_drawn():
    asked = policy("mondrian", 2, ["age"])
    recoding = found(people(4, age=[20, 29, 50, 59]), asked)
    (ages,) = recoding.columns
    wider = replace(recoding, columns=(ages.model_copy(update={"low": (20, 10), "high": (60, 70)}),))
    table = people(400, age=[30] * 400)
    lows = [cell["lo"] for cell in apply_to_table(table, wider, KEY).table["age"].to_pylist()]
    assert 120 < lows.count(20) < 280
    again = [cell["lo"] for cell in apply_to_table(table, wider, KEY).table["age"].to_pylist()]
    assert again == lows


def test_missing_cells_keep_their_rule():
    asked = policy("optimal", 2, ["age"], {"age": {"intervals": [10]}}).model_copy(
        update={"missing": {"age": "zero"}}
    )
    recoding = found(people(4, age=[1, 2, 11, 12]), asked)
    made = apply_to_table(people(4, age=[None, 9, 11, 12]), recoding, KEY)
    assert sorted(made.table["age"].to_pylist()) == ["[0, 9]", "[0, 9]", "[10, 19]", "[10, 19]"]


@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_other_columns_than_those_of_the_recoding_are_a_fault(method):
    recoding = found(people(), policy(method))
    other = Table(people().arrow.drop_columns(["zip"]).append_column("grade", pa.array(["a"] * 60)))
    with pytest.raises(ShoalError) as error:
        apply_to_table(other, recoding, KEY)
    assert [fault.what for fault in error.value.faults] == [
        "column 'zip' is in the policy but not in the table",
        "column 'grade' is in the table but not in the policy",
    ]


def test_text_in_a_column_of_numbers_is_a_fault():
    recoding = found(people(), policy("mondrian"))
    with pytest.raises(ShoalError, match="column 'age' has 60 of 60 cells that are text, not numbers"):
        apply_to_table(people(60, age=["young"] * 60), recoding, KEY)


@pytest.mark.parametrize("method", LOCAL)
@pytest.mark.parametrize("cells", ["labels", "sets"])
def test_rows_get_the_cells_of_a_class_that_contains_them(method, cells):
    table = people(120)
    first = anonymize_table(table, locally(method, cells), KEY)
    recoding = first.recoding()
    letting = replace(recoding, policy=locally(method, cells, suppression=0.9))
    again = apply_to_table(table, letting, seeded_key(99))
    assert shown(again)
    assert {cell[:3] for cell in shown(again).values()} <= {cell[:3] for cell in shown(first).values()}
    settled = policy_with_recoding_labels(table, recoding)
    assert all(one.holds for one in verify_with_link(Table(again.table), table, settled, again.input_rows))


@pytest.mark.parametrize("method", LOCAL)
def test_labels_that_part_the_table_give_the_same_rows_the_same_cells_and_loss(method):
    table = people(4, age=[21, 22, 44, 47], zip=["1301", "1302", "1481", "1482"], town=["Ulm", "Kiel"] * 2)
    first = anonymize_table(table, locally(method, k=2), KEY)
    again = apply_to_table(table, first.recoding(), seeded_key(99))
    assert {cell[:3] for cell in shown(first).values()} == {
        ("[20, 24]", "130*", "*"),
        ("[40, 49]", "148*", "*"),
    }
    assert shown(again) == shown(first)
    assert again.loss == pytest.approx(first.loss)
    assert again.exact_cells == first.exact_cells == 0
    assert again.recoding is None


@pytest.mark.parametrize("method", LOCAL)
def test_new_values_under_the_label_of_a_class_are_published_there(method):
    asked = locally(method, names=("age", "zip"), k=2, suppression=0.5)
    seen = people(4, age=[91, 98, 21, 23], zip=["1301", "1302", "1481", "1482"])
    later = people(7, age=[97, 94, 20, 24, 50, 97, 29],
                   zip=["1309", "130", "1480", "1481", "1301", "1481", "1481"])  # fmt: skip
    recoding = found(seen, asked)
    made = apply_to_table(later, recoding, KEY)
    assert {row: cell[:2] for row, cell in shown(made).items()} == {
        0: ("[90, 99]", "130*"),
        1: ("[90, 99]", "130*"),
        2: ("[20, 24]", "148*"),
        3: ("[20, 24]", "148*"),
    }
    settled = policy_with_recoding_labels(later, recoding)
    assert all(one.holds for one in verify_with_link(Table(made.table), later, settled, made.input_rows))


@pytest.mark.parametrize("method", LOCAL)
def test_the_rows_published_are_those_that_some_class_contains(method):
    recoding = found(people(40), locally(method, names=("age", "town"), k=2, suppression=0.99))
    ages, towns = recoding.columns
    drawn = [(age, town) for age in range(15, 85) for town in TOWNS]
    over_ages = ages.hierarchy.over([str(age) for age, _ in drawn[::3]])
    over_towns = towns.hierarchy.over(TOWNS)

    def contained(age, town):
        paths = over_ages.paths()[age - 15], next(path for path in over_towns.paths() if path[0] == town)
        cells = zip(ages.shown, towns.shown, strict=True)
        labels = [(ages.labels[one], towns.labels[other]) for one, other in cells]
        return any(paths[0][one[0]] == one[1] and paths[1][other[0]] == other[1] for one, other in labels)

    rows = [row for row in drawn for _ in range(60)]
    made = apply_to_table(
        people(len(rows), age=[age for age, _ in rows], town=[town for _, town in rows]), recoding, KEY
    )
    fitting = {row for row in drawn if contained(*row)}
    assert 0 < len(fitting) < len(drawn)
    assert {rows[row] for row in made.input_rows.tolist()} == fitting


@pytest.mark.parametrize(
    ("column", "seen", "cell"),
    [("age", [91, 97], "30.5"), ("age", [91, 97], "old"), ("zip", ["1301", "1302"], "130111"),
     ("town", ["Kiel", "Bremen"], "Trier")],
)  # fmt: skip
def test_what_a_hierarchy_cannot_label_fits_no_class(column, seen, cell):
    recoding = found(people(2, **{column: seen}), locally("cluster", names=[column], k=2, suppression=0.4))
    later = people(3, **{column: [str(seen[0]), cell, str(seen[1])]})
    made = apply_to_table(later, recoding, KEY)
    assert sorted(made.input_rows.tolist()) == [0, 2]
    settled = policy_with_recoding_labels(later, recoding)
    assert all(one.holds for one in verify_with_link(Table(made.table), later, settled, made.input_rows))
    with pytest.raises(Infeasible, match="2 of 2 records have no class"):
        apply_to_table(people(2, **{column: [cell] * 2}), recoding, KEY)


@pytest.mark.parametrize("cells", ["labels", "sets"])
def test_missing_values_go_where_a_class_shows_them(cells):
    asked = locally("mondrian", cells, ["town"], k=2)
    recoding = found(people(4, town=[None, None, "Kiel", "Bremen"]), asked)
    made = apply_to_table(people(4, town=[None, None, "Bremen", "Bremen"]), recoding, KEY)
    north = "north" if cells == "labels" else "{Kiel, Bremen}"
    assert [shown(made)[row][2] for row in range(4)] == [None, None, north, north]


@pytest.mark.parametrize("blank", ["", " "])
def test_classes_against_an_aggregate_leave_hierarchies_aside(blank):
    asked = Policy(
        columns={"a": "quasi", "b": "quasi", "town": "quasi"},
        guarantees=[{"kind": "kf-anonymity", "k": 3, "knows": ["a + b"], "also": ["town"]}],
        hierarchies={"a": {"intervals": [10]}, "town": {"tree": {"all": TOWNS}}},
        method={"name": "mondrian"},
    )
    cells = {"a": [7 * row % 41 for row in range(60)], "b": [row % 20 for row in range(60)]}
    table = Table(pa.table(cells | {"town": [blank + TOWNS[row % 3] for row in range(60)]}))
    first = anonymize_table(table, asked, KEY)
    again = apply_to_table(table, first.recoding(), KEY)
    assert again.table["a"].to_pylist() == first.table["a"].to_pylist()
    assert again.loss["ncp"] == pytest.approx(first.loss["ncp"])
    settled = policy_with_recoding_labels(table, first.recoding())
    assert all(one.holds for one in verify_with_link(Table(again.table), table, settled, again.input_rows))


def test_a_row_of_several_labelled_classes_goes_to_one_that_is_drawn():
    asked = locally("mondrian", names=["age"], k=2)
    recoding = found(people(4, age=[20, 24, 50, 54]), asked)
    (ages,) = recoding.columns
    wider = ages.model_copy(update={"labels": ((2, "[20, 29]"), (3, "[20, 39]")), "shown": (0, 1)})
    made = apply_to_table(people(400, age=[23] * 400), replace(recoding, columns=(wider,)), KEY)
    assert 120 < made.table["age"].to_pylist().count("[20, 29]") < 280


@draws(60)
@given(
    st.lists(st.tuples(st.integers(0, 40), st.sampled_from("abcd")), min_size=8, max_size=40),
    st.lists(st.tuples(st.integers(-5, 50), st.sampled_from("abcde")), min_size=8, max_size=40),
    st.sampled_from(["mondrian", "cluster", "optimal"]),
    st.sampled_from(
        [{}, {"n": {"intervals": [5, 20]}}, {"n": {"groups": [2, 2]}, "w": {"frequency": [0.3]}}]
    ),
    st.sampled_from(["labels", "sets"]),
)
def test_whatever_comes_later_is_published_truthfully_or_not_at_all(first, later, method, hierarchies, cells):
    asked = Policy(
        columns={"n": "quasi", "w": "quasi"},
        guarantees=[{"kind": "k-anonymity", "k": 2}],
        hierarchies=hierarchies,
        method={
            "name": method,
            "suppression": 0.9,
            "options": {} if method == "optimal" else {"cells": cells},
        },
    )

    def table(rows):
        return Table(pa.table({"n": [n for n, _ in rows], "w": [w for _, w in rows]}))

    recoding = anonymize_table(table(first), asked, KEY).recoding()
    try:
        made = apply_to_table(table(later), recoding, KEY)
    except Infeasible:
        reject()
    except ShoalError:  # whole columns at a level: every value needs a label
        assert recoding.levels
        return
    settled = policy_with_recoding_labels(table(later), recoding)
    assert np.unique(made.class_of, return_counts=True)[1].min() >= 2
    assert all(
        verdict.holds
        for verdict in verify_with_link(Table(made.table), table(later), settled, made.input_rows)
    )


ADULT = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "../shared/data")) / "adult"


@pytest.mark.slow
@pytest.mark.skipif(not ADULT.is_dir(), reason="the Adult table is not there")
@pytest.mark.parametrize(
    ("method", "labels", "low", "high"),
    [
        ("optimal", True, 0.05, 0.09),
        ("mondrian", False, 0.6, 0.7),
        ("mondrian", True, 0.27, 0.32),
        ("cluster", True, 0.22, 0.28),
    ],
)
def test_how_many_later_records_of_the_adult_table_have_no_class(method, labels, low, high):
    """The shares that docs/commands.md tells."""
    places = {"age": 0, "workclass": 1, "education": 3, "marital-status": 5, "occupation": 6, "race": 8,
              "sex": 9, "native-country": 13}  # fmt: skip
    text = (ADULT / "adult.data").read_text()
    lines = [[cell.strip() for cell in line.split(",")] for line in text.splitlines()]
    complete = [line for line in lines if len(line) > 1 and "?" not in line]
    table = pa.table({name: [line[place] for line in complete] for name, place in places.items()})
    files = {name: str(ADULT / f"hierarchies/adult_hierarchy_{name}.csv") for name in places}
    asked = Policy(
        columns=dict.fromkeys(places, "quasi"),
        guarantees=[{"kind": "k-anonymity", "k": 5}],
        hierarchies=files if labels else {},
        method={"name": method, "suppression": 0.05},
    )
    recoding = found(Table(table.slice(0, 20_000)), asked)
    letting = asked.model_copy(update={"method": asked.method.model_copy(update={"suppression": 1.0})})
    made = apply_to_table(Table(table.slice(20_000)), replace(recoding, policy=letting), KEY)
    assert low < made.suppressed / (table.num_rows - 20_000) < high
