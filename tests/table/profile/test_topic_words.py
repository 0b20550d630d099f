"""Names of columns in six languages and of surveys say what they are about."""

import pytest

from shoal.table.profile.role_guess import ColumnFacts, guess_role

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
