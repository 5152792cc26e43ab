"""Attacks on sensitive attributes: all of the policy, random tables, and counting by plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples


def test_all_sensitive_attributes_of_the_policy_are_attacked(attacked):
    """Class x tells s, class y tells t: everybody is told something."""
    from qidguard.core.parameter import bind
    from qidguard_standard.attacks.sensitive import AttributeInference, Homogeneity

    table = {"a": list("xxyy"), "s": list("pppq"), "t": list("uvww")}
    scene = attacked(table, qids="a", sensitive=("s", "t"))
    results = [one.attack(scene, bind(one.parameters, {})) for one in (Homogeneity(), AttributeInference())]
    # guesses: s right for 1 + 1 + ½ + ½, t for ½ + ½ + 1 + 1, each half of what is to be known
    assert [one.published.successes for one in results] == [4, pytest.approx(3)]


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
