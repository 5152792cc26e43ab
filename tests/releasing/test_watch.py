"""Earlier releases are watched only by thresholds that really limit what they reveal together."""

import pandas as pd
import pytest

from qidguard.core.errors import PolicyError
from quick import mostly_slow
from reaudits import figures
from releases import at_least, policy

K, STAYED, MOVED = at_least(k_anonymity=2, intersection_k_anonymity=2, differencing_k_anonymity=2)
FIRST, SECOND = "ffmm", "fmfm"


def table(sexes: str) -> pd.DataFrame:
    """Return one record a person; each release is 2-anonymous, the two together isolate everybody."""
    return pd.DataFrame(
        {"person": list("abcd"), "name": list("ABCD"), "age": 30, "sex": list(sexes), "illness": "flu"}
    )


def rules(*thresholds, **changes):
    """Return a policy with k-anonymity and these thresholds, which looks at earlier releases."""
    return policy(thresholds=[K, *thresholds], release={"data_set": "people"}) | changes


WEAK = {"combinations": [{"name": "weak", "quasi_identifiers": ["age"], "thresholds": [STAYED, MOVED]}]}


@pytest.mark.slow
@pytest.mark.parametrize("given", mostly_slow([
    rules(),
    rules(STAYED | {"on_miss": "warn"}, MOVED | {"on_miss": "warn"}),
    rules({"metric": "columns_appeared", "at_most": 1000}),
    rules(MOVED),
    rules(**WEAK),
], quick=2), ids=["none", "warnings", "columns", "half", "weaker QIDs"])  # fmt: skip
def test_what_does_not_limit_the_past_is_no_watch(place, given):
    """A second release is blocked, and the reason names what nobody looks at."""
    assert place.release(table(FIRST), given).is_published
    made = place.release(table(SECOND), given)
    assert not made.is_published
    assert any("earlier releases" in reason for reason in made.reasons)


@pytest.mark.parametrize("metric", ["share_isolated_over_releases", "persons_isolated_over_releases"])
def test_a_watch_that_can_never_fail_is_refused(place, metric):
    """Nobody is in a joint class of fewer than one person: the policy is refused before anything is read."""
    empty = {"metric": metric, "at_most": 0, "parameters": {"k": 1}}
    with pytest.raises(PolicyError, match=rf"{metric}: parameter 'k' must be at least 2, not 1"):
        place.release(table(FIRST), rules(empty))


@pytest.mark.slow
def test_a_threshold_on_the_last_release_alone_is_no_watch(place):
    """With most_recent: 1 a harmless release in between would hide the first one."""
    recent = [t | {"parameters": {"most_recent": 1}} for t in (STAYED, MOVED)]
    for sexes in (FIRST, FIRST):
        assert place.release(table(sexes), rules(*recent)).is_published
    assert not place.release(table(FIRST), rules(*recent)).is_published


@pytest.mark.slow
@pytest.mark.parametrize("given", mostly_slow([
    rules(STAYED, MOVED),
    rules({"metric": "persons_isolated_over_releases", "at_most": 0, "parameters": {"k": 2}}),
    rules(STAYED, MOVED, attacker={"knows_any": 1}),
    rules(STAYED, MOVED, combinations=[{"name": "c", "quasi_identifiers": ["age"], "thresholds": [K]}]),
], quick=1), ids=["two", "one for both", "any QID", "finer QIDs"])  # fmt: skip
def test_a_real_watch_lets_the_same_table_through_and_blocks_the_other(place, given):
    """The same table again adds nothing; the one that isolates everybody is blocked by its figures."""
    assert place.release(table(FIRST), given).is_published
    assert place.release(table(FIRST), given).is_published
    made = place.release(table(SECOND), given)
    assert (made.is_published, made.reasons) == (False, ())


WITHOUT_ENTITY = {k: v for k, v in policy()["roles"].items() if k != "entity"}


@pytest.mark.slow
@pytest.mark.parametrize(("persons", "changes", "said"), [
    ("wxyz", {}, "Nobody of the 1 earlier releases"),
    ("abcd", {"roles": WITHOUT_ENTITY | {"insensitive": ["person"]}}, "follow people by other columns"),
], ids=["other ids", "no entity"])  # fmt: skip
def test_people_who_cannot_be_followed_are_a_reason_to_block(place, persons, changes, said):
    """Nobody of the first release is found in the second, so nothing is compared."""
    given = rules(STAYED, MOVED)
    assert place.release(table(FIRST), given).is_published
    made = place.release(table(SECOND).assign(person=list(persons)), given | changes)
    assert said in made.reasons[0]


@pytest.mark.slow
def test_without_an_entity_a_time_stamp_does_not_make_everybody_new(place):
    """Records are followed by QIDs and sensitive attributes: the one who left is found by subtraction."""
    given = rules(STAYED, MOVED, roles=WITHOUT_ENTITY | {"insensitive": ["loaded", "person"]})
    source = pd.concat([table(FIRST), table(FIRST)], ignore_index=True)
    assert place.release(source.assign(loaded=1), given).is_published
    made = place.release(source.assign(loaded=2).iloc[1:], given)
    assert (figures(made)["differencing_k_anonymity"], made.is_published) == (1, False)


@pytest.mark.slow
def test_releases_that_the_ledger_does_not_know_are_a_reason_to_block(place):
    """A ledger that is lost, or that of another machine, does not mean that nothing was published."""
    given = rules(STAYED, MOVED)
    assert place.release(table(FIRST), given).is_published
    (place.home / "ledger.db").unlink()
    (place.home / "anchors.jsonl").unlink()
    made = place.release(table(SECOND), given)
    assert "not in this ledger" in made.reasons[0]


@pytest.mark.slow
def test_the_first_release_says_what_the_next_one_will_need(place):
    """Nobody is woken by the second night: the first one names what is missing; a full policy is silent."""
    made = place.release(table(FIRST), rules())
    assert "The next one will be blocked unless" in made.notes[0]
    other = policy(thresholds=[K, STAYED, MOVED], release={"data_set": "others"})
    assert place.release(table(FIRST).assign(person=list("wxyz")), other).notes == ()
