"""Ready hierarchies on a real table: diagnoses published as blocks and chapters that one can read."""

import pandas as pd
import pytest

import qidguard
from qidguard.anonymizing.hierarchy.ready.catalog import ready_system
from qidguard.anonymizing.hierarchy.ready.recognizing import recognize_system
from qidguard.sdk import ColumnValues
from releases import once

pytestmark = pytest.mark.realdata

POLICY = once(
    roles={"quasi_identifiers": ["diag_1", "gender"]},
    unnamed_columns="insensitive",
    source={"missing": ["?"]},
    hierarchies={"diag_1": {"ready": "icd9"}},
)


def column(table: pd.DataFrame, name: str) -> ColumnValues:
    """Return a column of texts."""
    codes, values = pd.factorize(table[name], sort=True)
    return ColumnValues(name=name, value_type="text", codes=codes + 1, texts=(None, *values))


@pytest.fixture(scope="module")
def hospital(data) -> pd.DataFrame:
    """Return the stays as texts."""
    path = data / "hospital" / "diabetic_data.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False)


@pytest.mark.samples(1)
@pytest.mark.parametrize("name", ["diag_1", "diag_2", "diag_3"])
def test_diagnoses_are_recognized_and_known(hospital, name):
    """All columns are ICD-9 by name and values, and of their values below 0.1 % of records are unknown."""
    assert recognize_system(column(hospital, name)) == "icd9"
    given = hospital[name][hospital[name] != "?"]
    known = ready_system("icd9").paths(list(given.unique()))
    unknown = {text for text, path in zip(given.unique(), known, strict=True) if path is None}
    assert given.isin(unknown).mean() < 0.001


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_full_domain_publishes_blocks_or_chapters(hospital, tmp_path):
    """What is published of a diagnosis is a label of the system on one level, with its words."""
    few = hospital[["diag_1", "gender", "readmitted"]].head(20_000)
    with qidguard.anonymize(few, POLICY, anonymizer="full_domain") as tried:
        assert tried.is_passed
        tried.write(str(tmp_path / "safe.csv"))
    published = set(pd.read_csv(tmp_path / "safe.csv")["diag_1"].dropna())
    paths = ready_system("icd9").paths(list(few["diag_1"].unique()))
    levels = [{path[level] for path in paths if path is not None} for level in (1, 2)]
    assert any(published <= {*level, "other codes"} for level in levels)
