"""Dates and periods are recognized as such in whatever form they are written."""

from datetime import date, timedelta

import pytest

from qidguard_standard.recognizers.content.forms import FORMS

DAYS = [date(1945, 1, 1) + timedelta(days=997 * number) for number in range(28)]
TESTS = {test.name: test for test in FORMS}


@pytest.mark.parametrize(
    ("name", "form"),
    [
        *(("written_date", form) for form in ("%Y-%m-%d", "%Y%m%d", "%d/%m/%Y", "%m/%d/%y", "%d. %m. %Y")),
        *(("written_date", form) for form in ("%d %m %Y", "%d-%m-%YT%H:%M", "%d%m%Y", "%y.%m.%d")),
        *(("worded_date", form) for form in ("%d-%b-%Y", "%d%b%Y:10:00:00", "%d %B %y", "%B %d, %Y")),
        *(("year_and_month", form) for form in ("%Y-%m", "%m/%Y", "%b %Y")),
    ],
)
def test_a_test_passes_every_day_of_its_forms(name, form):
    """With figures, with names, and months without a day."""
    assert all(TESTS[name].passes(day.strftime(form)) for day in DAYS)


@pytest.mark.parametrize("text", ["45.13.1980", "2021-02-30", "99-99-99", "12-34-5678", "31131999", "1.2"])
def test_numbers_that_are_no_day_do_not_pass(text):
    """Months beyond the twelfth, and days that do not exist."""
    assert not TESTS["written_date"].passes(text)
