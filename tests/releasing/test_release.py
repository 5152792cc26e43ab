import json
import os

import pytest

from killing import rules, source
from qidguard import DataError, ExitCode, PolicyError, UserError
from qidguard.engines.duckdb.sources import file_bytes
from releases import Place, at_least, judged, people, policy, table_of, verified


@pytest.mark.slow
def test_a_table_that_passes_is_published_whole_and_verified(place):
    """The release holds the data, a manifest and an attestation, and nothing else; the ledger says so."""
    made = place.release(people())
    (folder,) = place.releases()
    assert made.exit_code is ExitCode.PASSED
    assert str(folder) == made.address
    assert sorted(p.name for p in folder.iterdir()) == ["attestation.json", "manifest.json", "people.parquet"]
    assert verified(folder) == ()
    assert place.left_over() == []
    assert [e.kind for e in place.entries()] == ["audited", "releasing", "released"]
    assert place.faults() == ()


@pytest.mark.slow
@pytest.mark.parametrize(("changes", "columns"), [
    ({}, ["age", "sex", "illness"]),
    ({"release": {"data_set": "people", "drop": ["illness"], "earlier_releases": "unrelated"}},
        ["age", "sex"]),
    ({"roles": policy()["roles"] | {"insensitive": ["person"]}}, ["person", "age", "sex", "illness"]),
], ids=["as it is", "dropped", "entity called insensitive"])  # fmt: skip
def test_what_is_published_is_the_table_without_identifiers(place, changes, columns):
    """Neither identifiers nor what is dropped arrive, in no file; all other cells as they were, shuffled."""
    source = people()
    found = table_of(place.release(source, policy(**changes)))
    assert list(found.columns) == columns
    expected = source[columns].sort_values(columns).to_numpy().tolist()
    assert found.sort_values(columns).to_numpy().tolist() == expected
    if "illness" not in columns:
        assert not any(b"illness" in file.read_bytes() for file in place.releases()[0].iterdir())


@pytest.mark.slow
def test_the_order_is_shuffled_by_the_seed_unless_the_policy_keeps_it(place, tmp_path):
    """Two seeds give two orders and one gives one, which a secret of the home is mixed into."""
    source = people(groups=20)
    kept = policy(release={"data_set": "people", "keep_order": True})

    def order(seed, rules=None, where=place):
        return table_of(where.release(source, rules, seed=seed))["age"].tolist()

    first, elsewhere = order(1), order(1, where=Place(tmp_path / "another"))
    assert order(1) == first
    assert order(2) != first
    assert order(1, kept) == source["age"].tolist() != first
    assert (elsewhere != first, sorted(elsewhere)) == (True, sorted(first))


def test_a_blocked_table_leaves_nothing_but_the_record(place):
    """Where a threshold is missed nothing stands at the destination, and the ledger says why."""
    made = place.release(people(size=4))
    assert made.exit_code is ExitCode.BLOCKED
    assert (made.address, place.releases(), place.left_over()) == (None, [], [])
    (entry,) = place.entries()
    assert entry.payload["outcome"] == "blocked"
    assert entry.payload["missed"] == [
        "k-anonymity is 4 entities, must be at least 5 (1 short), over age, sex."
    ]


@pytest.mark.slow
def test_csv_stays_csv_and_text_stays_text(place, tmp_path):
    """A CSV source is published as CSV, leading zeros and all; the policy may ask for Parquet."""
    file = tmp_path / "codes.csv"
    file.write_text("code,age\n007,30\n007,30\n", encoding="utf-8")
    roles = {"quasi_identifiers": ["code", "age"]}
    made = place.release(file, policy(roles=roles, thresholds=at_least(k_anonymity=2), release={}))
    assert made.data_set == "codes"
    text = (place.to / "codes" / made.release_id / "codes.csv").read_text(encoding="utf-8")
    assert text == "code,age\n007,30\n007,30\n"


@pytest.mark.slow
def test_the_remedy_suppresses_and_the_result_is_audited_anew(place):
    """Records in small classes go, the figures after it are measured on what is left, both are recorded."""
    made = place.release(source(), rules())
    assert (made.exit_code, len(table_of(made))) == (ExitCode.PASSED, 15)
    record = place.record(made.audit_id)
    before, after = (record[at]["thresholds"][0]["value"] for at in ("risk_before", "risk_after"))
    suppressed = record["suppression"]
    assert (before, after) == (2, 5)
    assert (suppressed["records_before"], suppressed["records_after"]) == (17, 15)
    assert record["utility"]["records_suppressed"] == 2


@pytest.mark.slow
def test_a_remedy_that_cannot_reach_the_policy_blocks(place):
    """Where too much would have to go nothing is published, and the reason says so."""
    remedy = {"anonymizer": "small_class_suppression", "parameters": {"k": 5, "most_suppressed": 0.01}}
    made = place.release(source(), policy(remedy=remedy))
    assert made.exit_code is ExitCode.BLOCKED
    assert "most_suppressed" in made.reasons[0]
    assert place.releases() == []


@pytest.mark.slow
def test_the_same_release_twice_is_published_once(place):
    """A run repeated under its id finds its release; another table is refused; without an id all are new."""
    first = place.release(people(), judged(), release_id="nightly-1")
    before = {p: p.stat().st_mtime_ns for p in place.releases()[0].iterdir()}
    second = place.release(people(), judged(), release_id="nightly-1")
    assert (second.is_repeated, second.exit_code, second.address) == (True, ExitCode.PASSED, first.address)
    assert {p: p.stat().st_mtime_ns for p in place.releases()[0].iterdir()} == before
    assert [e.kind for e in place.entries()] == ["audited", "releasing", "released"]
    with pytest.raises(UserError, match="was made from another source"):
        place.release(people(groups=4), judged(), release_id="nightly-1")
    place.release(people(), judged())
    assert [verified(folder) for folder in place.releases()] == [(), ()]


def test_a_source_that_changes_while_it_is_read_is_not_published(place, tmp_path, monkeypatch):
    """The bytes are copied in one pass; a file that grew meanwhile is not what anybody meant."""
    file = tmp_path / "people.csv"
    people().to_csv(file, index=False)
    read = file_bytes._read_into

    def slow(*given):
        taken = read(*given)
        with file.open("a", encoding="utf-8") as more:
            more.write("p9,Name 9,99,f,flu\n")
        return taken

    monkeypatch.setattr(file_bytes, "_read_into", slow)
    with pytest.raises(DataError, match="changed while it was read") as raised:
        place.release(file)
    assert raised.value.exit_code is ExitCode.USER_ERROR
    assert (place.releases(), [e.kind for e in place.entries()]) == ([], ["failed"])


@pytest.mark.slow
def test_the_record_holds_every_field_of_evidence(place):
    """What regulators ask for is there, stated by the policy or listed as not stated."""
    evidence = {"title": "Discharges", "purpose": "teaching", "columns": {"age": "needed for the course"}}
    made = place.release(people(), policy(evidence=evidence))
    record = place.record(made.audit_id)
    assert {
        "subject", "release", "policy", "columns", "attack", "risk_before", "risk_after", "utility",
        "suppression", "attestations", "approvals", "review_by", "tool", "signatory", "risk_statement",
        "limitations", "assumptions", "not_stated",
    } <= set(record)  # fmt: skip
    assert (record["subject"]["title"], record["release"]["purpose"]) == ("Discharges", "teaching")
    assert "sponsor" in record["not_stated"]
    by_name = {column["name"]: column for column in record["columns"]}
    assert by_name["age"]["justification"] == "needed for the course"
    assert by_name["name"]["technique"] == "removed (direct identifier)"


@pytest.mark.slow
def test_public_files_hold_no_seed(place):
    """The seed of the order is in the record, and in nothing that is published."""
    made = place.release(people(), seed=8_675_309_123_456)
    assert place.record(made.audit_id)["order"]["seed"] == 8_675_309_123_456
    (folder,) = place.releases()
    for file in folder.glob("*.json"):
        assert b"8675309123456" not in file.read_bytes()
        assert "seed" not in json.dumps(json.loads(file.read_text()))


@pytest.mark.parametrize("name", ["../evil", "a/b", "", ".hidden", "x" * 101, "a\nb"])
def test_names_that_are_no_folder_are_refused(place, name):
    """No release id and no data set name leads out of the destination; a table from memory needs one."""
    for asked in ({"release_id": name}, {"data_set": name}):
        with pytest.raises(UserError):
            place.release(people(), **asked)
    with pytest.raises(PolicyError, match="data set needs a name"):
        place.release(people(), policy(release={"earlier_releases": "unrelated"}))
    assert not place.to.exists()


def test_an_unreadable_source_is_recorded_as_failed(place, tmp_path):
    """A nightly run that cannot read its file leaves a line in the history, and nothing else."""
    file = tmp_path / "people.csv"
    file.write_text("a,b\n1,2\n1\n", encoding="utf-8")
    with pytest.raises(DataError):
        place.release(file)
    (entry,) = place.entries()
    assert (entry.kind, place.releases()) == ("failed", [])


@pytest.mark.slow
def test_the_destination_of_the_policy_is_used(place, tmp_path):
    """A policy may say where releases go."""
    target = tmp_path / "from policy"
    rules = policy(
        release={"data_set": "people", "destination": str(target), "earlier_releases": "unrelated"}
    )
    made = place.release(people(), rules, to="")
    assert made.address is not None
    assert os.path.commonpath([made.address, target]) == str(target)
