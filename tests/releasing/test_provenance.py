"""What the ledger says that was used is what was used: of the source, the population and hierarchies."""

from hashlib import sha256

import pytest

from qidguard import UserError
from qidguard.anonymizing.hierarchy import file as hierarchy_file
from qidguard.engines.duckdb.engine import DuckdbEngine
from qidguard.releasing.deciding.check import check
from quick import mostly_slow
from reaudits import again, figures
from releases import Place, at_least, people, policy, table_of
from steps import At


def digest(path):
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def write(table, file):
    """Write a table in the format of a file's name."""
    file.write_bytes(table.to_csv(index=False).encode() if file.suffix == ".csv" else table.to_parquet())


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
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_source_that_is_swapped_around_the_copy_is_named_by_what_was_audited(
    place, tmp_path, monkeypatch, suffix
):
    """Another table lies there only while it is copied: its digest, its records, and they are published."""
    file, other = tmp_path / f"people.{suffix}", tmp_path / f"other.{suffix}"
    write(people(), file)
    write(people(groups=4), other)
    swapped_while(monkeypatch, "snapshot", file, other.read_bytes())
    made = place.release(file)
    (audited,) = place.entries("audited")
    assert (audited.payload["source_sha256"], audited.payload["records"]) == (digest(other), 20)
    assert place.record(made.audit_id)["subject"]["source_sha256"] == digest(other)
    assert len(table_of(made)) == 20


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "when"), [("csv", ("copying", 1)), ("parquet", ("deciding", 1))])
def test_a_source_that_changes_after_it_was_copied_is_published_as_it_was(place, tmp_path, suffix, when):
    """A record that comes later is neither audited nor published, nor in the digest."""
    file = tmp_path / f"people.{suffix}"
    write(people(), file)
    before = digest(file)
    made = place.release(file, progress=At(*when, lambda: write(people(size=6), file)))
    (audited,) = place.entries("audited")
    assert audited.payload["source_sha256"] == before != digest(file)
    assert len(table_of(made)) == len(people())


@pytest.fixture
def population(tmp_path):
    """Return the file of a population in which nine look like each person."""
    write(people(size=9), tmp_path / "population.csv")
    return tmp_path / "population.csv"


def mapped(population):
    """Return a policy with a threshold on a population."""
    thresholds = [*policy()["thresholds"], *at_least(k_map=9)]
    return policy(population={"path": str(population)}, thresholds=thresholds)


@pytest.mark.slow
@pytest.mark.parametrize("when", [("copying", 1), ("loading", 1), ("deciding", 0)])
def test_a_population_that_changes_meanwhile_is_named_by_what_was_read(place, population, when):
    """Its figure and its digest are of one file, whenever another takes its place."""
    before = digest(population)
    change = At(*when, lambda: write(people(size=5), population))
    made = place.release(people(), mapped(population), progress=change)
    assert made.is_published
    assert place.record(made.audit_id)["attack"]["population_sha256"] == before != digest(population)


@pytest.mark.slow
def test_a_release_is_judged_again_on_one_reading_of_its_population(place, population):
    """The population that figures rest on then and now is the same one, so they are still known."""
    place.release(people(), mapped(population), release_id="r1")
    made = again(place, mapped(population))
    assert (made.outcome.value, figures(made)["k_map"]) == ("passed", 9)


def coarse(path):
    """Return a policy whose remedy generalizes the age by a file."""
    return policy(
        roles={"quasi_identifiers": ["age"], "direct_identifiers": ["name", "person"], "insensitive": ["sex"]}
        | {"sensitive": ["illness"]},
        thresholds=at_least(k_anonymity=5),
        remedy={"anonymizer": "full_domain", "parameters": {"k": 5}},
        hierarchies={"age": {"file": str(path)}},
    )


def labels(word):
    """Return a hierarchy file: ages by forties, each with a word, so that its labels name the file."""
    return "".join(f"{age};{word} {age // 40};*\n" for age in range(20, 100, 10))


def named_file(place, made, contents):
    """Return which hierarchy file the published labels are of, and which one the record names."""
    (word,) = {label.split()[0] for label in table_of(made)["age"]}
    named = place.record(made.audit_id)["policy"]["hierarchies_sha256"]["age"]
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
    is_read, seen = hierarchy_file.open_plain, []

    def opened(path):
        found = is_read(path)
        seen.append(path)
        if when == "read":
            # whoever opened it keeps the file that stood there
            other = tmp_path / "other.csv"
            other.write_text(contents["new"], encoding="utf-8")
            other.replace(file)
        return found

    monkeypatch.setattr(hierarchy_file, "open_plain", opened)
    at = ("never", 0) if when == "read" else when
    swap = At(*at, lambda: file.write_text(contents["new"], encoding="utf-8"))
    made = place.release(people(groups=4, size=3), coarse(file), progress=swap)
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
        records = len(table_of(made))
        said = place.record(made.audit_id)["subject"]["source_sha256"]
        assert (word, sha256(tables[records // 4].encode()).hexdigest()) == (named, said)
        return word, records

    first = Watch()
    assert released(first) == ("old", 12)
    outcomes = [released(Watch(at)) for at in range(first.steps)]
    assert (outcomes[0], outcomes[-1]) == (("new", 16), ("old", 12))
    assert set(outcomes) == {("new", 16), ("new", 12), ("old", 12)}


@pytest.mark.slow
def test_an_exception_is_held_against_the_copy_that_was_judged(place, officer, tmp_path, monkeypatch):
    """A table that lies there only while it is copied does not pass by the exception for the other one."""
    rules, file = policy(exceptions=officer.exceptions), tmp_path / "people.csv"
    write(people(size=4), file)
    officer.let_through(place, place.release(file, rules).audit_id)
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
    write(people(), file)
    first, other = file.read_bytes(), people(groups=4).to_csv(index=False).encode()
    made = place.release(file, release_id="r1")
    entries = len(place.entries())
    if is_asked_of_the_other:
        file.write_bytes(other)
        swapped_while(monkeypatch, "source_digest", file, first)
        again = place.release(file, release_id="r1")
        assert (again.is_repeated, again.address, again.report) == (True, made.address, None)
        assert len(table_of(again)) == len(people())
    else:
        swapped_while(monkeypatch, "source_digest", file, other)
        with pytest.raises(UserError, match="was made from another source"):
            place.release(file, release_id="r1")
    assert len(place.entries()) == entries
