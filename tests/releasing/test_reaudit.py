"""What is published is judged again: by today's policy, today's exceptions and all releases."""

import shutil
from datetime import UTC, datetime, timedelta

import pytest

from qidguard import PolicyError, UserError, Wishes
from qidguard.evidence.keys import load_private_key, new_key_pair
from qidguard.ledger import LedgerError, open_ledger
from qidguard.releasing.approve import Consent, make_exception
from qidguard.releasing.published import published
from qidguard.releasing.reaudit import reaudit
from qidguard.releasing.withdraw import withdraw
from releases import judged, people, policy

ANONYMOUS = {
    "quasi_identifiers": ["age", "sex"],
    "sensitive": ["illness"],
    "direct_identifiers": ["name"],
    "insensitive": ["person"],
}
"""Roles without an entity: each record is a person, and can be counted in what is published."""


def again(place, rules, release_id="r1", **more):
    """Judge a release of people again."""
    return reaudit("people", release_id, policy=rules, wishes=Wishes(home=str(place.home)), **more)


def figures(made):
    """Return metric → figure."""
    return {t.measurement.metric: t.measurement.value for t in made.report.verdict.thresholds}


def test_nothing_changed_so_it_passes(place):
    """The entry says which release it is about; persons are counted as they were then."""
    place.release(people(), judged(), release_id="r1")
    place.release(people(), judged(), release_id="r2")
    made = again(place, judged())
    assert (made.is_passed, made.release_id, made.report.entities) == (True, "r1", 15)
    assert figures(made)["k_anonymity"] == 5
    (entry,) = place.entries("checked")
    assert (entry.payload["release_id"], entry.payload["outcome"]) == ("r1", "passed")


def test_a_stricter_policy_blocks_what_passed(place):
    """The figure of the record is held against today's limit."""
    place.release(people(), policy(), release_id="r1")
    made = again(place, policy(thresholds=[{"metric": "k_anonymity", "at_least": 6}]))
    assert made.sentences == ("k-anonymity is 5 entities, must be at least 6 (1 short), over age, sex.",)


def test_without_an_entity_a_new_metric_is_measured_on_what_is_published(place):
    """Each class holds three illnesses, which nobody had asked for when it was released."""
    place.release(people(), policy(roles=ANONYMOUS), release_id="r1")
    thresholds = [
        {"metric": "k_anonymity", "at_least": 5},
        {"metric": "distinct_l_diversity", "at_least": 3},
    ]
    made = again(place, policy(roles=ANONYMOUS, thresholds=thresholds))
    assert (made.is_passed, figures(made)) == (True, {"k_anonymity": 5, "distinct_l_diversity": 3})


def test_with_an_entity_a_new_metric_is_unknown_and_blocks(place):
    """What is published no longer says which records are one person's."""
    place.release(people(), policy(), release_id="r1")
    thresholds = [
        {"metric": "k_anonymity", "at_least": 5},
        {"metric": "distinct_l_diversity", "at_least": 2},
    ]
    made = again(place, policy(thresholds=thresholds))
    assert not made.is_passed
    assert "distinct_l_diversity of 'illness' over age, sex was not measured" in made.sentences[0]


def test_other_arguments_or_columns_are_another_question(place):
    """A figure counts only for the very question that was asked then."""
    place.release(people(), policy(), release_id="r1")
    coarser = policy(
        roles={
            "quasi_identifiers": ["age"],
            "sensitive": ["illness", "sex"],
            "direct_identifiers": ["name"],
            "entity": "person",
        }
    )
    assert "was not measured" in again(place, coarser).sentences[0]
    knows_one = policy(attacker={"knows_any": 1})
    assert "was not measured" in again(place, knows_one).sentences[0]


def test_a_later_release_is_seen_from_the_earlier_one(place):
    """The first was alone when it was judged; the second, of one person less, was let through unwatched."""
    place.release(people(), policy(), release_id="r1")
    place.release(people().iloc[1:], policy(thresholds=[{"metric": "k_anonymity", "at_least": 4}]))
    made = again(place, judged())
    assert figures(made)["differencing_k_anonymity"] == 1
    assert not made.is_passed


def test_a_column_that_is_now_kept_back_blocks(place):
    """It was published, and today's policy drops it."""
    place.release(people(), policy(), release_id="r1")
    rules = policy(release={"data_set": "people", "earlier_releases": "unrelated", "drop": ["illness"]})
    rules["roles"] = {**rules["roles"], "sensitive": []}
    made = again(place, rules)
    assert made.sentences == (
        "Column 'illness' is published, and today's policy keeps it back: dropped by the policy.",
    )


def test_a_column_that_nobody_names_any_more_blocks(place):
    """As an unknown column does in every audit."""
    place.release(people(), policy(), release_id="r1")
    rules = policy()
    rules["roles"] = {**rules["roles"], "sensitive": []}
    assert "Column 'illness' is not named by the policy" in again(place, rules).sentences[0]


def test_a_policy_past_its_review_blocks(place):
    """Dates are held against the day of the re-audit."""
    place.release(people(), policy(), release_id="r1")
    day = (datetime.now(UTC) + timedelta(days=10)).date()
    rules = policy(review_by=day.isoformat())
    assert again(place, rules).is_passed
    later = again(place, rules, now=datetime.now(UTC) + timedelta(days=20))
    assert later.sentences == (f"The policy was to be reviewed by {day}; review it and move the date.",)


@pytest.mark.parametrize("name", ["people.parquet", "manifest.json", "attestation.json"])
def test_changed_bytes_block(place, name):
    """Whatever stands there is no longer what was audited; no figure is given for it."""
    place.release(people(), policy(), release_id="r1")
    file = place.to / "people" / "r1" / name
    file.write_bytes(file.read_bytes() + b" ")
    made = again(place, policy())
    assert (made.is_passed, made.report) == (False, None)
    assert all("Release r1 is not what was published" in sentence for sentence in made.sentences)
    assert place.entries("checked")[0].payload["records"] is None


def test_another_release_in_its_place_blocks(place):
    """A whole and valid release, unsigned, which the ledger never promised."""
    place.release(people(), policy(), release_id="r1")
    other = place.root / "other"
    place.release(people(4), policy(), release_id="r1", to=str(other), ledger=f"sqlite:///{other}.db")
    shutil.rmtree(place.to / "people" / "r1")
    shutil.copytree(other / "people" / "r1", place.to / "people" / "r1")
    made = again(place, policy())
    assert any("is not the one that the ledger promised" in sentence for sentence in made.sentences)


def test_a_release_that_is_gone_blocks_until_it_is_withdrawn(place):
    """Nobody can tell a removed folder from a store that is away; a person says which it is."""
    place.release(people(), policy(), release_id="r1")
    shutil.rmtree(place.to / "people" / "r1")
    made = again(place, policy())
    assert "if it was withdrawn, say so with: qidguard withdraw" in made.sentences[0]
    with open_ledger(place.ledger) as ledger:
        assert [p.release_id for p in published(ledger)] == ["r1"]
        withdraw(ledger, "people", "r1", reason="asked for", now=datetime.now(UTC))
        withdraw(ledger, "people", "r1", reason="asked for", now=datetime.now(UTC))
        assert published(ledger) == ()
    assert len(place.entries("withdrawn")) == 1


def test_a_withdrawal_needs_a_release_and_a_reason(place):
    """Both are said in a sentence."""
    place.release(people(), policy(), release_id="r1")
    with open_ledger(place.ledger) as ledger:
        with pytest.raises(UserError, match="knows no release 'r9' of 'people'"):
            withdraw(ledger, "people", "r9", reason="x", now=datetime.now(UTC))
        with pytest.raises(UserError, match="needs a reason"):
            withdraw(ledger, "people", "r1", reason=" ", now=datetime.now(UTC))


def test_a_withdrawn_release_still_counts_for_the_next(place):
    """What was once out may be kept by anybody."""
    place.release(people(), judged(), release_id="r1")
    with open_ledger(place.ledger) as ledger:
        withdraw(ledger, "people", "r1", reason="asked for", now=datetime.now(UTC))
    assert not place.release(people().iloc[1:], judged(), release_id="r2").is_published


def test_a_withdrawn_release_is_not_announced_again(place):
    """Asking for the same release once more is a mistake, not a success."""
    place.release(people(), policy(), release_id="r1", seed=1)
    with open_ledger(place.ledger) as ledger:
        withdraw(ledger, "people", "r1", reason="asked for", now=datetime.now(UTC))
    with pytest.raises(UserError, match="was withdrawn, so it is not announced again"):
        place.release(people(), policy(), release_id="r1", seed=1)


def test_a_ledger_that_was_cut_lists_nothing(place):
    """What is published would be a list with holes, and a nightly re-audit green."""
    place.release(people(), policy(), release_id="r1")
    older = (place.home / "ledger.db").read_bytes()
    place.release(people(), policy(), release_id="r2")
    for more in ("ledger.db-wal", "ledger.db-shm"):
        (place.home / more).unlink(missing_ok=True)
    (place.home / "ledger.db").write_bytes(older)
    anchors = place.home / "anchors.jsonl"
    with open_ledger(place.ledger, anchors=anchors) as ledger, pytest.raises(LedgerError, match="older than"):
        published(ledger)
    with open_ledger(place.ledger) as ledger:
        assert [p.release_id for p in published(ledger)] == ["r1"]


def test_an_exception_counts_only_while_it_holds(place):
    """Let through for five days; on the sixth the re-audit is red."""
    new_key_pair(place.root / "officer", "officer")
    key = load_private_key(place.root / "officer" / "officer.key")
    approvers = {"approvers": [{"name": "officer", "key": key.public.text}], "longest_days": 30}
    rules = policy(exceptions=approvers)
    blocked = place.release(people(size=4), rules, release_id="r1")
    now = datetime.now(UTC)
    consent = Consent(
        audit_id=blocked.audit_id,
        covers=("k_anonymity",),
        reason="pilot",
        expires=now.date() + timedelta(days=5),
    )
    with open_ledger(place.ledger) as ledger:
        make_exception(ledger, consent, key, now)
    assert place.release(people(size=4), rules, release_id="r2").outcome.value == "passed_by_exception"
    assert again(place, rules, "r2").outcome.value == "passed_by_exception"
    assert place.release(people(size=4), rules, release_id="r2").is_repeated
    assert not again(place, rules, "r2", now=now + timedelta(days=6)).is_passed
    with pytest.raises(UserError, match="let through by an exception that no longer holds"):
        place.release(people(size=4), rules, release_id="r2", now=now + timedelta(days=6))


def test_a_signature_counts_by_the_keys_folder_the_policy_or_ones_own_key(place):
    """Without any of them nobody here knows who signed, and that blocks."""
    new_key_pair(place.root / "keys", "signing")
    key = str(place.root / "keys" / "signing.key")
    place.release(people(), policy(), release_id="r1", key=key)
    assert "signed by" in again(place, policy()).sentences[0]
    release = {"data_set": "people", "earlier_releases": "unrelated"}
    signers = [load_private_key(place.root / "keys" / "signing.key").public.text]
    assert again(place, policy(release={**release, "signers": signers})).is_passed
    own = reaudit("people", "r1", policy=policy(), wishes=Wishes(home=str(place.home), key=key))
    assert own.is_passed


def test_an_unknown_release_is_the_users_mistake(place):
    """It says where to look."""
    with pytest.raises(UserError, match="knows no release 'r1' of 'people'; see: qidguard history"):
        again(place, policy())


def test_csv_releases_are_read_back(place, tmp_path):
    """A text source stays text, and is measured as such."""
    path = tmp_path / "people.csv"
    people().to_csv(path, index=False)
    rules = policy(roles=ANONYMOUS)
    place.release(str(path), rules, release_id="r1")
    assert (place.to / "people" / "r1" / "people.csv").is_file()
    thresholds = [{"metric": "distinct_l_diversity", "at_least": 3}, *rules["thresholds"]]
    made = again(place, policy(roles=ANONYMOUS, thresholds=thresholds))
    assert (made.is_passed, figures(made)["distinct_l_diversity"]) == (True, 3)


def test_who_is_counted_is_part_of_the_question(place):
    """Five records a class are two persons; a figure of records says nothing of persons, nor of others."""
    table = people().assign(visit=lambda t: t["person"], person=lambda t: t["person"].str[:-1])
    roles = {**policy()["roles"], "entity": "visit", "direct_identifiers": ["name", "person"]}
    place.release(table, policy(roles=roles), release_id="r1")
    again_by_person = {**roles, "entity": "person", "direct_identifiers": ["name", "visit"]}
    made = again(place, policy(roles=again_by_person))
    assert "k_anonymity over age, sex was not measured" in made.sentences[0]


def test_what_counts_as_missing_is_part_of_the_question(place):
    """Recorded figures rest on how the source was read; today's words for missing make another table."""
    place.release(people(), policy(), release_id="r1")
    made = again(place, policy(source={"missing": ["flu"]}))
    assert "k_anonymity over age, sex was not measured" in made.sentences[0]


def test_words_for_missing_count_where_it_is_measured_anew(place):
    """Three illnesses, two of which now mean that nobody knows."""
    thresholds = [
        {"metric": "k_anonymity", "at_least": 5},
        {"metric": "distinct_l_diversity", "at_least": 3},
    ]
    rules = policy(roles=ANONYMOUS, thresholds=thresholds)
    place.release(people(), rules, release_id="r1")
    assert again(place, rules).is_passed
    made = again(place, policy(roles=ANONYMOUS, thresholds=thresholds, source={"missing": ["flu", "none"]}))
    assert figures(made)["distinct_l_diversity"] == 2


def test_another_population_is_another_question(place, tmp_path):
    """A figure against 60 people says nothing of one against six, wherever the file lies."""
    census = tmp_path / "census.csv"
    people(size=20).to_csv(census, index=False)
    population = {"path": str(census), "entity": "person"}
    thresholds = [
        {"metric": "k_anonymity", "at_least": 5},
        {"metric": "journalist_risk_max", "at_most": 0.06},
    ]
    rules = policy(thresholds=thresholds, population=population)
    assert place.release(people(), rules, release_id="r1").is_published
    assert figures(again(place, rules))["journalist_risk_max"] == 0.05
    people(size=6).to_csv(census, index=False)
    assert "was not measured when this was released" in again(place, rules).sentences[0]


def test_finer_columns_than_were_kept_are_unknown_over_time(place):
    """The ledger keeps classes over sex; over sex and age nobody can tell who stayed."""
    coarse = judged()
    coarse["roles"] = {**coarse["roles"], "quasi_identifiers": ["sex"], "insensitive": ["age"]}
    place.release(people(), coarse, release_id="r1")
    place.release(people(), coarse, release_id="r2")
    assert again(place, coarse, "r2").is_passed
    said = " ".join(again(place, judged(), "r2").sentences)
    assert "intersection_k_anonymity over age, sex was not measured" in said


def test_whom_a_policy_follows_must_be_as_it_was(place):
    """Classes of persons say nothing where today's policy follows records."""
    place.release(people(), judged(), release_id="r1")
    made = again(place, judged(roles=ANONYMOUS))
    assert any("follows people by other columns" in sentence for sentence in made.sentences)


def test_a_watch_on_other_releases_is_needed_today_too(place):
    """Two releases of the same people, and no threshold that limits what they reveal together."""
    place.release(people(), judged(), release_id="r1")
    place.release(people(), judged(), release_id="r2")
    made = again(place, policy(release={"data_set": "people"}), "r2")
    assert "no threshold that can block limits what they reveal" in made.sentences[0]
    assert place.entries("checked")[-1].payload["outcome"] == "blocked"


def test_trouble_with_ones_own_keys_is_no_finding(place):
    """It is said as what it is, and the release is not called changed."""
    new_key_pair(place.root / "keys", "signing")
    key = place.root / "keys" / "signing.key"
    place.release(people(), policy(), release_id="r1", key=str(key))
    key.chmod(0o644)
    with pytest.raises(UserError, match=r"signing\.key"):
        reaudit("people", "r1", policy=policy(), wishes=Wishes(home=str(place.home), key=str(key)))
    assert [e.kind for e in place.entries()][-1] == "failed"


def test_our_own_csv_is_read_as_it_was_written(place, tmp_path):
    """A single column whose values hold semicolons is no table of two columns."""
    path = tmp_path / "one.csv"
    path.write_text("code\n" + "x;1\n" * 3 + "y;2\n" * 3, encoding="utf-8")
    rules = {
        "qidguard": 1,
        "name": "one",
        "roles": {"quasi_identifiers": ["code"]},
        "source": {"delimiter": ","},
        "thresholds": [{"metric": "k_anonymity", "at_least": 3}],
        "release": {"data_set": "people", "earlier_releases": "unrelated"},
    }
    place.release(str(path), rules, release_id="r1")
    assert again(place, rules).is_passed


def test_a_column_that_never_was_is_a_mistake(place):
    """Today's policy must fit what the source was, as it must in an audit."""
    place.release(people(), policy(), release_id="r1")
    roles = {**policy()["roles"], "direct_identifiers": ["name", "nothere"]}
    with pytest.raises(PolicyError, match="no column 'nothere'"):
        again(place, policy(roles=roles))


def test_a_withdrawn_release_is_not_judged(place):
    """It is not out there, whatever stands at its address."""
    place.release(people(), policy(), release_id="r1")
    with open_ledger(place.ledger) as ledger:
        withdraw(ledger, "people", "r1", reason="asked for", now=datetime.now(UTC))
    with pytest.raises(UserError, match="was withdrawn; there is nothing to judge"):
        again(place, policy())
