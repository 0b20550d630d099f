"""The methods that publish ranges in plain words, and ``auto``."""

from typing import Any

from shoal.explain.explanation import Example, ExampleTable, Explanation, example_table
from shoal.policy.model.policy import Policy

INCOMES = example_table(
    "name | salary | gains | other",
    "John | 10     | 20    | 100",
    "Nick | 15     | 15    | 105",
    "Paul | 30     | 40    | 200",
    "Mark | 40     | 30    | 210",
)
INCOMES_IN_RANGES = example_table(
    "salary   | gains | other",
    "[10, 15] | 20    | 100",
    "[10, 15] | 15    | 105",
    "[30, 40] | 40    | 200",
    "[30, 40] | 30    | 210",
)
HOMES = example_table(
    "age | postcode",
    "24  | 1310",
    "26  | 1310",
    "31  | 1320",
    "33  | 1320",
    "45  | 1480",
    "47  | 1490",
)


def _on_incomes(method: str, after: ExampleTable, shows: str) -> Example:
    policy = Policy(
        columns={"name": "identifier", "salary": "quasi", "gains": "quasi", "other": "quasi"},
        guarantees=[{"kind": "kf-anonymity", "k": 2, "knows": ["salary + gains + other"]}],
        method={"name": method},
    )
    return Example(INCOMES, after, shows, policy)


def _on_homes(method: str, after: ExampleTable, shows: str) -> Example:
    columns: dict[str, Any] = {"age": "quasi", "postcode": "quasi"}
    guarantees = [{"kind": "k-anonymity", "k": 2}]
    return Example(
        HOMES, after, shows, Policy(columns=columns, guarantees=guarantees, method={"name": method})
    )


METHODS_OF_RANGES = (
    Explanation(
        name="auto",
        kind="method",
        title="auto: let shoal choose",
        says=(
            "The method that fits the promise: residual for totals, min-sum for amounts dealt anew, kpqr or "
            "kpqr-paper for rare values, optimal where columns have hierarchies, else mondrian.",
            "The result says which one was taken and why.",
            "An attacker can do no more than the promise allows, whichever method is taken.",
        ),
        protects_not=(
            "It goes by the promise, not by your table: `shoal compare` shows what the others would lose on "
            "it."
        ),
        example=_on_incomes(
            "auto",
            INCOMES_IN_RANGES,
            "The promise is about a total, so residual was taken: it hides one cell in each row.",
        ),
        source="shoal",
    ),
    Explanation(
        name="residual",
        kind="method",
        title="residual: hide few cells so that totals agree",
        says=(
            "It looks for people whose figures add up to the same once one or two columns are left out.",
            "Only those columns are shown as a range that all of the group share; all else stays exact.",
            "Somebody who knows a person's total then finds at least k rows that fit it.",
        ),
        protects_not=(
            "It is made for attackers who know totals; one who knows single figures finds exact cells."
        ),
        example=_on_incomes(
            "residual",
            INCOMES_IN_RANGES,
            "John's total was 130 and Nick's 135; by the new table both may be anything from 130 to 135.",
        ),
        source="shoal; the promise is that of Gkountouna, Lepenioti, Terrovitis",
    ),
    Explanation(
        name="aggranon",
        kind="method",
        title="aggranon: neighbours by total share ranges",
        says=(
            "People are put in order of their totals and cut into groups of k.",
            "In each group one column after the other becomes a common range, until all totals agree.",
            "Somebody who knows a person's total then finds at least k rows that fit it.",
        ),
        protects_not="It serves one total known to one attacker, and often hides more than residual does.",
        example=_on_incomes(
            "aggranon",
            example_table(
                "salary   | gains | other",
                "[10, 15] | 20    | 100",
                "[10, 15] | 15    | 105",
                "[30, 40] | 40    | 200",
                "[30, 40] | 30    | 210",
            ),
            "One column is hidden in each pair; Paul and Mark both add up to anything from 270 to 280.",
        ),
        source="Gkountouna, Lepenioti, Terrovitis: Privacy against Aggregate Knowledge Attacks",
    ),
    Explanation(
        name="aligned",
        kind="method",
        title="aligned: one cell per row, as narrow as can be",
        says=(
            "Each row hides a single cell, by a range just wide enough to reach the totals of its group.",
            "Which cell is drawn in a way that does not depend on the value under it.",
            "Somebody who knows a person's total then finds at least k rows that fit it.",
        ),
        protects_not=(
            "Not where people round: whoever knows the total computes the hidden cell of each row, and a "
            "round result gives the right one away."
        ),
        example=Example(
            before=example_table(
                "name | salary | gains",
                "John | 31200  | 1450",
                "Nick | 30900  | 1850",
                "Paul | 52300  | 2700",
                "Mark | 51800  | 3300",
            ),
            after=example_table(
                "salary         | gains",
                "[31200, 31300] | 1450",
                "30900          | [1750, 1850]",
                "52300          | [2700, 2800]",
                "[51700, 51800] | 3300",
            ),
            shows="John and Nick both reach from 32650 to 32750, each by a range of 100 in one cell.",
            policy=Policy(
                columns={"name": "identifier", "salary": "quasi", "gains": "quasi"},
                guarantees=[{"kind": "kf-anonymity", "k": 2, "knows": ["salary + gains"]}],
                method={"name": "aligned"},
            ),
        ),
        source="shoal; the promise is that of Gkountouna, Lepenioti, Terrovitis",
    ),
    Explanation(
        name="mondrian",
        kind="method",
        title="mondrian: cut the table in halves, again and again",
        says=(
            "The people are cut in two at the middle of the widest column, then each part again.",
            "It stops where a part would have fewer than k people; a part shows its ranges.",
            "Somebody who knows a person's quasi values finds the k or more rows of a part, all alike.",
        ),
        protects_not="It is fast, but not careful: parts may be wider than needed, as cluster shows.",
        example=_on_homes(
            "mondrian",
            example_table(
                "age      | postcode",
                "[24, 31] | [1310, 1320]",
                "[24, 31] | [1310, 1320]",
                "[24, 31] | [1310, 1320]",
                "[33, 47] | [1320, 1490]",
                "[33, 47] | [1320, 1490]",
                "[33, 47] | [1320, 1490]",
            ),
            "Six people are cut in the middle; three cannot be cut again, since one part would have a "
            "single row.",
        ),
        source="LeFevre, DeWitt, Ramakrishnan: Mondrian, ICDE 2006",
    ),
    Explanation(
        name="cluster",
        kind="method",
        title="cluster: groups of people who are alike",
        says=(
            "People who are alike are gathered into groups of at least k; then groups exchange people for "
            "as long as that hides less.",
            "Each group shows common ranges or labels.",
            "Somebody who knows a person's quasi values finds the k or more rows of a group, all alike.",
        ),
        protects_not=(
            "Different groups show different ranges, which makes tables by age or region harder to draw up."
        ),
        example=_on_homes(
            "cluster",
            example_table(
                "age      | postcode",
                "[24, 26] | 1310",
                "[24, 26] | 1310",
                "[31, 33] | 1320",
                "[31, 33] | 1320",
                "[45, 47] | [1480, 1490]",
                "[45, 47] | [1480, 1490]",
            ),
            "Three pairs of neighbours, with ranges as narrow as pairs can have.",
        ),
        source="shoal",
    ),
)
