"""A table that was made from another lacks what is never published."""

import pandas as pd
import pytest

import qidguard
from qidguard import PolicyError

POLICY = {
    "qidguard": 1,
    "name": "p",
    "roles": {"quasi_identifiers": ["age"], "direct_identifiers": ["name"], "sensitive": ["illness"]},
    "release": {"drop": ["note"]},
    "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
}
ORIGINAL = pd.DataFrame(
    {"name": ["a", "b", "c", "d"], "age": [1, 1, 2, 2], "illness": list("xyxy"), "note": list("efgh")}
)


def test_direct_identifiers_and_dropped_columns_may_be_missing_beside_the_original():
    """What a release leaves out is in the original, so its absence is no mistake."""
    published = ORIGINAL[["age", "illness"]]
    with qidguard.audit(published, policy=POLICY, original=ORIGINAL) as found:
        assert found.is_passed


def test_without_an_original_the_columns_must_be_there():
    """A policy about columns that nobody has is a mistake."""
    with pytest.raises(PolicyError, match="the table has no column 'name'"):
        qidguard.audit(ORIGINAL[["age", "illness"]], policy=POLICY)


def test_a_quasi_identifier_may_not_be_missing():
    """A column whose risk is judged must be there, whatever the original has."""
    with pytest.raises(PolicyError, match="the table has no column 'age'"):
        qidguard.audit(ORIGINAL[["illness"]], policy=POLICY, original=ORIGINAL)


def test_what_the_original_lacks_too_is_a_mistake():
    """An identifier that neither table has is a slip in the policy."""
    less = ORIGINAL.drop(columns="name")
    with pytest.raises(PolicyError, match="the table has no column 'name'"):
        qidguard.audit(less[["age", "illness"]], policy=POLICY, original=less)
