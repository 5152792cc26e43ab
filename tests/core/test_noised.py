"""What is said of a noised value is what its mechanism gives."""

import math
from fractions import Fraction
from itertools import product

import pytest

from qidguard.core.noised import noise_words, odds_words
from qidguard.core.privacy import NoisedPart, PrivacyGuarantee


def part(mechanism="laplace", scale=4, reach=2, bounds=(0, 2), column="age", **cost):
    """Return noise of ε = 1/2 on whole numbers 0..2."""
    cost = cost or {"epsilon": Fraction(1, 2)}
    ends = None if bounds is None else (Fraction(bounds[0]), Fraction(bounds[1]))
    return NoisedPart(
        columns=(column,),
        mechanism=mechanism,
        scale=Fraction(scale),
        reach=Fraction(reach),
        bounds=ends,
        **cost,
    )


def words(*parts):
    """Return what is said of age."""
    return list(noise_words(PrivacyGuarantee(parts=parts), ["age"]))


NOISE = "noise of scale 4 (standard deviation 5.66 in its unit)"
BY_DISTANCE = (
    "age has laplace noise of scale 2 (standard deviation 2.83 in its unit), and no two values at most 1"
)
GAUSSIAN = (
    "age has gaussian noise of scale 4 (standard deviation 4 in its unit), which costs ρ = 1/8; no factor"
)
NO_TWO = "no two values in 0..2 make what is published more than"
ONE = "one record makes what is published at most e^(1/2) = 1.65 times as likely"
LIKELY = "times as likely, the one as the other"
BEYOND = f"what is published more than e^(1/2) = 1.65 {LIKELY} (e^1 over the whole range)"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (part(), f"age has laplace {NOISE}, and {NO_TWO} e^(1/2) = 1.65 {LIKELY}"),
        (part(reach=1, scale=2), f"{BY_DISTANCE} apart in 0..2 make {BEYOND}"),
        (part("gaussian", rho=Fraction(1, 8)), f"{GAUSSIAN} bounds it"),
        (part("secret"), f"age has secret noise of scale 4, and {NO_TWO} e^(1/2) = 1.65 {LIKELY}"),
        (part(bounds=None), f"counts over age have laplace {NOISE}, and {ONE}"),
        (
            part(epsilon=Fraction(1, 2), delta=Fraction(1, 100)),
            f"age has laplace {NOISE}, and {NO_TWO} e^(1/2) = 1.65 {LIKELY}, but for a probability of 1/100",
        ),
        (part(epsilon=Fraction(219)), f"age has laplace {NOISE}, and {NO_TWO} e^219 {LIKELY}"),
    ],
    ids=["range", "by distance", "gaussian", "unknown", "counts", "delta", "large"],
)
def test_a_part_is_told_in_numbers(given, said):
    """Scale, standard deviation, and how far the published value narrows the true one."""
    assert words(given) == [said]


def test_only_the_columns_that_are_asked_for_are_told():
    """Of a combination without the column nothing is said."""
    assert words(part(column="wage")) == []
    assert odds_words(PrivacyGuarantee(parts=(part(),)), ["wage"]) == ""
    assert odds_words(PrivacyGuarantee(parts=(part(bounds=None),)), ["age"]) == ""
    assert odds_words(PrivacyGuarantee(parts=(part("gaussian", rho=Fraction(1, 8)),)), ["age"]) == ""


def test_the_odds_add_up_over_columns_and_partitions():
    """Two columns of ε = 1/2 in one partition and one of ε = 1 in another make e^(2 · 2)."""
    parts = (part(), part(column="wage"), part(scale=2, epsilon=Fraction(1)))
    found = odds_words(PrivacyGuarantee(parts=parts), ["age", "wage"])
    assert found.endswith("at odds of at most e^4 = 54.6 to 1")


def test_the_odds_of_noise_by_distance_are_those_of_the_whole_range():
    """ε = 1/2 for values 1 apart in a range of 20 comes to 10, so two records are told apart by e^20."""
    found = odds_words(PrivacyGuarantee(parts=(part(scale=2, reach=1, bounds=(0, 20)),)), ["age"])
    assert "at odds of at most e^20 = " in found


def test_no_outcome_tells_two_records_apart_by_more_than_is_said():
    """Every pair of values and of published ones, by the probabilities of discrete Laplace noise."""
    epsilon, scale = 0.5, 4

    def likely(published, true):
        return math.exp(-abs(published - true) / scale)  # its constant cancels

    worst = max(
        likely(y, a) * likely(z, b) / (likely(y, b) * likely(z, a))
        for a, b in product(range(3), repeat=2)
        for y, z in product(range(-9, 12), repeat=2)
    )
    assert worst == pytest.approx(math.exp(2 * epsilon))
