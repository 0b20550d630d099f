"""The guarantees on who may be found, in plain words."""

from shoal.explain.explanation import Example, Explanation, example_table
from shoal.policy.model.policy import Policy

K_ANONYMITY = Explanation(
    name="k-anonymity",
    kind="guarantee",
    title="k-anonymity: nobody stands alone",
    says=(
        "Every published row looks exactly like at least k - 1 others in all quasi columns.",
        "Somebody who knows a person's age, postcode and the like finds k rows that fit, never one.",
        "Their best guess at the person's row is right with a chance of at most 1 in k.",
    ),
    protects_not=(
        "If all k people share the same illness, the illness is known all the same: add l-diversity."
    ),
    example=Example(
        before=example_table(
            "age | postcode | illness",
            "28  | 13053    | heart",
            "29  | 13068    | flu",
            "47  | 14850    | cancer",
            "49  | 14853    | flu",
        ),
        after=example_table(
            "age      | postcode | illness",
            "[28, 29] | 130**    | heart",
            "[28, 29] | 130**    | flu",
            "[47, 49] | 1485*    | cancer",
            "[47, 49] | 1485*    | flu",
        ),
        shows=(
            "A neighbour of 28 from 13053 had one row before; now two rows fit, with two illnesses (k = 2)."
        ),
        policy=Policy(
            columns={"age": "quasi", "postcode": "quasi", "illness": "sensitive"},
            guarantees=[{"kind": "k-anonymity", "k": 2}],
        ),
    ),
    source="Samarati and Sweeney, 1998; Sweeney, 2002",
)

KF_ANONYMITY = Explanation(
    name="kf-anonymity",
    kind="guarantee",
    title="k^f-anonymity: safe from somebody who knows a total",
    says=(
        "Some attackers know no single figure of a person, but a total: the whole income, the length of a "
        "trip.",
        "Whoever knows that total finds at least k rows that fit it.",
        "Rows need not look alike, so often far less has to be hidden than with k-anonymity.",
    ),
    protects_not=(
        "It holds against the totals that you state; whoever knows a figure besides may find the row."
    ),
    example=Example(
        before=example_table(
            "salary | gains | other",
            "12     | 18    | 100",
            "16     | 12    | 107",
            "30     | 42    | 200",
            "40     | 30    | 212",
        ),
        after=example_table(
            "salary   | gains | other",
            "[12, 17] | 18    | 100",
            "16       | 12    | [102, 107]",
            "30       | 42    | [200, 210]",
            "[30, 40] | 30    | 212",
        ),
        shows=(
            "The totals 130, 135, 272 and 282 gave everybody away; now two rows reach from 130 to 135, and "
            "two from 272 to 282 (k = 2)."
        ),
        policy=Policy(
            columns={"salary": "quasi", "gains": "quasi", "other": "quasi"},
            guarantees=[{"kind": "kf-anonymity", "k": 2, "knows": ["salary + gains + other"]}],
        ),
    ),
    source="Gkountouna, Lepenioti, Terrovitis: Privacy against Aggregate Knowledge Attacks",
)

GUARANTEES_OF_ROWS = (K_ANONYMITY, KF_ANONYMITY)
