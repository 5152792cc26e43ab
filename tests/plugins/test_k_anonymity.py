"""k-anonymity against counting."""

import pytest

from qidguard_standard.metrics.k_anonymity import K_ANONYMITY


def smallest_class(table, qids="ab"):
    """Count the persons of each class and take the least."""
    return min(table.size(members) for members in table.classes(qids).values())


def test_smallest_class(people, measured):
    """Classes of 3, 2 and 2 give k = 2."""
    table = people("ab", "xu", "xu", "xu", "yu", "yu", "yv", "yv")
    assert measured(K_ANONYMITY, table) == 2
    assert measured(K_ANONYMITY, table, "a") == 3


def test_missing_is_a_class_of_its_own(people, measured):
    """The one record without a value is alone, and is not dropped."""
    assert measured(K_ANONYMITY, people("ab", "xu", "xu", "x-", "yu", "yu")) == 1
    assert measured(K_ANONYMITY, people("ab", "x-", "x-", "yu", "yu")) == 2


def test_single_class(people, measured):
    """With one class k is the number of records."""
    assert measured(K_ANONYMITY, people("ab", "xu", "xu", "xu")) == 3


def test_persons_not_records(people, measured):
    """Nine visits of one patient are one person."""
    visits = ["xu1"] * 6 + ["yu2", "yu3"]
    assert measured(K_ANONYMITY, people("abw", *visits)) == 2
    assert measured(K_ANONYMITY, people("abw", *visits, entity=True)) == 1


def test_equals_counting(agrees):
    """The engine's k is the one counted."""
    agrees(K_ANONYMITY, smallest_class)


@pytest.mark.realdata
def test_adult_of_arx(adult_arx, measured_frame):
    """ARX's Adult has records that are alone on its eight QIDs."""
    qids = [name for name in adult_arx.columns if name != "salary-class"]
    assert measured_frame(K_ANONYMITY, adult_arx, qids) == 1
