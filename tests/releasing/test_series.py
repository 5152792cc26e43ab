"""History cannot be stepped around: not by a name, and not by a word that the ledger knows better."""

import numpy as np
import pandas as pd
import pytest

from qidguard.ledger import open_ledger
from qidguard.releasing.history import counted_releases, same_persons
from qidguard.releasing.history.comparable import data_sets_of, is_same_path
from qidguard.releasing.history.published import withdraw
from qidguard.releasing.history.same_persons import is_numbering
from qidguard.releasing.opening import release_context
from qidguard.releasing.publishing import publish
from quick import mostly_slow
from reaudits import figures
from releases import Place, at_least, judged, once, other_people, people, policy

NO_NAME = {"release": {"earlier_releases": "judged"}}
SAME = "the ledger holds releases of the same persons"


def left(number: int = 1) -> pd.DataFrame:
    """Return the people without the first ones: subtraction tells who left."""
    return people().iloc[number:]


@pytest.fixture
def file(tmp_path):
    """Return the file of the first release, under a policy that names no data set."""
    people().to_csv(tmp_path / "visits.csv", index=False)
    return tmp_path / "visits.csv"


def fine(**changes):
    """Return a policy that looks at earlier releases, 4-anonymous, and names no data set."""
    thresholds = at_least(k_anonymity=4, intersection_k_anonymity=2, differencing_k_anonymity=2)
    return judged(thresholds=thresholds, name="Visites d’été", **NO_NAME) | changes


@pytest.mark.slow
@pytest.mark.parametrize(
    "around", mostly_slow(["another file", "--data-set", "case", "another policy", "a copy", "NFD"], quick=2)
)
def test_a_name_does_not_lead_past_the_earlier_release(place, file, around, monkeypatch):
    """Who left is found by subtraction under every name: of the policy, of the source, of the data set."""
    assert place.release(file, fine()).is_published
    source, rules, options = file, fine(), {}
    other = file.with_name("VISITS.csv" if around == "case" else "other.csv")
    if around in {"another file", "case", "NFD"}:
        source = other
    if around == "NFD":
        rules = fine(name="VISITES D’E\u0301TE\u0301")
    elif around in {"--data-set", "another policy", "case"}:
        rules = fine(name="something else")
    if around in {"--data-set", "another policy"}:
        monkeypatch.chdir(file.parent)
        source, options = file.name, {"data_set": "other"}
    if around == "a copy":
        # the same bytes say nothing new; they count as the same source all the same
        other.write_bytes(file.read_bytes())
        made = place.release(other, fine(name="something else", thresholds=once()["thresholds"]))
        assert "1 earlier releases" in made.reasons[0]
        return
    left().to_csv(source if isinstance(source, str) else str(source), index=False)
    made = place.release(source, rules, **options)
    assert (made.is_published, figures(made)["differencing_k_anonymity"]) == (False, 1)


@pytest.mark.slow
def test_case_does_not_matter_in_a_written_name(place):
    """``People`` and ``people`` are one data set: its history, its releases, its withdrawal."""
    assert place.release(people(), fine(release={"data_set": "people"}), release_id="r1").is_published
    made = place.release(left(), fine(release={"data_set": "People"}))
    assert not made.is_published
    with open_ledger(place.ledger) as ledger:
        assert withdraw(ledger, "PEOPLE", "r1", reason="over", now=place.entries()[-1].at)
    assert place.entries("withdrawn")[0].data_set == "people"


@pytest.mark.slow
def test_unrelated_is_held_against_the_persons_of_the_ledger(place):
    """Other people pass, the same ones contradict aloud: no count of them, and what to do."""
    said = other_people("PEOPLE")
    assert place.release(people(), once(), release_id="r1").is_published
    assert place.release(people(first=900), once(release=said)).is_published
    rules = once(thresholds=[{"metric": "marketer_risk", "at_most": 0.9}], release=said)
    made = place.release(left(13), rules)
    (reason,) = made.reasons
    assert (made.is_published, int(made.exit_code)) == (False, 1)
    assert f"{SAME}: 'people'; set earlier_releases: judged under release and take it out" in reason
    assert not any(character.isdigit() for character in reason)
    assert reason in place.entries("audited")[-1].payload["blocks"]


def of_ages(risk):
    """Return a policy for ages alone, of nobody in particular."""
    thresholds = [{"metric": "marketer_risk", "at_most": risk}]
    roles = {"quasi_identifiers": ["age"]}
    return once(roles=roles, thresholds=thresholds, release=other_people("people"))


@pytest.mark.slow
def test_without_an_entity_the_same_records_are_found(place):
    """Ages that are almost unique: the same people less a few are found, others of the same ages are not."""
    chance = np.random.default_rng(20261122)
    drawn = [pd.DataFrame({"age": chance.integers(0, 400, 300)}) for _ in range(2)]
    rules = of_ages(0.99)
    assert place.release(drawn[0], rules).is_published
    assert place.release(drawn[1], rules).is_published
    made = place.release(drawn[0].iloc[20:], rules)
    assert SAME in made.reasons[0]


@pytest.mark.slow
def test_few_records_in_common_are_said(place):
    """A fifth of the persons again, without an entity: too few to block, too many to say nothing."""
    chance = np.random.default_rng(20261122)
    first = pd.DataFrame({"age": chance.integers(0, 100_000, 2000)})
    second = pd.concat([first.iloc[:400], pd.DataFrame({"age": chance.integers(0, 100_000, 1600)})])
    rules = of_ages(0.999)
    assert place.release(first, rules).is_published
    made = place.release(second, rules)
    assert made.is_published
    assert "fewer than half: 'people'; nobody can tell" in made.notes[0]


def numbered(chance, size=60):
    """Return people whose entity is the number of their row."""
    ages = pd.Series(chance.integers(2, 6, size) * 10)
    return pd.DataFrame({"person": np.arange(1, size + 1), "age": ages, "sex": "f", "illness": "flu"}).assign(
        name="x"
    )


@pytest.mark.slow
def test_row_numbers_tell_of_nobody(place):
    """Other people under the same numbers pass, and it is said that nobody can tell; the same ones do not."""
    chance = np.random.default_rng(3)
    rules = once(thresholds=at_least(k_anonymity=2), release=other_people("people"))
    first = numbered(chance)
    assert place.release(first, rules).is_published
    made = place.release(numbered(chance), rules)
    assert made.is_published
    assert "no more than row numbers" in made.notes[0]
    assert "'people' are the same" in made.notes[0]
    older = first.assign(age=first["age"].where(first.index > 3, 50))
    assert SAME in place.release(older, rules).reasons[0]
    real = numbered(chance).assign(person=lambda t: t["person"] + 5)
    assert SAME in place.release(real, rules).reasons[0]


def test_what_is_a_row_number():
    """All numbers from 0 or 1 on, each once, however they are written."""
    numberings = [("1", "2", "3"), ("2", "0", "1"), ("1.0", "2.0"), ("001", "002"), ("1",)]
    others = [("1", "3"), ("1", "01"), ("p1", "p2"), ("1" * 30, "2"), ("-1", "0"), ()]
    assert [texts for texts in numberings + others if is_numbering(texts)] == numberings


@pytest.mark.parametrize(("one", "other", "is_same"), [
    ("/d/ward/a.csv", "./ward/a.csv", True),
    ("/d/ward/a.csv", "../WARD/A.csv", True),
    ("/d/ward/a.csv", "/e/ward/a.csv", False),
    ("s3://u:p@b/x.csv?token=1", "s3://b/x.csv", True),
    (pd.DataFrame(), "DataFrame", False),
])  # fmt: skip
def test_paths_of_one_place(one, other, is_same):
    """Relative or not, with another case, with dots: one place; the same name elsewhere is another."""
    assert is_same_path(one, other) == is_same


@pytest.mark.slow
def test_releases_of_a_foreign_ledger_at_the_destination_block(place):
    """That they are of other people is what the policy says, and nobody here can tell."""
    other = Place(place.root / "other")
    assert other.release(people(first=900), once(), to=str(place.to), release_id="r1").is_published
    made = place.release(people(), once())
    assert not made.is_published
    (reason,) = made.reasons
    assert reason == (
        "1 releases of 'people' stand at the destination and not in this ledger, the first is r1, so they"
        " cannot be compared with this one; use the ledger that made them, or name another destination."
    )
    assert place.release(people(), once(), to=str(place.root / "elsewhere")).is_published


def no_entity(data_set):
    """Return a policy for the same people, told apart by their content."""
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["illness"], "direct_identifiers": ["name"]}
    return once(roles=roles, unnamed_columns="insensitive", release={"data_set": data_set})


@pytest.mark.slow
@pytest.mark.parametrize("rules", [lambda name: once(release={"data_set": name}), no_entity])
def test_what_was_promised_meanwhile_is_looked_at_under_the_lock(place, monkeypatch, rules):
    """Two runs of the same persons in two data sets: who comes second is judged anew, and blocked."""
    original, others, table = (
        publish.promise,
        [],
        people().drop(columns="person" if rules is no_entity else []),
    )

    def promise(*arguments):
        if not others:
            others.append(None)
            others[0] = place.release(table, rules("people"), release_id="quick")
        return original(*arguments)

    monkeypatch.setattr(publish, "promise", promise)
    made = place.release(table, rules("B"))
    assert others[0].is_published
    assert "1 earlier releases of 'people' are known" in made.reasons[0]


@pytest.mark.slow
def test_a_bounded_part_of_the_ledger_is_looked_at(place, monkeypatch):
    """The newest releases count; what is beyond the bound is said."""
    for i in range(3):
        rules = once(release={"data_set": f"set{i}"})
        assert place.release(people(first=100 * i), rules, release_id=f"r{i}").is_published
    for module in (counted_releases, same_persons):
        monkeypatch.setattr(module, "MOST_RELEASES", 2)
    made = place.release(people(first=900), once())
    assert "1 older releases of the ledger were not looked at" in made.notes[0]


@pytest.mark.slow
def test_a_budget_is_one_under_every_spelling(place):
    """What was spent under one spelling of the name is spent under the other."""
    place.release(people(), policy(), release_id="r1")
    rules = policy(release={"data_set": "PEOPLE"})
    asked = {"home": str(place.home)}
    with release_context(people(), rules, str(place.to), is_published=True, **asked) as context:
        assert data_sets_of(context.ledger, context, "") == {"people"}
