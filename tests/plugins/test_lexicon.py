"""The lexicon knows column names as people write them, and does not cry wolf."""

from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.sdk import ColumnFacts, ColumnKind, ColumnShape, Role, Tier, ValueType
from qidguard_standard.recognizers import RECOGNIZERS, Lexicon
from qidguard_standard.recognizers.lexicon import split_name
from qidguard_standard.recognizers.lexicon.table import are_about_persons

DIRECT, QID, SENSITIVE = Role.DIRECT_IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE


def facts(name: str, *, records: int = 100, distinct: int = 50, missing: int = 0) -> ColumnFacts:
    """Return the facts of a text column."""
    return ColumnFacts(
        name=name, value_type=ValueType.TEXT, records=records, distinct=distinct, missing=missing
    )


SHAPE = ColumnShape(
    looked_at=2,
    shortest=2,
    typical=4,
    longest=4,
    is_same_length=False,
    digits=0.0,
    letters=1.0,
    blanks=0.0,
    words=1.0,
)
LEXICON = Lexicon()


def meaning(name: str) -> tuple[Role, str] | None:
    """Return the first role and the concept that the lexicon gives a name."""
    found = LEXICON.read([facts(name)])
    if not found:
        return None
    (one,) = found
    assert one.column == name
    return one.roles[0], one.concept


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("patientID", ("patient", "id")),
        ("IPAddress", ("ip", "address")),
        ("date-of birth.2", ("date", "of", "birth", "2")),
        ("icd10", ("icd", "10")),
        ("Straße", ("strasse",)),
        ("Prénom", ("prenom",)),
        ("København", ("kobenhavn",)),
        ("年齢", ("年齢",)),
        ("🩺", ()),
        ("", ()),
    ],
)
def test_names_are_split_into_whole_tokens(name: str, expected: tuple[str, ...]) -> None:
    """Separators, humps of camels and digits part tokens; accents are folded."""
    assert expected == split_name(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("first_name", (DIRECT, "name")),
        ("FirstName", (DIRECT, "name")),
        ("firstname", (DIRECT, "name")),
        ("patient_name", (DIRECT, "name")),
        ("Vorname", (DIRECT, "name")),
        ("Prénom", (DIRECT, "name")),
        ("e-mail", (DIRECT, "email")),
        ("NHS No.", (DIRECT, "national_id")),
        ("Straße", (DIRECT, "street_address")),
        ("MRN", (DIRECT, "medical_record")),
        ("bemerkungen", (DIRECT, "free_text")),
        ("birth_date", (QID, "birth_date")),
        ("admission", (QID, "event_date")),
        ("discharge", (QID, "event_date")),
        ("death", (QID, "event_date")),
        ("health", (SENSITIVE, "health")),
        ("health_plan_id", (DIRECT, "health_plan_id")),
        ("dateOfBirth", (QID, "birth_date")),
        ("Geburts_Datum", (QID, "birth_date")),
        ("home_zip", (QID, "postcode")),
        ("PLZ", (QID, "postcode")),
        ("Ort", (QID, "residence")),
        ("state_code", (QID, "residence")),
        ("alter", (QID, "age")),
        ("sexe", (QID, "sex_gender")),
        ("estado_civil", (QID, "marital_status")),
        ("fecha_alta", (QID, "event_date")),
        ("diagnosis_date", (QID, "event_date")),
        ("Gehalt", (SENSITIVE, "income_wealth")),
        ("ICD10_code", (SENSITIVE, "health")),
        ("Religião", (SENSITIVE, "religion_politics")),
        ("criminal_record", (SENSITIVE, "criminal")),
        ("NM_PACIENTE", (DIRECT, "name")),
        ("DS_GENERO", (QID, "sex_gender")),
        ("SG_UF", (QID, "residence")),
        ("TP_SEXO", (QID, "sex_gender")),
        ("VL_SALARIO", (SENSITIVE, "income_wealth")),
        ("nom_du_candidat", (DIRECT, "name")),
        ("Nombre del alumno", (DIRECT, "name")),
        ("EmpID", (DIRECT, "other_unique_id")),
        ("custid", (DIRECT, "other_unique_id")),
        ("studno", (DIRECT, "other_unique_id")),
        ("r1_sex", (QID, "sex_gender")),
        ("Q102. Highest level of education", (QID, "education")),
        ("12.3 Religion of the respondent", (SENSITIVE, "religion_politics")),
        ("What is your gender?", (QID, "sex_gender")),
        ("How many children do you have?", (QID, "household_size")),
        ("Which of the following best describes your race?", (QID, "ethnicity_race")),
        ("płeć", (QID, "sex_gender")),
        ("data_urodzenia", (QID, "birth_date")),
        ("doğum_tarihi", (QID, "birth_date")),
        ("jenis_kelamin", (QID, "sex_gender")),
        ("возраст", (QID, "age")),
    ],
)
def test_known_names_have_a_role(name: str, expected: tuple[Role, str]) -> None:
    """Several languages and spellings; the longest synonym decides."""
    assert expected == meaning(name)


@pytest.mark.parametrize(
    "name",
    [
        "product_name",
        "file_name",
        "report",
        "page",
        "status",
        "order_state",
        "zip_file",
        "race_time",
        "race_id",
        "alter_table",
        "alta",
        "cor",
        "flat",
        "programming_language",
        "account_age",
        "ip_count",
        "product_url",
        "comments_count",
        "last_login",
        "cardiac_arrest",
        "sextant",
        "message",
        "nombre_de_visites",
        "unnamed_0",
        "x",
        "",
    ],
)
def test_collisions_are_left_alone(name: str) -> None:
    """Only whole tokens count, and ambiguous words only in fitting company."""
    assert meaning(name) is None


@pytest.mark.slow
def test_every_word_means_its_own_concept() -> None:
    """No word of the lexicon is swallowed by another one, and none stands for two concepts."""
    words = [word for word in LEXICON.vocabulary.words if word.concept.name != "by_topic"]
    strays = {"_".join(w.tokens): w.concept.name for w in words} | {
        "_".join(w.tokens): name
        for w in words
        if (name := (meaning("_".join(w.tokens)) or ("", ""))[1]) != w.concept.name
    }
    assert strays == {"_".join(word.tokens): word.concept.name for word in words}
    assert len({word.tokens for word in words}) > 3000
    assert len({(word.tokens, word.concept.name) for word in words}) == len({word.tokens for word in words})


def test_spelling_of_a_name_does_not_matter() -> None:
    """Snake, kebab, camel, upper and joined case of one name mean the same."""
    for first, second in product(("date", "postal", "patient"), ("of birth", "code", "id")):
        words = [first, *second.split()]
        spellings = {
            "_".join(words),
            "-".join(words).upper(),
            " ".join(words).title(),
            words[0] + "".join(word.title() for word in words[1:]),
        }
        assert len({meaning(spelling) for spelling in spellings}) == 1


@pytest.mark.slow
def test_few_distinct_values_speak_against_a_direct_identifier() -> None:
    """A flag is no identifier and is left to a person; few values lower the confidence and say so."""
    many, few, flag = (Lexicon().propose([facts("telephone", records=100, distinct=n)]) for n in (90, 9, 2))
    assert (many[0].confidence, few[0].confidence) == (0.95, 0.75)
    assert "only 9 distinct values" in few[0].assignment.reason
    assert flag == ()
    (small,) = Lexicon().propose([facts("telephone", records=8, distinct=2)])
    assert small.confidence == 0.95


def test_a_very_long_name_is_read_in_no_time() -> None:
    """A name of a hundred thousand letters is no compound, and costs nothing to say so."""
    assert Lexicon().propose([facts("x" * 100_000)]) == ()


def test_race_is_also_sensitive() -> None:
    """The reason says so, because a column has one role."""
    (proposal,) = Lexicon().propose([facts("race")])
    assert "also sensitive" in proposal.assignment.reason


@given(st.lists(st.text(max_size=20), max_size=5, unique=True))
def test_any_names_are_survived(names: list[str]) -> None:
    """Names in any script give at most one proposal each, for the column that was asked about."""
    for recognizer in RECOGNIZERS:
        proposed = [p.assignment.column for p in recognizer.propose([facts(name) for name in names])]
        assert proposed == [name for name in names if name in proposed]


ADULT = {
    "age": QID,
    "workclass": QID,
    "fnlwgt": Role.WEIGHT,
    "education": QID,
    "education-num": QID,
    "marital-status": QID,
    "occupation": QID,
    "relationship": QID,
    "race": QID,
    "sex": QID,
    "capital-gain": SENSITIVE,
    "capital-loss": SENSITIVE,
    "hours-per-week": QID,
    "native-country": QID,
    "income": SENSITIVE,
}
HOSPITAL = {
    "encounter_id": DIRECT,
    "patient_nbr": DIRECT,
    "race": QID,
    "gender": QID,
    "age": QID,
    "weight": QID,
    "payer_code": QID,
    "admission_type_id": QID,
    "discharge_disposition_id": QID,
    "admission_source_id": QID,
    "time_in_hospital": QID,
    "medical_specialty": QID,
}


def test_adult_is_known() -> None:
    """The columns of UCI Adult; the sampling weight is an answer of its own."""
    found = {p.assignment.column: p.assignment.role for p in Lexicon().propose([facts(n) for n in ADULT])}
    assert found == ADULT


@pytest.mark.realdata
def test_a_hospital_file_is_known_without_false_alarms(data) -> None:
    """Of the 50 columns of the diabetes file 12 identify; what else is known is sensitive."""
    with (data / "hospital" / "diabetic_data.csv").open(encoding="utf-8") as file:
        names = file.readline().strip().split(",")
    assert len(names) == 50
    found = {p.assignment.column: p.assignment.role for p in Lexicon().propose([facts(n) for n in names])}
    assert {name: role for name, role in found.items() if role is not SENSITIVE} == HOSPITAL
    assert {"diag_1", "insulin", "glipizide", "repaglinide", "tolbutamide", "A1Cresult"} <= set(found)


@pytest.mark.realdata
def test_the_columns_of_the_arx_file_are_known(data) -> None:
    """The nine columns of Adult as ARX ships it: eight QIDs and one sensitive attribute."""
    with (data / "adult" / "adult_arx.csv").open(encoding="utf-8") as file:
        names = file.readline().strip().split(";")
    roles = Counter(p.assignment.role for p in Lexicon().propose([facts(n) for n in names]))
    assert roles == {QID: 8, SENSITIVE: 1}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("monthly_income", ("income_wealth", Tier.CONFIDENTIAL, ColumnKind.AMOUNT)),
        ("icd10_code", ("health", Tier.SPECIAL, ColumnKind.CODE)),
        ("prior_convictions", ("criminal", Tier.CRIME, ColumnKind.NOMINAL)),
        ("age", ("age", None, ColumnKind.COUNT)),
        ("age_group", ("age", None, ColumnKind.ORDINAL)),
        ("birth_date", ("birth_date", None, ColumnKind.DATE)),
        ("zip", ("postcode", None, ColumnKind.PLACE)),
        ("mrn", ("medical_record", None, ColumnKind.KEY)),
        ("notes", ("free_text", None, ColumnKind.TEXT)),
    ],
)
def test_a_name_says_why_it_is_sensitive_and_what_its_values_are(
    name: str, expected: tuple[str, Tier | None, ColumnKind]
) -> None:
    """The tier comes from the law or from custom, the kind from the concept and the name."""
    (found,) = LEXICON.read([facts(name)])
    assert expected == (found.concept, found.tier, found.kind)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("race_name", None),
        ("country_of_manufacture", None),
        ("device_user_name", "other_unique_id"),
        ("device_owner_email", "email"),
        ("company_email", None),
        ("mothers_maiden_name", "name"),
        ("zip_of_home", "postcode"),
        ("nom_du_patient", "name"),
        ("nom_du_produit", None),
        ("Nebendiagnose", "health"),
        ("Firmenadresse", None),
        ("husage", "age"),
        ("voltage", None),
        ("manage", None),
    ],
)
def test_the_noun_and_what_describes_it_decide(name: str, expected: str | None) -> None:
    """The noun stands last in English and in compounds, first in French; a thing is no person."""
    found = meaning(name)
    assert expected == (found[1] if found else None)


def read(*names: str) -> dict[str, tuple[str, bool]]:
    """Return the concept of each name of a table of which nothing else is known, and whether it is asked."""
    columns = [facts(name, records=0, distinct=0) for name in names]
    return {found.column: (found.concept, found.is_asked) for found in LEXICON.read(columns)}


def test_short_names_of_a_survey_count_together() -> None:
    """PB140 among its like is EU-SILC's year of birth; alone it is a question; PY050G is income."""
    assert read("PB140") == {"PB140": ("birth_date", True)}
    found = read("PB140", "PB150", "PE040", "PY050G")
    assert found["PB140"] == ("birth_date", False)
    assert found["PY050G"] == ("income_wealth", False)


@pytest.mark.parametrize(
    ("names", "unknown", "said"),
    [
        (("age", "diagnosis", "cholesterol", "blood_pressure"), False, False),
        (("diagnosis", "cholesterol", "k1", "k2", "k3", "k4"), True, True),
        (("salary", "income", "credit_amount", "savings"), True, True),
        (("diagnosis", "cholesterol", "glucose", *(f"k{i}" for i in range(14))), True, True),
        (("quantity", "price"), None, None),
    ],
)
def test_a_topic_speaks_for_what_nobody_knows(names: tuple[str, ...], unknown: object, said: object) -> None:
    """An unknown name, and a status, are sensitive in a table of health and asked about in one of money."""
    found = read(*names, "status", "kx7")
    told = [found.get(name, (None, None))[1] for name in ("kx7", "status")]
    assert told == [unknown, said]


@pytest.mark.parametrize(
    ("distinct", "is_asked"), [(1, None), (5, False), (12, False), (13, True), (51, None)]
)
def test_a_topic_speaks_for_few_words_only(distinct: int, *, is_asked: bool | None) -> None:
    """Of what nobody knows in a table of health, many words may be places, and one word says nothing."""
    clinical = [facts(name) for name in ("diagnosis", "cholesterol", "glucose")]
    found = LEXICON.read([*clinical, facts("kx7", distinct=distinct)])
    assert [one.is_asked for one in found[3:]] == ([] if is_asked is None else [is_asked])


def test_a_later_file_may_make_a_word_weak() -> None:
    """What a house adds to a concept, it may call a question, and say beside what it means something else."""
    words = "[employment]\nalone.en = ['zork', 'zark']\nweak_alone = ['zork']\nunless = ['gear']"
    lexicon = Lexicon().extended_with({"ours.toml": words})
    found = {
        one.column: one.is_asked for one in lexicon.read([facts(n) for n in ("zork", "zark", "zark_gear")])
    }
    assert found == {"zork": True, "zark": False}


SERIES = {
    "a beginning": ("LBXAAA", "measurement", ("RIAGENDR", "RIDAGEYR", "SEQN")),
    "an end": ("ZZDTC", "event_date", ("USUBJID", "ARM", "ACTARM", "RFSTDTC")),
    "nothing": ("LBSEQ", None, ("USUBJID", "ARM", "ACTARM", "TRT01P", "DTHFL", "AEDECOD")),
}


@pytest.mark.parametrize("series", SERIES)
def test_a_family_knows_series_of_names(series: str) -> None:
    """They count where the family stands by other names; flags of processing say nothing of a person."""
    name, concept, others = SERIES[series]
    assert read(*others, name).get(name, (None,))[0] == concept
    assert name not in read(name)


@pytest.mark.parametrize(
    "names", [("pq_sex", "pq_age", "pq_zz1", "pq_zz2"), ("sex_pq", "age_pq", "k_pq", "l_pq")]
)
def test_what_many_names_begin_or_end_with_is_a_mark(names: tuple[str, ...]) -> None:
    """It says nothing of a single column."""
    assert read(*names)[names[0]] == ("sex_gender", False)


@pytest.mark.parametrize(
    ("others", "name", "expected"),
    [
        (("sex", "birth_date", "age", "marital_status"), "agency", ("place_of_work", False)),
        (("sex", "birth_date"), "agency", ("place_of_work", True)),
        ((), "NM_ARTISTA_ALUNO", ("name", True)),
        ((), "NM_ALUNO", ("name", False)),
    ],
)
def test_a_weak_word_is_sure_beside_several_of_persons(
    others: tuple[str, ...], name: str, expected: tuple[str, bool]
) -> None:
    """And a name of somebody, with more about it, is a question."""
    assert read(*others, name)[name] == expected


@pytest.mark.parametrize("number", ["", "PREG12. ", "Q102) ", "[A4a] ", "12.3 - "])
def test_the_number_of_a_question_leaves_its_label_the_words(number: str) -> None:
    """A label is read without the number before it, in languages whose noun stands first, too."""
    column = replace(facts("v17"), label=f"{number}Edad de la persona")
    assert [(one.concept, one.is_asked) for one in LEXICON.read([column])] == [("age", False)]


def test_a_questionnaire_is_about_persons() -> None:
    """Several questions to somebody make a table of persons, in which a date is known to others."""
    questions = ["Do you like tea or coffee?", "Where did you go first?", "Would you go there again?"]
    assert are_about_persons([facts(name) for name in questions], LEXICON.vocabulary)
    assert not are_about_persons([facts(name) for name in questions[:2]], LEXICON.vocabulary)


@pytest.mark.parametrize(
    ("low", "is_whole", "concept"),
    [(0.1, False, "sampling_weight"), (50.0, False, "body_measure"), (1.0, True, "body_measure")],
)
def test_nobody_weighs_less_than_two(low: float, concept: str, *, is_whole: bool) -> None:
    """A weight with fractions that goes below is one of a sample."""
    shape = replace(SHAPE, low=low, high=100.0, is_whole=is_whole)
    column = replace(facts("weight"), value_type=ValueType.NUMBER, shape=shape)
    assert LEXICON.read([column])[0].concept == concept


def test_a_word_in_company_of_its_like_is_sure() -> None:
    """Property is asked about alone; beside housing, in a table about persons, it is said of the dwelling."""
    assert read("sex", "birth_date", "property")["property"] == ("housing", True)
    assert read("sex", "birth_date", "property", "home_ownership")["property"] == ("housing", False)


@pytest.mark.parametrize(
    ("name", "concept"),
    [
        ("STAATSANGEHOER", "nationality"),
        ("occupat_code", "occupation"),
        ("profess", "occupation"),
        ("statio", None),
    ],
)
def test_a_truncated_word_is_known_where_one_thing_alone_begins_so(name: str, concept: str | None) -> None:
    """Old files cut names short; what begins words of several meanings, or is a word, is left alone."""
    assert read(name) == ({} if concept is None else {name: (concept, False)})


def test_a_number_in_a_table_about_persons_is_one_of_them() -> None:
    """Its name ends in an id and no value repeats; where values do, or it is of a thing, nothing is said."""
    persons = [facts("patient_id"), facts("birth_date"), facts("sex", records=900, distinct=2)]
    for name, distinct, expected in (
        ("PERS_ID", 900, True),
        ("PERS_ID", 30, False),
        ("product_id", 900, False),
    ):
        column = facts(name, records=900, distinct=distinct)
        found = [m for m in LEXICON.read([*persons, column]) if m.column == name and not m.is_asked]
        assert bool(found) == expected


def test_a_log_of_results_is_a_question() -> None:
    """Codes and values with their time are somebody's results, perhaps; a list of prices says nothing."""
    assert read("date", "code", "value")["value"] == ("by_topic", True)
    assert "value" not in read("sku", "code", "value")


def test_names_end_as_substances_do() -> None:
    """Two such columns are medication; one is a question."""
    assert read("glipizide", "enalapril")["glipizide"] == ("medication", False)
    assert read("enalapril") == {"enalapril": ("medication", True)}


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (facts("name", records=10_000, distinct=5), None),
        (facts("name", records=10_000, distinct=9_000), False),
        (facts("surname", records=10_000, distinct=5), True),
        (facts("state", records=10_000, distinct=2), True),
        (facts("state", records=10_000, distinct=50), False),
        (facts("sex", records=10_000, distinct=400), True),
        (facts("race", records=10_000, distinct=6), False),
        (replace(facts("first_name", distinct=2), shape=SHAPE), True),
        (replace(facts("first_name", distinct=2), shape=replace(SHAPE, letters=0.3)), None),
        (replace(facts("telephone", distinct=2), shape=SHAPE), None),
        (replace(facts("telephone", distinct=2), shape=replace(SHAPE, typical=8)), True),
        (replace(facts("admission_date", distinct=1), value_type=ValueType.DATE), True),
        (replace(facts("admission_date", distinct=9), value_type=ValueType.DATE), False),
    ],
)
def test_values_may_speak_against_a_name(column: ColumnFacts, *, expected: bool | None) -> None:
    """Too few or too many values make a question of a proposal, or nothing; two may be two names."""
    found = LEXICON.read([column])
    assert expected == (found[0].is_asked if found else None)


def test_a_plugin_extends_the_lexicon_by_a_folder_of_words(tmp_path: Path) -> None:
    """A concept of the same name gets more words, a new one is read too; a slip names the file."""
    (tmp_path / "house.toml").write_text(
        '[age]\nen = ["lebenslenz"]\n\n[loyalty]\ntitle = "points of loyalty"\nroles = ["sensitive"]\n'
        'tier = "confidential"\nkind = "amount"\nen = ["loyalty_points"]\n',
        encoding="utf-8",
    )
    house = Lexicon.extended(tmp_path, name="house_words")
    names = ("lebenslenz", "customer_loyalty_points", "sex")
    found = house.read([facts(name, records=0, distinct=0) for name in names])
    assert [one.concept for one in found] == ["age", "loyalty", "sex_gender"]
    (tmp_path / "house.toml").write_text('[loyalty]\ntitel = "points"\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"house.toml: 'loyalty' has 'titel'"):
        Lexicon.extended(tmp_path, name="house_words").read([facts("sex")])
