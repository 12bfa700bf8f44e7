"""Columns that can be placed by what they are called: age, sex, race, a year, death.

A name counts if every word of it is in one of the lists below. A single unknown word turns the
statement off: `age` is given, `age_at_onset` and `mean_age` are not. Words are split at case,
digits and signs, accents are dropped, and the order of the words does not matter.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple, TypeAlias, get_args

Given: TypeAlias = Literal["age", "sex", "race", "birth", "parents", "time", "lot"]
KINDS: tuple[Given, ...] = get_args(Given)


class _Names(NamedTuple):
    """Names with a word of each list that is needed, and no word that is in none of the lists."""

    kind: Given | Literal["perhaps", "last"]
    needed: tuple[frozenset[str], ...]
    known: frozenset[str]


def _names(kind: Given | Literal["perhaps", "last"], *needed: str, beside: str = "") -> _Names:
    lists = tuple(frozenset(words.split()) for words in needed)
    return _Names(kind, lists, frozenset(beside.split()).union(*lists))


def _joined(firsts: str, seconds: str) -> str:
    """Return each first word with each second: motherage, motheduc."""
    return " ".join(first + second for first in firsts.split() for second in seconds.split())


# ------------------------------------------------------------------- what may stand beside them
# One digit numbers persons, waves and codings; two make shares (age_65, age_0_14).
_DIGITS = "0 1 2 3 4 5 6 7 8 9"
_CODED = "is code coded cat category dummy indicator flag numeric factor"
_CODING = f"{_CODED} {_DIGITS}"
_UNITS = "years year yrs yr y months month mos weeks days jahre jahren ans annees anos"
_PERSON = """patient patients subject person individual participant respondent applicant customer
    client employee worker student wife husband self reported"""
_CLASSES = "group grp class band bracket range bin squared sq log ln"
# A study is no event of a person's life: age at baseline is given, age at onset is not.
_STUDY = "baseline entry enrolment enrollment interview survey recruitment randomisation current"
_NO_CONTENT = {"of", "at", "in", "the", "s", "de", "du", "des", "der", "la", "le", "del", "im"}

# ----------------------------------------------------------------------------------- vocabulary
_AGE = """age agegroup agegrp agecat ageband ageyears ageyrs ageyr agesq
    alter altersgruppe altersklasse edad"""
_SEX = """sex gender male female boy girl sexmale sexfemale geschlecht mannlich maennlich weiblich
    sexe homme femme sexo genero hombre mujer masculino femenino"""
_RACE = """race ethnicity ethnic ethn raceethnicity racecat racegrp ancestry black white nonwhite
    nonblack nonhispanic hispanic hisp latino latina latinx asian caucasian afam minority
    multiracial indigenous aboriginal herkunft ethnie hautfarbe raza etnia"""
_BIRTH = """dob yob qob born birthday birthdate birthyear birthmonth birthplace birthcountry
    birthorder birthcohort geburtsjahr geburtsdatum geburtsmonat geburtsort geburtsland"""
_PARENT = """mother mothers mom moms mum dad dads moth fath father fathers parent parents parental
    maternal paternal midparent mutter vater vaters eltern mere pere madre padre padres"""
_TRAIT = """height education educ edu schooling college degree income inc occupation occup job iq
    birth born bildung beruf einkommen taille profession revenu educacion ingresos"""
_TIME = """year yr month mnth date datetime timestamp day weekday weekend quarter season decade
    cohort yearmonth modelyear jahr datum monat quartal wochentag jahreszeit kohorte
    annee mois jour saison trimestre cohorte ano anio fecha"""
_RANDOM = """randomised randomized randomisation randomization
    randomisiert randomisierung randomise aleatorizado aleatorizacion"""
_TREATMENT = "treatment treated treat trt tx drug dose therapy medication intervention"
_END = """death dead died deceased mortality survival survived survivor relapse relapsed recurrence
    recidivism rearrest readmission readmitted outcome verstorben uberleben deces muerte"""

# The first entry that fits decides.
_TABLE = (
    # Given: nothing in a table can cause it.
    _names(
        *("parents", _PARENT, f"{_TRAIT} {_AGE} {_RACE}"),
        beside=f"{_UNITS} {_CLASSES} {_CODING} highest level attained delivery date place country",
    ),
    _names(
        "parents",
        _joined(
            "mother mothers father fathers parent parents mom mum dad moth fath",
            "age educ edu education race height income inc occ occup occupation job",
        ),
        beside=f"{_UNITS} {_CODING}",
    ),
    _names(
        *("parents", f"{_joined('m f', 'age educ edu race white black hisp job')} pared parinc"),
        beside=_UNITS,
    ),
    _names(
        *("age", _AGE),
        beside=f"{_UNITS} {_CLASSES} {_CODING} {_PERSON} {_STUDY} chronological",
    ),
    _names("sex", _SEX, beside=f"{_CODING} {_PERSON} m f birth assigned child baby infant"),
    _names(
        *("race", _RACE),
        beside=f"{_CODING} {_PERSON} african american native group non or and other origin status",
    ),
    _names("race", "african afro", "american", beside=_CODED),
    _names("birth", _BIRTH, beside="year month date in abroad foreign us usa country place"),
    _names(
        *("birth", "birth naissance nacimiento"),
        """year yr month quarter date day order place country cohort
        annee mois lieu pays ano anio fecha lugar pais""",
        beside=_PERSON,
    ),
    _names(
        *("time", _TIME),
        beside=f"{_CODED} week hour time calendar fiscal financial tax academic model survey",
    ),
    _names("lot", f"{_RANDOM} randarm randgroup behandlungsarm studienarm", beside="to"),
    _names(
        *("lot", f"{_RANDOM} random randomly rand"),
        "arm group treatment treat trt tx assignment assigned allocation allocated",
        beside=f"{_CODING} to",
    ),
    _names("lot", "arm", "trial study treatment treat trt tx intervention", beside=_CODING),
    _names("lot", "bras brazo", "traitement essai tratamiento ensayo"),
    # What may be given or not: a treatment is drawn by lot, or chosen for the patient.
    _names("perhaps", _TREATMENT, beside=f"{_CODING} group type level assigned name mg"),
    _names("perhaps", "arm", beside=_CODED),
    _names(
        *("perhaps", "site centre center clinic hospital school batch plate"),
        beside=f"{_CODING} id name no number group type",
    ),
    _names(
        *("perhaps", "age", "house building home car vehicle machine engine equipment aircraft"),
        beside=_UNITS,
    ),
    # What comes last in most tables.
    _names(
        *("last", _END),
        beside=f"""{_UNITS} {_CODING} 28 30 60 90 day time to date status event hospital free
            disease overall primary secondary all cause""",
    ),
    _names("last", "final", "grade grades score exam mark marks result", beside=_CODED),
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+(?:[\W_]+\d+)*|[%#]|[^\W\d_A-Za-z]+")


def given_by_name(name: str) -> Given | None:
    """Return why nothing else can cause a column, such as "age"; None if its name gives no reason.

    Between two such columns names say nothing: cohorts may differ in age.

    Examples
    --------
    >>> [given_by_name(name) for name in ("Age", "isFemale", "motheduc", "Geburtsjahr", "rand_arm")]
    ['age', 'sex', 'parents', 'birth', 'lot']
    >>> {given_by_name(name) for name in ("wage", "mean_age", "age_of_onset", "pct_black", "site")}
    {None}
    """
    kind = _kind(name)
    return None if kind == "perhaps" or kind == "last" else kind


def perhaps_given(name: str) -> bool:
    """Return whether to ask for the causes of a column: a treatment, a clinic, a house's age.

    Examples
    --------
    >>> [perhaps_given(name) for name in ("treatment", "clinic_id", "treatment_cost", "age")]
    [True, True, False, False]
    """
    return _kind(name) == "perhaps"


def last_by_name(name: str) -> bool:
    """Return whether a name is that of an outcome, which comes last: a hint, and a weak one.

    Examples
    --------
    >>> [last_by_name(name) for name in ("death_30_days", "finalGrade", "age_at_death", "deadline")]
    [True, True, False, False]
    """
    return _kind(name) == "last"


def _kind(name: str) -> Given | Literal["perhaps", "last"] | None:
    letters = unicodedata.normalize("NFKD", name)
    plain = "".join(c for c in letters if not unicodedata.combining(c))
    words = {word.lower() for word in _WORD.findall(plain)} - _NO_CONTENT
    for kind, needed, known in _TABLE:
        if words <= known and all(words & some for some in needed):
            return kind
    return None
