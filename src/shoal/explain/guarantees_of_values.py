"""The guarantees on sensitive values in plain words, but for l-diversity."""

from shoal.explain.explanation import Example, Explanation, example_table
from shoal.policy.model.policy import Policy

P_SENSITIVITY = Explanation(
    name="p-sensitivity",
    kind="guarantee",
    title="p-sensitivity: several values of everything sensitive",
    says=(
        "People who look alike have at least p different values in every sensitive column, not only in one.",
        "Somebody who finds the rows that fit a person is left with p illnesses, p incomes and so on.",
    ),
    protects_not="Different is not equally frequent: of two illnesses one may be had by nearly everybody.",
    example=Example(
        before=example_table(
            "age      | illness | income",
            "[20, 29] | flu     | low",
            "[20, 29] | cancer  | low",
            "[30, 39] | flu     | high",
            "[30, 39] | heart   | low",
        ),
        after=example_table(
            "age      | illness | income",
            "[20, 39] | flu     | low",
            "[20, 39] | cancer  | low",
            "[20, 39] | flu     | high",
            "[20, 39] | heart   | low",
        ),
        shows="Before, everybody in their twenties had a low income; now nobody's income is certain (p = 2).",
        policy=Policy(
            columns={"age": "quasi", "illness": "sensitive", "income": "sensitive"},
            guarantees=[{"kind": "p-sensitivity", "p": 2}],
        ),
    ),
    source="Truta and Vinay, 2006",
)

ALPHA_K_ANONYMITY = Explanation(
    name="alpha-k-anonymity",
    kind="guarantee",
    title="(alpha, k)-anonymity: no value takes over",
    says=(
        "It is k-anonymity with a limit: among people who look alike, no sensitive value is had by more "
        "than the share alpha.",
        "Somebody who finds the rows that fit a person guesses the value right with a chance of at most "
        "alpha.",
    ),
    protects_not="Values that are close in meaning, as two kinds of cancer, count as different.",
    example=Example(
        before=example_table(
            "age      | town   | illness",
            "[20, 39] | Athens | cancer",
            "[20, 39] | Athens | cancer",
            "[20, 39] | Athens | cancer",
            "[20, 39] | Athens | flu",
            "[20, 39] | Patras | flu",
            "[20, 39] | Patras | flu",
            "[20, 39] | Patras | heart",
            "[20, 39] | Patras | cancer",
        ),
        after=example_table(
            "age      | town | illness",
            "[20, 29] | *    | cancer",
            "[20, 29] | *    | cancer",
            "[30, 39] | *    | cancer",
            "[30, 39] | *    | flu",
            "[20, 29] | *    | flu",
            "[20, 29] | *    | flu",
            "[30, 39] | *    | heart",
            "[30, 39] | *    | cancer",
        ),
        shows=(
            "In Athens three of four had cancer; now no illness is had by more than half of those who look "
            "alike."
        ),
        policy=Policy(
            columns={"age": "quasi", "town": "quasi", "illness": "sensitive"},
            guarantees=[{"kind": "alpha-k-anonymity", "alpha": "0.5", "k": 4}],
        ),
    ),
    source="Wong, Li, Fu, Wang, 2006",
)

T_CLOSENESS = Explanation(
    name="t-closeness",
    kind="guarantee",
    title="t-closeness: a group looks like everybody",
    says=(
        "Among people who look alike, sensitive values are mixed nearly as in the whole table; t says how "
        "nearly.",
        "Somebody who finds the rows that fit a person learns little more than what is true of everybody.",
        "Where values have an order, as salaries have, a group of only low ones is far from the whole.",
    ),
    protects_not=(
        "It costs much: what goes with the sensitive value, which a study may be after, is blurred as well."
    ),
    example=Example(
        before=example_table(
            "age      | town | salary",
            "[20, 29] | *    | 3",
            "[20, 29] | *    | 4",
            "[20, 29] | *    | 5",
            "[30, 39] | *    | 6",
            "[30, 39] | *    | 8",
            "[30, 39] | *    | 11",
        ),
        after=example_table(
            "age      | town   | salary",
            "[20, 39] | Athens | 3",
            "[20, 39] | Patras | 4",
            "[20, 39] | Patras | 5",
            "[20, 39] | Athens | 6",
            "[20, 39] | Patras | 8",
            "[20, 39] | Athens | 11",
        ),
        shows=(
            "People in their twenties had three different salaries, all low; now low and high stand together."
        ),
        policy=Policy(
            columns={"age": "quasi", "town": "quasi", "salary": "sensitive"},
            guarantees=[{"kind": "t-closeness", "t": "0.15", "sensitive": "salary", "distance": "ordered"}],
        ),
    ),
    source="Li, Li, Venkatasubramanian, ICDE 2007",
)

KE_ANONYMITY = Explanation(
    name="ke-anonymity",
    kind="guarantee",
    title="(k,e)-anonymity: amounts that lie apart",
    says=(
        "Ages, towns and the like stay as they are; the sensitive amounts are dealt anew inside groups of "
        "people.",
        "A group has at least k different amounts, and the largest is at least e above the smallest.",
        "Somebody who finds a person's row is left with all the amounts of the group, low ones and high "
        "ones.",
        "Sums over whole groups stay exact.",
    ),
    protects_not=(
        "Everybody can see that a person is in the table, and a group may still have one amount very often."
    ),
    example=Example(
        before=example_table(
            "age | salary | shoal_group",
            "35  | 54     | 0",
            "38  | 56     | 0",
            "40  | 55     | 0",
            "52  | 80     | 1",
            "53  | 70     | 1",
            "58  | 75     | 1",
        ),
        after=example_table(
            "age | salary | shoal_group",
            "35  | 75     | 0",
            "38  | 70     | 1",
            "40  | 54     | 0",
            "52  | 80     | 1",
            "53  | 56     | 0",
            "58  | 55     | 1",
        ),
        shows=(
            "Salaries of 54, 55 and 56 are different and still tell what somebody of 35 earns; in the new "
            "groups they lie 21 and 25 apart (k = 3, e = 10)."
        ),
        policy=Policy(
            columns={"age": "quasi", "salary": "sensitive"},
            guarantees=[{"kind": "ke-anonymity", "k": 3, "e": 10, "sensitive": "salary"}],
        ),
    ),
    source="Zhang, Koudas, Srivastava, Yu: Aggregate Query Answering on Anonymized Tables, ICDE 2007",
)

KPQR_ANONYMITY = Explanation(
    name="kpqr-anonymity",
    kind="guarantee",
    title="(k,p,q,r)-anonymity: care for rare values",
    says=(
        "It is k-anonymity, with more asked for only where a rare sensitive value is at stake.",
        "A value is rare if fewer than the share q of all rows have it.",
        "People who look alike, one of them with a rare value, have at least p different values that lie "
        "apart; r says how far, compared with the whole table.",
        "Nobody's rare value can then be read off the rows that fit.",
    ),
    protects_not="What most people have anyway counts as no secret, and may be certain for somebody.",
    example=Example(
        before=example_table(
            "staff | debt",
            "11    | 1",
            "11    | 1",
            "21    | 9",
            "21    | 8",
            "42    | 1",
            "42    | 1",
        ),
        after=example_table(
            "staff | debt",
            "16    | 1",
            "16    | 1",
            "16    | 9",
            "16    | 8",
            "42    | 1",
            "42    | 1",
        ),
        shows=(
            "Firms of about 21 people were deep in debt, 8 or 9; among firms of about 16 it may now also be "
            "1, which most have."
        ),
        policy=Policy(
            columns={"staff": "quasi", "debt": "sensitive"},
            guarantees=[
                {"kind": "kpqr-anonymity", "k": 2, "p": 2, "q": "0.2", "r": "0.5", "sensitive": "debt"}
            ],
        ),
    ),
    source="Domingo-Ferrer, Sebé, Solanas: An Anonymity Model Achievable Via Microaggregation, 2008",
)

GUARANTEES_OF_VALUES = (P_SENSITIVITY, ALPHA_K_ANONYMITY, T_CLOSENESS, KE_ANONYMITY, KPQR_ANONYMITY)
