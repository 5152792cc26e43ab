"""What receipts say of noise."""

from fractions import Fraction

import pytest

from qidguard_hybrid_dp.noise.column import NoisedColumn, NoiseScale
from qidguard_hybrid_dp.noise.guarantee import noised_part
from qidguard_hybrid_dp.noise.receipt import describe, deviation_of, staying_of, written

AGE = NoisedColumn(name="age", bounds=(Fraction(17), Fraction(90)), step=Fraction(1))


def part(scale, epsilon=3):
    """Return noise on ages."""
    return noised_part(AGE, epsilon=Fraction(epsilon), scale=scale, partition="violating")


def test_the_range_scale_in_words():
    """Scale, deviation, bounds, the map, and ε for any value."""
    assert describe(part(NoiseScale.RANGE), AGE) == (
        "'age' in partition 'violating': discrete Laplace noise of scale 24.33 (standard deviation 34.41) in"
        " steps of 1, clamped to 17..90 before and after. OpenDP's map for values 73 apart is 3: ε = 3"
        " wherever the value lies between the bounds. Nothing published is more than e^ε = 20.09 times as"
        " probable for one true value as for another."
    )


def test_the_unit_scale_in_words():
    """ε of one year, and what the whole range costs."""
    words = describe(part(NoiseScale.UNIT), AGE)
    assert "OpenDP's map for values 1 apart is 3: two values 1 apart cost ε = 3, and more" in words
    assert words.endswith("over the whole range it is 219, and that is charged.")


@pytest.mark.parametrize("scale", NoiseScale)
def test_a_rehearsal_says_that_it_protects_nobody(scale):
    """No map of a mechanism that did not draw is printed."""
    words = describe(part(scale), AGE, is_rehearsal=True)
    assert "This rehearsal draws it by the seed and protects nobody. In a release " in words
    assert "map" not in words


def test_deviation_and_share_that_stays_by_summing_up():
    """Both agree with sums over the probabilities of whole numbers."""
    p = float(2.718281828459045 ** (-3 / 73))
    weight = {n: (1 - p) / (1 + p) * p ** abs(n) for n in range(-2000, 2001)}
    noise = part(NoiseScale.RANGE)
    assert deviation_of(noise, AGE) == pytest.approx(sum(n * n * w for n, w in weight.items()) ** 0.5)
    assert staying_of(noise, AGE) == pytest.approx(weight[0])
    assert staying_of(part(NoiseScale.UNIT), AGE) == pytest.approx(0.9051, abs=1e-4)


@pytest.mark.parametrize(
    ("number", "text"),
    [("3", "3"), ("-17", "-17"), ("1/10", "0.1"), ("1/3", "1/3"), ("1/4096", "0.000244140625")],
)
def test_numbers_as_people_write_them(number, text):
    """Decimals where they are exact, else fractions."""
    assert written(Fraction(number)) == text
