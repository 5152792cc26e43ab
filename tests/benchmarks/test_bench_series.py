"""A series over twelve months on real data: what each way of keeping it loses, and whom all releases isolate.

Each month 2 % leave, 2 % come for the first time, and of 1 % a quasi-identifier is drawn anew as the table's
records have it; k = 5. The first release has 23,938 of the 30,162 persons of Adult, and 56,760 of the 71,518
patients of the hospital, with the first record of each; the others come.
"""

import pandas as pd
import pytest

from qidguard_series import plan_series

pytestmark = [pytest.mark.bench, pytest.mark.untimed, pytest.mark.realdata, pytest.mark.timeout(900)]

K, RELEASES = 5, 13
IDS = ("admission_type_id", "discharge_disposition_id", "admission_source_id")
"""Columns of the hospital whose numbers are codes, which the policy says."""
HOSPITAL = ("race", "gender", "age", "time_in_hospital", *IDS, "medical_specialty")
"""Eight columns that an outsider may know of a stay."""
FIRST = {"adult": 23_938, "hospital": 56_760}
WAYS = {
    "adult": {"until_k": 0.056, 12: 0.18, 0: 0.067},
    "hospital": {"until_k": 0.070, 12: 0.18, 0: 0.083},
}
"""Data → for how long leavers stay → the most that a month may lose; 0 where the month of exit is known."""


@pytest.fixture(scope="module")
def table(data):
    """Return a function that reads a table of persons, the quasi-identifiers alone."""

    def read(name):
        if name == "adult":
            return pd.read_csv(data / "adult" / "adult_arx.csv", sep=";").iloc[:, :8]
        stays = pd.read_csv(data / "hospital" / "diabetic_data.csv", low_memory=False)
        return stays.drop_duplicates("patient_nbr")[list(HOSPITAL)]

    return read


def planned(table, name, stay):
    """Return the releases of a year, and the loss of each alone."""
    records = table(name)
    policy = {
        "qidguard": 1,
        "name": name,
        "roles": {"quasi_identifiers": list(records.columns)},
        "thresholds": [{"metric": "k_anonymity", "at_least": K}],
        "kinds": {column: "code" for column in records.columns if column in IDS},
    }
    plan = plan_series(
        records,
        policy,
        leave=0.02,
        come=0.02,
        change=0.01,
        releases=RELEASES,
        first=FIRST[name],
        leavers_stay=[stay],
        exits="known" if stay == 0 else "unknown",
    )
    return plan.ways[0], plan.alone


@pytest.mark.parametrize("name", ["adult", "hospital"])
@pytest.mark.parametrize("stay", ["until_k", 12, 0])
def test_a_year_isolates_nobody_and_shows_nearly_everybody(table, figures, name, stay):
    """Every month all releases together hold k, and 97 of 100 who are there are shown as they are.

    Leavers stay until k of a group go together, twelve months at most, or leave in the month that is known.
    """
    way, alone = planned(table, name, stay)
    last = way.releases[-1]
    figures(
        data=name,
        stay=stay,
        ncp=last.ncp,
        mean=way.ncp_mean,
        alone=alone[-1],
        fresh=way.fresh_share,
        stale=way.stale_share,
        waiting=way.most("waiting"),
    )
    assert [one.release for one in way.releases] == list(range(1, RELEASES + 1))
    assert min(one.intersection for one in way.releases) >= K
    assert min(one.differencing for one in way.releases) >= K
    assert way.isolated == 0
    assert way.fresh_share >= 0.97
    assert way.most("longest") <= 3
    assert last.ncp <= WAYS[name][stay]
    if stay != "until_k":
        assert way.most("oldest") <= stay
        assert way.stale_share <= 0.06
