"""Adult drawn again from nine noisy marginals at ε = 1 in all, and what a forest learns from it."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from private_tables import S9, adult_cells, held, read_adult
from qidguard_hybrid_dp.private.consistent import consistent
from qidguard_hybrid_dp.private.measuring import measured
from qidguard_hybrid_dp.private.mechanisms import SeededMechanisms
from qidguard_hybrid_dp.private.plan import Structure, plan_of
from qidguard_hybrid_dp.private.synthetic import synthetic

NAMES = (*S9, "income")
NUMBERS = ("age", "hours-per-week")

pytestmark = [pytest.mark.realdata, pytest.mark.slow]


@pytest.fixture(scope="module")
def adult(data):
    """Return both files of Adult: what is drawn again, and what was held out."""
    train = read_adult(data / "adult" / "adult.data")
    return SimpleNamespace(
        train=train, test=read_adult(data / "adult" / "adult.test"), cells=adult_cells(train)
    )


def drawn(adult, structure, seed):
    """Return the noisy marginals and the synthetic records, at ε = 1."""
    plan = plan_of(
        NAMES,
        adult.cells,
        structure=Structure(structure),
        center="income",
        epsilon=Fraction(1),
        delta=Fraction(0),
        weights={},
    )
    done = measured(held(adult.train, NAMES), plan, SeededMechanisms(seed), lambda *_: None)
    random = np.random.default_rng(seed)
    cells = synthetic(done.marginals, "income", plan.given, random).cells
    frame = pd.DataFrame({name: adult.cells[name].drawn(cells[name], random) for name in NAMES})
    return done, frame


def accuracy(frame, adult):
    """Return how often a forest that learned from a frame is right on held-out originals, in percent."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.preprocessing import OneHotEncoder

    categorical = [name for name in S9 if name not in NUMBERS]
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    encoder.fit(frame[categorical].fillna("none"))

    def features(rows):
        numbers = rows[list(NUMBERS)].fillna(-1).to_numpy(dtype=float)
        return np.hstack([encoder.transform(rows[categorical].fillna("none")), numbers])

    forest = RandomForestClassifier(50, min_samples_leaf=5, random_state=0)
    known = frame[frame["income"].notna()]
    forest.fit(features(known), known["income"])
    return 100 * (forest.predict(features(adult.test)) == adult.test["income"].to_numpy()).mean()


def exact(adult, columns):
    """Return the true counts of two columns."""
    codes = {name: adult.cells[name].codes(held(adult.train, [name])[name]) for name in columns}
    counts = np.zeros([adult.cells[name].cells for name in columns])
    np.add.at(counts, tuple(codes[name] for name in columns), 1)
    return counts


def test_a_forest_learns_from_a_star_nearly_as_well_as_from_the_original(adult):
    """At least 81.5 % on held-out originals at ε = 1 in all; 83.5 % to 84.5 % from the originals."""
    assert 83.5 <= accuracy(adult.train, adult) <= 84.5
    assert np.mean([accuracy(drawn(adult, "star", seed)[1], adult) for seed in range(2)]) >= 81.5


def test_an_augmented_star_is_as_good_as_the_hybrid_scheme(adult):
    """At least 82.7 %: the hybrid scheme has 83, at ε of 6 to 10 a record."""
    assert np.mean([accuracy(drawn(adult, "augmented_star", seed)[1], adult) for seed in range(2)]) >= 82.7


def test_a_tree_keeps_the_strongest_pairs_and_not_those_of_the_target(adult):
    """A forest is no better than the majority, 76.4 %, give or take a point: the README says so."""
    assert 74 <= accuracy(drawn(adult, "tree", 0)[1], adult) <= 78


def test_consistency_takes_noise_away(adult):
    """The mean error of a cell: 9 records of noise at the scale 9, a third less once marginals agree."""
    done, _ = drawn(adult, "star", 0)
    tables = consistent(done.marginals, "income")
    noisy, agreed = [], []
    for marginal in done.marginals:
        true = exact(adult, marginal.columns)
        noisy.append(np.abs(marginal.counts - true).mean())
        agreed.append(np.abs(tables[marginal.columns] - true).mean())
    assert 8 <= np.mean(noisy) <= 10
    assert np.mean(agreed) <= 0.7 * np.mean(noisy)


def test_the_noisy_number_of_records_is_close(adult):
    """Nine totals are averaged: within 200 of 32,561."""
    assert abs(len(drawn(adult, "star", 0)[1]) - 32_561) <= 200
