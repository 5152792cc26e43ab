"""Propensity overlap against scikit-learn's regression on one row a record."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from qidguard import NotMeasurable
from qidguard_qidlearning.metrics import propensity_overlap
from qidguard_qidlearning.metrics.propensity_overlap import PROPENSITY_OVERLAP


def overlap(frame, qids):
    """Fit one row a record, with the columns made by pandas."""
    frame = frame[frame["t"].notna()]
    parts = []
    for qid in qids:
        column = frame[qid]
        if pd.api.types.is_numeric_dtype(column):
            numbers = column.astype("Float64").to_numpy(dtype=float, na_value=np.nan)
            missing = np.isnan(numbers)
            if missing.any() and not missing.all():
                parts.append(missing.astype(float)[:, None])
            spread = np.nanstd(numbers) if not missing.all() else 0
            if spread:
                parts.append(np.nan_to_num((numbers - np.nanmean(numbers)) / spread)[:, None])
        else:
            levels = pd.get_dummies(column.fillna("(missing)")).to_numpy(dtype=float)
            parts += [levels] if levels.shape[1] > 1 else []
    if not parts:
        return 0.0
    features = np.hstack(parts)
    treated = frame["t"].to_numpy(dtype=int) == 1
    model = LogisticRegression(max_iter=100_000, tol=1e-10).fit(features, treated)
    scores = model.predict_proba(features)[:, 1]
    return float(np.abs(scores[treated] - scores[~treated].mean()).mean())


def test_qids_say_nothing(frame_figure):
    """Both groups have the same records, so every score is a half."""
    frame = pd.DataFrame({"b": [1, 2, 1, 2], "t": [0, 0, 1, 1]})
    assert frame_figure(PROPENSITY_OVERLAP, frame, ["b"], "t") == pytest.approx(0, abs=1e-6)


def test_qids_tell_the_treatment(frame_figure):
    """The more records show that b decides, the nearer to 1."""
    frame = pd.DataFrame({"b": [0, 1], "t": [0, 1]})
    figures = [
        frame_figure(PROPENSITY_OVERLAP, pd.concat([frame] * n, ignore_index=True), ["b"], "t")
        for n in (2, 20, 2000)
    ]
    assert figures == sorted(figures)
    assert figures[-1] > 0.97


def test_constant_qids(frame_figure):
    """A column that does not vary gives everyone the same score."""
    frame = pd.DataFrame({"a": ["x"] * 4, "b": [3] * 4, "t": [0, 0, 1, 1]})
    assert frame_figure(PROPENSITY_OVERLAP, frame, ["a", "b"], "t") == 0


def test_same_figure_twice(frame_figure):
    """No seed is drawn: two runs agree to the last digit, and the global generator is left alone."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {"a": rng.choice(list("xyz"), 300), "b": rng.normal(size=300), "t": rng.integers(0, 2, 300)}
    )
    before = np.random.get_state()[1].tolist()  # noqa: NPY002 - the global state is what is looked at
    figures = [frame_figure(PROPENSITY_OVERLAP, frame, ["a", "b"], "t") for _ in range(2)]
    assert figures[0] == figures[1]
    assert before == np.random.get_state()[1].tolist()  # noqa: NPY002 - the same


def test_no_convergence_is_said(frame_figure, monkeypatch):
    """A regression that was cut short gives no figure, and no warning."""
    monkeypatch.setattr(propensity_overlap, "_ROUNDS", 1)
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {"a": rng.choice(list("xyz"), 50), "b": rng.normal(size=50), "t": rng.integers(0, 2, 50)}
    )
    with pytest.raises(NotMeasurable, match="did not converge in 1 rounds"):
        frame_figure(PROPENSITY_OVERLAP, frame, ["a", "b"], "t")


@pytest.mark.slow
@pytest.mark.parametrize("qids", ["a", "b", "ab"])
def test_equals_one_row_a_record(qids, on_random_records, typed_figure):
    """Collapsed records with weights give the same scores as every record for itself."""
    figures = []

    def check(records):
        if {0, 1} <= {r[4] for r in records.rows}:
            actual = typed_figure(PROPENSITY_OVERLAP, records, qids, "t")
            assert actual == pytest.approx(overlap(records.frame(), qids), abs=1e-5)
            assert 0 <= actual <= 1
            figures.append(round(actual, 6))

    on_random_records(check)
    assert len(set(figures)) > 3
