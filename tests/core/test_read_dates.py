"""Texts read as dates: the same dates in many forms, what decides between them, and what stays open."""

from datetime import date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.core.dates import layouts
from qidguard.core.dates.calendar_days import EPOCH
from qidguard.core.dates.forms import DateUnit
from qidguard.core.dates.reading import read_dates

LATEST = date(2026, 1, 31)
DRAWN = np.random.default_rng(1).integers(0, 27_000, 1000)
DAYS = [date(1945, 1, 1) + timedelta(days=int(days)) for days in DRAWN]
GERMAN = ["Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."]
FRENCH = ["janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."]
SPANISH = [
    *("enero", "febrero", "marzo", "abril", "mayo", "junio"),
    *("julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"),
]
DUTCH = ["jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec"]
FORMS = {
    "y-m-d": lambda day: f"{day:%Y-%m-%d}",
    "yyyymmdd": lambda day: f"{day:%Y%m%d}",
    "d/m/y": lambda day: f"{day.day}/{day.month}/{day.year}",
    "m/d/y": lambda day: f"{day:%m/%d/%Y}",
    "d.m.y": lambda day: f"{day.day}. {day.month}. {day.year}",
    "d m y": lambda day: f"{day:%d %m %Y}",
    "y/m/d": lambda day: f"{day.year}/{day.month}/{day.day} 23:59:59.999",
    "d-m-y": lambda day: f"{day:%d-%m-%Y}T10:00:00+02:00",
    "d month y": lambda day: f"{day:%a, %d %b %Y} 10:15 PM",
    "month d y": lambda day: f"{day:%B} {day.day}, {day.year}",
    "German": lambda day: f"{day.day}. {GERMAN[day.month - 1]} {day.year}",
    "French": lambda day: f"{day.day} {FRENCH[day.month - 1]} {day.year}",
    "Spanish": lambda day: f"{day.day} de {SPANISH[day.month - 1]} de {day.year}",
    "Dutch": lambda day: f"{day.day}-{DUTCH[day.month - 1]}-{day.year}".upper(),
    "ddmmyyyy": lambda day: f"{day:%d%m%Y}",
    "two digits, d/m/y": lambda day: f"{day.day}/{day.month}/{day:%y}",
    "two digits, m-d-y": lambda day: f"{day:%m-%d-%y}",
    "two digits, y.m.d": lambda day: f"{day:%y.%m.%d}",
    "two digits, named": lambda day: f"{day:%d%b%y}:10:00:00",
}


@pytest.mark.parametrize("form", FORMS)
def test_the_same_days_in_every_form(form):
    """A thousand days from 1945 to 2018 are read as themselves, however they are written."""
    found = read_dates([FORMS[form](day) for day in DAYS], as_of=LATEST)
    assert np.floor(found.days).tolist() == [day.toordinal() - EPOCH for day in DAYS]
    assert found.doubt is None
    assert len(found.forms) == 1
    assert form in found.told or form not in "y-m-d yyyymmdd d/m/y m/d/y d.m.y d m y y/m/d d-m-y ddmmyyyy"


@pytest.mark.parametrize(("text", "unit", "first"), [
    ("2026-01", DateUnit.MONTH, "2026-01-01"),
    ("202601", DateUnit.MONTH, "2026-01-01"),
    ("1/2026", DateUnit.MONTH, "2026-01-01"),
    ("2026M01", DateUnit.MONTH, "2026-01-01"),
    ("Jan 2026", DateUnit.MONTH, "2026-01-01"),
    ("2026 januari", DateUnit.MONTH, "2026-01-01"),
    ("2026-Q3", DateUnit.QUARTER, "2026-07-01"),
    ("q3 2026", DateUnit.QUARTER, "2026-07-01"),
    ("2026-W01", DateUnit.WEEK, "2026-01-01"),
    ("KW 1/2026", DateUnit.WEEK, "2026-01-01"),
    ("2026", DateUnit.YEAR, "2026-01-01"),
])  # fmt: skip
def test_periods_begin_with_their_first_day(text, unit, first):
    """Of a week it is the Thursday, by which ISO 8601 counts it to a year."""
    found = read_dates([text])
    assert found.days.tolist() == [date.fromisoformat(first).toordinal() - EPOCH]
    assert found.units.tolist() == [unit]


@pytest.mark.parametrize("text", [
    *("30.02.2021", "2021-02-29", "31/4/2021", "2021-13-01", "0/1/2021", "2021-Q5", "2021-W53", "1/1/0000"),
    *("", " ", "soon", "NaN", "44927", "1700000000", "3.14", "12:30", "10115-1234", "+49 30 1234567"),
    *("2021-1", "192.168.1.1", "2021-01-01 25:00", "1/2-2021", "١/٢/٢٠٢١", "1/1/2021" * 9, "32132132"),
])  # fmt: skip
def test_what_is_no_day_is_not_read(text):
    """Days that do not exist, numbers, times, addresses."""
    expected = ["2021-1"] if text == "2021-1" else []
    found = read_dates([text])
    assert found.read == len(expected)


def test_leap_days_exist_in_leap_years_of_the_century_that_is_meant():
    """29/2/00 is a day of 2000 and none of 1900."""
    assert read_dates(["29/2/00"], latest=LATEST).days.tolist() == [date(2000, 2, 29).toordinal() - EPOCH]
    assert read_dates(["29/2/00"], latest=date(1999, 12, 31)).read == 0
    assert read_dates(["1900-02-29", "2000-02-29"]).units.tolist() == [-1, DateUnit.DAY]


def test_one_value_decides_and_equal_parts_decide_nothing():
    """13/1 can only be January 13; 1/1 and 2/2 are the same day both ways, so nothing is open."""
    assert read_dates(["1/2/2021", "13/1/2021"]).doubt is None
    assert read_dates(["1/1/2021", "2/2/2021"]).doubt is None
    doubt = read_dates(["1/2/2021", "3/1/2021", "2/2/2021"]).doubt
    assert doubt is not None
    assert (doubt.orders, doubt.values, doubt.is_mixed) == (("dmy", "mdy"), 2, False)


def test_few_values_against_all_others_are_mistakes():
    """One in more than twenty of the other order is no date; one in ten leaves the order open."""
    right = [f"{day}/1/2021" for day in range(13, 32)]
    more = [*right, *(f"{day}/3/2021" for day in range(13, 32))]
    assert read_dates([*more, "1/31/2021"]).doubt is None
    assert read_dates([*more, "1/31/2021"]).read == len(more)
    doubt = read_dates([*right[:9], "1/31/2021"]).doubt
    assert doubt is not None
    assert doubt.is_mixed


def test_several_forms_are_told_with_their_numbers():
    """No value is told, and each separator has an order of its own."""
    found = read_dates(["31/1/2021", "1/2/2021", "2021-02-03", "02-28-2021"])
    assert found.told == "2 as d/m/y, 1 as y-m-d, 1 as m-d-y"
    assert found.doubt is None


def test_placeholders_are_days_like_others():
    """1900-01-01 and 9999-12-31 are read and change nothing for the rest."""
    found = read_dates(["1900-01-01", "2021-05-05", "9999-12-31"])
    assert found.days.tolist() == [-25567.0, 18752.0, 2932896.0]


def test_years_in_the_first_place_are_told_from_days_by_what_they_fill():
    """26/01/02 is in 2026 where all values are from 24 to 26; as days they would be years of a century."""
    days = [date(2024, 1, 1) + timedelta(days=number) for number in range(700)]
    for form, told in (("%y/%m/%d", "y/m/d"), ("%d/%m/%y", "d/m/y")):
        found = read_dates([day.strftime(form) for day in days], as_of=LATEST)
        assert found.told == f"{told}, two-digit years up to 2026-01-31"
        assert found.days.tolist() == [day.toordinal() - EPOCH for day in days]


@given(st.lists(st.dates(date(1800, 1, 1), date(2100, 12, 31)), min_size=1, unique=True), st.randoms())
def test_neither_order_nor_company_changes_a_day(days, random):
    """What a date is read as does not depend on the order of the values; words leave nothing open."""
    texts = [f"{day.day} {day:%b} {day.year}" for day in days]
    shuffled = random.sample(texts, len(texts))
    found = dict(zip(texts, read_dates(texts).days.tolist(), strict=True))
    assert found == dict(zip(shuffled, read_dates(shuffled).days.tolist(), strict=True))
    assert list(found.values()) == [day.toordinal() - EPOCH for day in days]


@given(st.lists(st.text("0123456789/-. :JanTZqw", max_size=14), max_size=20))
def test_any_text_is_read_or_not_and_never_fails(texts):
    """What is read is a day of the calendar."""
    found = read_dates(texts, as_of=LATEST, is_declared=True)
    assert (np.isfinite(found.days) == (found.units >= 0)).all()


def test_times_are_a_share_of_the_day():
    """Twelve hours with halves of the day, and twenty-four."""
    found = read_dates(["2021-01-01 06:00", "1/13/2021 12:30 AM", "1/13/2021 6:00:00 pm"])
    assert (found.days % 1).tolist() == [0.25, pytest.approx(0.5 / 24), 0.75]


def test_a_form_of_strptime_has_the_same_centuries():
    """Its own rule would make 2044 of 44."""
    moment = datetime(1944, 5, 1, 12)  # noqa: DTZ001 - a table's moments carry no zone
    found = read_dates([moment.strftime("%d|%m|%y %H"), "x"], written="%d|%m|%y %H", latest=LATEST)
    assert found.days.tolist()[0] == moment.toordinal() - EPOCH + 0.5
    assert found.read == 1


def test_no_date_of_the_last_year_is_later_than_the_day_that_is_meant():
    """On January 31, 2026 the last day of '26 is one of 1926."""
    found = read_dates(["31/1/26", "1/2/26", "31/12/26"], latest=LATEST)
    assert [date.fromordinal(EPOCH + int(days)).year for days in found.days] == [2026, 1926, 1926]


def test_two_layouts_of_one_number_are_never_mixed(monkeypatch):
    """Layouts are found by numbers, and what has the same one by chance is not read in another's form."""
    monkeypatch.setattr(layouts, "_FACTOR", np.uint64(0))
    assert read_dates(["31.12.2021", "31/12/2021"]).forms == (("d.m.y", 1),)
