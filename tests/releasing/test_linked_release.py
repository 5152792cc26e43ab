"""Several tables of the same persons: one release, judged as a reader joins its files."""

import json
import os
import shutil
import signal
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hospital_files import hospital, hospital_policy, hospital_tables, published
from killing import killed
from qidguard.evidence.verify import verify_release
from qidguard.releasing.reaudit.reaudit import reaudit
from quick import mostly_slow
from reaudits import figures
from releases import Place, at_least, verified
from steps import At

OVER_TIME = at_least(k_anonymity=3, intersection_k_anonymity=3, differencing_k_anonymity=3)


@pytest.fixture(scope="module")
def tables():
    """Return the four tables of 120 patients."""
    return hospital(120)


@pytest.fixture(scope="module")
def months(tables, tmp_path_factory):
    """Return the place, and two releases of the same patients."""
    place = Place(tmp_path_factory.mktemp("linked"))
    policy = hospital_policy(thresholds=OVER_TIME)
    return place, [place.release(tables, policy, release_id=f"r{n}", seed=n) for n in (1, 2)]


def test_every_file_is_of_one_release_and_joins(months, tables):
    """No record of a suppressed patient is left, and every reference finds the record that it refers to."""
    _, (made, _) = months
    assert made.is_published
    files = published(made.address)
    assert sorted(files) == ["conditions", "encounters", "observations", "patients"]
    for name, column, other in (
        ("encounters", "patient_id", "patients"),
        ("conditions", "encounter_id", "encounters"),
        ("observations", "patient_id", "patients"),
        ("observations", "encounter_id", "encounters"),
    ):
        assert set(files[name][column]) <= set(files[other][column])
    keys = files["encounters"]["encounter_id"]
    assert (len(set(keys)), len(files["patients"])) == (len(keys), 120 - made.receipt.records_suppressed)
    assert "name" not in files["patients"]
    assert "encounters" not in files["patients"]
    counts = Counter(files["encounters"].groupby("patient_id").size())
    assert counts <= Counter(tables["encounters"].groupby("patient_id").size())
    assert verified(Path(made.address)) == ()


def test_intervals_are_kept_and_no_date_is(months, tables):
    """Lengths of stay, times of day and the days between admission and visits are those of the source."""
    _, (made, _) = months
    files = published(made.address)

    def stays(encounters, patients):
        both = encounters.merge(patients, on="patient_id")
        start, stop = pd.to_datetime(both["start"]), pd.to_datetime(both["stop"])
        return pd.DataFrame(
            {
                "stay": stop - start,
                "since": start.dt.normalize() - pd.to_datetime(both["admitted"]),
                "time": both["start"].str[11:],
                "start": both["start"],
            }
        )

    found = stays(files["encounters"], files["patients"])
    source = stays(tables["encounters"], tables["patients"]).set_index(["stay", "since", "time"])["start"]
    keys = list(zip(found["stay"], found["since"], found["time"], strict=True))
    assert set(keys) <= set(source.index)
    assert source.index.is_unique
    moved = pd.to_datetime(found["start"].to_numpy()) - pd.to_datetime(source.loc[keys].to_numpy())
    days = np.abs(moved.days.to_numpy())
    assert days.min() >= 1
    assert days.max() <= 182
    assert len(set(moved.days)) > 20


def test_the_next_release_has_other_pseudonyms_and_is_judged_beside_the_first(months):
    """Nobody left or came, so it passes; no pseudonym of the one is one of the other."""
    _, (first, second) = months
    assert second.is_published
    assert figures(second)["intersection_k_anonymity"] >= 3
    one, two = published(first.address), published(second.address)
    assert not set(one["patients"]["patient_id"]) & set(two["patients"]["patient_id"])
    assert not set(one["encounters"]["encounter_id"]) & set(two["encounters"]["encounter_id"])
    assert sorted(one["encounters"]["ward"]) == sorted(two["encounters"]["ward"])


@pytest.mark.slow
def test_a_visit_more_isolates_who_had_it(months, tables):
    """The counts are quasi-identifiers, so the third release is blocked by the first two."""
    place, _ = months
    own = tables["encounters"]
    one = own.iloc[[0]].assign(encounter_id="E-new")
    later = tables | {"encounters": pd.concat([own, one], ignore_index=True)}
    policy = hospital_policy(thresholds=OVER_TIME)
    made = place.release(later, policy, release_id="r3")
    assert not made.is_published
    assert any("isolat" in s or "over releases" in s or "k-anonymity" in s for s in made.sentences)


def test_the_dictionary_tells_how_files_join(months):
    """It is a Frictionless data package with primary and foreign keys."""
    _, (made, _) = months
    described = json.loads((Path(made.address) / "datapackage.json").read_text())
    resources = {one["name"]: one for one in described["resources"]}
    assert resources["patients"]["schema"]["primaryKey"] == ["patient_id"]
    [foreign] = resources["conditions"]["schema"]["foreignKeys"]
    there = {"resource": "encounters", "fields": ["encounter_id"]}
    assert foreign == {"fields": ["encounter_id"], "reference": there}
    for one in resources.values():
        fields = [field["name"] for field in one["schema"]["fields"]]
        path = Path(made.address) / one["path"]
        assert fields == list(published(made.address)[path.stem].columns)


def test_the_attestation_names_every_file_and_what_was_done(months):
    """Pseudonyms and moved dates are transformations; no count of persons and no key is in it."""
    _, (made, _) = months
    found = verify_release(made.address, is_unsigned_allowed=True)
    files = [f"{table}.parquet" for table in ("patients", "encounters", "conditions", "observations")]
    assert [file.name for file in found.manifest.files] == [*files, "datapackage.json"]
    done = {one["technique"] for one in found.statement["predicate"]["transformations"]}
    assert {
        "keys replaced by pseudonyms of this release",
        "dates moved by the same days for each person",
    } <= done


@pytest.mark.parametrize(
    "name", mostly_slow(["observations.parquet", "patients.parquet", "datapackage.json"])
)
def test_a_change_of_any_file_is_found(months, tmp_path, name):
    """One byte is enough, in whichever file."""
    _, (made, _) = months
    copy = tmp_path / "hospital" / "r1"
    shutil.copytree(made.address, copy)
    path = copy / name
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert any(name in fault for fault in verified(copy))
    path.unlink()
    assert f"{name} is missing." in verified(copy)


@pytest.mark.slow
def test_a_process_that_dies_between_files_leaves_nothing(tables, tmp_path):
    """Two of four files were written; nothing is there, and the next run publishes all."""
    killed(_run, str(tmp_path), tables)
    place = Place(tmp_path)
    assert place.releases("hospital") == []
    made = place.release(tables, hospital_policy(), release_id="r1")
    assert (made.is_published, place.left_over("hospital")) == (True, [])
    assert verified(made.address) == ()
    again = place.release(tables, hospital_policy(), release_id="r1")
    assert again.is_repeated


def _run(root, tables):
    dying = At("writing", 2, partial(os.kill, os.getpid(), signal.SIGKILL))
    Place(Path(root)).release(tables, hospital_policy(), release_id="r1", progress=dying)


@pytest.mark.slow
def test_what_is_published_is_judged_again_over_all_files(months):
    """The counts of visits are made again of the published visits, and a stricter limit is missed."""
    place, (made, _) = months
    again = reaudit("hospital", "r1", policy=hospital_policy(thresholds=OVER_TIME), home=str(place.home))
    assert again.is_passed, again.sentences
    assert figures(again)["k_anonymity"] == figures(made)["k_anonymity"]
    stricter = hospital_policy(
        thresholds=[*OVER_TIME, {"metric": "k_anonymity", "at_least": 60}],
        tables=hospital_tables(encounters={"insensitive": ["type"], "drop": ["ward"]}),
    )
    found = reaudit("hospital", "r1", policy=stricter, home=str(place.home))
    assert "Column encounters.ward is published, and today's policy keeps it back." in found.sentences
    assert any("at least 60" in sentence for sentence in found.sentences)


@pytest.mark.slow
def test_a_release_of_other_tables_is_not_judged_by_this_policy(months):
    """A file that today's policy has no table of is one that nobody judges."""
    place, _ = months
    tables = hospital_tables()
    del tables["observations"]
    found = reaudit("hospital", "r1", policy=hospital_policy(tables=tables), home=str(place.home))
    assert found.sentences == (
        "The file observations.parquet is published, and today's policy names no table of it.",
    )
