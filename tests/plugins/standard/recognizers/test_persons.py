"""What numbers, codes and dates say of persons, with all names hidden."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from looked import looked
from qidguard.sdk import ColumnFacts, Role, ValueType
from qidguard_standard.recognizers.content import Content

CONTENT = Content()
TESTS = CONTENT.tests
Draw = Callable[[random.Random], float | str]


def drawn(draw: Draw, records: int = 1_500) -> list[str]:
    """Return the values of a column."""
    r = random.Random(7)  # noqa: S311 - reproducible, no secret
    return [value if isinstance(value := draw(r), str) else str(round(value)) for _ in range(records)]


def within(low: float, high: float, draw: Draw) -> Draw:
    """Return a draw that is repeated until it lies within bounds."""

    def again(r: random.Random) -> float:
        while not low <= (value := float(draw(r))) <= high:
            pass
        return value

    return again


def roles(*columns: ColumnFacts) -> dict[str, tuple[Role, bool]]:
    """Return column → the surest role, and whether it is proposed."""
    proposals = sorted(CONTENT.propose(columns), key=lambda p: p.confidence)
    return {p.assignment.column: (p.assignment.role, p.is_sure) for p in proposals}


QID, ASKED = (Role.QUASI_IDENTIFIER, True), (Role.QUASI_IDENTIFIER, False)

AGES: dict[str, Draw] = {
    "a whole population": within(0, 95, lambda r: r.triangular(0, 95, 35)),
    "workers": within(17, 80, lambda r: r.gauss(40, 13)),
    "patients": within(20, 95, lambda r: r.gauss(60, 15)),
    "voters": within(18, 92, lambda r: r.gauss(50, 18)),
}
COUNTS: dict[str, Draw] = {
    "visits": lambda r: min(90, r.expovariate(0.1)),
    "months of a loan": lambda r: r.choice((6, 12, 18, 24, 30, 36, 48, 60, 72)) + (r.random() < 0.1),
    "percent": lambda r: r.uniform(0, 100),
    "minutes": lambda r: r.randint(0, 59),
    "days of a month": lambda r: r.randint(1, 31),
    "weeks of a year": lambda r: r.randint(1, 52),
    "marks of an exam": within(0, 100, lambda r: r.gauss(72, 15)),
    "pulse": lambda r: r.gauss(76, 10),
    "lower blood pressure": lambda r: r.gauss(80, 9),
    "glucose": lambda r: r.gauss(110, 30),
    "quantity": lambda r: r.randint(1, 99),
    "rounded amounts": lambda r: 5 * r.randint(1, 19),
    "rank": lambda r: r.randint(1, 120),
}


@pytest.mark.parametrize("draw", AGES.values(), ids=AGES)
def test_ages_are_known_by_their_spread(draw: Draw) -> None:
    """Whole numbers that spread over lives are ages."""
    assert roles(looked("c0", drawn(draw), TESTS)) == {"c0": QID}


@pytest.mark.parametrize(
    ("name", "expected"), [("months_since_visit", ASKED), ("total_views", ASKED), ("age_in_months", QID)]
)
def test_a_name_of_counts_makes_ages_a_question(name: str, expected: tuple[Role, bool]) -> None:
    """Months since something spread as ages do."""
    column = looked(name, drawn(AGES["workers"]), TESTS)
    assert roles(column) == {name: expected}


@pytest.mark.parametrize("draw", COUNTS.values(), ids=COUNTS)
def test_counts_and_measurements_are_no_ages(draw: Draw) -> None:
    """What piles up at nothing, at months or at round numbers, or reaches a hundred, is no age."""
    assert roles(looked("c0", drawn(draw), TESTS)) == {}


def test_hours_of_a_week_pile_up_at_a_full_one() -> None:
    """Half of those who work do so for 35 to 42 hours."""
    hours = drawn(lambda r: 40 if r.random() < 0.5 else r.randint(1, 80))
    assert roles(looked("c0", hours, TESTS)) == {"c0": QID}


SEX = looked("sex", ["m", "f"] * 50, TESTS)


@pytest.mark.parametrize(
    ("draw", "alone", "in_company"),
    [
        (lambda r: 1990 - abs(r.gauss(0, 22)), ASKED, QID),
        (lambda r: r.choice("12"), None, ASKED),
        (lambda r: r.choice("01"), None, None),
    ],
    ids=["years of birth", "1 and 2", "0 and 1"],
)
def test_what_is_unsure_is_surer_beside_persons(
    draw: Draw, alone: tuple[Role, bool] | None, in_company: tuple[Role, bool] | None
) -> None:
    """Years may be those of houses; beside a sex they are years of birth, and 1 and 2 are asked about."""
    column = looked("c0", drawn(draw), TESTS)
    assert (roles(column).get("c0"), roles(column, SEX).get("c0")) == (alone, in_company)


def test_dates_are_proposed_beside_persons() -> None:
    """In a table about something else a date is a question, and one that never changes says nothing."""
    date = ColumnFacts(name="d", value_type=ValueType.DATE, records=90, distinct=80, missing=0)
    assert (roles(date).get("d"), roles(date, SEX).get("d")) == (ASKED, QID)
    assert roles(replace(date, distinct=1), SEX).get("d") is None


_COUNTRIES = "AT BE BG CZ DE DK ES FI FR GR HU IE IT NL NO PL PT RO SE US".split()  # noqa: SIM905 - words
_STATES = "AL AK AZ CA CO FL GA IL MA MN NY OH PA TX WA".split()  # noqa: SIM905 - words
_US = ("0213{}", "1001{}", "3032{}", "4820{}", "6061{}", "7702{}", "9000{}", "9410{}", "2001{}", "5540{}")
_DE = ("0106{}", "1011{}", "2009{}", "5066{}", "6031{}", "8033{}", "7017{}", "4021{}", "2819{}", "9040{}")


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (lambda r: r.choice(_COUNTRIES), QID),
        (lambda r: r.choice(_COUNTRIES[:9]), ASKED),
        (lambda r: r.choice(_STATES), QID),
        (lambda r: r.choice("deu fra ita esp nld bel pol usa gbr".split()), QID),  # noqa: SIM905 - words
        (lambda r: r.choice("France Deutschland España Itália Paesi-Bassi Polska".split()), None),  # noqa: SIM905
        (lambda r: r.choice(("France", "Deutschland", "España", "Itália", "Paesi Bassi")), QID),
        (lambda r: r.choice(("Bayern", "Hessen", "Berlin", "Sachsen", "Hamburg", "Bremen")), QID),
        (lambda r: r.choice(("German", "French", "English", "Turkish", "Polish", "Arabic")), QID),
        (lambda r: r.choice(("C10", "C25", "F41", "G47", "J62", "M70", "P85", "Q86")), QID),
        (lambda r: r.choice(("2512", "2221", "5120", "4110", "7112", "8332", "9112", "2341")), QID),
        (lambda r: r.choice(("DE21", "FR10", "ITC4", "ES30", "NL32", "BE10", "PL91")), QID),
        (lambda r: r.choice("ABCDEFGH") + str(r.randint(10, 99)), None),
        (lambda r: r.randint(1000, 9999), None),
        (lambda r: r.choice("ACEGKMPRTX") + r.choice("BDFHJLNQSU"), None),
    ],
)
def test_codes_of_persons_are_known_against_chance(draw: Draw, expected: tuple[Role, bool] | None) -> None:
    """A code is proposed where random texts of its shape would hardly all be one, else asked about."""
    assert roles(looked("c0", drawn(draw, 400), TESTS)).get("c0") == expected


@pytest.mark.parametrize(
    ("prefixes", "records", "expected"),
    [(_US, 1_500, QID), (_DE, 1_500, QID), (tuple(p for p in _US if p[0] != "0"), 1_500, ASKED)],
    ids=["US", "German", "without a leading zero"],
)
def test_postcodes_of_five_digits_need_prefixes_and_zeros(
    prefixes: tuple[str, ...], records: int, expected: tuple[Role, bool]
) -> None:
    """Without zeros in front they may be any numbers, so a person is asked."""
    values = drawn(lambda r: f"{str(r.choice(prefixes))[:3]}{r.randint(0, 99):02}", records)
    assert roles(looked("c0", values, TESTS)) == {"c0": expected}


def test_amounts_of_five_digits_are_no_postcodes() -> None:
    """Their first digits are those of no country's postcodes alone."""
    assert roles(looked("c0", drawn(lambda r: r.randint(10_000, 99_999)), TESTS)) == {}


@pytest.mark.parametrize(
    ("form", "expected"), [("{:.5f}", QID), ("{:.2f}", ASKED)], ids=["five digits", "two digits"]
)
def test_degrees_in_two_columns_beside_each_other(form: str, expected: tuple[Role, bool]) -> None:
    """A latitude and a longitude stand together; alone a number with digits behind the point is any."""
    north = looked("n", drawn(lambda r: form.format(r.uniform(40, 43))), TESTS)
    east = looked("e", drawn(lambda r: form.format(r.uniform(-74, -70))), TESTS)
    other = looked("o", drawn(lambda r: form.format(r.uniform(0, 9))), TESTS)
    assert roles(other, north, east) == {"n": expected, "e": expected}
    assert roles(north, other, east) == {}


def test_nothing_of_a_value_is_said() -> None:
    """Reasons of this kind name no number of the table."""
    for draw in (*AGES.values(), lambda r: r.choice(_US).format(r.randint(0, 9))):
        values = drawn(draw)
        for proposal in CONTENT.propose([looked("c", values, TESTS), SEX]):
            words = proposal.assignment.reason.split()
            assert not set(values) & set(words)


@pytest.mark.parametrize(("name", "expected"), [("store_country", ASKED), ("country", QID), ("c0", QID)])
def test_a_place_of_a_thing_is_a_question(name: str, expected: tuple[Role, bool]) -> None:
    """Where a store is says nothing of a person by itself."""
    values = drawn(lambda r: r.choice(("France", "Spain", "Italy", "Poland")), 100)
    assert roles(looked(name, values, TESTS)) == {name: expected}
