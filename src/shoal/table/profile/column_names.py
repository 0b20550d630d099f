"""What the name of a column says about it, in the languages that we know some words of.

Names are compared without capitals, accents and punctuation: ``Prénom``, ``PRENOM`` and ``prenom_2`` are one.
English, German, French, Spanish, Italian and Greek words stand on a line each, in this order.
"""

import re
import unicodedata

NAMES = (
    r"id|ids|\w*name|ssn|nin|e ?mail|phone|tel|iban|passport|uuid"
    r"|\w+nummer|kennung|steuer ?id|telefon\w*|handy\w*|ausweis\w*|anschrift"
    r"|nom|noms|prenoms?|identifiant|num secu\w*|matricule|telephone|courriel|passeport|nir"
    r"|nombres?(?= completo| y )|apellidos?|dni|nif|nie|cedula|telefono|correo|pasaporte"
    r"|nome|cognome|codice fiscale|cellulare|passaporto"
    r"|\w*ονομα|\w*ονοματοσ|ονοματ?επωνυμο|επωνυμο|πατρωνυμο|αφμ|αμκα|ταυτοτητα|τηλεφωνο|κινητο|διευθυνση"
)
IDENTIFIER = rf"\b({NAMES})\b|^nombres?$"
KEY_OF = (
    r"patient|person|subject|respondent|participant|household|family|case|member|customer|client|pupil|student"
    r"|employee|hh|pat|subj|resp|cust|emp|panel|sample|obs|record"
    r"|proband|haushalt|familie|fall|kunden?|schueler|mitglied"
    r"|personne|menage|famille|cas|eleve|sujet"
    r"|paciente|persona|hogar|familia|caso|cliente|alumno"
    r"|paziente|famiglia|alunno"
    r"|ασθενησ|ασθενουσ|ατομο|ατομου|νοικοκυριο|νοικοκυριου"
)
NUMBER = r"id|ids|nr|no|num|number|key|nummer|numero|kennung|schluessel|cle|clave|chiave|αριθμοσ"
KEY = (
    rf"^(id|nr|number|nummer|numero|id ?code|[hpu]id|hhid|newid|{KEY_OF})$"
    rf"|\b({KEY_OF}) ?({NUMBER}|code)$|^({NUMBER}) ?({KEY_OF})$|^(orig?|old|new|my) ?([hpu]|hh)?id$"
)
OF_PEOPLE = (
    rf"^(names?|ids?)$|\b({KEY_OF}|first|last|middle|given|full|maiden|nick|user|own|owner|contact|sur|fore"
    r"|mother|father|parent|child|spouse|doctor|physician|teacher|author|your|legal|display"
    r"|vor|nach|zu|mutter|vater|eltern|kind|arzt|voll|geburts|spitz|ruf) ?(names?|ids?)$"
)
NAMED = r"(names?|\bids?)$"
SENSITIVE = (
    r"diagnos|disease|condition|illness|religi|orientation|offen[cs]e|crime|disab|\bhiv|therap"
    r"|krank|behinder|konfession|\bglaube|straftat|delikt|medikament|befund|gewerkschaft"
    r"|maladie|patholog|handicap|croyance|infraction|\bdelits?\b|medicament|syndicat"
    r"|enfermedad|dolencia|discapacid|orientacion sexual|\bdelitos?\b|tratamiento|creencia|sindicat"
    r"|malatti|patologi|orientamento sessuale|\breat[oi]\b|terapia|farmac|sindacat"
    r"|διαγνωσ|ασθενει|\bνοσοσ?\b|\bνοσου\b|νοσημα|παθησ|θρησκ|αναπηρ|θεραπ|φαρμακ|εγκλημ|αδικημ|σεξουαλικ"
)
POSTAL = (
    r"\b(zip|zip ?code|post(al)? ?code"
    r"|plz|\w*postleitzahl\w*"
    r"|code postal|cp"
    r"|codigo postal"
    r"|cap|codice (di avviamento )?postale"
    r"|τ ?κ|ταχυδρομικ\w*( κωδικ\w*)?)\b"
)
PERSONAL = (
    r"\b(age|sex|gender|birth\w*|dob|race|ethnic\w*|nationality|country"
    r"|alter|lebensalter|\w*geschlecht|\w*geburt\w*|geboren\w*|wohnort|staatsangehorig\w*|nationalitat|herkunft"
    r"|sexe|genre|naissance|nationalite|pays|ethnie"
    r"|edad|sexo|genero|nacimiento|nacionalidad|pais|etnia"
    r"|eta|sesso|genere|nascita|nazionalita|paese"
    r"|ηλικια\w*|φυλο|γεννησ\w*|εθνικοτητα|εθνοτητα|υπηκοοτητα|χωρα)\b"
)
CODE = (
    r"\b(code|year|month|day|date|class|level|rank"
    r"|\w*jahr|monat|\w*datum|kode|kennziffer|\w*klasse|stufe"
    r"|annee|mois|jour"
    r"|codigo|ano|mes|dia|fecha"
    r"|codice|anno|mese|giorno"
    r"|κωδικ\w*|ετοσ|μηνασ|ημερομηνια)\b"
)


def plain_name(name: str) -> str:
    """Small letters without accents, words apart by one blank; what is no letter is a blank.

    >>> plain_name("Διάγνωση"), plain_name("birthDate_2"), plain_name("Straße (privat)")
    ('διαγνωση', 'birth date', 'strasse privat')
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    letters = unicodedata.normalize("NFKD", apart.casefold())
    bare = "".join(one for one in letters if not unicodedata.combining(one))
    return re.sub(r"[\W\d_]+", " ", bare).strip()


def looks_identifying(name: str) -> bool:
    """Whether a column of this name may tell who somebody is."""
    return _has(IDENTIFIER, name)


def names_anything(name: str) -> bool:
    """Whether it holds names or numbers of something that need not be people: a clinic, a test, a continent.

    >>> [names_anything(name) for name in ("clinic_name", "test_id", "last_name", "patient_id", "phone")]
    [True, True, False, False, False]
    """
    return _has(NAMED, name) and not _has(OF_PEOPLE, name) and not looks_like_key(name)


def looks_like_key(name: str) -> bool:
    """The number of a person, a household or a case.

    >>> [looks_like_key(name) for name in ("nr", "patient_id", "HHID", "subject", "city_name", "school_id")]
    [True, True, True, True, False, False]
    """
    return _has(KEY, name)


def looks_sensitive(name: str) -> bool:
    """Whether a column of this name may hold what people keep to themselves."""
    return _has(SENSITIVE, name)


def looks_postal(name: str) -> bool:
    """Whether a column of this name may hold postal codes."""
    return _has(POSTAL, name)


def looks_personal(name: str) -> bool:
    """Something that others may know about a person.

    >>> [looks_personal(name) for name in ("Postleitzahl", "Φύλο", "Date de naissance", "wage")]
    [True, True, True, False]
    """
    return _has(PERSONAL, name) or looks_postal(name)


def looks_like_code(name: str) -> bool:
    """Numbers that stand for something, and whose sum means nothing: years, codes, ranks."""
    return _has(CODE, name) or looks_personal(name)


def _has(pattern: str, name: str) -> bool:
    return re.search(pattern, plain_name(name)) is not None
