import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from qidguard.demo.coarsening import FEWEST_DIAGNOSES, QIDS, SMALLEST_CLASS, coarsen
from qidguard.demo.table import OLDEST, RARE_PATIENTS, RARE_POSTCODE, hospital_table

SEEDS = (1, 2, 3)


@pytest.fixture(scope="module", params=SEEDS)
def table(request) -> pd.DataFrame:
    """Return a demo table of 5,000 visits."""
    return hospital_table(5000, request.param)


def test_the_table_has_the_traits_of_a_discharge_file(table):
    """Repeated visits, a wide range of ages, a rare postcode and missing values."""
    visits = table["patient_id"].value_counts()
    assert (len(table), len(visits)) == (5000, 3100)
    assert visits.max() >= 3
    assert (table["age"].min(), table["age"].max()) == (0, OLDEST)
    rare = table.loc[table["postcode"] == RARE_POSTCODE, "patient_id"].nunique()
    assert rare == RARE_PATIENTS
    assert table["postcode"].str.fullmatch(r"\d{5}").all()
    missing = table.isna().mean()
    assert {name for name, share in missing.items() if share > 0} == {
        "marital_status",
        "insurance",
        "diagnosis",
        "cost",
    }
    assert missing["marital_status"] == pytest.approx(0.06, abs=0.015)


def test_a_visit_is_consistent(table):
    """A stay ends after it begins, by its length; a patient keeps sex and postcode; no child is married."""
    days = (pd.to_datetime(table["discharge_date"]) - pd.to_datetime(table["admission_date"])).dt.days
    assert (days == table["length_of_stay"]).all()
    assert (days >= 1).all()
    assert len(table[["patient_id", "sex", "postcode"]].drop_duplicates()) == table["patient_id"].nunique()
    assert set(table.loc[table["age"] < 18, "marital_status"].dropna()) == {"single"}


def test_a_seed_decides_the_table():
    """Equal seeds give equal tables, another seed another one."""
    assert_frame_equal(hospital_table(500, 7), hospital_table(500, 7))
    assert not hospital_table(500, 7).equals(hospital_table(500, 8))


def test_a_table_without_room_for_the_traits_is_refused():
    """Fewer than 100 visits."""
    with pytest.raises(ValueError, match="at least 100 records, not 99"):
        hospital_table(99, 1)


def test_after_coarsening_every_class_is_large_and_diverse(table):
    """By a count in pandas, apart from the engine: 11 patients and 3 diagnoses in each class."""
    before = table.copy()
    coarse = coarsen(table).table
    classes = coarse.groupby(list(QIDS), dropna=False)
    assert classes["patient_id"].nunique().min() >= SMALLEST_CLASS
    assert classes["diagnosis"].nunique().min() >= FEWEST_DIAGNOSES
    assert list(coarse.columns) == list(table.columns)
    assert RARE_POSTCODE not in set(coarse["postcode"])
    assert_frame_equal(table, before)


def test_the_steps_tell_what_was_suppressed(table):
    """The number in the last step is the number of records that went away."""
    coarsening = coarsen(table)
    gone = len(table) - len(coarsening.table)
    assert gone > 0
    assert f"the {gone:,} of 5,000 records" in coarsening.steps[-1]
