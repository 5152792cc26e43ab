"""What it costs to compare published tables by models: the original is learned from once for all of them."""

import time

import pandas as pd
import pytest

from qidguard.sdk import k_anonymity_task, records_of, rehearse
from qidguard_learning import LearningDesign, compare_models

pytestmark = [pytest.mark.bench, pytest.mark.realdata, pytest.mark.timeout(900)]

DESIGN = LearningDesign(repeats=5, sample=0)
MOST_SHARE = 0.8
"""Of the time of three tables one by one, six trainings a split, what they may take together, four."""


def test_tables_together_cost_less_than_one_by_one(data, figures):
    """German, six models on all columns, five splits: 4/6 of the work, and as much time but for noise."""
    table = pd.read_csv(data / "german" / "german.data", sep=r"\s+", header=None)
    table.columns = [f"a{at}" for at in range(20)] + ["risk"]
    records, qids = records_of(table.astype({"risk": str})), ["a12", "a8", "a16"]
    tables = {
        f"mdav k={k}": rehearse(records, "mdav", k_anonymity_task(k, qids)).changes for k in (5, 10, 20)
    }
    compare_models({"warm": tables["mdav k=5"]}, "risk", design=LearningDesign(repeats=1))
    started = time.process_time()
    together = compare_models(tables, "risk", design=DESIGN)
    middle = time.process_time()
    for label, changes in tables.items():
        alone = compare_models({label: changes}, "risk", design=DESIGN)[label]
        assert alone.published_f1.tolist() == together[label].published_f1.tolist()
    ended = time.process_time()
    figures(seconds_together=middle - started, seconds_one_by_one=ended - middle)
    assert middle - started <= MOST_SHARE * (ended - middle)
