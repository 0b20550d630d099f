"""Slides on k-anonymity and l-diversity: the worked tables, with the right answers.

The slides cut their tables of inpatients off at the bottom: the last two rows of the 4-anonymous table and
the last row of the others do not show. What they say settles classes and conditions of these rows; the zip,
age and nationality of the twelfth are those of the paper behind the slides (Machanavajjhala et al., 2006).
The trees of generalizations are not there either: ``WAYS`` is read from the labels that the slides use.
"""

from itertools import product
from math import exp, log

import pyarrow as pa
import pytest

import shoal

QUASI = ("zip", "age", "nationality")
Row = tuple[str, ...]

PATIENTS: list[Row] = [
    ("13053", "28", "Indian", "Heart Disease"),
    ("13067", "29", "American", "Heart Disease"),
    ("13053", "35", "Canadian", "Viral Infection"),
    ("13067", "36", "Japanese", "Cancer"),
]
FOUR_ANONYMOUS_PATIENTS: list[Row] = [("130**", "< 40", "*", row[3]) for row in PATIENTS]
BY_ZIP: list[Row] = [
    ("13053", "< 40", "*", "Heart Disease"),
    ("13053", "< 40", "*", "Viral Infection"),
    ("13067", "< 40", "*", "Heart Disease"),
    ("13067", "< 40", "*", "Cancer"),
]
BY_AGE_AND_NATIONALITY: list[Row] = [
    ("130**", "< 30", "American", "Heart Disease"),
    ("130**", "< 30", "American", "Viral Infection"),
    ("130**", "3*", "Asian", "Heart Disease"),
    ("130**", "3*", "Asian", "Cancer"),
]
NOT_MINIMAL: list[Row] = [("130**", "< 40", "*", row[3]) for row in BY_ZIP]

INPATIENTS: list[Row] = [
    ("13053", "28", "Russian", "Heart Disease"),
    ("13068", "29", "American", "Heart Disease"),
    ("13068", "21", "Japanese", "Viral Infection"),
    ("13053", "23", "American", "Viral Infection"),
    ("14853", "50", "Indian", "Cancer"),
    ("14853", "55", "Russian", "Heart Disease"),
    ("14850", "47", "American", "Viral Infection"),
    ("14850", "49", "American", "Viral Infection"),
    ("13053", "31", "American", "Cancer"),
    ("13053", "37", "Indian", "Cancer"),
    ("13068", "36", "Japanese", "Cancer"),
    ("13068", "35", "American", "Cancer"),
]
UMEKOS = ("130**", "< 30", "*")
BOBS = ("130**", "3*", "*")
FOUR_ANONYMOUS: list[Row] = [
    (*UMEKOS, "Heart Disease"),
    (*UMEKOS, "Heart Disease"),
    (*UMEKOS, "Viral Infection"),
    (*UMEKOS, "Viral Infection"),
    ("1485*", ">= 40", "*", "Cancer"),
    ("1485*", ">= 40", "*", "Heart Disease"),
    ("1485*", ">= 40", "*", "Viral Infection"),
    ("1485*", ">= 40", "*", "Viral Infection"),
    (*BOBS, "Cancer"),
    (*BOBS, "Cancer"),
    (*BOBS, "Cancer"),
    (*BOBS, "Cancer"),
]
THREE_DIVERSE: list[Row] = [
    ("1305*", "<= 40", "*", "Heart Disease"),
    ("1305*", "<= 40", "*", "Viral Infection"),
    ("1305*", "<= 40", "*", "Cancer"),
    ("1305*", "<= 40", "*", "Cancer"),
    ("1485*", ">= 40", "*", "Cancer"),
    ("1485*", ">= 40", "*", "Heart Disease"),
    ("1485*", ">= 40", "*", "Viral Infection"),
    ("1485*", ">= 40", "*", "Viral Infection"),
    ("1306*", "<= 40", "*", "Heart Disease"),
    ("1306*", "<= 40", "*", "Viral Infection"),
    ("1306*", "<= 40", "*", "Cancer"),
    ("1306*", "<= 40", "*", "Cancer"),
]

WAYS: dict[str, dict[str, Row]] = {
    "zip": {"13053": ("130**", "*"), "13067": ("130**", "*")},
    "age": {
        "28": ("< 30", "< 40", "*"),
        "29": ("< 30", "< 40", "*"),
        "35": ("3*", "< 40", "*"),
        "36": ("3*", "< 40", "*"),
    },
    "nationality": {
        "Indian": ("Asian", "*"),
        "Japanese": ("Asian", "*"),
        "American": ("American", "*"),
        "Canadian": ("American", "*"),
    },
}
HEIGHTS = (2, 3, 2)
HIERARCHIES = {
    name: {"paths": [[leaf, *labels] for leaf, labels in ways.items()]} for name, ways in WAYS.items()
}


def frame(rows: list[Row]) -> pa.Table:
    return pa.table(dict(zip((*QUASI, "condition"), map(list, zip(*rows, strict=True)), strict=True)))


def policy(*guarantees: object, **more: object) -> shoal.Policy:
    roles = {**dict.fromkeys(QUASI, "quasi"), "condition": "sensitive"}
    return shoal.Policy(columns=roles, guarantees=guarantees, **more)


def verdict(rows: list[Row], asked: object) -> shoal.Verdict:
    (found,) = shoal.check(frame(rows), policy(asked))
    return found


def k_of(rows: list[Row]) -> int:
    return verdict(rows, shoal.KAnonymity(k=2)).achieved["k"]


def diversity(variant: str = "distinct", **numbers: float) -> shoal.LDiversity:
    return shoal.LDiversity(variant=variant, sensitive="condition", **numbers)


def in_class(rows: list[Row], quasi: Row) -> list[Row]:
    return [row for row in rows if row[:3] == quasi]


# k-anonymity


def test_the_voter_list_finds_bob_in_the_table_without_names():
    voters = {("13053", "28", "American"): "John", ("13067", "29", "American"): "Bob",
              ("13053", "23", "American"): "Chris"}  # fmt: skip
    found = [(voters[row[:3]], row[3]) for row in PATIENTS if row[:3] in voters]
    assert found == [("Bob", "Heart Disease")]
    assert k_of(PATIENTS) == 1


def test_the_generalized_table_is_4_anonymous():
    assert k_of(FOUR_ANONYMOUS_PATIENTS) == 4


# k-minimal generalizations


def generalized(rows: list[Row], levels: tuple[int, ...]) -> list[Row]:
    labels = [
        tuple(
            (cell, *WAYS[name][cell])[level] for name, cell, level in zip(QUASI, row[:3], levels, strict=True)
        )
        for row in rows
    ]
    return [(*shown, row[3]) for shown, row in zip(labels, rows, strict=True)]


def minimal_by_definition(rows: list[Row], k: int) -> set[tuple[int, ...]]:
    """Every table generalization is checked: k-anonymous, and generalizes no other that is."""
    every = product(*(range(height + 1) for height in HEIGHTS))
    passing = [levels for levels in every if k_of(generalized(rows, levels)) >= k]
    return {
        levels
        for levels in passing
        if not any(
            other != levels and all(a <= b for a, b in zip(other, levels, strict=True)) for other in passing
        )
    }


def incognito(rows: list[Row], *guarantees: object) -> shoal.Release:
    asked = guarantees or (shoal.KAnonymity(k=2),)
    made = policy(*asked, hierarchies=HIERARCHIES, method={"name": "incognito"})
    return shoal.anonymize(frame(rows), made, seed=0)


def nodes(release: shoal.Release) -> dict[tuple[int, ...], dict[str, float]]:
    return {tuple(node.levels[name] for name in QUASI): node.loss for node in release.result.nodes}


def test_the_table_by_zip_is_one_of_three_2_minimal_generalizations():
    """The slide shows two and does not say that they are all; its other one is none of the three."""
    found = nodes(incognito(PATIENTS))
    assert set(found) == {(0, 2, 2), (1, 1, 2), (1, 2, 1)} == minimal_by_definition(PATIENTS, 2)
    assert sorted(generalized(PATIENTS, (0, 2, 2))) == sorted(BY_ZIP)


def test_the_table_by_age_and_nationality_is_2_anonymous_but_not_made_from_the_slides_patients():
    """An Asian below 30 and an American above are in it: at these levels everybody stands alone."""
    assert k_of(BY_AGE_AND_NATIONALITY) == 2
    assert k_of(generalized(PATIENTS, (1, 1, 1))) == 1


def test_with_two_ages_exchanged_the_slides_two_tables_are_all_2_minimal_generalizations():
    """Rows 1 and 3 are 35 and 28; then both printed tables are right, and there is no third."""
    first, second, third, fourth = PATIENTS
    exchanged = [(first[0], "35", *first[2:]), second, (third[0], "28", *third[2:]), fourth]
    assert set(nodes(incognito(exchanged))) == {(0, 2, 2), (1, 1, 1)} == minimal_by_definition(exchanged, 2)
    assert sorted(generalized(exchanged, (0, 2, 2))) == sorted(BY_ZIP)
    assert sorted(generalized(exchanged, (1, 1, 1))) == sorted(BY_AGE_AND_NATIONALITY)


def test_the_order_of_the_patients_changes_no_generalization():
    assert nodes(incognito(PATIENTS[::-1])) == nodes(incognito(PATIENTS))


def test_the_counter_example_is_2_anonymous_and_not_minimal():
    assert k_of(NOT_MINIMAL) == 4
    assert sorted(generalized(PATIENTS, (1, 2, 2))) == sorted(NOT_MINIMAL)
    assert (1, 2, 2) not in nodes(incognito(PATIENTS))


def test_the_published_table_is_the_cheapest_of_them_and_says_so():
    release = incognito(PATIENTS)
    published = list(zip(*release.result.table.to_pydict().values(), strict=True))
    assert sorted(published) == sorted(BY_ZIP)
    ncp = [loss["ncp"] for loss in nodes(release).values()]
    assert release.loss["ncp"] == ncp[0] == min(ncp)
    assert all(found.holds for found in release.verdicts)


def test_preferring_the_least_distortion_is_by_mean_level_over_highest_level():
    """The slides print the formula without an example; by hand: (0/2 + 2/3 + 2/2) / 3 and so on."""
    found = nodes(incognito(PATIENTS))
    by_hand = {(0, 2, 2): 5 / 9, (1, 1, 2): (1 / 2 + 1 / 3 + 1) / 3, (1, 2, 1): (1 / 2 + 2 / 3 + 1 / 2) / 3}
    for levels, distortion in by_hand.items():
        assert found[levels]["distortion"] == pytest.approx(distortion)
        assert found[levels]["height"] == sum(levels) == 4
        assert found[levels]["average_class"] == 2
        assert found[levels]["discernibility"] == 2**2 + 2**2


# Attacks on k-anonymity


def test_the_inpatients_are_unprotected_and_their_generalization_is_4_anonymous():
    assert k_of(INPATIENTS) == 1
    assert k_of(FOUR_ANONYMOUS) == 4


def test_as_far_as_the_slides_show_them_the_tables_are_smaller():
    """10 rows of the 4-anonymous table, 11 of the 3-diverse one: the rest was cut off, not left out."""
    assert k_of(FOUR_ANONYMOUS[:10]) == 2
    assert k_of(THREE_DIVERSE[:11]) == 3
    assert verdict(THREE_DIVERSE[:11], diversity(l=3)).holds


def test_homogeneity_tells_that_bob_has_cancer():
    assert {row[3] for row in in_class(FOUR_ANONYMOUS, BOBS)} == {"Cancer"}
    found = verdict(FOUR_ANONYMOUS, diversity(l=2))
    assert not found.holds
    assert found.achieved["l"] == 1
    others = [row for row in FOUR_ANONYMOUS if row[:3] != BOBS]
    assert verdict(others, diversity(l=2)).holds


def test_background_knowledge_tells_that_umeko_has_a_viral_infection():
    """Heart disease is rare in Japan: one thing known is enough against two values, not against three."""
    umekos = in_class(FOUR_ANONYMOUS, UMEKOS)
    assert verdict(umekos, diversity(l=2)).achieved["l"] == 2
    left = [row for row in umekos if row[3] != "Heart Disease"]
    assert {row[3] for row in left} == {"Viral Infection"}
    assert not verdict(left, diversity(l=2)).holds
    in_diverse = [
        row for row in in_class(THREE_DIVERSE, ("1306*", "<= 40", "*")) if row[3] != "Heart Disease"
    ]
    assert verdict(in_diverse, diversity(l=2)).holds


# l-diversity


def test_the_3_diverse_table_is_4_anonymous_and_has_three_values_in_every_class():
    assert k_of(THREE_DIVERSE) == 4
    assert verdict(THREE_DIVERSE, diversity(l=3)).achieved["l"] == 3
    assert verdict(THREE_DIVERSE, diversity(l=3)).holds
    assert not verdict(THREE_DIVERSE, diversity(l=4)).holds


def test_the_3_diverse_table_is_made_of_the_inpatients():
    """Row by row: 1, 4, 9, 10 are 1305*, rows 5 to 8 are 1485*, and 2, 3, 11, 12 are 1306*."""
    order = [1, 4, 9, 10, 5, 6, 7, 8, 2, 3, 11, 12]
    for row, (zip_label, _, _, condition) in zip(order, THREE_DIVERSE, strict=True):
        assert INPATIENTS[row - 1][0].startswith(zip_label.rstrip("*"))
        assert INPATIENTS[row - 1][3] == condition


def test_entropy_of_the_worked_tables():
    """Counts 2, 1, 1 have entropy 3/2 log 2, short of log 3: three values are not yet entropy 3-diverse."""
    found = verdict(THREE_DIVERSE, diversity("entropy", l=2.8))
    assert found.holds
    assert found.achieved["l"] == pytest.approx(2**1.5, abs=1e-6)
    assert not verdict(THREE_DIVERSE, diversity("entropy", l=3)).holds
    assert verdict(in_class(FOUR_ANONYMOUS, UMEKOS), diversity("entropy", l=2)).achieved["l"] == 2
    assert verdict(FOUR_ANONYMOUS, diversity("entropy", l=2)).achieved["l"] == 1


def test_entropy_is_too_restrictive_if_the_whole_table_has_less_than_log_l():
    """5 cancers, 4 infections, 3 heart diseases: no generalization at all is entropy 3-diverse."""
    entropy = -sum(count / 12 * log(count / 12) for count in (5, 4, 3))
    assert exp(entropy) < 3
    flat = policy(shoal.KAnonymity(k=2), diversity("entropy", l=3), method={"name": "incognito"})
    with pytest.raises(shoal.Infeasible, match="even the whole table as one class fails"):
        shoal.anonymize(frame(INPATIENTS), flat)
    whole = [("*", "*", "*", row[3]) for row in INPATIENTS]
    found = verdict(whole, diversity("entropy", l=2.9))
    assert found.holds
    assert found.achieved["l"] == pytest.approx(exp(entropy), abs=1e-6)


@pytest.mark.parametrize(("l", "needed"), [(2, 1), (3, 2)])
def test_recursive_diversity_of_the_3_diverse_table(l, needed):
    """Counts 2, 1, 1: 2 < c (1 + 1) for l = 2, 2 < c for l = 3; both strict. Never for l = 4."""
    assert not verdict(THREE_DIVERSE, diversity("recursive", l=l, c=needed)).holds
    assert verdict(THREE_DIVERSE, diversity("recursive", l=l, c=needed + 0.01)).holds
    assert verdict(THREE_DIVERSE, diversity("recursive", l=l, c=9)).achieved["c"] == needed
    assert not verdict(THREE_DIVERSE, diversity("recursive", l=4, c=9)).holds


def test_the_homogeneous_class_is_recursively_diverse_for_no_c():
    found = verdict(FOUR_ANONYMOUS, diversity("recursive", l=2, c=1e9))
    assert not found.holds
    assert found.achieved["c"] is None


def test_cancers_disclosure_allowed_the_homogeneous_class_passes():
    """pd-recursive: Bob's class holds nothing else; the other classes have to pass with c above 1."""
    asked = shoal.LDiversity(variant="pd-recursive", l=2, c=1.01, allowed=("Cancer",), sensitive="condition")
    assert verdict(FOUR_ANONYMOUS, asked).holds
    assert not verdict(FOUR_ANONYMOUS, asked.model_copy(update={"allowed": ()})).holds


def test_ruling_cancer_out_is_negative_disclosure():
    """npd-recursive: Umeko's class has no cancer at all; in the 3-diverse table every class has a quarter."""
    asked = shoal.LDiversity(
        variant="npd-recursive", l=2, c=3, c2=25, protected=("Cancer",), sensitive="condition"
    )
    assert verdict(THREE_DIVERSE, asked).holds
    assert not verdict(THREE_DIVERSE, asked.model_copy(update={"c2": 26.0})).holds
    assert not verdict(in_class(FOUR_ANONYMOUS, UMEKOS), asked).holds


def test_two_sensitive_columns_are_diverse_one_by_one_and_not_together():
    """Who knows the condition knows the treatment, although both have two values."""
    roles = {"zip": "quasi", "condition": "sensitive", "treatment": "sensitive"}
    asked = [shoal.LDiversity(l=2, sensitive=name) for name in ("condition", "treatment")]
    table = {"zip": ["130**"] * 4, "condition": ["a", "a", "b", "b"], "treatment": ["x", "x", "y", "y"]}
    found = shoal.check(pa.table(table), shoal.Policy(columns=roles, guarantees=asked))
    assert not any(each.holds for each in found)
    alone = [one.model_copy(update={"alone": True}) for one in asked]
    assert all(
        each.holds for each in shoal.check(pa.table(table), shoal.Policy(columns=roles, guarantees=alone))
    )


# Monotonicity


@pytest.mark.parametrize(
    "asked",
    [
        diversity(l=2),
        diversity("entropy", l=1.5),
        diversity("recursive", l=2, c=2),
        diversity("pd-recursive", l=2, c=2),
    ],
    ids=lambda asked: asked.variant,
)
def test_every_generalization_of_a_diverse_table_is_diverse(asked):
    """So searches may ask for diversity wherever they ask for k."""
    diverse = {
        levels
        for levels in product(*(range(height + 1) for height in HEIGHTS))
        if verdict(generalized(PATIENTS, levels), asked).holds
    }
    assert diverse
    for levels, above in product(diverse, product(*(range(height + 1) for height in HEIGHTS))):
        if all(a <= b for a, b in zip(levels, above, strict=True)):
            assert above in diverse


def test_searching_for_diversity_finds_the_minimal_diverse_generalizations():
    """By zip, and by nationality; by age alone, both patients below 30 have a heart disease."""
    found = nodes(incognito(PATIENTS, shoal.KAnonymity(k=2), diversity(l=2)))
    assert set(found) == {(0, 2, 2), (1, 2, 1)}
