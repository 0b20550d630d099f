"""The words of the trade, in plain words."""

from dataclasses import replace
from typing import Any

from shoal.explain.explanation import Example, Explanation, example_table
from shoal.explain.methods_of_levels import METHODS_OF_LEVELS
from shoal.explain.methods_of_means import METHODS_OF_MEANS
from shoal.explain.methods_of_permutation import METHODS_OF_PERMUTATION
from shoal.explain.methods_of_ranges import METHODS_OF_RANGES
from shoal.policy.model.policy import Policy

OF_METHOD = {
    one.name: one.example
    for one in (*METHODS_OF_RANGES, *METHODS_OF_LEVELS, *METHODS_OF_PERMUTATION, *METHODS_OF_MEANS)
}
TWO_ALIKE: dict[str, Any] = {"guarantees": [{"kind": "k-anonymity", "k": 2}]}
CENSUS = "the usual words of official statistics: Hundepool et al., Statistical Disclosure Control, 2012"


def _roles(shows: str) -> Example:
    return Example(
        before=example_table(
            "name | age | illness | ward",
            "Ann  | 24  | flu     | A",
            "Bob  | 26  | cancer  | B",
            "Cid  | 45  | flu     | B",
            "Dot  | 47  | heart   | A",
        ),
        after=example_table(
            "age      | illness | ward",
            "[24, 26] | flu     | A",
            "[24, 26] | cancer  | B",
            "[45, 47] | flu     | B",
            "[45, 47] | heart   | A",
        ),
        shows=shows,
        policy=Policy(
            columns={"name": "identifier", "age": "quasi", "illness": "sensitive", "ward": "other"},
            method={"name": "mondrian"},
            **TWO_ALIKE,
        ),
    )


GLOSSARY = (
    Explanation(
        name="attacker",
        kind="word",
        title="Attacker",
        says=(
            "Anybody who knows something about a person and tries to find the person's row: a neighbour, an "
            "employer.",
            "A promise is always about a stated attacker: somebody who knows these columns, or that total.",
        ),
        protects_not="Somebody who knows more than the stated attacker may find more.",
        example=_roles("A neighbour who knows that Ann is 24 had one row; now two rows fit."),
        source=CENSUS,
    ),
    Explanation(
        name="identifier",
        kind="word",
        title="Identifier",
        says=(
            "A column that names a person by itself: name, passport number, e-mail, telephone.",
            "It is left out of what is published.",
        ),
        protects_not="Leaving names out is not enough: age and postcode together often point to one person.",
        example=_roles("The column name is gone."),
        source=CENSUS,
    ),
    Explanation(
        name="drop",
        kind="word",
        title="Dropped column",
        says=(
            "A column that is left out of what is published, for whatever reason.",
            "Unlike an identifier it may hold the same value in several rows.",
        ),
        protects_not=(
            "If it numbers people or households, rows are no people, whether it is published or not: "
            "such columns are looked for, and refused or named."
        ),
        example=_roles("The column name is gone, as it would be with this role."),
        source=CENSUS,
    ),
    Explanation(
        name="quasi",
        kind="word",
        title="Quasi column",
        says=(
            "A column that others may know of a person: age, sex, postcode, job.",
            "One of them tells little, several together point to one person.",
            "These columns are made coarser, so that several rows fit whatever an attacker knows.",
        ),
        protects_not=(
            "A column that others know and that is not marked as quasi is not protected: mark too many "
            "rather than too few."
        ),
        example=_roles("Ages are shown as ranges that two people share."),
        source=CENSUS,
    ),
    Explanation(
        name="sensitive",
        kind="word",
        title="Sensitive column",
        says=(
            "A column that others must not learn about a person: illness, salary, debt.",
            "It is what the table is published for, so it stays readable.",
            "Promises such as l-diversity see to it that nobody can tell whose value it is.",
        ),
        protects_not="Without such a promise, people who look alike may all have the same illness.",
        example=_roles("Illnesses stay as they are, but flu or cancer may both be Ann's."),
        source=CENSUS,
    ),
    Explanation(
        name="other",
        kind="word",
        title="Other column",
        says=(
            "A column that nobody outside knows and that is no secret: a ward, a batch number.",
            "It is published as it is.",
        ),
        protects_not="If somebody does know it, it helps to find a person: in doubt make it quasi.",
        example=_roles("The ward is published as it is."),
        source=CENSUS,
    ),
    Explanation(
        name="class",
        kind="word",
        title="Class",
        says=(
            "All rows that an attacker cannot tell apart, because they look alike in the quasi columns.",
            "An attacker finds the class of a person, but not the row.",
        ),
        protects_not="The smallest class decides: one small class and somebody is nearly found.",
        example=_roles("Two classes: those from 24 to 26, and those from 45 to 47."),
        source="Samarati and Sweeney, 1998 (there: equivalence class)",
    ),
    Explanation(
        name="suppression",
        kind="word",
        title="Suppression",
        says=(
            "A row is left out, or a cell is shown as a star.",
            "A few unusual people left out may save all others from coarse ranges.",
            "You say which share of all rows may be left out at most.",
        ),
        protects_not=(
            "Those left out are often the unusual ones, so counts and means of what is left lean to the "
            "usual."
        ),
        example=Example(
            before=example_table("age", "21", "21", "32", "32", "77"),
            after=example_table("age", "21", "21", "32", "32"),
            shows="Without the one of 77 all others have a twin and keep their exact age.",
            policy=Policy(
                columns={"age": "quasi"},
                hierarchies={"age": {"intervals": [10]}},
                method={"name": "optimal", "suppression": 0.2},
                **TWO_ALIKE,
            ),
        ),
        source="Samarati and Sweeney, 1998",
    ),
    Explanation(
        name="hierarchy",
        kind="word",
        title="Hierarchy",
        says=(
            "A ladder from exact to coarse for a column: nurse, health, anything; or 34, 30 to 39, 20 to "
            "39, anything.",
            "A step up the ladder is called a level, and what is shown there a label.",
            "Coarser labels are shared by more people, so an attacker finds more rows that fit.",
        ),
        protects_not=(
            "A ladder whose steps mean nothing to readers protects as well, and is of little use to them."
        ),
        example=OF_METHOD["optimal"],
        source="Samarati and Sweeney, 1998 (there: generalization hierarchy)",
    ),
    Explanation(
        name="loss",
        kind="word",
        title="Loss (ncp)",
        says=(
            "How much the published cells hide, from 0 (all exact) to 1 (all hidden).",
            "A range counts by its width, as a share of the width of all values; the loss is the mean over "
            "all cells.",
            "The lower it is, the more the table is still good for, under the same promise.",
        ),
        protects_not=(
            "It says nothing about how safe a table is, and only roughly how well your own question is "
            "answered."
        ),
        example=Example(
            before=example_table("age", "20", "30", "50", "60"),
            after=example_table("age", "[20, 30]", "[20, 30]", "[50, 60]", "[50, 60]"),
            shows="All ages span 40 years and every range 10, so the loss is 10 / 40 = 0.25.",
            policy=Policy(columns={"age": "quasi"}, method={"name": "mondrian"}, **TWO_ALIKE),
        ),
        source="Xu et al., KDD 2006 (normalized certainty penalty)",
    ),
    Explanation(
        name="permutation",
        kind="word",
        title="Permutation",
        says=(
            "The sensitive values of a group of people are dealt anew among them, by chance.",
            "All values are still there, so sums and means of a group are exact.",
            "An attacker who finds a person's row sees a value that may be anybody's of the group.",
        ),
        protects_not="Who is in the table stays visible, and so do all quasi columns.",
        example=replace(
            OF_METHOD["min-sum"],
            shows=(
                "Alex, who is 35 and earns 54, is shown with the 70 of Evan; the five salaries of the first "
                "group still add up to 300."
            ),
        ),
        source="Zhang, Koudas, Srivastava, Yu, ICDE 2007",
    ),
    Explanation(
        name="aggregate",
        kind="word",
        title="Aggregate",
        says=(
            "One figure made of several columns of a person: a total income, a mean mark, a largest debt.",
            "An attacker may know it without knowing any of the columns.",
        ),
        protects_not="k-anonymity of all columns protects from every aggregate, and often hides far more.",
        example=OF_METHOD["residual"],
        source="Gkountouna, Lepenioti, Terrovitis: Privacy against Aggregate Knowledge Attacks",
    ),
    Explanation(
        name="class-means",
        kind="word",
        title="Class means",
        says=(
            "People or firms who are alike form a group, and each of them shows the mean of the group.",
            "Totals and means of the whole table stay right.",
            "An attacker finds a group, and a mean that is nobody's in particular.",
        ),
        protects_not="One very large firm draws the mean of its group towards itself.",
        example=OF_METHOD["mdav"],
        source="Defays and Anwar, 1998; Domingo-Ferrer and Torra, 2005 (there: microaggregation)",
    ),
)
