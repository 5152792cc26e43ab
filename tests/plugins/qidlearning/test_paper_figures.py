"""The paper's figures that can be reproduced, on the real files and on its two small examples."""

import pandas as pd
import pytest

from qidguard_qidlearning.metrics.accuracy import ACCURACY
from qidguard_qidlearning.metrics.attribute_length_penalty import ATTRIBUTE_LENGTH_PENALTY
from qidguard_qidlearning.metrics.covariate_shift import COVARIATE_SHIFT
from qidguard_qidlearning.metrics.distinction import DISTINCTION
from qidguard_qidlearning.metrics.k_anonymity_per_class import K_ANONYMITY_PER_CLASS
from qidguard_qidlearning.metrics.mean_class_size import MEAN_CLASS_SIZE
from qidguard_qidlearning.metrics.separation import SEPARATION

FOUR = (DISTINCTION, SEPARATION, MEAN_CLASS_SIZE, ATTRIBUTE_LENGTH_PENALTY)


@pytest.fixture(scope="module")
def four_figures(frame_figure):
    """Return D, S, K and A of a set of columns."""

    def measure(frame, qids):
        return [frame_figure(metric, frame, list(qids)) for metric in FOUR]

    return measure


@pytest.mark.slow
@pytest.mark.realdata
def test_adult(adult, four_figures):
    """Tables 5 and 6: 14 of the 15 columns of the 32,561 training records; printed .99 1.00 1.00 .88."""
    training = adult.iloc[:32561]
    figures = four_figures(training, training.columns[:14])
    assert [round(f, 4) for f in figures] == [0.9992, 1.0, 1.0008, 0.8756]
    assert figures[0] * 32561 == pytest.approx(32536)


@pytest.mark.realdata
def test_car(data, four_figures):
    """Four of seven columns: printed .06 .99 16.78 .51."""
    car = pd.read_csv(data / "car" / "car.data", dtype="string")
    figures = four_figures(car, ["buying", "maint", "lug_boot", "eval"])
    assert figures == [
        pytest.approx(0.0596, abs=5e-5),
        pytest.approx(0.9879, abs=5e-5),
        pytest.approx(16.777, abs=5e-4),
        pytest.approx(0.5102, abs=5e-5),
    ]


@pytest.mark.realdata
def test_diabetes_logs(data, four_figures):
    """Two of four columns: printed .51 1.00 1.94 .50."""
    logs = pd.read_csv(data / "diabetes_logs" / "diabetes.data", dtype="string")
    figures = four_figures(logs, ["time", "value"])
    assert figures == [
        pytest.approx(0.5148, abs=5e-5),
        pytest.approx(0.9986, abs=5e-5),
        pytest.approx(1.943, abs=5e-4),
        0.5,
    ]


@pytest.mark.slow
@pytest.mark.realdata
def test_heart(data, four_figures):
    """Eight of fourteen columns: printed .75 .99 1.33 .51."""
    heart = pd.read_csv(data / "heart" / "heart_hungarian.data", dtype="string")
    qids = ["sex", "thalach", "exang", "oldpeak", "slope", "ca", "thal", "num"]
    figures = four_figures(heart, qids)
    assert figures == [
        pytest.approx(0.7517, abs=5e-5),
        pytest.approx(0.9964, abs=5e-5),
        pytest.approx(1.330, abs=5e-4),
        pytest.approx(0.5102, abs=5e-5),
    ]


@pytest.mark.slow
@pytest.mark.realdata
def test_nursery(data, four_figures):
    """With the right header the printed set has .125 and 8.0, not the printed .06 and 16.13."""
    nursery = pd.read_csv(data / "nursery" / "nursery.data", dtype="string")
    qids = ["parents", "has_nurs", "form", "housing", "social", "health"]
    distinction, _, size, _ = four_figures(nursery, qids)
    assert (distinction, size) == (0.125, 8.0)


MEDICAL = {
    ("Age", "Gender"): (1.25, 14 / 15, 0.8),
    ("Age", "Diagnosis"): (10 / 9, 44 / 45, 0.9),
    ("Gender", "Diagnosis"): (2.5, 37 / 45, 0.4),
    ("Age", "Treatment"): (10 / 9, 44 / 45, 0.9),
    ("Gender", "Treatment"): (2.5, 37 / 45, 0.4),
    ("Age", "Gender", "Treatment"): (10 / 9, 44 / 45, 0.9),
    ("Age", "Diagnosis", "Treatment"): (10 / 9, 44 / 45, 0.9),
    ("Gender", "Diagnosis", "Treatment"): (2.5, 37 / 45, 0.4),
}
"""Table 4's sets: the true mean class size, separation and distinction; the printed ones are impossible."""


@pytest.mark.samples(1)
@pytest.mark.parametrize("qids", MEDICAL, ids="-".join)
def test_medical(qids, medical, frame_figure):
    """The eight sets of the ten patients, k as the mean of the class sizes."""
    k = frame_figure(K_ANONYMITY_PER_CLASS, medical, qids, statistic="mean")
    size, separation, distinction = (
        frame_figure(metric, medical, qids) for metric in (MEAN_CLASS_SIZE, SEPARATION, DISTINCTION)
    )
    assert (k, separation, distinction) == pytest.approx(MEDICAL[qids])
    assert size == pytest.approx(k)


def test_medical_accuracy_and_covariate_shift(medical, frame_figure):
    """Two more columns of Table 4, by hand.

    Three of the five men improved and three of the five women, so the mode is right for six of ten. Of A six,
    three are men, and of B four, two: nothing shifts. All of A have hypertension and all of B diabetes: total
    variation 1, and D = |1 − 4/10| + |0 − 6/10|.
    """
    assert frame_figure(ACCURACY, medical, ["Gender"], "Outcome") == pytest.approx(0.6)
    assert frame_figure(COVARIATE_SHIFT, medical, ["Gender"], "Treatment") == pytest.approx(0)
    assert frame_figure(COVARIATE_SHIFT, medical, ["Diagnosis"], "Treatment") == pytest.approx(2.2)


def test_first_example_of_distinction(frame_figure):
    """(1, X), (2, Y) twice each: D = 50 %, and four of six pairs differ."""
    frame = pd.DataFrame({"A": [1, 2, 1, 2], "B": ["X", "Y", "X", "Y"]})
    assert frame_figure(DISTINCTION, frame, ["A", "B"]) == 0.5
    assert frame_figure(SEPARATION, frame, ["A", "B"]) == pytest.approx(4 / 6)


def test_second_example_of_separation(frame_figure):
    """Four different records: S = 100 %, and D too."""
    frame = pd.DataFrame({"A": [1, 2, 1, 2], "B": ["X", "Y", "Y", "X"]})
    assert frame_figure(SEPARATION, frame, ["A", "B"]) == 1
    assert frame_figure(DISTINCTION, frame, ["A", "B"]) == 1
