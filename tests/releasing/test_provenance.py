"""What the ledger says that was used is what was used: of the source, the population and hierarchies."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pandas as pd
import pytest

from qidguard import UserError
from qidguard.anonymizing.hierarchy import rows
from qidguard.engines.duckdb.engine import DuckdbEngine
from qidguard.evidence.keys import load_private_key, new_key_pair
from qidguard.ledger import open_ledger
from qidguard.releasing.deciding.approve import Consent, make_exception
from qidguard.releasing.deciding.check import check
from quick import mostly_slow
from reaudits import again, figures
from releases import Place, people, policy


def digest(path):
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


def coarse(path):
    """Return a policy whose remedy generalizes the age by a file."""
    return policy(
        roles={"quasi_identifiers": ["age"], "direct_identifiers": ["name", "person"], "insensitive": ["sex"]}
        | {"sensitive": ["illness"]},
        thresholds=[{"metric": "k_anonymity", "at_least": 5}],
        remedy={"anonymizer": "full_domain", "parameters": {"k": 5}},
        hierarchies={"age": {"file": str(path)}},
    )


def labels(word):
    """Return a hierarchy file: ages by forties, each with a word, so that its labels name the file."""
    return "".join(f"{age};{word} {age // 40};*\n" for age in range(20, 100, 10))


def named_file(place, made, contents):
    """Return which hierarchy file the published labels are of, and which one the record names."""
    words = {label.split()[0] for label in pd.read_parquet(f"{made.address}/people.parquet")["age"]}
    named = place.record(made.audit_id)["policy"]["hierarchies_sha256"]["age"]
    (word,) = words
    return word, next(word for word, text in contents.items() if sha256(text.encode()).hexdigest() == named)


@pytest.mark.slow
@pytest.mark.parametrize(
    "when", mostly_slow(["read", ("deciding", 0), (("measuring", 1),), (("remedy", 0),)], quick=2)
)
def test_a_hierarchy_that_is_swapped_is_named_by_what_was_used(place, tmp_path, monkeypatch, when):
    """The digest in the record is of the bytes whose labels are published, whenever another file comes."""
    contents = {word: labels(word) for word in ("old", "new")}
    file = tmp_path / "age.csv"
    file.write_text(contents["old"], encoding="utf-8")
    is_read, seen = rows.open_plain, []

    class Swap:
        def step(self, title, done, total):
            if (title, done) == when:
                file.write_text(contents["new"], encoding="utf-8")

    def opened(path):
        found = is_read(path)
        seen.append(path)
        if when == "read":
            # whoever opened it keeps the file that stood there
            other = tmp_path / "other.csv"
            other.write_text(contents["new"], encoding="utf-8")
            other.replace(file)
        return found

    monkeypatch.setattr(rows, "open_plain", opened)
    made = place.release(people(groups=4, size=3), coarse(file), progress=Swap())
    word, named = named_file(place, made, contents)
    assert (named, len(seen)) == (word, 1)
    assert word == ("new" if when == ("measuring", 1) else "old")


@pytest.mark.slow
def test_source_and_hierarchy_may_be_swapped_at_every_step(tmp_path):
    """Whatever stands in their places by then, record and ledger name the bytes that were published."""
    contents = {word: labels(word) for word in ("old", "new")}
    tables = {number: people(groups=4, size=number).to_csv(index=False) for number in (3, 4)}
    file, source = tmp_path / "age.csv", tmp_path / "people.csv"

    class Watch:
        """It notes each step, and at one of them puts the other files in place."""

        def __init__(self, at=-1):
            self.at, self.steps = at, 0

        def step(self, title, done, total):
            if self.steps == self.at:
                file.write_text(contents["new"], encoding="utf-8")
                source.write_text(tables[4], encoding="utf-8")
            self.steps += 1

    def released(watch):
        file.write_text(contents["old"], encoding="utf-8")
        source.write_text(tables[3], encoding="utf-8")
        rules = coarse(file) | {"release": {"data_set": "people", "format": "parquet"}}
        place = Place(tmp_path / f"at {watch.at}")
        made = place.release(source, rules, progress=watch)
        word, named = named_file(place, made, contents)
        records = len(pd.read_parquet(f"{made.address}/people.parquet"))
        said = place.record(made.audit_id)["subject"]["source_sha256"]
        assert (word, sha256(tables[records // 4].encode()).hexdigest()) == (named, said)
        return word, records

    first = Watch()
    assert released(first) == ("old", 12)
    outcomes = [released(Watch(at)) for at in range(first.steps)]
    assert (outcomes[0], outcomes[-1]) == (("new", 16), ("old", 12))
    assert set(outcomes) == {("new", 16), ("new", 12), ("old", 12)}


def swapped_while(monkeypatch, method, file, content):
    """Let other bytes stand in a file only while the engine does one thing."""
    before, call = file.read_bytes(), getattr(DuckdbEngine, method)

    def swapped(self, source, *given):
        file.write_bytes(content)
        try:
            return call(self, source, *given)
        finally:
            file.write_bytes(before)

    monkeypatch.setattr(DuckdbEngine, method, swapped)


@pytest.mark.slow
def test_an_exception_is_held_against_the_copy_that_was_judged(place, tmp_path, monkeypatch):
    """A table that lies there only while it is copied does not pass by the exception for the other one."""
    new_key_pair(tmp_path / "officer", "officer")
    key = load_private_key(tmp_path / "officer" / "officer.key")
    approvers = [{"name": "A. Roe", "key": key.public.text}]
    rules = policy(exceptions={"approvers": approvers, "longest_days": 30})
    file, now = tmp_path / "people.csv", datetime.now(UTC)
    people(size=4).to_csv(file, index=False)
    blocked = place.release(file, rules)
    expires = now.date() + timedelta(days=5)
    consent = Consent(audit_id=blocked.audit_id, covers=("k_anonymity",), reason="pilot", expires=expires)
    with open_ledger(place.ledger) as ledger:
        make_exception(ledger, consent, key, datetime.now(UTC))
    assert check(file, policy=rules, home=str(place.home)).is_passed
    swapped_while(monkeypatch, "snapshot", file, people(size=4, first=50).to_csv(index=False).encode())
    made = check(file, policy=rules, home=str(place.home))
    assert not made.is_passed
    assert "the source is another one" in made.notes[-1]


@pytest.mark.slow
@pytest.mark.parametrize("is_asked_of_the_other", [True, False])
def test_a_swap_under_a_repeated_release_publishes_nothing(
    place, tmp_path, monkeypatch, is_asked_of_the_other
):
    """Of another table than the digest is of, at most the release that stands there is named again."""
    file = tmp_path / "people.csv"
    people().to_csv(file, index=False)
    first, other = file.read_bytes(), people(groups=4).to_csv(index=False).encode()
    made = place.release(file, release_id="r1")
    entries = len(place.entries())
    if is_asked_of_the_other:
        file.write_bytes(other)
        swapped_while(monkeypatch, "source_digest", file, first)
        again = place.release(file, release_id="r1")
        assert (again.is_repeated, again.address, again.report) == (True, made.address, None)
        assert len(pd.read_csv(f"{again.address}/people.csv")) == len(people())
    else:
        swapped_while(monkeypatch, "source_digest", file, other)
        with pytest.raises(UserError, match="was made from another source"):
            place.release(file, release_id="r1")
    assert len(place.entries()) == entries
