"""Months of a made-up hospital of four files: patients leave and come, and a few visit it again."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from hospital_files import hospital, hospital_policy
from released_series import K, moment

Tables = dict[str, pd.DataFrame]
THRESHOLDS = [
    {"metric": metric, "at_least": K}
    for metric in ("k_anonymity", "intersection_k_anonymity", "differencing_k_anonymity")
]


def hospital_months(persons: int, count: int, *, moving: int = 3, visits: int = 1) -> Iterator[Tables]:
    """Yield the tables of each month, leavers among them: who left has the day in ``left_on``.

    Every month so many leave, as many come, and of some who have several visits the last one is new.
    """
    chance = np.random.default_rng(7)
    whole = hospital(persons + (count - 1) * moving)
    own = whole["encounters"].sort_values(["patient_id", "start"])
    last = own[own.duplicated("patient_id")].drop_duplicates("patient_id", keep="last")
    of_first = last[last["patient_id"].isin(whole["patients"]["patient_id"][:persons])]
    later = of_first["encounter_id"].to_numpy()[: visits * (count - 1)]
    patients = whole["patients"].assign(left_on=None, came_on="2025-12-01").astype({"left_on": object})
    for month in range(count):
        day = moment(month).strftime("%Y-%m-10")
        known = persons + month * moving
        if month:
            here = np.flatnonzero(patients["left_on"].isna().to_numpy()[: known - moving])
            patients.loc[chance.choice(here, moving, replace=False), "left_on"] = day
            patients.loc[known - moving : known - 1, "came_on"] = day
        yield of_patients(whole | {"patients": patients[:known]}, without=later[month * visits :])


def of_patients(tables: Mapping[str, pd.DataFrame], *, without: Any = ()) -> Tables:
    """Return the records of the patients that are there, without some visits."""
    patients, visits = tables["patients"], tables["encounters"]
    found = {"patients": patients.reset_index(drop=True)}
    visits = visits[visits["patient_id"].isin(patients["patient_id"]) & ~visits["encounter_id"].isin(without)]
    found["encounters"] = visits.reset_index(drop=True)
    for name in ("conditions", "observations"):
        is_theirs = tables[name]["encounter_id"].isin(visits["encounter_id"])
        found[name] = tables[name][is_theirs].reset_index(drop=True)
    return found


def present(tables: Mapping[str, pd.DataFrame]) -> Tables:
    """Return the tables of a source that keeps nobody who left, and no days."""
    patients = tables["patients"]
    here = patients[patients["left_on"].isna()].drop(columns=["left_on", "came_on"])
    return of_patients({**tables, "patients": here})


def shown(files: Mapping[str, pd.DataFrame], tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    """Return pseudonym → patient of what was published, found by the hours of their visits."""
    source = tables["encounters"].set_index(_hours(tables["encounters"]))["patient_id"]
    theirs = pd.Series(source.loc[_hours(files["encounters"])].to_numpy(), files["encounters"]["patient_id"])
    assert theirs.groupby(level=0).nunique().max() == 1
    return {str(pseudonym): str(patient) for pseudonym, patient in theirs.items()}


def _hours(visits: pd.DataFrame) -> "pd.Series[str]":
    return visits["start"].str[11:] + visits["stop"].str[11:] + visits["type"] + visits["ward"]


def rules(**series: Any) -> dict[str, Any]:
    """Return the policy of the four tables under which a series goes on."""
    remedy = {
        "anonymizer": "kept_groups",
        "parameters": {"k": K, "leavers_stay": 1, "first_groups": 3.0, "sensitive_changes": "accepted"},
    }
    return hospital_policy(thresholds=THRESHOLDS, remedy=remedy, hierarchies={}, series=series)
