"""Thirteen consecutive releases through the real gate, whoever keeps the last values of who left."""

from pathlib import Path

import pandas as pd
import pytest

from qidguard.releasing.reaudit.reaudit import reaudit
from released_series import K, moment, months, present, rules
from releases import Place

COUNT = 13
PERSONS = 300

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


REMEDY = {
    "anonymizer": "kept_groups",
    "parameters": {"k": K, "leavers_stay": "until_k", "sensitive_changes": "never"},
}


@pytest.fixture(scope="module")
def series(tmp_path_factory):
    """Return way → the place, the policy and what was made each month."""
    found = {}
    for way in ("left_on", "state"):
        place = Place(tmp_path_factory.mktemp(way))
        kept = {"state": str(place.root / "private")}
        columns = {"left_on": "left_on", "came_on": "came_on"}
        policy = rules(**(kept if way == "state" else columns)) | {"remedy": REMEDY}
        made = []
        for month, table in enumerate(months(PERSONS, COUNT)):
            source = present(table) if way == "state" else table
            made.append(place.release(source, policy, now=moment(month), release_id=f"r{month:02}", seed=1))
        found[way] = (place, policy, made)
    return found


def figures(made):
    """Return the figures of a release: alone, of who stayed, of who came or left."""
    return [threshold.measurement.value for threshold in made.report.verdict.thresholds]


@pytest.mark.parametrize("way", ["left_on", "state"])
def test_every_month_is_published_and_isolates_nobody(series, way):
    """Never fewer than k, in classes that people left and came into."""
    place, _, made = series[way]
    assert ([one.is_published for one in made], min(min(figures(one)) for one in made)) == ([True] * COUNT, K)
    assert min(figures(one)[2] for one in made[1:]) < PERSONS
    assert any("stale" in note for note in made[-1].receipt.notes)
    if way == "state":
        assert place.record(made[-1].audit_id)["series"]["leavers_added"] > 10


def test_both_ways_publish_the_same(series):
    """A column of the source and a private state tell the same of who left and who waits."""
    published = {}
    for way, (_, _, made) in series.items():
        files = [next(Path(one.address).glob("*.parquet")) for one in made]
        published[way] = [sorted(map(tuple, pd.read_parquet(file).astype(str).values)) for file in files]
    assert published["state"] == published["left_on"]


def test_no_more_than_two_states_are_kept_and_no_day_is_published(series):
    """Those of the newest release and the one before; days and entity stand in no published file."""
    place, _, made = series["state"]
    kept = sorted(path.name.split(".")[0] for path in place.root.glob("private/*/*.state"))
    assert kept == ["r11", "r12"]
    assert place.faults() == ()
    for one in (made[-1], series["left_on"][2][-1]):
        table = pd.read_parquet(next(Path(one.address).glob("*.parquet")))
        assert list(table.columns) == ["age", "sex", "illness"]


@pytest.mark.parametrize("way", ["left_on", "state"])
def test_releases_of_a_series_are_judged_again(series, way):
    """By the same policy each one still holds, the newest and one in the middle."""
    place, policy, _ = series[way]
    for month in (6, 12):
        again = reaudit("people", f"r{month:02}", policy=policy, home=str(place.home), now=moment(13))
        assert again.is_passed, again.sentences


@pytest.mark.realdata
def test_a_year_of_adult(tmp_path, data):
    """1,000 persons with eight QIDs, 2 % leave, 2 % come a month, leavers from a state: k = 5 throughout."""
    source = pd.read_csv(data / "adult" / "adult_arx.csv", sep=";")
    qids = [name for name in source.columns if name != "salary-class"]
    place = Place(tmp_path)
    thresholds = [
        {"metric": metric, "at_least": 5}
        for metric in ("k_anonymity", "intersection_k_anonymity", "differencing_k_anonymity")
    ]
    policy = rules(state=str(tmp_path / "private")) | {
        "roles": {"quasi_identifiers": qids, "sensitive": ["salary-class"], "entity": "person"},
        "thresholds": thresholds,
        "remedy": REMEDY | {"parameters": REMEDY["parameters"] | {"k": 5}},
    }
    made = [
        place.release(present(table), policy, now=moment(month), release_id=f"r{month:02}", seed=1)
        for month, table in enumerate(months(1_000, COUNT, turnover=0.02, source=source))
    ]
    assert [one.is_published for one in made] == [True] * COUNT
    assert min(min(figures(one)) for one in made) >= 5
    print(*(note for note in made[-1].receipt.notes), sep="; ")  # noqa: T201 - figures; -rP shows them
