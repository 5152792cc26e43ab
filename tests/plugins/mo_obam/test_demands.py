"""Limits of sensitive attributes in every published class, counted from the published table."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from qidguard.sdk import NotMeasurable, k_anonymity_task, records_of
from qidguard_mo_obam.anonymizer import MoObam

DEFAULTS = {one.name: one.default for one in MoObam.parameters}


def table(rows=60, seed=3):
    """Return ages with a sensitive pay, a sensitive illness and something that nobody asks."""
    random = np.random.default_rng(seed)
    age = np.sort(random.integers(20, 70, rows))
    return pd.DataFrame(
        {
            "age": age,
            "ill": np.where(age < 30, "flu", random.choice(["flu", "gout", "ok"], rows)),
            "pay": age * 10,
        }
    )


def classes(frame, sensitive, **arguments):
    """Return the sensitive values of each published class."""
    records = records_of(frame)
    task = k_anonymity_task(2, ["age"], sensitive=[sensitive])
    done = MoObam().anonymize(records, {**DEFAULTS, **arguments}, replace(task, seed=1))
    published = done.columns["age"].codes
    column = records.column(sensitive)
    return [column.codes[published == one].tolist() for one in np.unique(published)], column


@pytest.mark.slow
def test_every_class_has_l_values():
    """Two values rule out the homogeneity attack, which k alone does not."""
    plain, _ = classes(table(), "ill", k=3)
    assert min(len(set(one)) for one in plain) == 1
    found, _ = classes(table(), "ill", k=3, l=2)
    assert min(len(set(one)) for one in found) >= 2
    assert min(len(one) for one in found) >= 3


def test_each_class_keeps_its_distance_and_the_share_of_its_largest_group():
    """Half the sum of |p − q| over the values is at most t; the largest share of near values is kept."""
    found, column = classes(table(), "ill", k=3, t=0.25)
    shares = np.bincount(column.codes) / len(column.codes)
    for one in found:
        here = np.bincount(one, minlength=len(shares)) / len(one)
        assert np.abs(here - shares).sum() / 2 <= 0.25 + 1e-9
    found, _ = classes(table(), "ill", k=3, largest_group=0.7)
    assert max(np.bincount(one).max() / len(one) for one in found) <= 0.7


@pytest.mark.slow
def test_near_values_count_as_one_against_similarity_attacks():
    """Pay differs in every record, so l = 2 says nothing; two tenths of its range do."""
    found, column = classes(table(), "pay", k=3, l=2)
    numbers = np.asarray(column.numbers)
    low, width = np.nanmin(numbers), (np.nanmax(numbers) - np.nanmin(numbers)) / 10

    def groups(codes):
        return {min(9, int((numbers[code] - low) / width)) for code in codes}

    assert min(len(groups(one)) for one in found) == 1
    found, _ = classes(table(), "pay", k=3, groups=2)
    assert min(len(groups(one)) for one in found) >= 2


@pytest.mark.parametrize("arguments", [{"l": 4}, {"largest_group": 0.1}])
def test_what_cannot_be_kept_is_refused(arguments):
    """Where the whole table misses a limit, every clustering does."""
    with pytest.raises(NotMeasurable, match="not even one cluster of all records keeps k"):
        classes(table(), "ill", k=3, **arguments)


def test_a_limit_needs_a_sensitive_attribute():
    """Without one there is nothing to keep apart."""
    with pytest.raises(NotMeasurable, match=r"^l = 2 needs a sensitive attribute, and none is declared"):
        MoObam().anonymize(records_of(table()), {**DEFAULTS, "k": 3, "l": 2}, k_anonymity_task(2, ["age"]))


def test_clusters_of_p_median_are_mended():
    """At a given n_C the clusters of least loss are the start, and there are no more of them."""
    found, _ = classes(table(), "ill", k=3, n_c=12, l=2)
    assert len(found) <= 12
    assert min(len(set(one)) for one in found) >= 2
