"""The test of ε on what the anonymizer publishes: two columns, and two partitions, at opposite corners."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from qidguard.sdk import k_anonymity_task, records_of, rehearse
from qidguard_hybrid_dp.noise.checking import pair_bound
from qidguard_hybrid_dp.noise.column import NoisedColumn

AGE = NoisedColumn(name="age", bounds=(Fraction(17), Fraction(90)), step=Fraction(1))
HOURS = NoisedColumn(name="hours", bounds=(Fraction(1), Fraction(99)), step=Fraction(1))
METHOD = (
    "hybrid_dp[bounds={age: [17, 90], hours: [1, 99]}, epsilon_violating=1, epsilon_other=1,"
    " public_membership={race: White}]"
)
PEOPLE = 10_000


def published(ages, hours, races):
    """Return ages and hours as a rehearsal publishes them, shape (records, 2), in the order of races."""
    frame = pd.DataFrame({"age": ages.astype(int), "hours": hours.astype(int), "race": races})
    records = records_of(frame)
    task = k_anonymity_task(2, ["age", "hours", "race"])
    done = rehearse(records, METHOD, task).done
    columns = [
        np.array(done.columns[name].values, dtype=float)[done.columns[name].codes]
        for name in ("age", "hours")
    ]
    race = records.column("race")
    order = np.argsort(race.codes, kind="stable")  # Black before White
    return np.column_stack(columns)[order]


@pytest.mark.slow
def test_two_columns_have_noise_of_their_own():
    """Age and hours of a record together lose at most 2 ε, whichever corners they come from."""

    def mechanism(numbers):
        return published(*numbers.T, ["White"] * len(numbers))

    assert 1.5 < pair_bound(mechanism, (AGE, HOURS), draws=PEOPLE).epsilon <= 2


@pytest.mark.slow
def test_two_partitions_have_noise_of_their_own():
    """The ages of two persons in different partitions together lose at most 2 ε."""

    def mechanism(numbers):
        people = len(numbers)
        done = published(
            numbers.T.ravel(), np.full(2 * people, 40.0), ["Black"] * people + ["White"] * people
        )
        return np.column_stack([done[:people, 0], done[people:, 0]])

    assert 1.5 < pair_bound(mechanism, (AGE, AGE), draws=PEOPLE).epsilon <= 2
