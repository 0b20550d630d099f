"""What names of columns say a column is about, as surveys and offices name them: what others know about
somebody, what people keep to themselves, what weighs or numbers records.

Names are compared as in `column_names`. English, German, French, Spanish, Italian and Greek words stand on a
line each, in this order; a short word that others contain counts only where a word begins (`served`
is no part of `observed`). Short names of surveys (``educ``, ``lwage``, ``hrswork``) are English.
"""

import re

from shoal.table.profile.column_names import plain_name

HEALTH = (
    r"diagnos|disease|illness|\bsick|\bhiv|\baids\b|cancer|tumou?r|depress|disab|smok|\w*alc\b|\w*cig"
    r"|\binj|steroid|antibiot|vaccin|surgery"
    r"|\balc|alcohol"
    r"|drink"
    r"|drunk|drug|marij|cocain|blood|\bchol|gluc|insulin|diabet|hypert|hemo|\bcreat(?!ed|ion|ive|or)"
    r"|\balbum(?!s?\b)|platelet|\bbmi\b"
    r"|symptom"
    r"|therap|medic|\bmental|psych|suicid|death|died|\bdead|surviv|\bsurv|relapse|\brecur|pregnan|abort"
    r"|birth ?w|bwght"
    r"|\bhosp|doctor|\bmdvis|\w*visits?\b|health|\bill\b|chron|\badl|\w*vis\b|\bill\w*|\bstage\b"
    r"|asthma|allerg|injur|nodes"
    r"|\bhormone"
    r"|condition|stress|anxi|fever|\bpulse|\bbp\b|sbp|dbp|systol|diastol|lesion|infect|transplant|\bfev"
    r"|hlth|disea|physlm|\bbwt\b|\bbili|copper|\balk ?phos|\bast\b|\bsgot|\btrig\b|triglyc|protime"
    r"|ascites|hepato|spiders"
    r"|edema|karno|\becog|\bwt ?loss|meal ?cal|\bglu\b|npreg|futime|fustat|censor|\bcens\b|\bdose"
    r"|remission|\bcd \b|\bwbc|ferritin"
    r"|krank|behinder|medikament|befund|diagnos|schwanger|blutdruck|gesundheit|pflegegrad|\bicd\b"
    r"|maladie|patholog|handicap|medicament|sante\b|grossesse|hospital"
    r"|enfermedad|dolencia|discapacid|tratamiento|salud|embaraz"
    r"|malatti|patologi|terapia|farmac|salute|gravidanz|disabil"
    r"|διαγνωσ|ασθενει|\bνοσοσ?\b|\bνοσου\b|νοσημα|παθησ|αναπηρ|θεραπ|φαρμακ|υγεια"
)
CREDIT = (
    r"\bloan|\bmortg|credit|\blend|\bden(y|ied|ial)\b|bankrupt|\w*debt|\bdelinq|foreclos|\bcosign|\bapprove"
    r"|kredit|schulden|\bschufa"
    r"|emprunt|\bdettes?\b"
    r"|prestamo|deuda|hipoteca"
    r"|prestito|mutuo\b|debito"
    r"|δανει|χρεοσ|χρεη"
)
MONEY = (
    r"income|salar|\w*wages?\b|\bwage\w?\b|stck|stocks?\b|\bp?ira\w*|(?<!l)earn|\binc\b|\w+inc\b"
    r"|\binc(tot|wage|bus|farm|ss|welfr|invst|retir|supp|other|earn)"
    r"|\w*pay\b|payroll|bonus|pension|benefit|wealth|\basset|saving"
    r"|\btax"
    r"|\w*tax\b|\bagi\b|\bfica\b|(earn|ern|wsal|int|tot|oth)val\b|welfare|^dole$|poverty|nettfa"
    r"|\bira\b|donat|\bgift|comten|ceoten|expend|(?<!su)spend|compensat"
    r"|capital (gain|loss)"
    r"|dividend|interest|rent(al)? income|annuit|allowance|alimony|(?<!cof)fee\b|turnover|revenue"
    r"|profit|sales\b"
    r"|einkommen|einkuenfte|einkunft|gehalt|lohn|verdienst|schulden|vermogen|steuer|rente\b|umsatz|gewinn"
    r"|revenu|salaire|dette|patrimoine|impot|retraite|chiffre d affaires"
    r"|ingreso|salario|sueldo|deuda|patrimonio|impuesto|\brentas?\b"
    r"|reddito|stipendio|debit[oi]\b|imposta|fatturato"
    r"|εισοδημα|μισθ|χρεοσ|χρεη|περιουσια|φοροσ|συνταξ|τζιροσ"
)
OPINION = (
    r"relig|church|denomin|faith|\bpray|mosque|\bvot|\w*vote|\bparty|politic|ideol|democrat|republic|liberal"
    r"|conserv"
    r"|attitud|opinion|satisf|\bhapp(?!en)|\brating|\brate marr|trust|belief|believ|agree|support"
    r"|approv|prefer"
    r"|lifesat|abort"
    r"|konfession|glaube|partei|wahl(?!l)|meinung|zufried|weltansch"
    r"|croyance|parti\b|opinion|confession"
    r"|creencia|partido|\bvoto|opinion"
    r"|credo\b|partito|opinion"
    r"|θρησκ|κομμα|ψηφ|γνωμη|πεποιθησ"
)
CRIME = (
    r"crime|criminal|\bpriors?\b|\bprio\b|\bparo(le)?\b|\bserved\b|recidiv|arrest|convict|prison|jail"
    r"|\b(?!be)\w*guns?\b|offen[cs]|delinq|felon|illegal|violen|assault|theft"
    r"|police|punish"
    r"|straftat|delikt|vorstraf|verurteil"
    r"|infraction|\bdelits?\b|condamn"
    r"|\bdelitos?\b|condena"
    r"|\breat[oi]\b|condann"
    r"|εγκλημ|αδικημ|καταδικ"
)
INTIMATE = (
    r"romantic|orientation|sexual|affair|extramarit|\bunion|\w*union\b|gewerkschaft|syndicat|sindicat"
    r"|sindacat"
    r"|συνδικ"
    r"|σεξουαλικ|orientacion sexual|orientamento sessuale|cheat|unfaith"
)
SCORES = (
    r"\biq\b|score|\w*gpa\b|\bsat\b|\bact\b|\w*sat\b|\bgrade|\w*test\b|\bexam(?!pl)|\bkww\b|\bafqt|\bmath"
    r"|read(ing)?\b|\w+rank\b|vocab"
    r"|percentile|\bptile|\bmarks?\b|\b(verbal|quant)|\babil|skipped|absen|attend|\bterm gpa|\bg [123]\b"
    r"|\bfinal\b|homework|^g$|failures"
    r"|\bnote[ns]?\b|zensur|zeugnis|\bpunkte|\bmoyenne|\bnota\b|calificacion|voto (finale|medio)|βαθμ"
)
SENSITIVE_TOPICS = {
    "health": HEALTH,
    "credit": CREDIT,
    "income or wealth": MONEY,
    "belief or opinion": OPINION,
    "crime": CRIME,
    "private life": INTIMATE,
    "tests and grades": SCORES,
}
ETHNIC = (
    r"\w*(black|white|whte|wht|blck|blk)\b|black|white|\bhisp|latin[oax]s?\b|\w*asian\b"
    r"|\bnat(ive)?s? am(er\w*)?\b"
    r"|\bamer\w* ind(ian)?\b|\bindian\b|\bindigen|aborig|\binuit|\bpac(ific)? isl"
    r"|\baf(r|ric\w*)? am(er\w*)?\b"
    r"|\bafro|\barab(s|ic)?\b|\bnonwh|mixed race|two races|\bmulti ?rac"
)
KNOWN = (
    r"\bage\b|\bages\b|\w+age\b(?<!wage)(?<!mortgage)(?<!average)|\bagegr|\bage ?sq|\bsex\b|gender|\bfem"
    r"|female|\bmale\b|\bmen\b|woman|race|racial"
    r"|ethnic|foreign|immigr|migrant|nation|citizen|countr|\bborn|birth|\bdob\b|\bmar\b|marr|marit|divor"
    r"|spouse|\bwife|husb|single|widow"
    r"|partner|educ|school|colleg|degree|\bhs\w*|grad\b|univers|\bed\b|\byrs|occ\b|occup|\bjob|industr"
    r"|\bind\b|profess|trade|\bcleric|manag|\w*manuf\w*"
    r"|\w*manu\b|construc|service|\bserv|transp|trcomm|financ|\bprof\w*|exper|\bexp\b|\bethn|tenure"
    r"|senior|region"
    r"|\bstate|count(y|ies)|\bcity|urban|rural|\bsmsa|\bmsa\b"
    r"|south|north|\beast|\bwest|midwest|central|provinc|distr|\btown|village|area|metro|\bzip|postal"
    r"|address|resid|kids?\b|child|\bsib|\bfam|\bhh\w*|"
    r"househ|brth|order|\bsize|\bnum\b|emp(loy)?|work|\bhours?|\bhrs?|\w*hrs\b|firm|compan|sector|public"
    r"|privat|veteran|\bvet|milit|self"
    r"|retire|year|\byr\b|month|\bday|\bdate|week|season|quarter|house|home|\bown|rent\b|room|\bcar\b"
    r"|cars\b|vehic|height|\bhgt|\bht\b|tall|language"
    r"|english|lang|member|head\b|parent|\w*mother\w*|\w*father\w*|moth|fath|\bmom|\bdad|\w*edu\b"
    r"|\w*educ|\w*job\b|lives?"
    r"|\bdist|near|\bhair|eye|hand|class\b|\brank|level|"
    r"alter\b|geschlecht|familienstand|beruf|branche|wohn|kinder|bildung|schul|abschluss|\bjahr|\bland\b"
    r"|bundesland|\bort\b|staats|herkunft|haushalt"
    r"|\bage\b|sexe|genre|etat civil|metier|profession|enfants|diplome|annee|commune|departement"
    r"|\bpays\b|menage|\bville"
    r"|edad|sexo|genero|raza\b|estado civil|ocupacion|hijos|estudios|\bano\b|provincia|ciudad|municipio"
    r"|\bpais\b|hogar"
    r"|\beta\b|sesso|genere|stato civile|occupazione|figli|istruzione|titolo di studio|\banno\b|comune\b"
    r"|regione|citta|paese|famiglia"
    r"|ηλικια|φυλο|φυλη|οικογενειακ|επαγγελμα|παιδια|εκπαιδευσ|ετοσ|περιφερεια|νομοσ|πολη|δημοσ|χωρα"
    r"|νοικοκυρι"
)
WEIGHTS = (
    r"^((sampl\w*|survey|person|household|hh|final|design|post ?strat\w*|rep(licate)?|p|f|a|h)? ?"
    r"(weights?|wghts?|wgts?|wts?)|\w*fnl ?wgt|perwt|hhwt"
    r"|asec ?wt|marsupwt|wtsupp|earnwt|\w*gewicht|hochrechnungsfaktor|poids|ponderation"
    r"|factor (de )?expansion|ponderacion"
    r"|coefficiente di riporto|pesi|σταθμιση|συντελεστησ σταθμισησ)$"
)
DESIGN = (
    r"^(treat(ed|ment|ments)?|trt|arm|group|control|placebo|block|replicate|rep|trial|random\w*|assign\w*"
    r"|condition code|method"
    r"|version|wave|round|phase|sample|weights flag|behandlung|gruppe|traitement|groupe|tratamiento"
    r"|grupo|trattamento|gruppo|ομαδα)$"
)
NOMINAL = (
    r"race|ethnic|region|marit|\bmarst|\bmar\b|\bmstat|relig|denomin|occ|indus|\bind\b|countr|nation"
    r"|state\b|stat\b|statefip|sector"
    r"|\btype|status|\bcode|relat|\bsex\b|gender|language|origin|provinc|distr|party|\bcause|\bmode\b"
    r"|\bwhy|reason|metro|county"
    r"|familienstand|geschlecht|beruf|branche|konfession|partei|bundesland|kennziffer|kode"
    r"|etat civil|sexe|profession|religion|departement|secteur"
    r"|estado civil|sexo|ocupacion|provincia|sector"
    r"|stato civile|sesso|regione|settore"
    r"|φυλο|οικογενειακ|περιφερεια|θρησκ|επαγγελμα"
)
AMOUNT = (
    r"salar|wages\b|\bpay\b|bonus|pension|benefit|interest|dividend|annuit|alimony|allowance"
    r"|capital gain|rent(al)? income"
    r"|business income|farm income|social security|welfare|unemployment comp|other income"
    r"|\binc(wage|bus|farm|ss|welfr|invst|retir|supp|other|earn)"
    r"|gehalt|lohn|zinsen|dividende|rente\b|zulage|praemie"
    r"|salaire|prime\b|pensions?\b|interets|dividendes|allocation"
    r"|salario|sueldo|intereses|dividendos|prestacion"
    r"|stipendio|pensione|interessi|dividendi|indennita"
    r"|μισθ|συνταξ|τοκοι|μερισμα|επιδομα"
)
ROW_LABEL = r"^(rownames?|row|rows|row ?(id|nr|no|num|number)|index|unnamed|obs|obsno|zeile|ligne|fila|riga)$"
NUMBER_OF = r"(?<!a)id$|\b(nr|num|no)$|\bid\b"
PLACE = (
    r"(state|team|firm|company|brand|product|city|country|county|school|region|town|hotel|model|file) ?name"
)
TIME = (
    r"\b(year|yr|month|day|date|week|since|jahr|monat|datum|annee|mois|jour|ano|mes|dia|fecha|anno|mese|giorno)\b"
    r"|\bage\b|\w+jahr\b|\w+datum\b|ετοσ|μηνασ|ημερομηνια"
)
PERSON_RATE = r"rate|ratio|share|percent|\bpct|per |index|hourly|\bhr|^l|log|sq$|years?$|flag|dummy|\bhas|any"


def topic_of(name: str) -> str | None:
    """What people keep to themselves that a column of this name is about.

    >>> topic_of("Einkommen"), topic_of("lwage"), topic_of("Konfession"), topic_of("age")
    ('income or wealth', 'income or wealth', 'belief or opinion', None)
    """
    plain = plain_name(name)
    return next((topic for topic, words in SENSITIVE_TOPICS.items() if re.search(words, plain)), None)


def looks_known(name: str) -> bool:
    """Neighbours, colleagues or registers may know what a column of this name holds.

    >>> [looks_known(name) for name in ("educ", "hrswork", "Bundesland", "x1")]
    [True, True, True, False]
    """
    return _has(KNOWN, name) or _has(ETHNIC, name)


def looks_like_weight(name: str) -> bool:
    """It says for how many people a record stands."""
    return _has(WEIGHTS, name)


def looks_like_design(name: str) -> bool:
    """It says how a study was laid out, not what a person is like."""
    return _has(DESIGN, name)


def looks_like_row_label(name: str) -> bool:
    """It tells rows apart, as R and pandas write it."""
    return _has(ROW_LABEL, name) or not plain_name(name)


def looks_like_number_of(name: str) -> bool:
    """It ends as numbers of people and cases do.

    >>> looks_like_number_of("studyid"), looks_like_number_of("paid")
    (True, False)
    """
    return _has(NUMBER_OF, name)


def looks_like_place(name: str) -> bool:
    """It names a place or a thing, no person."""
    return _has(PLACE, name)


def looks_like_time(name: str) -> bool:
    """It says when something was, whatever it was."""
    return _has(TIME, name)


def looks_nominal(name: str) -> bool:
    """Its numbers are labels."""
    return _has(NOMINAL, name)


def looks_like_amount(name: str) -> bool:
    """An amount of money in a year or month, that with others adds up to a total.

    >>> [looks_like_amount(name) for name in ("salary", "INCWAGE", "wage", "lsalary")]
    [True, True, False, False]
    """
    return _has(AMOUNT, name) and not _has(PERSON_RATE, name)


def _has(pattern: str, name: str) -> bool:
    return re.search(pattern, plain_name(name)) is not None
