"""What a column's hierarchy looks like before anything is run."""

import pytest

from shoal.errors import ShoalError
from shoal.web.forms.hierarchy_preview import hierarchy_preview


def shown(node):
    """Labels and records, and what lies below."""
    return {(child.label, child.count): shown(child) for child in node.children}


@pytest.mark.parametrize(
    ("spec", "counts", "expected"),
    [
        ({"intervals": [10]}, {"7": 1, "23": 2, None: 1},
         {("[0, 9]", 1): {("7", 1): {}}, ("[20, 29]", 2): {("23", 2): {}}, (None, 1): {}}),
        ({"groups": [2]}, {"7": 1, "23": 2}, {("[7, 23]", 3): {("7", 1): {}, ("23", 2): {}}}),
        ({"mask": "right"}, {"130": 1, "131": 1, "148": 2},
         {("1**", 4): {("13*", 2): {("130", 1): {}, ("131", 1): {}}, ("14*", 2): {("148", 2): {}}}}),
        ({"dates": ["year"]}, {"2011-05-17": 1, "2011-06-01": 1},
         {("2011", 2): {("2011-05-17", 1): {}, ("2011-06-01", 1): {}}}),
        ({"frequency": [0.3]}, {"Ulm": 1, "Kiel": 2, "Rome": 1},
         {("(rare)", 2): {("Rome", 1): {}, ("Ulm", 1): {}}, ("Kiel", 2): {}}),
        ({"tree": {"north": ["Kiel"], "south": ["Ulm", "Rome"]}}, {"Ulm": 1, "Kiel": 2, "Rome": 1},
         {("north", 2): {("Kiel", 2): {}}, ("south", 2): {("Rome", 1): {}, ("Ulm", 1): {}}}),
        ("town.csv", {"Ulm": 1, "Kiel": 2, "Rome": 1},
         {("north", 2): {("Kiel", 2): {}}, ("south", 2): {("Rome", 1): {}, ("Ulm", 1): {}}}),
    ],
)  # fmt: skip
def test_every_kind_of_hierarchy_is_shown(spec, counts, expected, tmp_path):
    (tmp_path / "town.csv").write_text("Ulm;south;*\nRome;south;*\nKiel;north;*\n", encoding="utf-8")
    found = hierarchy_preview(spec, counts, "place", tmp_path)
    assert (found.tree.label, found.tree.count) == ("*", sum(counts.values()))
    assert shown(found.tree) == expected
    assert found.unknown == 0


def test_words_that_a_hierarchy_lacks_are_counted(tmp_path):
    (tmp_path / "town.csv").write_text("Ulm;south;*\n", encoding="utf-8")
    assert hierarchy_preview("town.csv", {"Ulm": 1, "Kiel": 2, "Rome": 1}, "place", tmp_path).unknown == 2


@pytest.mark.parametrize("spec", [{"intervals": [0]}, {"widths": [5]}, {"intervals": [3, 5]}, "gone.csv"])
def test_what_cannot_be_built_is_an_error(spec, tmp_path):
    with pytest.raises(ShoalError):
        hierarchy_preview(spec, {"7": 1, "23": 2}, "age", tmp_path)
