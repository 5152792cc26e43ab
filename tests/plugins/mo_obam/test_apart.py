"""Clusters that are asked for exactly are published apart, or it is said that they cannot be."""

import pandas as pd
import pytest

from mo_obam_tables import held, task
from qidguard.core.parameter import bind
from qidguard.sdk import NotMeasurable
from qidguard_mo_obam.anonymizer import MoObam


def shown(ages, n_c, k):
    """Return the ages that are published in place of these."""
    method = MoObam()
    arguments = bind(method.parameters, {"n_c": n_c, "k": k, "exactly": True})
    records = held(pd.DataFrame({"age": ages}))
    recoded = method.anonymize(records, arguments, task(["age"])).columns["age"]
    original = records.column("age").numbers
    values = recoded.values  # noqa: PD011 - no frame
    numbers = [original[one.code] if hasattr(one, "code") else one for one in values]
    assert len(set(numbers)) == len(numbers), "one number is published in two ways"
    return [float(numbers[code]) for code in recoded.codes]


def test_clusters_of_least_loss_with_equal_centers_give_way_to_others():
    """Three pairs or more of these ages lose least with two means that round to one; others differ."""
    ages = [1, 1, 1, 1, 1, 3, 4, 4]
    found = shown(ages, 3, 2)
    assert len(set(found)) == 3
    assert min(found.count(age) for age in set(found)) >= 2


@pytest.mark.parametrize(
    ("ages", "n_c", "k"),
    [([1, 2, 2, 2, 2, 2, 2, 3], 2, 4), ([0, 1, 2, 2, 2, 2, 2, 3], 3, 2), ([1, 1, 2, 2, 2, 2, 2, 4], 2, 4)],
    ids=["two fours", "three pairs", "means of 2.5 and 1.5"],
)
def test_where_all_means_round_to_one_it_is_refused(ages, n_c, k):
    """No partition of these ages into so many clusters has centers that all differ."""
    with pytest.raises(NotMeasurable, match=rf"^{n_c} clusters of k = {k} whose centers all differ were not"):
        shown(ages, n_c, k)
