"""Figures of a published release: measured anew, or taken from its record where the question is the same."""

import pytest

from reaudits import ANONYMOUS, again, figures
from releases import at_least, judged, once, people, policy

DIVERSE = at_least(k_anonymity=5, distinct_l_diversity=3)
OF_VISITS = {**policy()["roles"], "entity": "visit", "direct_identifiers": ["name", "person"]}
OF_PERSONS = {**policy()["roles"], "direct_identifiers": ["name", "visit"]}
COARSER = {**policy()["roles"], "quasi_identifiers": ["age"], "sensitive": ["illness", "sex"]}
OF_SEX = {**policy()["roles"], "quasi_identifiers": ["sex"], "insensitive": ["age"]}


def visits():
    """Return people who are two or more records of one person each, or each a visit."""
    return people().assign(visit=lambda t: t["person"], person=lambda t: t["person"].str[:-1])


def below(k):
    """Return a policy under which nobody is in a class below k."""
    few = {"metric": "share_below_k", "parameters": {"k": k}, "at_most": 0}
    return policy(thresholds=[*at_least(k_anonymity=5), few])


@pytest.mark.slow
@pytest.mark.parametrize(("table", "then", "today", "said"), [
    (visits(), policy(roles=OF_VISITS), policy(roles=OF_PERSONS), "k_anonymity over age, sex"),
    (people(), policy(), policy(source={"missing": ["flu"]}), "k_anonymity over age, sex"),
    (people(), policy(), policy(thresholds=DIVERSE), "distinct_l_diversity of 'illness' over age, sex"),
    (people(), policy(), policy(roles=COARSER), "k_anonymity over age"),
    (people(), policy(), policy(attacker={"knows_any": 1}), "k_anonymity over age, sex"),
    (people(), below(3), below(6), "share_below_k over age, sex"),
    (people(), judged(), judged(attacker={"knows_any": 1}), "intersection_k_anonymity over age, sex"),
], ids=["counted", "missing", "new metric", "columns", "attacker", "argument", "over time"])  # fmt: skip
def test_a_figure_counts_only_for_the_very_question_that_was_asked_then(place, table, then, today, said):
    """Persons cannot be counted in what is published, so another question is unknown, and blocks."""
    place.release(table, then, release_id="r1")
    assert again(place, then).is_passed
    made = again(place, today)
    assert not made.is_passed
    assert f"{said} was not measured" in " ".join(made.sentences)


@pytest.mark.slow
@pytest.mark.parametrize(("then", "today", "said"), [
    (judged(roles=OF_SEX), judged(), "intersection_k_anonymity over age, sex was not measured"),
    (judged(), judged(roles=ANONYMOUS), "follows people by other columns"),
    (judged(), once(release={"data_set": "people"}), "no threshold that can block limits what they reveal"),
], ids=["finer than was kept", "followed by another", "no watch"])  # fmt: skip
def test_releases_that_cannot_be_compared_today_block(place, then, today, said):
    """The ledger keeps classes of the columns and persons of then, and today's policy has to look at them."""
    for release_id in ("r1", "r2"):
        place.release(people(), then, release_id=release_id)
    assert again(place, then, "r2").is_passed
    assert said in " ".join(again(place, today, "r2").sentences)
    assert place.entries("checked")[-1].payload["outcome"] == "blocked"


@pytest.mark.slow
def test_without_an_entity_figures_are_measured_on_what_is_published(place):
    """Three illnesses, which nobody had asked for then, two of which now mean that nobody knows."""
    place.release(people(), policy(roles=ANONYMOUS), release_id="r1")
    rules = policy(roles=ANONYMOUS, thresholds=DIVERSE)
    made = again(place, rules)
    assert (made.is_passed, figures(made)) == (True, {"k_anonymity": 5, "distinct_l_diversity": 3})
    made = again(place, rules | {"source": {"missing": ["flu", "none"]}})
    assert figures(made)["distinct_l_diversity"] == 2


@pytest.mark.slow
def test_another_population_is_another_question(place, tmp_path):
    """A figure against 60 people says nothing of one against six, wherever the file lies."""
    census = tmp_path / "census.csv"
    people(size=20).to_csv(census, index=False)
    risk = {"metric": "journalist_risk_max", "at_most": 0.06}
    population = {"path": str(census), "entity": "person"}
    rules = policy(thresholds=[*at_least(k_anonymity=5), risk], population=population)
    assert place.release(people(), rules, release_id="r1").is_published
    assert figures(again(place, rules))["journalist_risk_max"] == 0.05
    people(size=6).to_csv(census, index=False)
    assert "was not measured when this was released" in again(place, rules).sentences[0]


def test_our_own_csv_is_read_as_it_was_written(place, tmp_path):
    """A single column whose values hold semicolons is no table of two columns."""
    path = tmp_path / "one.csv"
    path.write_text("code\n" + "x;1\n" * 3 + "y;2\n" * 3, encoding="utf-8")
    roles = {"quasi_identifiers": ["code"]}
    rules = once(roles=roles, source={"delimiter": ","}, thresholds=at_least(k_anonymity=3))
    place.release(str(path), rules, release_id="r1")
    assert again(place, rules).is_passed


@pytest.mark.slow
def test_each_combination_has_questions_of_its_own(place):
    """Fifteen are alike over sex in one combination and five over age and sex in the other."""

    def rules(most):
        return once(combinations=[{"name": "sex", "quasi_identifiers": ["sex"], "thresholds": most}])

    assert place.release(people(groups=6), rules(at_least(k_anonymity=10)), release_id="r1").is_published
    made = again(place, rules(at_least(k_anonymity=16)))
    found = {t.limit.combination: t.measurement.value for t in made.report.verdict.thresholds}
    assert (made.is_passed, found) == (False, {"default": 5, "sex": 15})
