"""The lexicon knows column names as people write them, and does not cry wolf."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

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
    looked_at=2, shortest=2, typical=4, longest=4, is_same_length=False,
    digits=0.0, letters=1.0, blanks=0.0, words=1.0,
)  # fmt: skip


LEXICON = Lexicon()
PERSONS = ("birth_date", "marital_status")


def each(names: Mapping[Any, str]) -> list[tuple[str, Any]]:
    """Return (name, what it means) of each name, semicolons between them."""
    return [(name, meant) for meant, some in names.items() for name in some.split("; ")]


def meaning(name: str) -> tuple[Role, str] | None:
    """Return the first role and the concept that the lexicon gives a name."""
    found = [(one.column, one.roles[0], one.concept) for one in LEXICON.read([facts(name)])]
    assert [column for column, *_ in found] == [name] * len(found)
    return found[0][1:] if found else None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("patientID", "patient id"),
        ("IPAddress", "ip address"),
        ("date-of birth.2", "date of birth 2"),
        ("icd10", "icd 10"),
        ("Straße", "strasse"),
        ("Prénom", "prenom"),
        ("København", "kobenhavn"),
        ("年齢", "年齢"),
        ("🩺", ""),
        ("", ""),
    ],
)
def test_names_are_split_into_whole_tokens(name: str, expected: str) -> None:
    """Separators, humps of camels and digits part tokens; accents are folded."""
    assert tuple(expected.split()) == split_name(name)


KNOWN = {
    (DIRECT, "name"): "first_name; FirstName; firstname; patient_name; Vorname; Prénom; NM_PACIENTE"
    "; nom_du_candidat; Nombre del alumno",
    (DIRECT, "email"): "e-mail",
    (DIRECT, "national_id"): "NHS No.",
    (DIRECT, "street_address"): "Straße",
    (DIRECT, "medical_record"): "MRN",
    (DIRECT, "free_text"): "bemerkungen",
    (DIRECT, "health_plan_id"): "health_plan_id",
    (DIRECT, "other_unique_id"): "EmpID; custid; studno",
    (QID, "birth_date"): "birth_date; dateOfBirth; Geburts_Datum; data_urodzenia; doğum_tarihi",
    (QID, "event_date"): "admission; discharge; death; fecha_alta; diagnosis_date",
    (QID, "postcode"): "home_zip; PLZ",
    (QID, "residence"): "Ort; state_code; SG_UF",
    (QID, "age"): "alter; возраст",
    (QID, "sex_gender"): "sexe; DS_GENERO; TP_SEXO; r1_sex; What is your gender?; płeć; jenis_kelamin",
    (QID, "marital_status"): "estado_civil",
    (QID, "education"): "Q102. Highest level of education",
    (QID, "household_size"): "How many children do you have?",
    (QID, "ethnicity_race"): "Which of the following best describes your race?",
    (SENSITIVE, "health"): "health; ICD10_code",
    (SENSITIVE, "income_wealth"): "Gehalt; VL_SALARIO",
    (SENSITIVE, "religion_politics"): "Religião; 12.3 Religion of the respondent",
    (SENSITIVE, "criminal"): "criminal_record",
}


HARMLESS = (
    "product_name; file_name; report; page; status; order_state; zip_file; race_time; race_id; alter_table"
    "; alta; cor; flat; programming_language; account_age; ip_count; product_url; comments_count; last_login"
    "; cardiac_arrest; sextant; message; nombre_de_visites; unnamed_0; x; "
)


NO_PERSON = "race_name; country_of_manufacture; company_email; nom_du_produit; Firmenadresse; voltage; manage"
NOUNS = {
    (DIRECT, "other_unique_id"): "device_user_name",
    (DIRECT, "email"): "device_owner_email",
    (DIRECT, "name"): "mothers_maiden_name; nom_du_patient",
    (QID, "postcode"): "zip_of_home",
    (SENSITIVE, "health"): "Nebendiagnose",
    (QID, "age"): "husage",
}
"""The noun stands last in English and in compounds, first in French."""


@pytest.mark.parametrize(
    ("name", "expected"),
    [*each(KNOWN), *each(NOUNS), *each({None: f"{HARMLESS}; {NO_PERSON}"})],
)
def test_a_name_has_its_role_or_none(name: str, expected: tuple[Role, str] | None) -> None:
    """In several languages the longest synonym decides; only whole tokens, and ambiguous words in company."""
    assert expected == meaning(name)


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


ADULT_QIDS = (
    "age workclass education education-num marital-status occupation relationship race sex hours-per-week"
    " native-country"
)
ADULT_PAY = "capital-gain capital-loss income"
ADULT = (
    dict.fromkeys(ADULT_QIDS.split(), QID)
    | dict.fromkeys(ADULT_PAY.split(), SENSITIVE)
    | {"fnlwgt": Role.WEIGHT}
)


def roles_of(names: Iterable[str]) -> dict[str, Role]:
    """Return the role that is proposed for each name."""
    return {p.assignment.column: p.assignment.role for p in Lexicon().propose([facts(n) for n in names])}


def test_adult_is_known() -> None:
    """The columns of UCI Adult; the sampling weight is an answer of its own."""
    assert roles_of(ADULT) == ADULT


@pytest.mark.parametrize(
    ("name", "tier", "kind"),
    [
        ("monthly_income", Tier.CONFIDENTIAL, ColumnKind.AMOUNT),
        ("icd10_code", Tier.SPECIAL, ColumnKind.CODE),
        ("prior_convictions", Tier.CRIME, ColumnKind.NOMINAL),
        ("age", None, ColumnKind.COUNT),
        ("age_group", None, ColumnKind.ORDINAL),
        ("birth_date", None, ColumnKind.DATE),
        ("zip", None, ColumnKind.PLACE),
        ("mrn", None, ColumnKind.KEY),
        ("notes", None, ColumnKind.TEXT),
    ],
)
def test_a_name_says_why_it_is_sensitive_and_what_its_values_are(
    name: str, tier: Tier | None, kind: ColumnKind
) -> None:
    """The tier comes from the law or from custom, the kind from the concept and the name."""
    assert [(found.tier, found.kind) for found in LEXICON.read([facts(name)])] == [(tier, kind)]


@pytest.mark.parametrize(
    ("name", "value_type", "kinds"),
    [
        ("zip", ValueType.TEXT, [ColumnKind.PLACE]),
        ("zip", ValueType.INTEGER, [ColumnKind.CODE]),
        ("birth_date", ValueType.DATE, []),
        ("birth_date", ValueType.INTEGER, []),
    ],
)
def test_values_limit_the_kind_that_a_name_tells(
    name: str, value_type: ValueType, kinds: list[ColumnKind]
) -> None:
    """A place in few numbers is a code; a date says its kind itself, and a number is none."""
    column = replace(facts(name, distinct=9), value_type=value_type, shape=replace(SHAPE, longest=2))
    assert [found.kind for found in LEXICON.propose_kinds([column])] == kinds


def read(*names: str, **how_many: int) -> dict[str, tuple[str, bool]]:
    """Return the concept of each name of a table of which nothing else is known, and whether it is asked."""
    columns = [facts(name, **{"records": 0, "distinct": 0, **how_many}) for name in names]
    return {found.column: (found.concept, found.is_asked) for found in LEXICON.read(columns)}


@pytest.mark.parametrize(
    ("name", "others", "expected"),
    [
        # short names of a survey count together: EU-SILC's year of birth
        ("PB140", "", ("birth_date", True)),
        ("PB140", "PB150 PE040 PY050G", ("birth_date", False)),
        ("PY050G", "PB140 PB150 PE040", ("income_wealth", False)),
        # a family knows series of names by their beginning or end; flags of processing say nothing
        ("LBXAAA", "RIAGENDR RIDAGEYR SEQN", ("measurement", False)),
        ("LBXAAA", "", None),
        ("ZZDTC", "USUBJID ARM ACTARM RFSTDTC", ("event_date", False)),
        ("ZZDTC", "", None),
        ("LBSEQ", "USUBJID ARM ACTARM TRT01P DTHFL AEDECOD", None),
        ("LBSEQ", "", None),
        # what many names begin or end with says nothing of a single column
        ("pq_sex", "pq_age pq_zz1 pq_zz2", ("sex_gender", False)),
        ("sex_pq", "age_pq k_pq l_pq", ("sex_gender", False)),
        # a weak word is sure beside several of persons; a name of somebody, with more about it, is a question
        ("agency", "sex birth_date age marital_status", ("place_of_work", False)),
        ("agency", "sex birth_date", ("place_of_work", True)),
        ("NM_ARTISTA_ALUNO", "", ("name", True)),
        ("NM_ALUNO", "", ("name", False)),
        # property is said of the dwelling beside housing, in a table about persons
        ("property", "sex birth_date", ("housing", True)),
        ("property", "sex birth_date home_ownership", ("housing", False)),
        # old files cut names short; what begins words of several meanings, or is a word, is left alone
        ("STAATSANGEHOER", "", ("nationality", False)),
        ("occupat_code", "", ("occupation", False)),
        ("profess", "", ("occupation", False)),
        ("statio", "", None),
        # codes and values with their time are somebody's results, perhaps; prices say nothing
        ("value", "date code", ("by_topic", True)),
        ("value", "sku code", None),
        # two columns that end as substances do are medication; one is a question
        ("glipizide", "enalapril", ("medication", False)),
        ("enalapril", "", ("medication", True)),
    ],
)
def test_others_make_a_name_sure(name: str, others: str, expected: tuple[str, bool] | None) -> None:
    """What stands beside a name makes it known, a question, or neither."""
    assert read(*others.split(), name).get(name) == expected


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


def test_a_later_file_may_make_a_word_weak() -> None:
    """What a house adds to a concept, it may call a question, and say beside what it means something else."""
    words = "[employment]\nalone.en = ['zork', 'zark']\nweak_alone = ['zork']\nunless = ['gear']"
    lexicon = Lexicon().extended_with({"ours.toml": words})
    found = {
        one.column: one.is_asked for one in lexicon.read([facts(n) for n in ("zork", "zark", "zark_gear")])
    }
    assert found == {"zork": True, "zark": False}


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


def weight(low: float, *, is_whole: bool) -> ColumnFacts:
    """Return a weight from so much to a hundred."""
    shape = replace(SHAPE, low=low, high=100.0, is_whole=is_whole)
    return replace(facts("weight"), value_type=ValueType.NUMBER, shape=shape)


CLINICAL, HAS_PATIENTS = "diagnosis cholesterol glucose", "patient_id birth_date sex"
DECIMALS = facts("age", records=1000, distinct=400)


@pytest.mark.parametrize(
    ("column", "others", "concept", "is_asked"),
    [
        # of what nobody knows in a table of health, many words may be places, and one word says nothing
        (facts("kx7", distinct=1), CLINICAL, None, None),
        (facts("kx7", distinct=12), CLINICAL, "by_topic", False),
        (facts("kx7", distinct=13), CLINICAL, "by_topic", True),
        (facts("kx7", distinct=51), CLINICAL, None, None),
        # a weight with fractions that goes below two is one of a sample
        (weight(0.1, is_whole=False), "", "sampling_weight", False),
        (weight(50.0, is_whole=False), "", "body_measure", False),
        (weight(1.0, is_whole=True), "", "body_measure", False),
        # what ends in an id, and never repeats, is one of persons; not where values do, or of a thing
        (facts("PERS_ID", records=900, distinct=900), HAS_PATIENTS, "other_unique_id", False),
        (facts("PERS_ID", records=900, distinct=30), HAS_PATIENTS, None, None),
        (facts("product_id", records=900, distinct=900), HAS_PATIENTS, None, None),
        # ages with decimals may be many; a death of two values is who died; industries are a yes and a no
        (replace(DECIMALS, value_type=ValueType.NUMBER), "", "age", False),
        (replace(DECIMALS, value_type=ValueType.INTEGER), "", "age", True),
        (facts("death", distinct=2), "", "health", False),
        (facts("death", distinct=80), "", "event_date", False),
        (facts("construc", distinct=2), "birth_date", "industry", False),
        (facts("manuf", distinct=60), "birth_date", "industry", True),
    ],
)
def test_values_decide_between_meanings(
    column: ColumnFacts, others: str, concept: str | None, *, is_asked: bool | None
) -> None:
    """What the values are makes a name known, a question, something else, or nothing."""
    found = LEXICON.read([*map(facts, others.split()), column])
    told = [(one.concept, one.is_asked) for one in found if one.column == column.name]
    assert (told or [(None, None)]) == [(concept, is_asked)]


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


GLUED = {
    "income_wealth": "totinc; wifeinc; annualinc; hhinc_2004; applicantincome; lspouseinc; huswage; realearn"
    "; wage76; lsalary",
    "sex_gender": "hhsex",
    "age": "headage; spouseage; fage; agew",
    "education": "meduc; feducation; momed; husEd; fathcoll",
    "occupation": "fatheroccup",
    "religion_politics": "headrelig",
    "household_size": "kidslt6; nkids5",
    "benefits": "everunemp",
    "language": "motherlang",
    "donation": "avggift",
    "health": "hadcancer; gdhlth",
    "lifestyle": "momsmoke",
    "credit": "totdebt",
    "employment": "hoursw",
}


def beside(*names: str) -> dict[str, tuple[str, bool]]:
    """Return the concepts of names whose columns have fifteen values in a hundred records."""
    return read(*names, records=100, distinct=15)


FOUR, FEW = "kx1 kx2 kx3", "glucose cholesterol kx2 kx3 kx4"


@pytest.mark.parametrize(
    ("name", "others", "expected"),
    [
        *((name, " ".join(PERSONS), (concept, False)) for name, concept in each(GLUED)),
        # a letter before a word may be chance: in a table about nothing known it is a question
        ("fage", f"quantity {FOUR}", ("age", True)),
        # a customer in a name speaks of persons; two of six columns speak of health, two of nine do not
        ("state", f"number_customer_service_calls {FOUR}", ("residence", False)),
        ("state", f"number_of_items {FOUR}", ("residence", True)),
        ("kx1", FEW, ("by_topic", True)),
        ("kx1", f"{FEW} kx5 kx6 kx7", None),
    ],
)
def test_names_without_separators_are_taken_apart(
    name: str, others: str, expected: tuple[str, bool] | None
) -> None:
    """Persons, measures and clippings stand beside a word that has a meaning; years and numbers follow."""
    assert beside(*others.split(), name).get(name) == expected


def test_ordinary_words_are_not_taken_apart() -> None:
    """Words that end in age, race, sex, inc and their like propose nothing, even in a table about persons."""
    file = Path(__file__).parent / "names" / "glued_look_alikes.toml"
    names = tomllib.loads(file.read_text("utf-8"))["names"]
    found = beside(*names, *PERSONS)
    proposed = {name for name, (concept, is_asked) in found.items() if not is_asked and concept != "by_topic"}
    assert len(names) > 300
    assert proposed == set(PERSONS)
