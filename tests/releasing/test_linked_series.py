"""Months of several tables: who left stays with all records, and goes with all of them in one release."""

from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from hospital_files import hospital_tables, published
from killing import KillAt, killed
from linked_months import hospital_months, present, rules, shown
from qidguard.releasing.reaudit.reaudit import reaudit
from released_series import K, moment
from releases import Place, verified

COUNT = 4
PATIENTS = 90
WAYS = ("left_on", "state")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def months():
    """Return the tables of each month, and of the one after them."""
    return list(hospital_months(PATIENTS, COUNT + 1))


@pytest.fixture(scope="module")
def series(months, tmp_path_factory):
    """Return way → the place, the policy, what was made of each month and the files of it."""
    found = {}
    for way in WAYS:
        place = Place(tmp_path_factory.mktemp(way))
        columns = {"left_on": "left_on", "came_on": "came_on"}
        policy = rules(**({"state": str(place.root / "private")} if way == "state" else columns))
        made = [
            released(place, present(tables) if way == "state" else tables, policy, month)
            for month, tables in enumerate(months[:COUNT])
        ]
        found[way] = (place, policy, made, [published(one.address) for one in made])
    return found


def released(place, tables, policy, month):
    """Release the tables of a month."""
    return place.release(tables, policy, now=moment(month), release_id=f"r{month}", seed=1)


@pytest.mark.parametrize("way", WAYS)
def test_every_month_is_published_and_isolates_nobody(series, way):
    """Patients leave and come, and some visit again: never fewer than k, alone or beside earlier releases."""
    _, _, made, files = series[way]
    assert [one.is_published for one in made] == [True] * COUNT
    figures = [[one.measurement.value for one in each.report.verdict.thresholds] for each in made]
    assert min(min(each) for each in figures) == K
    assert verified(made[-1].address) == ()
    assert all(list(one["patients"]) == ["patient_id", "birth_year", "sex", "admitted"] for one in files)


@pytest.mark.parametrize("way", WAYS)
def test_files_join_and_no_record_is_of_who_is_not_shown(series, months, way):
    """Every record is of a shown patient, and of each shown patient every record is there."""
    for tables, files in zip(months, series[way][3], strict=False):
        patients = shown(files, tables)
        assert set(files["patients"]["patient_id"]) == set(patients)
        for name in ("encounters", "observations"):
            theirs = tables[name]["patient_id"].value_counts()
            counts = files[name]["patient_id"].map(patients).value_counts()
            assert counts.to_dict() == theirs[list(patients.values())].to_dict()
        for name in ("conditions", "observations"):
            assert set(files[name]["encounter_id"]) <= set(files["encounters"]["encounter_id"])


def test_who_left_is_shown_with_all_records_and_then_with_none(series, months):
    """A month long with the last values, as the policy says; from then on no file has anything of them."""
    seen = [shown(files, one) for files, one in zip(series["state"][3], months, strict=False)]
    stale = []
    for month in range(1, COUNT):
        left_on = months[month]["patients"].set_index("patient_id")["left_on"]
        left = set(left_on.index[left_on == moment(month).strftime("%Y-%m-10")])
        stale.append(left & set(seen[month].values()))
        assert not any(left & set(one.values()) for one in seen[month + 1 :])
    assert sum(map(len, stale)) >= K
    place, _, made, _ = series["state"]
    assert place.record(made[1].audit_id)["series"]["leavers_added"] == K
    assert "companions" in " ".join(made[2].receipt.notes)


def test_both_ways_publish_the_same(series, months):
    """A column of the source and a private state tell the same of who left, and of all their records."""
    told = {}
    for way, (_, _, _, files) in series.items():
        told[way] = []
        for tables, one in zip(months, files, strict=False):
            patients = shown(one, tables)
            rows = one["patients"].assign(patient_id=one["patients"]["patient_id"].map(patients))
            visits = one["encounters"].merge(one["conditions"], on="encounter_id")
            ills = Counter(zip(visits["patient_id"].map(patients), visits["code"], strict=True))
            people = sorted(map(tuple, rows.drop(columns="admitted").astype(str).to_numpy()))
            told[way].append((people, ills))
    assert told["state"] == told["left_on"]


@pytest.mark.parametrize("way", WAYS)
def test_who_visits_again_leaves_the_group_and_nobody_is_alone(series, way):
    """The number of visits is published as it is, so who had one more is no longer shown with the others."""
    notes = " ".join(note for one in series[way][2] for note in one.receipt.notes)
    assert "of 1 person records of other tables changed" in notes


def test_a_month_is_judged_again_over_all_files(series):
    """The re-audit needs no day and no state of the series, since neither was published."""
    place, policy, _, _ = series["state"]
    again = reaudit("hospital", "r2", policy=policy, home=str(place.home), now=moment(COUNT))
    assert again.is_passed, again.sentences


def state_of(place):
    """Return the file of the newest state; that of the release before is kept, too."""
    found = sorted(place.root.glob("private/*/*.state"))
    assert [path.name.split(".")[0] for path in found] == ["r2", "r3"]
    return found[-1]


def with_a_key_of_who_left(tables, key):
    """Return the tables, in which a visit of a present patient has the key of one that a leaver had."""
    mine = tables["encounters"]["encounter_id"].iloc[0]
    return {name: table.replace({mine: key}) for name, table in tables.items()}, {}


def without_observations(tables, _):
    """Return the tables and a policy without one of them."""
    named = hospital_tables()
    del named["observations"]
    return {name: table for name, table in tables.items() if name in named}, {"tables": named}


def with_column(tables, _):
    """Return the tables, one of which has another column, which the policy allows."""
    more = tables["conditions"].assign(grade=1)
    return tables | {"conditions": more}, {"tables": hospital_tables(conditions={"insensitive": ["grade"]})}


def with_other_dates(tables, _):
    """Return the tables, one of which writes its dates otherwise."""
    other = pd.to_datetime(tables["conditions"]["onset"]).dt.strftime("%d.%m.%Y")
    return tables | {"conditions": tables["conditions"].assign(onset=other)}, {}


@pytest.mark.parametrize(("changed", "said"), [
    (with_a_key_of_who_left, "table 'encounters' has 1 records of present persons with the 'encounter_id'"),
    (without_observations, "only one of the two has the table 'observations'; give the table"),
    (with_column, "only one of the two tables 'conditions' has the column 'grade'; give the table"),
    (with_other_dates, "Column 'onset' of table 'conditions' is to be moved as a date, and"),
])  # fmt: skip
def test_tables_that_cannot_take_up_who_left_block(series, months, changed, said):
    """In one sentence without a value; nothing of the series is changed by it."""
    place, policy, _, files = series["state"]
    here, before = present(months[COUNT]), months[COUNT - 1]
    gone = {*shown(files[-1], before).values()} - {*here["patients"]["patient_id"]}
    theirs = before["encounters"]["patient_id"].isin(gone)
    tables, fields = changed(here, before["encounters"].loc[theirs, "encounter_id"].iloc[0])
    made = released(place, tables, policy | fields, COUNT)
    [reason] = made.reasons
    assert (made.is_published, said in reason) == (False, True), reason
    state_of(place)


def test_a_state_whose_visits_were_changed_blocks_and_the_restored_one_goes_on(series, months, tmp_path):
    """A byte in the last table of it is enough; a person on the list of the erased is in no file then."""
    place, policy, _, _ = series["state"]
    path = state_of(place)
    content = path.read_bytes()
    path.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
    made = released(place, present(months[COUNT]), policy, COUNT)
    assert "is not the one that the ledger knows" in made.reasons[0]
    path.write_bytes(content)
    left_on = months[COUNT]["patients"].set_index("patient_id")["left_on"]
    left = left_on.index[left_on == moment(COUNT).strftime("%Y-%m-10")]
    (tmp_path / "erased.txt").write_text(left[0])
    policy = policy | {"series": policy["series"] | {"erased": str(tmp_path / "erased.txt")}}
    made = released(place, present(months[COUNT]), policy, COUNT)
    assert made.is_published
    assert left[0] not in shown(published(made.address), months[COUNT]).values()
    assert place.record(made.audit_id)["series"]["leavers_added"] >= 1
    assert (place.faults(), place.left_over("hospital")) == ((), [])


def run(root, tables, policy, month, at):
    """Release the tables of a month and die at a step."""
    options = {"now": moment(month), "release_id": f"r{month}", "seed": 1}
    Place(Path(root)).release(tables, policy, **options, progress=KillAt(*at))


@pytest.mark.parametrize("at", [("recording", 1), ("publishing", 1)])
def test_a_series_goes_on_wherever_a_run_was_killed(months, tmp_path, at):
    """After the promise or the rename: the next runs are right, and two states are left."""
    place = Place(tmp_path)
    policy = rules(state=str(tmp_path / "private"))
    tables = [present(each) for each in months[:3]]
    assert released(place, tables[0], policy, 0).is_published
    killed(run, str(tmp_path), tables[1], policy, 1, at)
    made = [released(place, tables[month], policy, month) for month in (1, 2)]
    assert [one.is_published for one in made] == [True, True]
    assert place.record(made[1].audit_id)["series"]["leavers_added"] > 0
    assert len(list((tmp_path / "private").glob("*/*.state"))) == 2
    assert (place.faults(), place.left_over("hospital")) == ((), [])


def test_a_sensitive_column_of_another_table_asks_whether_it_changes(months, tmp_path):
    """Who left is shown with old conditions, so a policy has to say that these may tell it."""
    policy = rules(left_on="left_on", came_on="came_on")
    parameters = {k: v for k, v in policy["remedy"]["parameters"].items() if k != "sensitive_changes"}
    policy["remedy"] = {"anonymizer": "kept_groups", "parameters": parameters}
    made = released(Place(tmp_path), months[0], policy, 0)
    assert not made.is_published
    [reason] = made.reasons
    assert "conditions.code" in reason
    assert "sensitive_changes" in reason
