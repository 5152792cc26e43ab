"""The lexicon knows column names as people write them, and does not cry wolf."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.sdk import ColumnFacts, DecidedBy, Role, ValueType
from qidguard_standard.recognizers import RECOGNIZERS, Lexicon
from qidguard_standard.recognizers.lexicon import _data, split_name

DIRECT, QID, SENSITIVE = Role.DIRECT_IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE


def facts(name: str, *, records: int = 100, distinct: int = 50, missing: int = 0) -> ColumnFacts:
    """Return the facts of a text column."""
    return ColumnFacts(
        name=name, value_type=ValueType.TEXT, records=records, distinct=distinct, missing=missing
    )


def meaning(name: str) -> tuple[Role, str] | None:
    """Return the role and the category that the lexicon gives a name."""
    found = Lexicon().propose([facts(name)])
    if not found:
        return None
    (proposal,) = found
    assert proposal.assignment.column == name
    assert proposal.assignment.decided_by is DecidedBy.LEXICON
    return proposal.assignment.role, proposal.assignment.reason.split("(")[1].split(")")[0]


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


def test_every_synonym_means_its_own_category() -> None:
    """No word of the lexicon is swallowed by another one, and none stands in two categories."""
    seen: Counter[str] = Counter()
    for category in _data()["category"]:
        for word in (*category.get("sure", ()), *category.get("ambiguous", ())):
            assert meaning(word) == (Role(category["role"]), category["name"]), word
            seen[word] += 1
    assert [word for word, times in seen.items() if times > 1] == []
    assert len(seen) > 300


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


def test_few_distinct_values_speak_against_a_direct_identifier() -> None:
    """A flag is no identifier and is left to a person; few values lower the confidence and say so."""
    many, few, flag = (Lexicon().propose([facts("telephone", records=100, distinct=n)]) for n in (90, 9, 2))
    assert (many[0].confidence, few[0].confidence) == (0.9, 0.7)
    assert "only 9 distinct values" in few[0].assignment.reason
    assert flag == ()
    (small,) = Lexicon().propose([facts("telephone", records=8, distinct=2)])
    assert small.confidence == 0.9


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
    "fnlwgt": QID,
    "education": QID,
    "education-num": QID,
    "marital-status": QID,
    "occupation": QID,
    "relationship": QID,
    "race": QID,
    "sex": QID,
    "capital-gain": SENSITIVE,
    "capital-loss": SENSITIVE,
    "hours-per-week": None,
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
    "diag_1": SENSITIVE,
    "diag_2": SENSITIVE,
    "diag_3": SENSITIVE,
    "number_diagnoses": SENSITIVE,
}


def test_adult_is_known() -> None:
    """The columns of UCI Adult; hours-per-week is left to a person."""
    found = {p.assignment.column: p.assignment.role for p in Lexicon().propose([facts(n) for n in ADULT])}
    assert found == {name: role for name, role in ADULT.items() if role is not None}


@pytest.mark.realdata
def test_a_hospital_file_is_known_without_false_alarms(data) -> None:
    """Of the 50 columns of the diabetes file 11 are known; no drug is taken for anything."""
    with (data / "hospital" / "diabetic_data.csv").open(encoding="utf-8") as file:
        names = file.readline().strip().split(",")
    assert len(names) == 50
    found = {p.assignment.column: p.assignment.role for p in Lexicon().propose([facts(n) for n in names])}
    assert found == HOSPITAL
    assert "medical_record" in (meaning("patient_nbr") or ("", ""))[1]


@pytest.mark.realdata
def test_the_columns_of_the_arx_file_are_known(data) -> None:
    """The nine columns of Adult as ARX ships it: eight QIDs and one sensitive attribute."""
    with (data / "adult" / "adult_arx.csv").open(encoding="utf-8") as file:
        names = file.readline().strip().split(";")
    roles = Counter(p.assignment.role for p in Lexicon().propose([facts(n) for n in names]))
    assert roles == {QID: 8, SENSITIVE: 1}
