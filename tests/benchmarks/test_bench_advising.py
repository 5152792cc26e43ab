"""Benchmarks of advice: whom columns expose, and changes that pass, searched and confirmed."""

import time

import numpy as np
import pandas as pd
import pytest

from in_turns import counting, in_turns
from qidguard.advising import changing, run
from qidguard.advising.run import advise
from qidguard.core.progress import SILENT
from qidguard.host import load_host
from qidguard.policy import load_policy
from qidguard.trials.context import TrialContext
from qidguard.trials.stages import audit_copy

pytestmark = [pytest.mark.bench, pytest.mark.timeout(900)]

QIDS = ["age", "gender", "race", "time_in_hospital", "admission_type_id", "discharge_disposition_id"]
QIDS += ["medical_specialty", "payer_code"]
WHOLE_NUMBERS = ("time_in_hospital", "admission_type_id", "discharge_disposition_id")
MOST_COUNTS = {"hospital": 250, "hospital, whole": 500, "million": 80}
"""Processor time of both processors together, in plain counts of the classes of all QIDs."""


def million() -> pd.DataFrame:
    """Return a million persons with ten QIDs of 2 to 400 values, skewed and independent."""
    drawn, size = np.random.default_rng(7), 1_000_000

    def skewed(texts: list[str]) -> np.ndarray:
        weights = 1 / np.arange(1, len(texts) + 1)
        return drawn.choice(texts, size, p=weights / weights.sum())

    return pd.DataFrame(
        {
            "age": np.clip(drawn.normal(45, 18, size), 0, 99).astype(int),
            "sex": drawn.choice(["f", "m"], size),
            "region": skewed([f"r{i:02}" for i in range(30)]),
            "zip": skewed([f"{10_000 + 37 * i}" for i in range(400)]),
            "job": skewed([f"job {i}" for i in range(60)]),
            "education": skewed([f"e{i}" for i in range(12)]),
            "marital": skewed(list("abcdef")),
            "children": drawn.poisson(1.2, size),
            "income": (drawn.lognormal(10, 0.6, size) / 1000).round().astype(int) * 1000,
            "birthplace": skewed([f"c{i}" for i in range(100)]),
        }
    )


def measured(table, roles, monkeypatch, figures, name):
    """Return the advice on a table, and its processor time in counts of classes; parts are printed beside."""
    parts: dict[str, float] = {}

    def timed(owner, method):
        own = getattr(owner, method)

        def inner(*given, **named):
            started = time.process_time()
            try:
                return own(*given, **named)
            finally:
                parts[method] = parts.get(method, 0.0) + time.process_time() - started

        monkeypatch.setattr(owner, method, inner)

    timed(run, "exposure")
    timed(changing.Search, "best")
    timed(changing.Confirming, "confirm")
    rules = {"qidguard": 1, "name": "p", "thresholds": [{"metric": "k_anonymity", "at_least": 5}]}
    context = TrialContext.of(
        table, load_policy(rules | {"roles": roles}), load_host(), progress=SILENT, seed=0
    )
    with context.snapshot() as snapshot:
        source = audit_copy(context, snapshot)
        advice = []
        counted, seconds = in_turns(
            counting(table[roles["quasi_identifiers"]]),
            lambda: advice.append(advise(context, source)),
            repeats=1,
        )
    [found], ratio = advice, seconds / counted
    told = {f"{part}_cpu": own for part, own in parts.items()}
    losses = [round(change.loss, 3) for change in found.changes]
    figures(table=name, cpu=seconds, counted=counted, ratio=ratio, **told, below=found.below, losses=losses)
    return found, ratio


@pytest.mark.realdata
@pytest.mark.parametrize("is_whole", [False, True])
def test_advice_on_the_hospital(data, figures, monkeypatch, is_whole):
    """101,766 records of 71,518 persons, eight QIDs; alone, and with the 40 columns beside them."""
    table = pd.read_csv(data / "hospital" / "diabetic_data.csv", dtype=str, na_values="?")
    table = table.astype(dict.fromkeys(WHOLE_NUMBERS, int)).drop(columns="encounter_id")
    if not is_whole:
        table = table[[*QIDS, "patient_nbr"]]
    rest = [name for name in table if name not in {*QIDS, "patient_nbr"}]
    roles = {"quasi_identifiers": QIDS, "entity": "patient_nbr", "insensitive": rest}
    name = f"the hospital, {len(table.columns)} columns"
    found, ratio = measured(table, roles, monkeypatch, figures, name)
    assert found.changes
    assert found.is_exact
    assert ratio <= MOST_COUNTS["hospital, whole" if is_whole else "hospital"]


def test_advice_on_a_million_persons(figures, monkeypatch):
    """A million records with ten QIDs, nearly everybody alone."""
    table = million()
    found, ratio = measured(table, {"quasi_identifiers": list(table)}, monkeypatch, figures, "1,000,000 × 10")
    assert found.changes
    assert ratio <= MOST_COUNTS["million"]
