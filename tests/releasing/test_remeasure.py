"""Figures of a published release: measured anew, or taken from its record where the question is the same."""

import pytest

from reaudits import ANONYMOUS, again, figures
from releases import judged, once, people, policy


@pytest.mark.slow
def test_who_is_counted_is_part_of_the_question(place):
    """Five records a class are two persons; a figure of records says nothing of persons, nor of others."""
    table = people().assign(visit=lambda t: t["person"], person=lambda t: t["person"].str[:-1])
    roles = {**policy()["roles"], "entity": "visit", "direct_identifiers": ["name", "person"]}
    place.release(table, policy(roles=roles), release_id="r1")
    again_by_person = {**roles, "entity": "person", "direct_identifiers": ["name", "visit"]}
    made = again(place, policy(roles=again_by_person))
    assert "k_anonymity over age, sex was not measured" in made.sentences[0]


@pytest.mark.slow
def test_what_counts_as_missing_is_part_of_the_question(place):
    """Recorded figures rest on how the source was read; today's words for missing make another table."""
    place.release(people(), policy(), release_id="r1")
    made = again(place, policy(source={"missing": ["flu"]}))
    assert "k_anonymity over age, sex was not measured" in made.sentences[0]


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_finer_columns_than_were_kept_are_unknown_over_time(place):
    """The ledger keeps classes over sex; over sex and age nobody can tell who stayed."""
    coarse = judged()
    coarse["roles"] = {**coarse["roles"], "quasi_identifiers": ["sex"], "insensitive": ["age"]}
    place.release(people(), coarse, release_id="r1")
    place.release(people(), coarse, release_id="r2")
    assert again(place, coarse, "r2").is_passed
    said = " ".join(again(place, judged(), "r2").sentences)
    assert "intersection_k_anonymity over age, sex was not measured" in said


@pytest.mark.slow
def test_whom_a_policy_follows_must_be_as_it_was(place):
    """Classes of persons say nothing where today's policy follows records."""
    place.release(people(), judged(), release_id="r1")
    made = again(place, judged(roles=ANONYMOUS))
    assert any("follows people by other columns" in sentence for sentence in made.sentences)


@pytest.mark.slow
def test_a_watch_on_other_releases_is_needed_today_too(place):
    """Two releases of the same people, and no threshold that limits what they reveal together."""
    place.release(people(), judged(), release_id="r1")
    place.release(people(), judged(), release_id="r2")
    made = again(place, once(release={"data_set": "people"}), "r2")
    assert "no threshold that can block limits what they reveal" in made.sentences[0]
    assert place.entries("checked")[-1].payload["outcome"] == "blocked"


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


@pytest.mark.slow
def test_without_an_entity_a_new_metric_is_measured_on_what_is_published(place):
    """Each class holds three illnesses, which nobody had asked for when it was released."""
    place.release(people(), policy(roles=ANONYMOUS), release_id="r1")
    thresholds = [
        {"metric": "k_anonymity", "at_least": 5},
        {"metric": "distinct_l_diversity", "at_least": 3},
    ]
    made = again(place, policy(roles=ANONYMOUS, thresholds=thresholds))
    assert (made.is_passed, figures(made)) == (True, {"k_anonymity": 5, "distinct_l_diversity": 3})


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_another_argument_is_another_question(place):
    """Nobody below three says nothing of how many are below six."""
    then = [{"metric": "k_anonymity", "at_least": 5}, _below(3)]
    place.release(people(), policy(thresholds=then), release_id="r1")
    assert again(place, policy(thresholds=then)).is_passed
    made = again(place, policy(thresholds=[then[0], _below(6)]))
    assert "share_below_k over age, sex was not measured" in made.sentences[0]


def _below(k):
    return {"metric": "share_below_k", "parameters": {"k": k}, "at_most": 0}


@pytest.mark.slow
def test_each_combination_has_questions_of_its_own(place):
    """Fifteen are alike over sex in one combination and five over age and sex in the other."""
    coarse = {"name": "sex", "quasi_identifiers": ["sex"]}

    def rules(sex_at_least):
        thresholds = [{"metric": "k_anonymity", "at_least": sex_at_least}]
        return once(combinations=[{**coarse, "thresholds": thresholds}])

    assert place.release(people(groups=6), rules(10), release_id="r1").is_published
    made = again(place, rules(16))
    found = {t.limit.combination: t.measurement.value for t in made.report.verdict.thresholds}
    assert (made.is_passed, found) == (False, {"default": 5, "sex": 15})


@pytest.mark.slow
def test_parts_of_a_combination_are_not_kept_over_time(place):
    """The ledger keeps classes over sex and age, and none for an attacker who knows one of them."""
    rules = judged(attacker={"knows_any": 1})
    place.release(people(), judged(), release_id="r1")
    said = " ".join(again(place, rules).sentences)
    assert "intersection_k_anonymity over age, sex was not measured" in said
