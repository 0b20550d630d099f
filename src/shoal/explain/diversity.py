"""l-diversity and its five variants in plain words."""

from typing import Any

from shoal.explain.explanation import Example, Explanation, example_table
from shoal.policy.model.policy import Policy

SOURCE = "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam: l-Diversity, ICDE 2006"


def _policy(**asked: Any) -> Policy:
    return Policy(
        columns={"age": "quasi", "town": "quasi", "illness": "sensitive"},
        guarantees=[{"kind": "l-diversity", "sensitive": "illness", **asked}],
    )


SAME_ILLNESS = Example(
    before=example_table(
        "age      | town | illness",
        "[20, 29] | *    | cancer",
        "[20, 29] | *    | cancer",
        "[20, 29] | *    | cancer",
        "[30, 39] | *    | flu",
        "[30, 39] | *    | flu",
        "[30, 39] | *    | heart",
    ),
    after=example_table(
        "age      | town   | illness",
        "[20, 39] | Athens | cancer",
        "[20, 39] | Athens | cancer",
        "[20, 39] | Patras | cancer",
        "[20, 39] | Athens | flu",
        "[20, 39] | Patras | flu",
        "[20, 39] | Patras | heart",
    ),
    shows=(
        "Three rows fit somebody of 25, and all say cancer; looking alike by town, everybody has at least "
        "two illnesses left (l = 2)."
    ),
    policy=_policy(l=2),
)

MOSTLY_CANCER = (
    example_table(
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
    example_table(
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
)

DIVERSITY = (
    Explanation(
        name="l-diversity",
        kind="guarantee",
        title="l-diversity: the rows that fit do not agree",
        says=(
            "Among people who look alike in the quasi columns, sensitive values differ: at least l of them.",
            "Somebody who finds the rows that fit a person cannot tell which of the values is the person's.",
            "To be certain they would have to rule out l - 1 values by what else they know.",
            "There are five ways to say what differs enough: distinct, entropy, recursive, pd-recursive, "
            "npd-recursive.",
        ),
        protects_not="Values may differ and still tell much: three kinds of cancer, or three low salaries.",
        example=SAME_ILLNESS,
        source=SOURCE,
    ),
    Explanation(
        name="distinct-l-diversity",
        kind="guarantee",
        title="Distinct l-diversity: so many different values",
        says=(
            "The simplest way: among people who look alike there are at least l different sensitive values.",
            "Somebody who finds the rows that fit a person is left with l possible values.",
        ),
        protects_not="One of the l values may be far more frequent than the others, and then a good guess.",
        example=SAME_ILLNESS,
        source=SOURCE,
    ),
    Explanation(
        name="entropy-l-diversity",
        kind="guarantee",
        title="Entropy l-diversity: as mixed as l equal shares",
        says=(
            "Among people who look alike, sensitive values are at least as well mixed as l values of equal "
            "share.",
            "How mixed they are is measured by their entropy, the usual measure of how little one can "
            "foresee.",
            "Somebody who finds the rows that fit a person gains little by guessing the most frequent value.",
        ),
        protects_not=("Where one value is very frequent in the whole table, no release can keep it."),
        example=Example(
            *MOSTLY_CANCER,
            shows=(
                "In Athens cancer was three times as frequent as flu; in their twenties both are equal (l = "
                "2)."
            ),
            policy=_policy(variant="entropy", l=2),
        ),
        source=SOURCE,
    ),
    Explanation(
        name="recursive-l-diversity",
        kind="guarantee",
        title="Recursive (c, l)-diversity: the frequent are not too frequent",
        says=(
            "Among people who look alike, the most frequent value has less than c times as many rows as all "
            "values from the l-th most frequent on, together.",
            "With l = 2: the most frequent value stays below c times all the others.",
            "Somebody who can rule out one value is still left with a mixture of the others.",
        ),
        protects_not="The figures c and l say little by themselves: try some on your own table.",
        example=Example(
            *MOSTLY_CANCER,
            shows=(
                "With c = 2, three rows of cancer beside one of flu are too many; two beside two are not (l "
                "= 2)."
            ),
            policy=_policy(variant="recursive", l=2, c=2.0),
        ),
        source=SOURCE,
    ),
    Explanation(
        name="pd-recursive-l-diversity",
        kind="guarantee",
        title="Recursive diversity with harmless values (pd)",
        says=(
            "As recursive diversity, but you list values that everybody may know, such as flu or no illness.",
            "Only the other values must not become too frequent among people who look alike.",
            "So an attacker learns no value that matters, and harmless rows need no mixing.",
        ),
        protects_not="Whoever is seen to have a harmless value is known to have none of the others.",
        example=Example(
            before=example_table(
                "age      | town   | illness",
                "[20, 39] | Athens | flu",
                "[20, 39] | Athens | cancer",
                "[20, 39] | Athens | cancer",
                "[20, 39] | Athens | cancer",
                "[20, 39] | Patras | flu",
                "[20, 39] | Patras | flu",
                "[20, 39] | Patras | heart",
                "[20, 39] | Patras | diabetes",
            ),
            after=example_table(
                "age      | town | illness",
                "[20, 29] | *    | flu",
                "[30, 39] | *    | cancer",
                "[30, 39] | *    | cancer",
                "[30, 39] | *    | cancer",
                "[20, 29] | *    | flu",
                "[20, 29] | *    | flu",
                "[30, 39] | *    | heart",
                "[30, 39] | *    | diabetes",
            ),
            shows=(
                "Everybody in their twenties has flu, which is allowed; cancer is mixed with two others (c "
                "= 2)."
            ),
            policy=_policy(variant="pd-recursive", l=2, c=2.0, allowed=["flu"]),
        ),
        source=SOURCE,
    ),
    Explanation(
        name="npd-recursive-l-diversity",
        kind="guarantee",
        title="Recursive diversity with values not to be ruled out (npd)",
        says=(
            "As recursive diversity, and besides you list values that nobody may be cleared of.",
            "Each of them is had by at least c2 percent of the people who look alike, wherever one looks.",
            "So an attacker can neither be sure that a person has such a value nor that the person has not.",
        ),
        protects_not=(
            "It needs enough rows with the listed values; if they are few, people who look alike become many."
        ),
        example=Example(
            before=example_table(
                "age      | town   | illness",
                "[20, 39] | Athens | cancer",
                "[20, 39] | Athens | flu",
                "[20, 39] | Athens | cancer",
                "[20, 39] | Athens | heart",
                "[20, 39] | Patras | flu",
                "[20, 39] | Patras | heart",
                "[20, 39] | Patras | flu",
                "[20, 39] | Patras | heart",
            ),
            after=example_table(
                "age      | town | illness",
                "[20, 29] | *    | cancer",
                "[20, 29] | *    | flu",
                "[30, 39] | *    | cancer",
                "[30, 39] | *    | heart",
                "[20, 29] | *    | flu",
                "[20, 29] | *    | heart",
                "[30, 39] | *    | flu",
                "[30, 39] | *    | heart",
            ),
            shows=(
                "Nobody in Patras had cancer, which told an insurer something; now one in four has it "
                "everywhere."
            ),
            policy=_policy(variant="npd-recursive", l=2, c=3.0, c2=20.0, protected=["cancer"]),
        ),
        source=SOURCE,
    ),
)
