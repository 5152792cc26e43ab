"""What the ledger says that was audited is what was audited: of the source and of the population."""

from hashlib import sha256

import pandas as pd
import pytest

from qidguard.engines.duckdb.engine import DuckdbEngine
from reaudits import again, figures
from releases import people, policy


def digest(path):
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_source_that_is_swapped_around_the_copy_is_named_by_what_was_audited(
    place, tmp_path, monkeypatch, suffix
):
    """Another table lies there only while it is copied: its digest, its records, and they are published."""
    file, other = tmp_path / f"people.{suffix}", tmp_path / f"other.{suffix}"
    for path, groups in ((file, 3), (other, 4)):
        frame = people(groups=groups)
        frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    first, second = file.read_bytes(), other.read_bytes()
    copy = DuckdbEngine.snapshot

    def swapped(self, source, *given):
        file.write_bytes(second)
        taken = copy(self, source, *given)
        file.write_bytes(first)
        return taken

    monkeypatch.setattr(DuckdbEngine, "snapshot", swapped)
    made = place.release(file)
    (audited,) = place.entries("audited")
    assert audited.payload["source_sha256"] == sha256(second).hexdigest()
    assert audited.payload["records"] == 20
    assert place.record(made.audit_id)["subject"]["source_sha256"] == sha256(second).hexdigest()
    published = f"{made.address}/people.{suffix}"
    assert len(pd.read_csv(published) if suffix == "csv" else pd.read_parquet(published)) == 20


def test_a_source_that_changes_after_it_was_copied_is_published_as_it_was(place, tmp_path):
    """A record that is appended later is neither audited nor published, nor in the digest."""
    file = tmp_path / "people.csv"
    people().to_csv(file, index=False)
    before = digest(file)

    class Change:
        def step(self, title, done, total):
            if (title, done) == ("copying", 1):
                with file.open("a", encoding="utf-8") as more:
                    more.write("p9,Name 9,99,f,flu\n")

    made = place.release(file, progress=Change())
    (audited,) = place.entries("audited")
    assert audited.payload["source_sha256"] == before != digest(file)
    assert len(pd.read_csv(f"{made.address}/people.csv")) == len(people())


@pytest.mark.parametrize("when", [("copying", 1), ("loading", 1), ("deciding", 0)])
def test_a_population_that_changes_meanwhile_is_named_by_what_was_read(place, tmp_path, when):
    """Its figure and its digest are of one file, whenever another takes its place."""
    population = tmp_path / "population.csv"
    population.write_text(people(size=9).to_csv(index=False), encoding="utf-8")
    before = digest(population)
    rules = policy(population={"path": str(population)})
    rules["thresholds"] = [*rules["thresholds"], {"metric": "k_map", "at_least": 9}]

    class Change:
        def step(self, title, done, total):
            if (title, done) == when:
                population.write_text(people(size=5).to_csv(index=False), encoding="utf-8")

    made = place.release(people(), rules, progress=Change())
    assert made.is_published
    assert place.record(made.audit_id)["attack"]["population_sha256"] == before != digest(population)


def test_a_release_is_judged_again_on_one_reading_of_its_population(place, tmp_path):
    """The population that figures rest on then and now is the same one, so they are still known."""
    population = tmp_path / "population.csv"
    population.write_text(people(size=9).to_csv(index=False), encoding="utf-8")
    rules = policy(population={"path": str(population)})
    rules["thresholds"] = [*rules["thresholds"], {"metric": "k_map", "at_least": 9}]
    place.release(people(), rules, release_id="r1")
    made = again(place, rules)
    assert made.outcome.value == "passed"
    assert figures(made)["k_map"] == 9
