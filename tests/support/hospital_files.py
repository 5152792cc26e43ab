"""A generated hospital of four files: patients, encounters, conditions and observations, and its policy."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

MOST_ENCOUNTERS = 3


def hospital(persons: int = 300, *, seed: int = 1, observations: int = 2) -> dict[str, pd.DataFrame]:
    """Return the four tables, all values texts or whole numbers; each patient has 1 to 3 encounters."""
    draw = np.random.default_rng(seed)
    numbers = np.arange(persons)
    patients = pd.DataFrame(
        {
            "patient_id": [f"P-{n:07}" for n in numbers],
            "name": [f"Name {n}" for n in numbers],
            "birth_year": 1930 + draw.integers(0, 80, persons),
            "sex": draw.choice(["f", "m"], persons),
            "admitted": _days(draw, persons),
        }
    )
    visits = draw.choice(MOST_ENCOUNTERS, persons, p=[0.5, 0.3, 0.2]) + 1
    of_person = np.repeat(numbers, visits)
    count = len(of_person)
    starts = draw.integers(0, 1400, count)
    encounters = pd.DataFrame(
        {
            "encounter_id": [f"E-{n}" for n in draw.permutation(count)],
            "patient_id": patients["patient_id"].to_numpy()[of_person],
            "type": draw.choice(["emergency", "inpatient"], count, p=[0.3, 0.7]),
            "start": _texts(starts, draw.integers(0, 1440, count)),
            "stop": _texts(starts + draw.integers(0, 14, count), draw.integers(0, 1440, count)),
            "ward": draw.choice(["A", "B", "C"], count),
        }
    )
    of_encounter = np.repeat(np.arange(count), draw.integers(1, 3, count))
    total = len(of_encounter)
    conditions = pd.DataFrame(
        {
            "condition_id": draw.permutation(total),
            "encounter_id": encounters["encounter_id"].to_numpy()[of_encounter],
            "code": draw.choice([f"I{n:02}" for n in range(20)], total),
            "onset": _dates(starts[of_encounter]),
        }
    )
    of_stay = np.repeat(np.arange(count), observations)
    more = len(of_stay)
    results = pd.DataFrame(
        {
            "observation_id": draw.permutation(more),
            "patient_id": encounters["patient_id"].to_numpy()[of_stay],
            "encounter_id": encounters["encounter_id"].to_numpy()[of_stay],
            "taken": _texts(starts[of_stay], draw.integers(0, 1440, more)),
            "value": draw.integers(60, 180, more),
        }
    )
    return {"patients": patients, "encounters": encounters, "conditions": conditions, "observations": results}


def _days(draw: np.random.Generator, count: int) -> list[str]:
    return _dates(draw.integers(0, 1400, count))


def _dates(days: Any) -> list[str]:
    return list(np.datetime_as_string(np.datetime64("2020-01-01") + days.astype("m8[D]")))


def _texts(days: Any, minutes: Any) -> list[str]:
    moments = np.datetime64("2020-01-01T00:00") + days.astype("m8[D]") + minutes.astype("m8[m]")
    return [text.replace("T", " ") for text in np.datetime_as_string(moments)]


def hospital_policy(**more: Any) -> dict[str, Any]:
    """Return the policy of the four tables; ``more`` replaces whole sections."""
    policy: dict[str, Any] = {
        "qidguard": 1,
        "name": "hospital",
        "roles": {
            "quasi_identifiers": ["birth_year", "sex", "encounters"],
            "sensitive": ["codes"],
            "direct_identifiers": ["name"],
            "insensitive": ["admitted"],
            "entity": "patient_id",
        },
        "thresholds": [{"metric": "k_anonymity", "at_least": 3}],
        "hierarchies": {"birth_year": {"intervals": [20, 40]}},
        "remedy": {"recode": {"birth_year": 1}, "suppress": 0.2},
        "tables": hospital_tables(),
        "release": {"data_set": "hospital"},
    }
    return policy | more


def hospital_tables(**more: Mapping[str, Any]) -> dict[str, Any]:
    """Return the section ``tables``; ``more`` adds fields to a table."""
    tables: dict[str, dict[str, Any]] = {
        "patients": {"dates": ["admitted"]},
        "encounters": {
            "key": "encounter_id",
            "references": {"patient_id": "patients"},
            "order": "start",
            "dates": ["start", "stop"],
            "insensitive": ["type", "ward"],
            "per_person": {"encounters": {"count": True}},
        },
        "conditions": {
            "key": "condition_id",
            "references": {"encounter_id": "encounters"},
            "dates": ["onset"],
            "sensitive": ["code"],
            "per_person": {"codes": {"set": "code"}},
        },
        "observations": {
            "key": "observation_id",
            "references": {"patient_id": "patients", "encounter_id": "encounters"},
            "dates": ["taken"],
            "insensitive": ["value"],
        },
    }
    for name, fields in more.items():
        tables[name] = {**tables[name], **fields}
    return tables


def written(tables: Mapping[str, pd.DataFrame], folder: Path) -> dict[str, str]:
    """Write each table as CSV and return name → path."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    return {name: str(folder / f"{name}.csv") for name in tables}


def published(address: str) -> dict[str, pd.DataFrame]:
    """Return the tables of a published release, all values texts."""
    found = {}
    for path in sorted(Path(address).iterdir()):
        if path.suffix == ".csv":
            found[path.stem] = pd.read_csv(path, dtype=str, keep_default_na=False)
        elif path.suffix == ".parquet":
            found[path.stem] = pd.read_parquet(path)
    return found
