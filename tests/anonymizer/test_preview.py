"""What a column's hierarchy looks like in a table, whatever else is wrong with the policy."""

import pyarrow as pa
import pytest

from shoal.anonymizer.preview import preview_faults, preview_of
from shoal.errors import ShoalError
from shoal.policy.policy import Policy
from shoal.table.table import Table

TABLE = Table(
    pa.table(
        {
            "age": [7, 23, 23, None],
            "zip": ["130", "131 ", "148", "148"],
            "born": ["2011-05-17", "2011-06-01", "1999-01-01", None],
            "town": ["Ulm", "Kiel", "Kiel", "Rome"],
        }
    )
)
K = {"kind": "k-anonymity", "k": 2}


def policy(column, spec, **more):
    return {"columns": {column: "quasi"}, "hierarchies": {column: spec}} | more


def shown(node):
    """Labels and records, and what lies below."""
    return {(child.label, child.count): shown(child) for child in node.children}


@pytest.mark.parametrize(
    ("column", "spec", "expected"),
    [
        ("age", {"intervals": [10]},
         {("[0, 9]", 1): {("7", 1): {}}, ("[20, 29]", 2): {("23", 2): {}}, (None, 1): {}}),
        ("age", {"groups": [2]}, {("[7, 23]", 3): {("7", 1): {}, ("23", 2): {}}, (None, 1): {}}),
        ("zip", {"mask": "right"},
         {("1**", 4): {("13*", 2): {("130", 1): {}, ("131", 1): {}}, ("14*", 2): {("148", 2): {}}}}),
        ("born", {"dates": ["year"]},
         {("1999", 1): {("1999-01-01", 1): {}},
          ("2011", 2): {("2011-05-17", 1): {}, ("2011-06-01", 1): {}}, (None, 1): {}}),
        ("town", {"frequency": [0.3]},
         {("(rare)", 2): {("Rome", 1): {}, ("Ulm", 1): {}}, ("Kiel", 2): {}}),
        ("town", {"tree": {"north": ["Kiel"], "south": ["Ulm", "Rome"]}},
         {("north", 2): {("Kiel", 2): {}}, ("south", 2): {("Rome", 1): {}, ("Ulm", 1): {}}}),
        ("town", "town.csv",
         {("north", 2): {("Kiel", 2): {}}, ("south", 2): {("Rome", 1): {}, ("Ulm", 1): {}}}),
    ],
)  # fmt: skip
def test_every_kind_of_hierarchy_is_shown(column, spec, expected, tmp_path):
    (tmp_path / "town.csv").write_text("Ulm;south;*\nRome;south;*\nKiel;north;*\n", encoding="utf-8")
    mapping = policy(column, spec)
    found = preview_of(TABLE, mapping, column, tmp_path)
    assert (found.label, found.count, shown(found)) == ("*", 4, expected)
    whole = Policy.from_mapping(mapping | {"guarantees": [K]}, tmp_path)
    assert preview_of(TABLE, whole, column) == found


def test_a_column_without_a_hierarchy_has_nothing_to_show():
    assert preview_of(TABLE, {"columns": {"age": "quasi"}}, "age") is None
    assert preview_of(TABLE, {"hierarchies": "none"}, "age") is None


def test_missing_cells_count_as_the_policy_says():
    ages = {"intervals": [10]}
    assert ("[0, 9]", 2) in shown(preview_of(TABLE, policy("age", ages, missing={"age": "zero"}), "age"))
    left = preview_of(TABLE, policy("age", ages, missing={"age": "suppress"}), "age")
    assert (left.count, left.children[-1].label, left.children[-1].count) == (3, None, 0)
    assert preview_faults(TABLE, policy("age", ages), "age")[0].what.endswith("missing (row 4)")
    assert preview_faults(TABLE, policy("age", ages, missing={"age": "value"}), "age") == []


def test_values_without_a_place_are_faults_and_the_rest_is_shown():
    lacking = policy("town", {"tree": {"north": ["Kiel"]}})
    assert preview_of(TABLE, lacking, "town").count == 2
    assert "not in the column's hierarchy" in preview_faults(TABLE, lacking, "town")[0].what


@pytest.mark.parametrize(
    ("column", "spec", "what"),
    [
        ("town", {"intervals": [10]}, "column 'town' has cells that are no numbers"),
        ("town", {"interval": [10]}, "[hierarchies] town interval is not part of a policy"),
        ("town", "no.csv", "there is no hierarchy file 'no.csv'"),
        ("nothing", {"mask": "right"}, "the table has no column 'nothing'"),
    ],
)
def test_what_cannot_be_built_is_said(column, spec, what):
    mapping = policy(column, spec)
    assert preview_faults(TABLE, mapping, column)[0].what.startswith(what)
    with pytest.raises(ShoalError, match=what.replace("[", r"\[").replace("]", r"\]")):
        preview_of(TABLE, mapping, column)


def test_only_so_much_is_shown():
    found = preview_of(TABLE, policy("zip", {"mask": "right"}), "zip", most_children=1, deepest=2)
    assert shown(found) == {("1**", 4): {("13*", 2): {}}}
    assert found.children[0].hidden == 1
