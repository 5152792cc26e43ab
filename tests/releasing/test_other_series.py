"""The same persons in a series of another name: what both reveal is judged, or a person says why not."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

from qidguard import PolicyError
from qidguard.ledger import new_entry
from qidguard.policy import load_policy
from qidguard.releasing.deciding.check import check
from qidguard.releasing.history.same_counts import shared_persons
from qidguard.releasing.publishing import publish as promising
from qidguard.releasing.reaudit.reaudit import reaudit
from quick import mostly_slow
from releases import at_least, judged, once, people, policy

FOUND = "Persons of this table are also in releases of 'ward'"
CALM = [{"metric": "marketer_risk", "at_most": 0.9}]
OVER_TIME = at_least(k_anonymity=2, intersection_k_anonymity=2, differencing_k_anonymity=2)

BOTH = {"quasi_identifiers": ["age", "sex", "region"]}


def patients(seed: int, records: int = 1200) -> pd.DataFrame:
    """Return records of one distribution, without an entity; each seed draws other people."""
    chance = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": chance.choice(range(20, 80, 5), records),
            "sex": chance.choice(["f", "m"], records),
            "region": chance.choice(list("abcde"), records),
            "illness": chance.choice(["flu", "asthma", "gout", "cold"], records, p=[0.5, 0.3, 0.15, 0.05]),
        }
    )


def rules(data_set: str | None, thresholds=None, **release):
    """Return a policy without an entity."""
    named = {} if data_set is None else {"data_set": data_set}
    return {
        "qidguard": 1,
        "name": release.pop("name", "patients"),
        "roles": release.pop(
            "roles", {"quasi_identifiers": ["age", "sex", "region"], "sensitive": ["illness"]}
        ),
        "thresholds": OVER_TIME if thresholds is None else thresholds,
        "release": named | release,
        "unnamed_columns": "insensitive",
    }


def excused(name: str = "ward", reason: str = "records of other patients"):
    """Return the lines that say of a data set that it is unrelated."""
    return [{"data_set": name, "reason": reason}]


MORE = {**BOTH, "sensitive": ["illness"], "insensitive": ["note"]}
WARD = patients(1)
HALF = pd.concat([WARD.iloc[:600], patients(2, 600)])
THIRD = pd.concat([WARD.iloc[:400], patients(3, 800)])
ONE_MORE = pd.concat([WARD, pd.DataFrame([{"age": 20, "sex": "f", "region": "a", "illness": "gout"}])])

RENAMED = {
    "one person more": (ONE_MORE, {}),
    "one person less": (WARD.iloc[1:], {}),
    "in another order": (ONE_MORE.sample(frac=1, random_state=1)[["illness", "region", "sex", "age"]], {}),
    "a column more": (ONE_MORE.assign(note="x"), {"roles": MORE}),
    "half of the persons": (HALF, {}),
    "a third of the persons": (THIRD, {}),
    "re-worded": (ONE_MORE.assign(illness=ONE_MORE["illness"].str.upper()), {}),
    "without the illness": (ONE_MORE.drop(columns="illness"), {"roles": BOTH}),
    "all of them, and as many more": (pd.concat([WARD, patients(4)]), {}),
}


@pytest.mark.parametrize("kind", mostly_slow(RENAMED, quick=3))
def test_the_same_records_are_found_under_another_name(place, kind):
    """Whatever else changed: they count as earlier ones, and nothing watches what both reveal."""
    table, changes = RENAMED[kind]
    first = rules("ward", thresholds=CALM)
    assert place.release(WARD, first, release_id="r1").is_published
    made = place.release(table, rules("ward2", CALM, **changes))
    assert (made.is_published, int(made.exit_code)) == (False, 1)
    assert any(FOUND in note for note in made.notes)


@pytest.mark.parametrize(("first", "second", "options"), [
    ({"data_set": "ward"}, {"data_set": "ward2"}, {}),
    ({"data_set": "ward"}, {}, {"data_set": "other"}),
    ({}, {}, {"data_set": "other"}),
])  # fmt: skip
def test_persons_are_found_whatever_the_series_is_called(place, first, second, options):
    """By policy or by --name; half of the persons, their values re-worded, among new ones."""
    began = judged(release=first, name="one", thresholds=at_least(k_anonymity=4))
    assert place.release(people(), began, data_set=None if first else "ward").is_published
    mixed = pd.concat([people().iloc[1:8], people(first=500)]).assign(
        illness=lambda t: t["illness"].str.upper()
    )
    rule = judged(release=second, name="another", thresholds=at_least(k_anonymity=2))
    made = place.release(mixed, rule, **options)
    assert not made.is_published
    assert "1 earlier releases of 'ward' are known" in made.reasons[0]
    assert any(FOUND in note for note in made.notes)


@pytest.mark.parametrize("entity", ["person", None])
def test_other_people_raise_no_alarm(place, entity):
    """Two samples of one population: no block, no sentence."""
    first, second = WARD.assign(person=range(100, 1300)), patients(7).assign(person=range(1900, 3100))
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["illness"]}
    roles |= {"insensitive": ["person"]} if entity is None else {"entity": entity}
    if entity is None:
        first, second = first.drop(columns="person"), second.drop(columns="person")
        roles = {"quasi_identifiers": ["age", "sex", "region"], "sensitive": ["illness"]}
    assert place.release(first, rules("ward", CALM, roles=roles)).is_published
    made = place.release(second, rules("clinic", OVER_TIME, roles=roles))
    assert made.notes == ()
    assert not made.reasons


def test_a_reason_lets_it_through_and_is_kept(place):
    """A person wrote why: the note says which series and why, and the record keeps it."""
    assert place.release(people(), policy(release={"data_set": "Ward"})).is_published
    said = excused("WARD", "the same patients, and their consent covers both")
    made = place.release(people(), once(release={"data_set": "ward2", "unrelated": said}))
    assert made.is_published
    assert made.notes[0] == (
        "Persons of this table are also in releases of 'Ward', which the policy calls unrelated: the same"
        " patients, and their consent covers both. What they reveal together is not judged."
    )
    kept = place.record(made.audit_id)["release"]
    assert kept["unrelated"] == [{"data_set": "WARD", "reason": said[0]["reason"], "is_found": True}]
    assert (kept["earlier_releases"], kept["same_persons_in"]) == ([], [])


def test_one_word_does_not_switch_it_off(place):
    """Where there is nothing to be unrelated to it changes nothing; else it names the lines to write."""
    assert place.release(people(), once(), release_id="r1").is_published
    for table, release, names in (
        (people(first=900), {"data_set": "people"}, "'people'"),
        (people(), {"data_set": "ward"}, "'people' (the same persons are in 'people')"),
    ):
        made = place.release(table, once(release=release | {"earlier_releases": "unrelated"}))
        (reason,) = made.reasons
        assert f"gives no reason, and the ledger holds releases of {names}; if they are of other" in reason
        assert "unrelated: [{data_set: people, reason: …}]" in reason
    release = {"data_set": "people", "earlier_releases": "unrelated", "unrelated": excused("people")}
    assert place.release(people(first=900), once(release=release)).is_published
    assert place.release(
        people(first=1900), once(release={"data_set": "x", "earlier_releases": "unrelated"})
    ).is_published


def test_what_cannot_be_compared_blocks(place):
    """Persons whom either follows by other columns: the same entity, or a reason."""
    assert place.release(people(), policy()).is_published
    renamed = people().drop(columns="name").rename(columns={"person": "patient"})
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["illness"], "entity": "patient"}
    made = place.release(renamed, judged(roles=roles, release={"data_set": "ward"}))
    (reason,) = made.reasons
    assert "Earlier releases of 'people' follow people by other columns" in reason
    assert "give both the same roles.entity" in reason
    assert "unrelated: [{data_set: people, reason: …}]" in reason


def test_a_check_and_a_reaudit_see_the_same(place):
    """No door knows less: an audit with a ledger, and what is published already."""
    assert place.release(people(), judged(release={"data_set": "ward"}), release_id="r1").is_published
    both = judged(release={"data_set": "ward2"})
    checked = check(people().iloc[1:], policy=both, home=str(place.home))
    assert not checked.is_passed
    assert any(FOUND in note for note in checked.notes)
    assert place.release(people(), both, release_id="r2").is_published
    assert place.entries("releasing")[-1].payload["together"] == ["ward"]
    for data_set, release_id, other in (("ward2", "r2", "ward"), ("ward", "r1", "ward2")):
        today = once(release={"data_set": data_set})
        found = reaudit(data_set, release_id, policy=today, home=str(place.home))
        assert f"1 earlier releases of {other!r} are known" in found.reasons[0]
        today = once(release={"data_set": data_set, "unrelated": excused(other)})
        assert reaudit(data_set, release_id, policy=today, home=str(place.home)).is_passed


def test_what_the_remedy_made_is_looked_at_too(place):
    """Generalized records are found among generalized ones, which the source's are not."""
    remedy = {"recode": {"age": 1}}
    levels = {"age": {"intervals": [30]}}
    first = rules("ward", CALM) | {"remedy": remedy | {"when": "always"}, "hierarchies": levels}
    assert place.release(WARD, first).is_published
    second = rules("ward2") | {"remedy": remedy | {"when": "always"}, "hierarchies": levels}
    made = place.release(ONE_MORE, second)
    assert not made.is_published
    assert any(FOUND in note for note in made.notes)


@pytest.mark.parametrize("looked", [True, False])
def test_a_reaudit_without_the_reason_sees_what_it_excused(place, monkeypatch, looked):
    """What was found then is recorded; of releases from before that, hashes tell."""
    if not looked:
        old = partial(replace, together=None)
        monkeypatch.setattr(promising, "new_entry", lambda payload, **of: new_entry(old(payload), **of))
    assert place.release(people(), once(release={"data_set": "ward"}), release_id="r1").is_published
    release = {"data_set": "ward2", "unrelated": excused()}
    assert place.release(people().iloc[5:], once(release=release), release_id="r2").is_published
    for data_set, release_id, other in (("ward2", "r2", "ward"), ("ward", "r1", "ward2")):
        today = once(release={"data_set": data_set})
        found = reaudit(data_set, release_id, policy=today, home=str(place.home))
        assert f"1 earlier releases of {other!r} are known" in found.reasons[0]


def test_drift_is_of_the_own_series(place):
    """What another series publishes is no column that appeared or went."""
    drift = [{"metric": name, "at_most": 0} for name in ("columns_appeared", "columns_disappeared")]
    rule = judged(thresholds=[*judged()["thresholds"], *drift], unnamed_columns="insensitive")
    other = judged(release={"data_set": "ward"}, unnamed_columns="insensitive")
    assert place.release(people(), rule).is_published
    assert place.release(people().assign(bed=1), other).is_published
    made = place.release(people(), rule)
    assert made.is_published
    assert any(FOUND in note for note in made.notes)


def counts(first: pd.DataFrame, second: pd.DataFrame, columns: list[str]):
    """Return the records of two tables in each cell."""
    sizes = [table.groupby(columns).size() for table in (first, second)]
    both = pd.concat(sizes, axis=1).fillna(0).astype(int)
    return both[0].to_numpy(), both[1].to_numpy()


def test_chance_raises_no_alarm():
    """Two samples of one population, alike or not, large or small: 0 of 600 comparisons."""
    chance, said = np.random.default_rng(20261128), 0
    for cells in np.repeat([1, 2, 8, 40, 300, 5000], 100):
        weights = chance.dirichlet(np.full(cells, chance.choice([0.05, 1.0, 50.0])))
        sizes = np.exp(chance.uniform(np.log(20), np.log(5000), 2)).astype(int)
        mine, theirs = (np.bincount(chance.choice(cells, n, p=weights), minlength=cells) for n in sizes)
        said += shared_persons(mine, theirs) is not None
    assert said == 0


@pytest.mark.parametrize(("records", "share"), [(600, 0.5), (1200, 0.4), (9000, 0.33), (9000, 0.9)])
def test_the_share_of_persons_in_both_is_estimated(records, share):
    """A third of them is found, and how many there are is known to a tenth."""
    columns = ["age", "sex", "region", "illness"]
    for seed in range(5):
        first, shared = patients(100 + seed, records), int(records * share)
        second = pd.concat([first.iloc[:shared], patients(200 + seed, records - shared)])
        assert shared_persons(*counts(first, second, columns)) == pytest.approx(share, abs=0.1)


@pytest.mark.parametrize(("lines", "said"), [
    ([{"data_set": "a", "reason": "fine"}], "must say in words why"),
    ([{"data_set": "a", "reason": ""}], "must not be empty"),
    ([{"data_set": "a"}], "reason"),
    ([{"data_set": "a/b", "reason": "other people here"}], "must be a name"),
    ([{"data_set": "a", "reason": "other people"}, {"data_set": "A", "reason": "them too"}], "named twice"),
    ([{"data_set": "a", "reason": "other people", "by": "me"}], "there is no field"),
    ("a", "must be a list"),
])  # fmt: skip
def test_a_reason_is_words_and_a_series_is_named_once(lines, said):
    """The section says what is wrong with it."""
    with pytest.raises(PolicyError, match=said):
        load_policy(rules("x", unrelated=lines))
