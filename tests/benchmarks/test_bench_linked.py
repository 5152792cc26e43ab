"""A hospital of 100,000 patients with a million events in four files, released three times.

A tenth of them, unless ``QIDGUARD_EXAMPLES`` asks for all.
"""

import resource
import time

import pandas as pd
import pytest

from examples import IS_WHOLE
from hospital_files import hospital, hospital_policy, published, written
from releases import Place

pytestmark = [pytest.mark.bench, pytest.mark.untimed, pytest.mark.timeout(3600)]

PERSONS = 100_000 if IS_WHOLE else 10_000
OVER_TIME = [
    {"metric": "k_anonymity", "at_least": 5},
    {"metric": "intersection_k_anonymity", "at_least": 5},
    {"metric": "differencing_k_anonymity", "at_least": 5},
]


def test_a_hospital_of_many_events_is_released_three_times(tmp_path, figures):
    """Each release is whole, its files join, and no pseudonym comes again."""
    tables = hospital(PERSONS, observations=4)
    events = sum(len(table) for name, table in tables.items() if name != "patients")
    assert events >= 10 * PERSONS
    sources = written(tables, tmp_path / "source")
    del tables
    place = Place(tmp_path)
    seen = set()
    for month in (1, 2, 3):
        before, began = time.process_time(), time.perf_counter()
        made = place.release(sources, hospital_policy(thresholds=OVER_TIME), release_id=f"r{month}")
        assert made.is_published, made.sentences
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        figures(
            release=month,
            events=events,
            processor_seconds=round(time.process_time() - before),
            seconds=round(time.perf_counter() - began),
            peak_gigabytes=round(peak, 1),
        )
        files = published(made.address)
        pseudonyms = set(files["patients"]["patient_id"])
        assert set(files["encounters"]["patient_id"]) == pseudonyms
        assert set(files["conditions"]["encounter_id"]) <= set(files["encounters"]["encounter_id"])
        assert set(files["observations"]["encounter_id"]) <= set(files["encounters"]["encounter_id"])
        assert not pseudonyms & seen
        seen |= pseudonyms
        start, stop = (pd.to_datetime(files["encounters"][name]) for name in ("start", "stop"))
        assert (stop - start).dt.days.between(-1, 14).all()
