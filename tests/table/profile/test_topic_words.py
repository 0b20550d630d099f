"""Names of columns in six languages and of surveys say what they are about."""

import pytest

from shoal.table.profile.role_guess import ColumnFacts, guess_role
from shoal.table.profile.topic_words import looks_known, topic_of

QUASI = (
    "age sex zip occupation education children race ethnicity Alter PLZ Familienstand Beruf Kinderzahl "
    "Bundesland âge état_civil diplôme nb_enfants département edad ocupación hijos provincia raza età "
    "professione figli regione ηλικία ΤΚ επάγγελμα παιδιά περιφέρεια educ exper tenure hrswork married "
    "black nonwhite smsa south sibs meduc "
)
SENSITIVE = (
    "income salary debt religion party vote union disease disability conviction hiv drug_use "
    "sexual_orientation Nettoeinkommen Parteipraeferenz Gewerkschaft Diagnose Vorstrafen Schulden "
    "revenu dettes parti syndicat maladie ingresos deuda partido voto enfermedad delitos reddito debiti "
    "sindacato malattia reati εισόδημα μισθός χρέη θρήσκευμα κόμμα συνδικάτο διάγνωση αναπηρία lwage "
    "faminc iq kww cigs depressed "
)


def guessed(name: str) -> str:
    return guess_role(ColumnFacts(name, "integer", 1_000, 15, 0, ends=(1_000.0, 5_000.0))).role


@pytest.mark.parametrize(
    ("names", "role"),
    [
        (QUASI, "quasi"),
        (SENSITIVE, "sensitive"),
        ("Hochrechnungsfaktor pesi στάθμιση factor_expansion fnlwgt", "drop"),
        ("Versicherungsnummer ΑΜΚΑ num_secu codice_fiscale ssn", "identifier"),
        ("treatment arm grupo Gruppe", "other"),
    ],
)
def test_names_of_columns_tell_their_role(names: str, role: str) -> None:
    assert {name: guessed(name) for name in names.split()} == dict.fromkeys(names.split(), role)


@pytest.mark.parametrize(
    "name",
    [
        "observed",
        "DoleLR",
        "schools",
        "created",
        "recreation",
        "environmental",
        "learning",
        "availability",
        "operating",
        "happened",
        "suspended",
        "coffee",
        "recognized",
        "example",
        "spray",
        "begun",
        "aftermath",
    ],
)
def test_a_short_word_inside_another_one_is_no_topic(name):
    assert topic_of(name) is None


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("served", "crime"),
        ("dole", "income or wealth"),
        ("chol", "health"),
        ("hh_earnings", "income or wealth"),
        ("creatinine", "health"),
        ("math_score", "tests and grades"),
        ("happiness", "belief or opinion"),
    ],
)
def test_at_the_start_of_a_word_it_is(name, topic):
    assert topic_of(name) == topic


ETHNIC = [
    "Black",
    "White",
    "Asian",
    "Nat.Am",
    "NativeAmerican",
    "Hispanic",
    "Latino",
    "afr_am",
    "Pacific.Isl",
]


@pytest.mark.parametrize("name", ETHNIC)
def test_all_words_for_ethnic_groups_are_known_to_others(name):
    assert topic_of(name) is None
    assert looks_known(name)
