"""Whatever is not quite the same, or may not be what it seems, is no release."""

import json
import os
import stat
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from qidguard import ReadOptions, UserError
from qidguard.core.files import PrivateFolder
from qidguard.evidence.keys import new_key_pair
from qidguard.policy import parse_policy
from qidguard.releasing.opening import release_context
from releases import people, policy


@pytest.mark.parametrize(("asked", "said"), [
    *(({"seed": seed}, "seed") for seed in (-1, 1 << 63, "x", True, 1.0)),
    ({"data_set": "people-2"}, "leave the name out"),
])  # fmt: skip
def test_a_seed_that_is_none_and_a_name_beside_the_policys_own_are_refused(place, asked, said):
    """A seed is a whole number that the record can hold; no flag leads past history and budget."""
    with pytest.raises(UserError, match=said):
        place.release(people(), **asked)


def test_signers_without_a_key_are_not_an_unsigned_release(place, tmp_path):
    """A policy that names who may sign asks for a signature."""
    key = new_key_pair(tmp_path / "keys", "signing")
    rules = policy(release={"data_set": "people", "earlier_releases": "unrelated", "signers": [key.text]})
    made = place.release(people(), rules)
    assert not made.is_published
    assert "demands a signature" in made.reasons[0]


@pytest.mark.slow
def test_a_changed_policy_has_another_digest(place):
    """Who changes a loaded policy in Python has another policy, and its releases say so."""
    text = json.dumps(policy())
    loaded = parse_policy(text)
    thresholds = parse_policy(text.replace('"at_least": 5', '"at_least": 4')).thresholds
    changed = loaded.model_copy(update={"thresholds": thresholds})
    made = [place.release(people(), rules) for rules in (loaded, changed)]
    digests = [e.payload["policy_sha256"] for e in place.entries("releasing")]
    assert [m.is_published for m in made] == [True, True]
    assert digests[0] != digests[1]


@pytest.mark.slow
def test_a_repeated_release_is_only_the_same_one(place, tmp_path):
    """Another way of reading, a changed file, a reader that is read once: none is a repeat."""
    file = tmp_path / "people.csv"
    people().to_csv(file, index=False)
    made = place.release(file, release_id="r1")
    with (Path(made.address) / "people.csv").open("a") as published:
        for source, more, said in (
            (file, {"read": ReadOptions(missing=("flu",))}, "was made from another source"),
            (pa.Table.from_pandas(people()).to_reader(), {}, "nobody can tell"),
        ):
            with pytest.raises(UserError, match=said):
                place.release(source, release_id="r1", **more)
        published.write("more\n")
    with pytest.raises(UserError, match="no longer what was published"):
        place.release(file, release_id="r1")
    assert [e.payload["release_id"] for e in place.entries("released")] == ["r1"]


@pytest.mark.slow
def test_numbers_that_are_counted_as_one_are_published_as_one(place):
    """0.0 and -0.0 are one value to a GROUP BY, so nobody can tell them apart in what is published."""
    source = people(groups=1).assign(age=[0.0, 0.0, 0.0, 0.0, -0.0])
    made = place.release(source)
    found = pd.read_parquet(f"{made.address}/people.parquet")["age"]
    assert np.signbit(found.to_numpy()).tolist() == [False] * 5


def test_texts_of_a_collation_are_counted_apart(place, tmp_path):
    """A column that its database compares without case is published as it stands, so it is counted so."""
    file = tmp_path / "people.duckdb"
    with duckdb.connect(str(file)) as database:
        database.register("frame", people(groups=1).assign(sex=list("fFfFf")))
        columns = "person TEXT, name TEXT, age INT, sex TEXT COLLATE NOCASE, illness TEXT"
        database.execute(f"CREATE TABLE t ({columns}); INSERT INTO t SELECT * FROM frame")
    made = place.release(file)
    assert (made.is_published, made.report.verdict.thresholds[0].measurement.value) == (False, 2)


@pytest.mark.slow
def test_what_a_killed_run_copied_is_removed_by_the_next(place, monkeypatch, tmp_path):
    """A private copy whose process is dead is swept; one that is in use stays."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead = PrivateFolder()
    (dead.path / "records.duckdb").write_bytes(b"x")
    alive = PrivateFolder()
    os.close(dead._lock._handle)  # as the system does when a process dies
    place.release(people())
    assert [dead.path.exists(), alive.path.exists()] == [False, True]
    assert stat.S_IMODE(alive.path.stat().st_mode) == 0o700
    alive.remove()
    assert list(tmp_path.glob("qidguard-*")) == []


def test_no_secret_is_in_a_repr(place):
    """Neither the seed, nor the passphrase or the history key, is printed with what holds it."""
    secret = "x" * 8
    new_key_pair(place.home / "keys", "own", secret)
    key = str(place.home / "keys" / "own.key")
    asked = {"home": str(place.home), "key": key, "passphrase": secret, "seed": 123454321}
    with release_context(people(), policy(), str(place.to), is_published=True, **asked) as job:
        shown = repr(job)
        assert not [one for one in (secret, "123454321", repr(job.history_key)) if one in shown]
