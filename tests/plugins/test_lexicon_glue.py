"""Names without separators are taken apart where their parts are known, and ordinary words are not."""

import tomllib
from pathlib import Path

import pytest

from qidguard.sdk import ColumnFacts, Role, ValueType
from qidguard_standard.recognizers import Lexicon

LEXICON = Lexicon()
PERSONS = ("birth_date", "marital_status")


def facts(name: str, *, distinct: int = 15, value_type: ValueType = ValueType.TEXT) -> ColumnFacts:
    """Return the facts of a column of 100 records."""
    return ColumnFacts(name=name, value_type=value_type, records=100, distinct=distinct, missing=0)


def concepts(*names: str) -> dict[str, tuple[str, bool]]:
    """Return the concept of each known name, and whether it is a question."""
    found = LEXICON.read([facts(name) for name in names])
    return {one.column: (one.concept, one.is_asked) for one in found}


@pytest.mark.parametrize(
    ("name", "concept"),
    [
        ("totinc", "income_wealth"),
        ("wifeinc", "income_wealth"),
        ("annualinc", "income_wealth"),
        ("hhinc_2004", "income_wealth"),
        ("applicantincome", "income_wealth"),
        ("lspouseinc", "income_wealth"),
        ("huswage", "income_wealth"),
        ("realearn", "income_wealth"),
        ("hhsex", "sex_gender"),
        ("headage", "age"),
        ("spouseage", "age"),
        ("fage", "age"),
        ("agew", "age"),
        ("meduc", "education"),
        ("feducation", "education"),
        ("momed", "education"),
        ("husEd", "education"),
        ("fatheroccup", "occupation"),
        ("headrelig", "religion_politics"),
        ("kidslt6", "household_size"),
        ("nkids5", "household_size"),
        ("everunemp", "benefits"),
        ("motherlang", "language"),
        ("avggift", "donation"),
        ("hadcancer", "health"),
        ("momsmoke", "lifestyle"),
        ("totdebt", "credit"),
        ("wage76", "income_wealth"),
        ("hoursw", "employment"),
        ("lsalary", "income_wealth"),
        ("fathcoll", "education"),
        ("gdhlth", "health"),
    ],
)
def test_names_without_separators_are_taken_apart(name: str, concept: str) -> None:
    """Persons, measures and clippings stand beside a word that has a meaning; years and numbers follow."""
    assert concepts(name, *PERSONS)[name] == (concept, False)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fage", "hwage", "meduc"])
def test_a_single_letter_counts_only_beside_persons(name: str) -> None:
    """A letter before a word may be chance: in a table about nothing known it is a question."""
    others = ("quantity", "kx1", "kx2", "kx3")
    assert concepts(name, *others)[name][1]
    assert not concepts(name, *PERSONS)[name][1]


LOOK_ALIKES = tomllib.loads((Path(__file__).parent / "names" / "glued_look_alikes.toml").read_text("utf-8"))[
    "names"
]


def test_ordinary_words_are_not_taken_apart() -> None:
    """Words that end in age, race, sex, inc and their like propose nothing, even in a table about persons."""
    found = concepts(*LOOK_ALIKES, *PERSONS)
    proposed = [
        name
        for name, (concept, is_asked) in found.items()
        if not is_asked and name not in PERSONS and concept != "by_topic"
    ]
    assert len(LOOK_ALIKES) > 300
    assert proposed == []


def test_decimals_of_an_age_are_no_reason_to_doubt_it() -> None:
    """Ages in years and months have more values than there are years; whole numbers have not."""
    columns = [facts("age", distinct=400, value_type=kind) for kind in (ValueType.NUMBER, ValueType.INTEGER)]
    many = [
        LEXICON.read(
            [ColumnFacts(name="age", value_type=c.value_type, records=1000, distinct=400, missing=0)]
        )[0].is_asked
        for c in columns
    ]
    assert many == [False, True]


def test_a_death_of_two_values_is_a_state_of_health() -> None:
    """Where the column is a yes and a no, it tells who died; with more it is a date that others know."""
    (flag,) = LEXICON.read([facts("death", distinct=2)])
    (date,) = LEXICON.read([facts("death", distinct=80)])
    assert (flag.concept, flag.roles) == ("health", (Role.SENSITIVE,))
    assert (date.concept, date.roles) == ("event_date", (Role.QUASI_IDENTIFIER,))


def test_a_customer_in_any_name_makes_a_table_one_about_persons() -> None:
    """An ambiguous word counts beside such a name, and is a question beside names of things."""
    assert not concepts("state", "number_customer_service_calls", "kx1", "kx2", "kx3")["state"][1]
    assert concepts("state", "number_of_items", "kx1", "kx2", "kx3")["state"][1]


def test_industries_count_where_they_are_a_yes_and_a_no() -> None:
    """A column of two values says who works there; one of many figures is a question."""
    found = LEXICON.read([facts("construc", distinct=2), facts("manuf", distinct=60), facts("birth_date")])
    assert [(one.column, one.is_asked) for one in found[:2]] == [("construc", False), ("manuf", True)]


def test_a_quarter_of_the_columns_makes_a_strong_topic() -> None:
    """Two of six columns speak of health, so that an unknown one is a question; two of nine do not."""
    few = ("glucose", "cholesterol", "kx1", "kx2", "kx3", "kx4")
    assert concepts(*few)["kx1"] == ("by_topic", True)
    assert "kx1" not in concepts(*few, "kx5", "kx6", "kx7")
