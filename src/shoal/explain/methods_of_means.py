"""The methods that publish the means of groups in plain words."""

from typing import Any

from shoal.explain.explanation import Example, ExampleTable, Explanation, example_table
from shoal.policy.model.policy import Policy

FIRMS = example_table(
    "staff | turnover",
    "5     | 10",
    "6     | 11",
    "7     | 12",
    "40    | 90",
    "42    | 95",
    "44    | 100",
)
FIRMS_IN_PAIRS = example_table(
    "staff | turnover",
    "5.5   | 10.5",
    "5.5   | 10.5",
    "23.5  | 51",
    "23.5  | 51",
    "43    | 97.5",
    "43    | 97.5",
)
DEBTORS = example_table(
    "staff | debt",
    "10    | 1",
    "12    | 1",
    "20    | 9",
    "22    | 8",
    "40    | 1",
    "44    | 1",
    "50    | 1",
    "52    | 1",
)
DEBTORS_TOGETHER = example_table(
    "staff | debt",
    "16    | 1",
    "16    | 1",
    "16    | 9",
    "16    | 8",
    "42    | 1",
    "42    | 1",
    "51    | 1",
    "51    | 1",
)
FINDS = "Somebody who looks for a firm finds at least k rows, all alike, with means of several firms."
RARE = "Firms that look alike, one of them with a rare debt, have several debts that lie apart."
SOURCE = "Domingo-Ferrer, Sebé, Solanas: An Anonymity Model Achievable Via Microaggregation, 2008"


def _on_firms(method: str, before: ExampleTable, after: ExampleTable, shows: str) -> Example:
    columns: dict[str, Any] = dict.fromkeys(before.head, "quasi")
    guarantees = [{"kind": "k-anonymity", "k": 2}]
    policy = Policy(columns=columns, guarantees=guarantees, method={"name": method})
    return Example(before, after, shows, policy)


def _on_debtors(method: str, shows: str) -> Example:
    asked = {"kind": "kpqr-anonymity", "k": 2, "p": 2, "q": "0.2", "r": "0.5", "sensitive": "debt"}
    policy = Policy(
        columns={"staff": "quasi", "debt": "sensitive"}, guarantees=[asked], method={"name": method}
    )
    return Example(DEBTORS, DEBTORS_TOGETHER, shows, policy)


METHODS_OF_MEANS = (
    Explanation(
        name="mdav",
        kind="method",
        title="mdav: groups of k that are alike show their means",
        says=(
            "The firm farthest from the middle and its nearest neighbours form a group of k, then the next, "
            "and so on.",
            "Each group shows its means, so totals stay right.",
            FINDS,
        ),
        protects_not=(
            "Groups have k firms even where three would belong together: vmdav and refined see that."
        ),
        example=_on_firms(
            "mdav",
            FIRMS,
            FIRMS_IN_PAIRS,
            "Groups of two leave one small and one large firm over, whose mean of 23.5 is like neither.",
        ),
        source="Domingo-Ferrer and Torra, 2005",
    ),
    Explanation(
        name="vmdav",
        kind="method",
        title="vmdav: groups may grow where firms lie close",
        says=(
            "As mdav, but a group takes in further firms that lie nearer to it than to the rest.",
            "Each group shows its means, so totals stay right.",
            FINDS,
        ),
        protects_not=(
            "It needs a figure, gamma, that says how near is near, and helps only where firms lie in heaps."
        ),
        example=_on_firms(
            "vmdav",
            FIRMS,
            example_table(
                "staff | turnover",
                "6     | 11",
                "6     | 11",
                "6     | 11",
                "42    | 95",
                "42    | 95",
                "42    | 95",
            ),
            "Small firms stay with small ones and large with large ones; with mdav one pair was mixed.",
        ),
        source="Solanas and Martínez-Ballesté, 2006",
    ),
    Explanation(
        name="refined",
        kind="method",
        title="refined: groups are improved until time is up",
        says=(
            "It begins with the groups of mdav; then firms move and change places for as long as that loses "
            "less.",
            "Each group shows its means, so totals stay right; with a single column the result is the best "
            "there is.",
            FINDS,
        ),
        protects_not="It takes as long as you let it, and the result may differ a little each time.",
        example=_on_firms(
            "refined",
            example_table("turnover", "10", "12", "14", "50", "52", "54"),
            example_table("turnover", "12", "12", "12", "52", "52", "52"),
            "Two groups of three lose least; groups of two would mix 14 with 50.",
        ),
        source="shoal; the best groups of one column by Hansen and Mukherjee, 2003",
    ),
    Explanation(
        name="kpqr",
        kind="method",
        title="kpqr: groups only grow where a value is rare",
        says=(
            "It begins with the groups of mdav, and joins those in which a rare value is not hidden well "
            "enough.",
            RARE,
            "So an attacker cannot read off who has the rare value, and all other groups stay small.",
        ),
        protects_not="What most have anyway is not hidden: see kpqr-anonymity.",
        example=_on_debtors(
            "kpqr",
            "The debts of 8 and 9 now stand among two of 1; groups without a rare debt stay pairs.",
        ),
        source=f"shoal; the promise is that of {SOURCE}",
    ),
    Explanation(
        name="kpqr-paper",
        kind="method",
        title="kpqr-paper: as printed, beginning with the rare",
        says=(
            "It begins with a firm that has a rare value, and adds near ones that bring other values, "
            "further apart.",
            RARE,
            "So an attacker cannot read off who has the rare value.",
        ),
        protects_not="It often loses more than kpqr; auto tries both and takes the better one.",
        example=_on_debtors(
            "kpqr-paper",
            "It begins with a debt of 8 or 9, and ends with the same four firms as kpqr here.",
        ),
        source=SOURCE,
    ),
)
