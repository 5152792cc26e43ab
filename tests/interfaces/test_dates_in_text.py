"""From the command line: dates in text come out as periods, and what nobody can know is asked."""

import re
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

RECORDS = 400
POLICY = """qidguard: 1
name: clinic
roles: {quasi_identifiers: [birth_date, admitted], sensitive: [illness]}
thresholds: [{metric: k_anonymity, at_least: 5}]
"""
LATEST = POLICY + "hierarchies: {birth_date: {dates: [month, year, 5 years, decade], latest: 2026-01-31}}\n"
PERIOD = re.compile(r"\d{4}-\d\d|\d{4}-Q[1-4]|\d{4}|\d{4}-\d{4}|\d{3}0s|\*")
DRAWN = np.random.default_rng(1).random((2, RECORDS))
BORN = [date(1938, 1, 1) + timedelta(days=int(25_000 * share)) for share in DRAWN[0]]
ADMITTED = [date(2024, 1, 1) + timedelta(days=int(700 * share)) for share in DRAWN[1]]


@pytest.fixture
def clinic(tmp_path):
    """Return a function that writes a table whose births are written in a form, and its policy."""

    def write(birth, policy=POLICY, born=BORN):
        table = pd.DataFrame(
            {
                "birth_date": [birth(day) for day in born],
                "admitted": [f"{day:%d.%m.%Y}" for day in ADMITTED[: len(born)]],
                "illness": [("flu", "cold")[number % 2] for number in range(len(born))],
            }
        )
        table.to_csv("clinic.csv", index=False)
        (tmp_path / "policy.yaml").write_text(policy, encoding="utf-8")
        return ("clinic.csv", "-p", "policy.yaml", "--utility", "losses")

    return write


def short(day):
    """Write a day as 7/1/44."""
    return f"{day.day}/{day.month}/{day:%y}"


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("method", ["full_domain", "mondrian", "local_recoding"])
def test_births_with_two_digits_are_periods_of_the_past(run, clinic, method):
    """Whoever opens the file finds periods that hold the day, and no year that is still to come."""
    code, out, _ = run("anonymize", *clinic(short), "-a", method, "--to", "safe.csv")
    assert code == 0
    assert "dates of 'birth_date' are written d/m/y, two-digit years up to" in " ".join(out.split())
    published = pd.read_csv("safe.csv", dtype=str)
    assert published["birth_date"].str.fullmatch(PERIOD).all()
    years = published["birth_date"].str.extractall(r"(\d{4})")[0].astype(int)
    assert years.between(1930, 2009).all()
    assert published["admitted"].str.fullmatch(PERIOD).all()
    if method == "full_domain":
        assert len(set(published["birth_date"].str.len())) == 1


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_births_that_fill_a_century_are_asked_and_answered_in_the_policy(run, clinic):
    """One line of policy says the day of the table; without it nothing is written."""
    born = [date(1927, 3, 1), date(2026, 1, 13), *BORN[2:]]
    code, _, err = run("anonymize", *clinic(short, born=born), "-a", "full_domain", "--to", "safe.csv")
    assert code == 2
    assert "the two-digit years of column 'birth_date' fill a century" in " ".join(err.split())
    code, _, _ = run("anonymize", *clinic(short, LATEST, born), "-a", "full_domain", "--to", "safe.csv")
    assert code == 0
    years = pd.read_csv("safe.csv", dtype=str)["birth_date"].str.extractall(r"(\d{4})")[0].astype(int)
    assert years.between(1920, 2026).all()


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_days_that_may_be_months_are_asked(run, clinic):
    """No value is told, and what to write is."""
    born = [day.replace(day=1 + day.day % 12) for day in BORN]
    wanted = clinic(lambda day: f"{day:%d/%m/%Y}", born=born)
    code, _, err = run("anonymize", *wanted, "-a", "full_domain", "--to", "safe.csv")
    assert code == 2
    assert "no date of column 'birth_date' tells whether it is written d/m/y or m/d/y" in " ".join(
        err.split()
    )
    assert not re.search(r"\d\d/\d\d/\d{4}", err)
