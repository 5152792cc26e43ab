"""Noise by OpenDP: processor time a value, and that it grows with the number of values alone."""

from fractions import Fraction

import numpy as np
import pytest

from in_turns import in_turns
from qidguard_hybrid_dp.noise.column import NoisedColumn, NoiseScale
from qidguard_hybrid_dp.noise.laplace import OPENDP
from qidguard_hybrid_dp.noise.noised import noised

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

WHOLE = NoisedColumn(name="x", bounds=(Fraction(0), Fraction(1000)), step=Fraction(1))
FINE = NoisedColumn(name="x", bounds=(Fraction(0), Fraction(1000)), step=Fraction(1, 128))


def noising(values, column, scale=NoiseScale.RANGE):
    """Return a function that puts noise on so many values."""
    numbers = np.random.default_rng(1).uniform(0, 1000, values)
    return lambda: noised(numbers, column, epsilon=Fraction(3), scale=scale, source=OPENDP)


def test_time_grows_with_the_values_alone(figures):
    """Ten times the values take about ten times as long; decimal numbers cost what whole ones do."""
    few, many, fine, unit = in_turns(
        noising(32_561, WHOLE),
        noising(325_610, WHOLE),
        noising(32_561, FINE),
        noising(32_561, WHOLE, NoiseScale.UNIT),
    )
    figures(
        adult_seconds=few,
        adult_decimals_seconds=fine,
        adult_unit_seconds=unit,
        a_million_seconds=many / 0.32561,
    )
    assert many <= 15 * few
    assert fine <= 2 * few
    assert unit <= 4 * few
