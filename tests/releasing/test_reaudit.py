"""What is published is judged again: by today's policy, today's exceptions and all releases."""

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from qidguard import PolicyError, UserError
from qidguard.evidence.keys import load_private_key, new_key_pair
from qidguard.ledger import open_ledger
from qidguard.releasing.deciding import approve
from qidguard.releasing.deciding.approve import revoke_exception
from qidguard.releasing.reaudit import reaudit as module
from qidguard.releasing.reaudit.reaudit import options_of, reaudit
from qidguard.releasing.reaudit.retrospect import basis_then
from qidguard.sdk import NumberFormat, ReadOptions
from quick import mostly_slow
from reaudits import ANONYMOUS, again, figures
from releases import at_least, judged, people, policy


@pytest.mark.slow
def test_nothing_changed_so_it_passes(place):
    """The entry says which release it is about; persons are counted as they were then."""
    place.release(people(), judged(), release_id="r1")
    place.release(people(), judged(), release_id="r2")
    made = again(place, judged())
    assert (made.is_passed, made.release_id, made.report.entities) == (True, "r1", 15)
    assert figures(made)["k_anonymity"] == 5
    assert made.report.outside.told_apart == ()  # who is a person is not published
    (entry,) = place.entries("checked")
    assert (entry.payload["release_id"], entry.payload["outcome"]) == ("r1", "passed")


NOT_SENSITIVE = {**policy()["roles"], "sensitive": []}
NOT_THERE = {**policy()["roles"], "direct_identifiers": ["name", "nothere"]}
DROPPED = {"data_set": "people", "earlier_releases": "unrelated", "drop": ["illness"]}


@pytest.mark.slow
def test_todays_policy_blocks_what_passed(place):
    """Figures are held against its limits, columns against its roles; what it names must be there."""
    place.release(people(), policy(), release_id="r1")
    assert again(place, policy(thresholds=at_least(k_anonymity=6))).sentences == (
        "k-anonymity is 5 entities, must be at least 6 (1 short), over age, sex.",
    )
    assert again(place, policy(release=DROPPED, roles=NOT_SENSITIVE)).sentences == (
        "Column 'illness' is published, and today's policy keeps it back: dropped by the policy.",
    )
    unnamed = again(place, policy(roles=NOT_SENSITIVE)).sentences
    assert "Column 'illness' is not named by the policy" in unnamed[0]
    for today, said in (
        (policy(lexicon="gone.toml"), r"the lexicon 'gone\.toml' cannot be read"),
        (policy(roles=NOT_THERE), "no column 'nothere'"),
    ):
        with pytest.raises(PolicyError, match=said):
            again(place, today)


@pytest.mark.slow
def test_a_later_release_is_seen_from_the_earlier_one(place):
    """The first was alone when it was judged; the second, of one person less, was judged weakly."""
    place.release(people(), policy(), release_id="r1")
    weak = {"metric": "persons_isolated_over_releases", "at_most": 5, "parameters": {"k": 2}}
    place.release(people().iloc[1:], policy(thresholds=[*at_least(k_anonymity=4), weak]))
    made = again(place, judged())
    assert (figures(made)["differencing_k_anonymity"], made.is_passed) == (1, False)


@pytest.mark.slow
def test_a_policy_past_its_review_blocks(place):
    """Dates are held against the day of the re-audit."""
    place.release(people(), policy(), release_id="r1")
    day = (datetime.now(UTC) + timedelta(days=10)).date()
    rules = policy(review_by=day.isoformat())
    assert again(place, rules).is_passed
    later = again(place, rules, now=datetime.now(UTC) + timedelta(days=20))
    assert later.sentences == (f"The policy was to be reviewed by {day}; review it and move the date.",)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", mostly_slow(["people.parquet", "manifest.json", "attestation.json"], quick=1)
)
def test_changed_bytes_block(place, name):
    """Whatever stands there is no longer what was audited; no figure is given for it."""
    place.release(people(), policy(), release_id="r1")
    file = place.to / "people" / "r1" / name
    file.write_bytes(file.read_bytes() + b" ")
    made = again(place, policy())
    assert (made.is_passed, made.report) == (False, None)
    assert all("Release r1 is not what was published" in sentence for sentence in made.sentences)
    assert place.entries("checked")[0].payload["records"] is None


@pytest.mark.slow
def test_another_release_in_its_place_blocks(place):
    """A whole and valid release, unsigned, which the ledger never promised."""
    place.release(people(), policy(), release_id="r1")
    other = place.root / "other"
    place.release(people(4), policy(), release_id="r1", to=str(other), ledger=f"sqlite:///{other}.db")
    shutil.rmtree(place.to / "people" / "r1")
    shutil.copytree(other / "people" / "r1", place.to / "people" / "r1")
    made = again(place, policy())
    assert any("is not the one that the ledger promised" in sentence for sentence in made.sentences)


@pytest.fixture
def excepted(place, officer):
    """Return the policy of a release r2 that an exception let through, and that exception."""
    rules = policy(exceptions=officer.exceptions)
    blocked = place.release(people(size=4), rules, release_id="r1")
    approval = officer.let_through(place, blocked.audit_id)
    assert place.release(people(size=4), rules, release_id="r2").outcome.value == "passed_by_exception"
    return rules, approval


@pytest.mark.slow
def test_an_exception_counts_only_while_it_holds(place, excepted):
    """Let through for ten days; on the eleventh the re-audit is red."""
    rules, _ = excepted
    assert again(place, rules, "r2").outcome.value == "passed_by_exception"
    assert place.release(people(size=4), rules, release_id="r2").is_repeated
    later = datetime.now(UTC) + timedelta(days=11)
    assert not again(place, rules, "r2", now=later).is_passed
    with pytest.raises(UserError, match="let through by an exception that no longer holds"):
        place.release(people(size=4), rules, release_id="r2", now=later)


@pytest.mark.slow
def test_a_judgment_anew_counts_the_persons_that_an_exception_is_bound_to(
    place, officer, excepted, monkeypatch
):
    """An exception for fewer persons, of the same source and figure, does not cover what is published."""
    rules, first = excepted
    with open_ledger(place.ledger) as ledger:
        revoke_exception(ledger, first.id, "too many", datetime.now(UTC))
    with monkeypatch.context() as patch:
        persons_of = approve.persons_of
        patch.setattr(
            approve, "persons_of", lambda *asked: [c and replace(c, persons=1) for c in persons_of(*asked)]
        )
        officer.let_through(place, place.entries("audited")[0].payload["audit_id"])
    made = again(place, rules, "r2")
    assert made.outcome.value == "blocked"
    assert "it concerns 12 persons, more than the accepted 1" in made.notes[-1]


@pytest.mark.slow
def test_persons_that_nobody_can_count_are_not_covered(place, excepted, monkeypatch):
    """A record that does not say how many they were, of a table whose persons are not published."""
    rules, _ = excepted
    read = module._record

    def without(*asked):
        return read(*asked) | {"persons_concerned": None}

    monkeypatch.setattr(module, "_record", without)
    made = again(place, rules, "r2")
    assert made.outcome.value == "blocked"
    assert "it concerns an unknown number of persons, more than the accepted 12" in made.notes[-1]


@pytest.mark.slow
def test_a_signature_counts_by_the_keys_folder_the_policy_or_ones_own_key(place):
    """Without any of them nobody here knows who signed, and that blocks."""
    new_key_pair(place.root / "keys", "signing")
    key = str(place.root / "keys" / "signing.key")
    place.release(people(), policy(), release_id="r1", key=key)
    assert "signed by" in again(place, policy()).sentences[0]
    release = {"data_set": "people", "earlier_releases": "unrelated"}
    signers = [load_private_key(place.root / "keys" / "signing.key").public.text]
    assert again(place, policy(release={**release, "signers": signers})).is_passed
    own = reaudit("people", "r1", policy=policy(), home=str(place.home), key=key)
    assert own.is_passed


def test_an_unknown_release_is_the_users_mistake(place):
    """It says where to look."""
    with pytest.raises(UserError, match="knows no release 'r1' of 'people'; see: qidguard history"):
        again(place, policy())


@pytest.mark.slow
def test_csv_releases_are_read_back(place, tmp_path):
    """A text source stays text, and is measured as such."""
    path = tmp_path / "people.csv"
    people().to_csv(path, index=False)
    rules = policy(roles=ANONYMOUS)
    place.release(str(path), rules, release_id="r1")
    assert (place.to / "people" / "r1" / "people.csv").is_file()
    thresholds = [*at_least(distinct_l_diversity=3), *rules["thresholds"]]
    made = again(place, policy(roles=ANONYMOUS, thresholds=thresholds))
    assert (made.is_passed, figures(made)["distinct_l_diversity"]) == (True, 3)


@pytest.mark.slow
def test_trouble_with_ones_own_keys_is_no_finding(place):
    """It is said as what it is, and the release is not called changed."""
    new_key_pair(place.root / "keys", "signing")
    key = place.root / "keys" / "signing.key"
    place.release(people(), policy(), release_id="r1", key=str(key))
    key.chmod(0o644)
    with pytest.raises(UserError, match=r"signing\.key"):
        reaudit("people", "r1", policy=policy(), home=str(place.home), key=str(key))
    assert [e.kind for e in place.entries()][-1] == "failed"


@pytest.mark.slow
def test_a_file_that_changes_between_the_looks_is_not_judged(place, monkeypatch):
    """What was verified and what was measured must be the same bytes."""
    place.release(people(), policy(), release_id="r1")
    file = place.to / "people" / "r1" / "people.parquet"
    verify = module.verify_release

    def then_changed(*given, **options):
        found = verify(*given, **options)
        people(groups=9).drop(columns=["person", "name"]).to_parquet(file)
        return found

    monkeypatch.setattr(module, "verify_release", then_changed)
    with pytest.raises(UserError, match="changed while it was read"):
        again(place, policy())
    assert [e.kind for e in place.entries()][-1] == "failed"


def test_a_published_file_is_read_as_it_was_written():
    """Numbers stand there plainly: what was 1,234 is 1.234, and no thousand."""
    source = ReadOptions(
        missing=("?",), numbers=NumberFormat(decimal=",", thousands="."), dates=("%d.%m.%Y",)
    )
    read = options_of(source, "visits.csv")
    assert (read.missing, read.numbers, read.dates, read.delimiter) == (("?",), None, (), ",")


def test_what_an_older_version_did_not_know_was_not_said():
    """A record without the words of today rests on the same as one in which they say nothing."""
    told = {"missing": ["?"], "trim": False, "numbers": None, "dates": [], "skip_empty_records": False}
    bases = [
        basis_then(
            {
                "policy": {
                    "document": {
                        "roles": {"entity": None, "weight": None},
                        "source": source,
                        "population": None,
                        "sampling_fraction": None,
                    }
                },
                "attack": {},
            }
        )
        for source in (told, {"missing": ["?"], "trim": False})
    ]
    assert bases[0] == bases[1]
