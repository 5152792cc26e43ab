"""Homogeneity, background knowledge and attribute inference on tables that can be counted by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard import NotMeasurable

SEVEN = {"a": list("xxxyyyy"), "s": list("ppppqqr")}
"""Class x has p only; class y has p, q, q and r."""


def test_a_homogeneous_class_tells_its_value(found):
    """The three of class x are told for sure, the four of y are not."""
    result = found("homogeneity", SEVEN, qids="a")
    assert result.published.successes == 3
    assert result.people == 3
    assert "one value was left for 3, and it was wrong for 0" in result.sentence


def test_background_knowledge_strikes_values_out(found):
    """Of the three values of class y two have to be known away; with one nothing more is told."""
    by_number = {j: found("background_knowledge", SEVEN, qids="a", excluded=j) for j in (0, 1, 2, 9)}
    assert {j: result.published.successes for j, result in by_number.items()} == {0: 3, 1: 3, 2: 7, 9: 7}


def test_inference_guesses_the_most_frequent_value(found):
    """Class x: three right. Class y: q for four, two of them right. The table's own guess: p, 4 of 7."""
    result = found("attribute_inference", SEVEN, qids="a")
    assert result.published.successes == 5
    assert "the most frequent value of the table alone is right for 57.1%" in result.sentence


def test_equally_frequent_values_share_the_guess(found):
    """Of two values that are as frequent one is guessed: right by half."""
    assert found("attribute_inference", {"a": list("xx"), "s": list("pq")}, qids="a").published.share == 0.5


def test_withheld_people_are_told_by_the_same_inference(found):
    """One of class x has p, as the class says; one has q, and the claim is wrong; nobody has a z."""
    withheld = {"a": list("xxz"), "s": list("pqp")}
    result = found("homogeneity", SEVEN, qids="a", withheld=withheld)
    assert (result.control.successes, result.control.trials) == (1, 3)
    assert result.excess == pytest.approx((3 / 7 - 1 / 3) / (1 - 1 / 3))
    # for z the attacker takes the table's most frequent value, which is right
    assert found("attribute_inference", SEVEN, qids="a", withheld=withheld).control.successes == 2


def test_knowing_what_a_withheld_person_has_not_may_tell_what_they_have(found):
    """Once one of q and r is struck out of class y, p is left with the other; once both, p alone."""
    withheld = {"a": ["y"], "s": ["p"]}
    controls = [
        found("background_knowledge", SEVEN, qids="a", withheld=withheld, excluded=j).control.successes
        for j in (1, 2)
    ]
    assert controls == [0, 1]


def test_a_value_that_is_not_theirs_is_no_success(found):
    """A suppressed person's class still claims: right for the one with p, wrong for the one with r."""
    before = {"a": list("xxxx"), "s": list("pprp")}
    after = {"a": list("xx"), "s": list("pp")}
    result = found("homogeneity", before, after, qids="a", kept=[True, True, False, False])
    assert result.published.successes == 3
    assert "one value was left for 4, and it was wrong for 1" in result.sentence


def test_null_is_a_value_of_its_own(found):
    """A class without a diagnosis tells that there is none; a class of NULL and p is not homogeneous."""
    table = {"a": ["x", "x", None, None], "s": [None, None, None, "p"]}
    assert found("homogeneity", table, qids="a").published.successes == 2


def test_a_published_value_that_nobody_had_is_no_truth(found):
    """A changed value is wrong for who has none, and for who has another new one among the withheld."""
    before, after = {"a": list("xy"), "s": [None, "p"]}, {"a": list("xy"), "s": ["new", "p"]}
    result = found("homogeneity", before, after, qids="a", withheld={"a": ["x"], "s": ["other"]})
    assert (result.published.successes, result.control.successes) == (1, 0)


def test_entities_count_once_a_value(found):
    """Person 1 has p in two records, 2 and 3 have q: the guess is q, with two persons of three."""
    table = {"a": list("xxxx"), "s": list("ppqq"), "w": list("1123")}
    result = found("attribute_inference", table, qids="a", entity="w")
    assert (result.published.successes, result.published.trials) == (2, 3)


def test_several_attributes(found):
    """By either of two attributes a person is told; inference counts the share of them guessed right."""
    table = {"a": list("xxyy"), "s": list("pppq"), "t": list("uvww")}
    both = {"qids": "a", "sensitive": ""}
    assert found("homogeneity", table, **{**both, "sensitive": "s"}).published.successes == 2
    assert found("homogeneity", table, **{**both, "sensitive": "t"}).published.successes == 2


def test_all_sensitive_attributes_of_the_policy_are_attacked(attacked):
    """Class x tells s, class y tells t: everybody is told something."""
    from qidguard.core.parameter import bind
    from qidguard_standard.attacks.attribute_inference import AttributeInference
    from qidguard_standard.attacks.homogeneity import Homogeneity

    table = {"a": list("xxyy"), "s": list("pppq"), "t": list("uvww")}
    scene = attacked(table, qids="a", sensitive=("s", "t"))
    results = [one.attack(scene, bind(one.parameters, {})) for one in (Homogeneity(), AttributeInference())]
    # guesses: s right for 1 + 1 + ½ + ½, t for ½ + ½ + 1 + 1, each half of what is to be known
    assert [one.published.successes for one in results] == [4, pytest.approx(3)]


@pytest.mark.parametrize("name", ["homogeneity", "background_knowledge", "attribute_inference"])
def test_there_must_be_an_attribute(found, name):
    """Without a sensitive attribute, or with one that is not published, the answer is a sentence."""
    with pytest.raises(NotMeasurable, match="the policy names none"):
        found(name, {"a": list("xy")}, qids="a")
    with pytest.raises(NotMeasurable, match="'t' does not stand"):
        found(name, SEVEN, qids="a", sensitive="t")


@pytest.mark.parametrize("name", ["homogeneity", "background_knowledge", "attribute_inference"])
def test_a_table_of_independent_columns_tells_facts_of_the_population_only(found, name):
    """Where QIDs say nothing of the attribute being in the table adds nothing that chance does not."""
    rng = np.random.default_rng(3)
    draw = {
        "a": rng.integers(0, 3, 4000),
        "b": rng.integers(0, 2, 4000),
        "s": rng.choice(3, 4000, p=[0.6, 0.3, 0.1]),
    }
    first, second = (
        {key: [f"v{v}" for v in values[part].tolist()] for key, values in draw.items()}
        for part in (slice(0, 2000), slice(2000, None))
    )
    result = found(name, first, withheld=second)
    assert result.excess_low <= 0 <= result.excess_high


def test_small_classes_betray_their_members(found):
    """In a table of unique records inference is right for who is in it, and by chance for others."""
    rng = np.random.default_rng(4)
    values = {"a": rng.permutation(1000), "s": rng.integers(0, 2, 1000)}
    first, second = (
        {"a": values["a"][part].tolist(), "s": [f"v{v}" for v in values["s"][part].tolist()]}
        for part in (slice(0, 500), slice(500, None))
    )
    result = found("attribute_inference", first, qids="a", withheld=second)
    assert result.published.share == 1
    assert result.excess_low > 0.9


@settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
@given(
    records=st.lists(
        st.tuples(st.sampled_from("xyz"), st.sampled_from("pqr"), st.sampled_from("12345")),
        min_size=1,
        max_size=12,
    ),
    order=st.randoms(use_true_random=False),
)
def test_a_naive_count_and_any_order_give_the_same(found, records, order):
    """Majority, homogeneity and exclusion by plain counting; a shuffle of the records changes nothing."""

    def columns(some):
        return {name: [one[c] for one in some] for c, name in enumerate("asw")}

    shuffled = records[:]
    order.shuffle(shuffled)
    classes = {a: [s for b, s, _ in records if a == b] for a, _, _ in records}
    homogeneous = guessed = left = 0.0
    for a, s, _ in records:
        values = classes[a]
        most = max(values.count(v) for v in values)
        best = {v for v in values if values.count(v) == most}
        homogeneous += len(set(values)) == 1
        left += len(set(values)) <= 2
        guessed += (s in best) / len(best)
    expected = {"homogeneity": homogeneous, "background_knowledge": left, "attribute_inference": guessed}
    for name, count in expected.items():
        assert found(name, columns(records), qids="a").published.successes == pytest.approx(count)
        assert found(name, columns(shuffled), qids="a").published.successes == pytest.approx(count)
