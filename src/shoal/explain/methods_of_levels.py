"""The methods that publish labels of a hierarchy, or stars, in plain words."""

from shoal.explain.explanation import Example, ExampleTable, Explanation, example_table
from shoal.policy.model.policy import Policy

JOBS = example_table(
    "age | job",
    "21  | nurse",
    "21  | doctor",
    "32  | nurse",
    "32  | nurse",
    "43  | teacher",
    "43  | teacher",
    "54  | nurse",
    "54  | nurse",
)
JOBS_ONE_LEVEL_UP = example_table(
    "age | job",
    "21  | health",
    "21  | health",
    "32  | health",
    "32  | health",
    "43  | school",
    "43  | school",
    "54  | health",
    "54  | health",
)
TREE = {"health": ["nurse", "doctor"], "school": ["teacher", "lecturer"]}
FINDS = "Somebody who knows a person's quasi values finds at least k rows that fit, all alike."


def _on_jobs(method: str, after: ExampleTable, shows: str) -> Example:
    policy = Policy(
        columns={"age": "quasi", "job": "quasi"},
        hierarchies={"age": {"intervals": [10, 20]}, "job": {"tree": TREE}},
        guarantees=[{"kind": "k-anonymity", "k": 2}],
        method={"name": method},
    )
    return Example(JOBS, after, shows, policy)


METHODS_OF_LEVELS = (
    Explanation(
        name="optimal",
        kind="method",
        title="optimal: whole columns coarser, as little as possible",
        says=(
            "Every column gets one level of its hierarchy: all ages by tens, all jobs by branch.",
            "Of all such choices that keep the promise, it takes the one that loses least, or says that it "
            "could not try them all.",
            FINDS,
        ),
        protects_not=(
            "A few odd people make a whole column coarse: let it leave some rows out, or take cluster."
        ),
        example=_on_jobs(
            "optimal",
            JOBS_ONE_LEVEL_UP,
            "One doctor stood alone; with branches in place of jobs every row has its twin, and ages stay "
            "exact.",
        ),
        source="shoal; levels of whole columns as in Samarati, 2001",
    ),
    Explanation(
        name="incognito",
        kind="method",
        title="incognito: list every way that is just enough",
        says=(
            "Every column gets one level of its hierarchy.",
            "It finds all choices of levels that keep the promise and of which none can be made finer, or "
            "says that it could not try them all, and publishes the one that loses least.",
            FINDS,
        ),
        protects_not="Take it to see the whole list of choices; for the result alone optimal is faster.",
        example=_on_jobs(
            "incognito",
            JOBS_ONE_LEVEL_UP,
            "Jobs one level up are enough, and without that step the doctor would stand alone.",
        ),
        source="LeFevre, DeWitt, Ramakrishnan: Incognito, SIGMOD 2005",
    ),
    Explanation(
        name="samarati",
        kind="method",
        title="samarati: the fewest steps up",
        says=(
            "Every column gets one level of its hierarchy.",
            "It counts the steps that all columns go up together, and takes the fewest that keep the "
            "promise.",
            FINDS,
        ),
        protects_not="A step counts as a step, however much it hides; optimal counts what is lost.",
        example=_on_jobs("samarati", JOBS_ONE_LEVEL_UP, "A single step is enough: jobs become branches."),
        source="Samarati: Protecting Respondents' Identities in Microdata Release, 2001",
    ),
    Explanation(
        name="datafly",
        kind="method",
        title="datafly: always the column with most values",
        says=(
            "Every column gets one level of its hierarchy.",
            "The column with most different values goes up a step, again and again, until the promise is "
            "kept.",
            FINDS,
        ),
        protects_not="It often goes further than needed; it is here to compare with.",
        example=_on_jobs(
            "datafly",
            example_table(
                "age      | job",
                "[20, 39] | health",
                "[20, 39] | health",
                "[20, 39] | health",
                "[20, 39] | health",
                "[40, 59] | school",
                "[40, 59] | school",
                "[40, 59] | health",
                "[40, 59] | health",
            ),
            "There were more ages than jobs, so ages went up two steps first, for nothing: jobs alone were "
            "enough.",
        ),
        source="Sweeney: Datafly, 1997",
    ),
    Explanation(
        name="suppress-cells",
        kind="method",
        title="suppress-cells: single cells become stars",
        says=(
            "Single cells are replaced by a star, all others stay exactly as they are.",
            "It looks for the fewest stars after which every row has k - 1 others just like it.",
            FINDS,
        ),
        protects_not="Stars mostly fall on unusual people, and columns with stars are harder to count with.",
        example=Example(
            before=example_table(
                "sex | town   | job",
                "f   | Athens | nurse",
                "f   | Athens | doctor",
                "m   | Patras | clerk",
                "m   | Athens | clerk",
            ),
            after=example_table(
                "sex | town   | job",
                "f   | Athens | *",
                "f   | Athens | *",
                "m   | *      | clerk",
                "m   | *      | clerk",
            ),
            shows="Four stars in twelve cells, and everybody has a twin.",
            policy=Policy(
                columns={"sex": "quasi", "town": "quasi", "job": "quasi"},
                guarantees=[{"kind": "k-anonymity", "k": 2}],
                method={"name": "suppress-cells"},
            ),
        ),
        source="shoal; the problem is that of Meyerson and Williams, 2004",
    ),
)
