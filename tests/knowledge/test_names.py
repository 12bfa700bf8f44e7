"""Names that place a column, and names that only look like them."""

from __future__ import annotations

from daglock.knowledge.names import KINDS, given_by_name, last_by_name, perhaps_given

# Names apart by commas; blanks, signs and case are part of a name.
GIVEN = {
    "age": """
        age, AGE, Age, age1, age_2, AGE.1, age^2, age_sq, agesq, log_age, age_yrs, AgeYears,
        ageyrs, age (years), Age in years, age.in.months, age_group, agegrp, AgeCat, ageBand,
        patient_age, ageOfPatient, participant.age, wife-age, husband_age, age_at_baseline,
        ageAtEntry, age at enrolment, Alter, alter_jahre, Altersgruppe, alter der Patient, âge,
        Âge, age_ans, edad, Edad, edad_anos
        """,
    "sex": """
        sex, SEX, Sex, gender, Gender, sex_male, sexMale, sex_f, sex.M, gender_female, isFemale,
        is_male, female, FEMALE, Male, boy, girl, sex_code, sex1, child_sex, sex of child,
        sex_at_birth, patient.gender, female_dummy, Geschlecht, geschlecht_weiblich, männlich,
        maennlich, sexe, Sexe, femme, homme, sexo, género, genero, GÉNERO, mujer, hombre
        """,
    "race": """
        race, Race, RACE, race3, race_black, raceWhite, race/ethnicity, race_ethnicity, ethnicity,
        Ethnic.Group, ethnic_origin, hisp, hispanic, isHispanic, latino, black, Black, white,
        nonwhite, non_white, non-hispanic black, black_or_hispanic, asian, african_american,
        AfricanAmerican, native_american_race, minority, minority_status, Herkunft, Hautfarbe,
        raza, etnia, ethnie
        """,
    "birth": """
        dob, DOB, yob, birth year, birthYear, birth_date, birthdate, birthday, date_of_birth,
        DateOfBirth, year.of.birth, YEAR OF BIRTH, month_of_birth, quarter_of_birth, birth_order,
        birthplace, place_of_birth, birth_cohort, country of birth, born, born_abroad, Geburtsjahr,
        geburtsdatum, Geburtsland, date de naissance, année de naissance, lieu_de_naissance,
        fecha de nacimiento, año_de_nacimiento, pais de nacimiento
        """,
    "parents": """
        fage, mage, feduc, meduc, Medu, Fedu, motheduc, fatheduc, momage, mothereduc, fatherAge,
        mothers_age, mother's education, fathers_education, fathers_height, mother_age, mom.educ,
        maternal_age, Maternal Age At Birth, paternal_education, parent_income, parental education,
        pared, midparentHeight, mother_race, father_hispanic, mother_white, mwhite, mrace,
        father_occupation, mother_birth_year, Alter der Mutter, Bildung des Vaters, âge de la mère,
        edad del padre
        """,
    "time": """
        year, YEAR, Year, date, Date, datetime, dateTime, timestamp, month, day, weekday,
        day_of_week, dayOfYear, hour_of_day, week of year, season, quarter, year_month, cohort,
        calendar_year, fiscal year, modelyear, model_year, academic_year, survey_year, Jahr, Datum,
        Monat, Quartal, année, annee, saison, año, anio, fecha, mnth
        """,
    "lot": """
        randomised, Randomized, randomisation, randomised_group, rand_arm, randArm, randomized.to,
        random_assignment, randomly assigned, randomised treatment, treatment_arm, TreatmentArm,
        trial arm, trial_arm, study.arm, trt_arm, Behandlungsarm, randomisiert, randomisé,
        bras de traitement, aleatorizado
        """,
}
NOT_GIVEN = """
    wage, wages, dosage, mileage, update, manage, average, page, usage, stage, percentage, Essex,
    essex_score, grace, embrace, terrace, trace, candidate, message, engage, engender,
    sexual_activity, unisex, whitebread, blackout, malevolent, femaleness, yearling, updated,
    mandate, daytime, army, age_at_death, ageAtDeath, age_of_onset, age.at.diagnosis,
    age at menarche, age_first_birth, age_at_first_marriage, AgeOfOnset, ageRetired,
    date_of_discharge, discharge_date, date of death, death_date, next_date, due date, end_date,
    admission.date, START YEAR, year_built, COMPLETION YEAR, birth_weight, birthweight,
    BirthWeight, birth_length, birth rate, births, mother_birth_weight, gestational_age, bone_age,
    boneAge, mental_age, epigenetic age, % female, female %, #female, pct_black, percent_white,
    PercentBlack, median age, mean_age, avgAge, share_minority, prop_female, sex ratio,
    female_share, number of females, nfemale, n_male, females, num_white, black_population, age_65,
    age_0_14, age65plus, births per year, sd_age, age_std, house_age, AgeOfHouse, building_age,
    car_age, machine.age, race time, race_pace, race_id, white blood cells, whiteBloodCells, WBC,
    black pepper, white wine, white_collar, black_market, male_pay, female_wage, sex_hormone,
    sex_partners, gender_gap, gender_attitude, agegap, age_gap, age difference, site, school,
    clinic, region, year-end profit, season results, cost_per_year, costPerYear, peryear, per_year,
    years_of_education, years employed, years, Years, days, month6, day_1, year1, time, week,
    hours, holiday, leg_black, male_sd, age:bmi, wage_by_race, age*sex_score, mother, father,
    mother_smokes, maternal_weight, fathers_support, motherland, mother_age_first_birth,
    mother_depression, maternal_iq_change, family_income, income, education, educ, medicine, fed,
    treatment, treated, treat, Treatment, treatment_response, treatment_cost, arm, arm_length,
    upper_arm, random_effect, random, randomisation_date, lottery, born_alive, stillborn,
    newborn_weight, Datumsfehler, Altersheim, Jahreseinkommen, alter ego score, yearly_income, x1,
    数, 数 age, Δage, "", "1"
    """
PERHAPS = """
    treatment, Treatment, treated, trt, treatment_group, assignedTreatment, drug, drug_name, dose,
    dose_mg, therapy, arm, batch, batch_id, plate 2, clinic, site, school, hospital_id, house_age,
    ageOfHouse, car age, building.age
    """
NOT_PERHAPS = """
    treatment_cost, treatment_response, drug_concentration, arm_length, website, batch_effect_size,
    preschool, drugstore_visits, composite, overdose, age, sex, page, template, garage,
    clinical_score
    """
LAST = """
    death, Death, died, dead, deceased, mortality, in_hospital_death, death30, death_30_days,
    hospital_mortality, time_to_death, dateOfDeath, survival, survival_time, survived,
    overall_survival, relapse, relapsed, relapse_free_survival, recurrence, readmitted,
    readmission_30, outcome, primary.outcome, final grade, finalGrade, final_exam, FINAL_SCORE,
    décès, muerte, verstorben
    """
NOT_LAST = """
    deadline, deadweight, deathly, age_at_death, father_died, previous_relapse, prior_outcome,
    survival_skills, death_anxiety, grade, score, exam, final, finale, semifinal_score, income,
    died_relative, expected_mortality, outcome_of_last_visit, G3, undead, status
    """


def names_of(text: str) -> list[str]:
    return [" ".join(name.split()).strip('"') for name in text.split(",")]


def test_names_of_what_has_no_cause() -> None:
    assert tuple(GIVEN) == KINDS
    for kind, text in GIVEN.items():
        for name in names_of(text):
            assert given_by_name(name) == kind, name
    assert sum(len(names_of(text)) for text in GIVEN.values()) >= 120


def test_names_of_what_may_have_causes() -> None:
    for name in names_of(NOT_GIVEN):
        assert given_by_name(name) is None, name
    assert len(names_of(NOT_GIVEN)) >= 60


def test_names_of_what_is_asked_about() -> None:
    for name in names_of(PERHAPS):
        assert perhaps_given(name), name
        assert given_by_name(name) is None, name
    for name in names_of(NOT_PERHAPS):
        assert not perhaps_given(name), name


def test_names_of_what_comes_last() -> None:
    for name in names_of(LAST):
        assert last_by_name(name), name
        assert given_by_name(name) is None, name
    for name in names_of(NOT_LAST):
        assert not last_by_name(name), name


def test_a_name_is_given_in_any_spelling() -> None:
    for words in (("date", "of", "birth"), ("mother", "age"), ("sex", "male"), ("trial", "arm")):
        capital = [word.capitalize() for word in words]
        spellings = ["_".join(words), ".".join(words), " ".join(words), "-".join(words)]
        spellings += ["".join(capital), words[0] + "".join(capital[1:]), "_".join(words).upper()]
        assert len({given_by_name(name) for name in spellings} - {None}) == 1, words
        assert all(given_by_name(name) for name in spellings), words


def test_one_word_more_turns_a_name_off() -> None:
    for kind, text in GIVEN.items():
        for name in names_of(text):
            for other in (f"mean {name}", f"{name}_gap", f"pct.{name}", f"{name} of onset"):
                assert given_by_name(other) is None, (kind, other)
            for other in (f"x{name}", f"{name}x"):
                assert given_by_name(other) is None, (kind, other)
