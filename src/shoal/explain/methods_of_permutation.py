"""The methods that deal sensitive values anew inside groups, in plain words."""

from typing import Any

from shoal.explain.explanation import Example, ExampleTable, Explanation, example_table
from shoal.policy.model.policy import Policy

SALARIES = example_table(
    "name  | age | salary",
    "Alex  | 35  | 54",
    "Bob   | 38  | 55",
    "Carol | 40  | 56",
    "Debra | 41  | 65",
    "Evan  | 43  | 70",
    "Frank | 47  | 75",
    "Gary  | 52  | 80",
    "Henry | 53  | 82",
)
TWO_GROUPS = example_table(
    "age | salary | shoal_group",
    "35  | 65     | 0",
    "38  | 54     | 0",
    "40  | 55     | 0",
    "41  | 56     | 0",
    "43  | 80     | 1",
    "47  | 70     | 1",
    "52  | 82     | 1",
    "53  | 75     | 1",
)
LEARNS = "Somebody who finds a person's row learns only the group: several salaries, lying apart."
SOURCE = "Zhang, Koudas, Srivastava, Yu: Aggregate Query Answering on Anonymized Tables, ICDE 2007"


def _on_salaries(method: str, after: ExampleTable, shows: str, **options: Any) -> Example:
    policy = Policy(
        columns={"name": "identifier", "age": "quasi", "salary": "sensitive"},
        guarantees=[{"kind": "ke-anonymity", "k": 2, "e": 5, "sensitive": "salary"}],
        method={"name": method, "options": options},
    )
    return Example(SALARIES, after, shows, policy)


METHODS_OF_PERMUTATION = (
    Explanation(
        name="min-sum",
        kind="method",
        title="min-sum: groups that are narrow altogether",
        says=(
            "People are grouped by their salaries (or another sensitive amount), which are dealt anew "
            "inside each group.",
            "Of all groupings that keep the promise, the widths of the groups add up to the least.",
            LEARNS,
            "Answers about many people stay as narrow as they can.",
        ),
        protects_not=(
            "Where nearly everybody has the same amount, groups become huge: take mondrian or cluster then."
        ),
        example=_on_salaries(
            "min-sum",
            example_table(
                "age | salary | shoal_group",
                "35  | 70     | 0",
                "38  | 54     | 0",
                "40  | 55     | 0",
                "41  | 56     | 0",
                "43  | 65     | 0",
                "47  | 82     | 1",
                "52  | 80     | 1",
                "53  | 75     | 1",
            ),
            "The groups are 16 and 7 wide, 23 together; no other grouping that keeps the promise has less.",
        ),
        source=SOURCE,
    ),
    Explanation(
        name="min-max",
        kind="method",
        title="min-max: no group is very wide",
        says=(
            "People are grouped by their salaries, which are dealt anew inside each group.",
            "Of all groupings into stretches that do not overlap, the widest group is as narrow as can be.",
            LEARNS,
        ),
        protects_not=(
            "It cares for the worst answer only: answers about many people may be wider than with min-sum."
        ),
        example=_on_salaries(
            "min-max",
            TWO_GROUPS,
            "The groups are 11 and 12 wide; with min-sum one was 16.",
        ),
        source=SOURCE,
    ),
    Explanation(
        name="min-max-exact",
        kind="method",
        title="min-max-exact: no group is very wide, and groups may overlap",
        says=(
            "As min-max, but the salaries of two groups may lie between each other.",
            "So the widest group can be narrower still, down to half as wide.",
            LEARNS,
        ),
        protects_not="It takes more time on large tables, for a gain that is often small.",
        example=_on_salaries(
            "min-max-exact",
            example_table(
                "age | salary | shoal_group",
                "35  | 65     | 0",
                "38  | 54     | 0",
                "40  | 55     | 0",
                "41  | 56     | 0",
                "43  | 70     | 1",
                "47  | 82     | 2",
                "52  | 80     | 1",
                "53  | 75     | 2",
            ),
            "Three groups, the widest 11; the one from 70 to 80 and the one from 75 to 82 overlap.",
        ),
        source=SOURCE,
    ),
    Explanation(
        name="max-groups",
        kind="method",
        title="max-groups: as many groups as possible",
        says=(
            "People are grouped by their salaries, which are dealt anew inside each group.",
            "Of all groupings into stretches that do not overlap, it has the most groups.",
            LEARNS,
        ),
        protects_not="Many groups are not always narrow ones: min-sum looks at the widths.",
        example=_on_salaries(
            "max-groups",
            TWO_GROUPS,
            "Two stretches are the most: 80 and 82 could be a third, but they lie only 2 apart.",
        ),
        source=SOURCE,
    ),
    Explanation(
        name="random",
        kind="method",
        title="random: groups of people as they come",
        says=(
            "People are put into groups by chance, and their salaries are dealt anew inside each group.",
            LEARNS,
        ),
        protects_not="Groups are far wider than needed, and so are answers; it is here to compare with.",
        example=_on_salaries(
            "random",
            example_table(
                "age | salary | shoal_group",
                "35  | 70     | 3",
                "38  | 75     | 0",
                "40  | 82     | 1",
                "41  | 65     | 2",
                "43  | 54     | 3",
                "47  | 55     | 0",
                "52  | 80     | 2",
                "53  | 56     | 1",
            ),
            "Low and high salaries stand in the same group, so little can be said about the old or the "
            "young.",
        ),
        source=SOURCE,
    ),
    Explanation(
        name="rank-swap",
        kind="method",
        title="rank-swap: neighbours change places, without a promise",
        says=(
            "All salaries are put in order, and each changes places with one that is a few places away.",
            "There are no groups; how far a salary may move is given in percent of all places.",
            "An attacker who finds a person's row mostly sees somebody else's salary, but one of about the "
            "same height.",
        ),
        protects_not=(
            "It keeps no promise, so `shoal run` publishes nothing that it makes; it is here to compare with."
        ),
        example=_on_salaries(
            "rank-swap",
            example_table(
                "age | salary",
                "35  | 55",
                "38  | 54",
                "40  | 65",
                "41  | 56",
                "43  | 75",
                "47  | 70",
                "52  | 82",
                "53  | 80",
            ),
            "Neighbours have changed places: Alex, who is 35 and earns 54, is shown with 55, which is "
            "nearly right.",
            p=25.0,
        ),
        source="Moore: Controlled Data-Swapping Techniques, 1996",
    ),
)
