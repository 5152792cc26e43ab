"""Noise by OpenDP: processor time a value, and that it grows with the number of values alone."""

import time
from fractions import Fraction

import numpy as np
import pytest

from qidguard_hybrid_dp.noise.column import NoisedColumn, NoiseScale
from qidguard_hybrid_dp.noise.laplace import OPENDP
from qidguard_hybrid_dp.noise.noised import noised

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

WHOLE = NoisedColumn(name="x", bounds=(Fraction(0), Fraction(1000)), step=Fraction(1))
FINE = NoisedColumn(name="x", bounds=(Fraction(0), Fraction(1000)), step=Fraction(1, 128))


def seconds(values, column, scale=NoiseScale.RANGE):
    """Return the processor time of noise on so many values."""
    numbers = np.random.default_rng(1).uniform(0, 1000, values)
    began = time.process_time()
    noised(numbers, column, epsilon=Fraction(3), scale=scale, source=OPENDP)
    return time.process_time() - began


def test_time_grows_with_the_values_alone(figures):
    """Ten times the values take about ten times as long; decimal numbers cost what whole ones do."""
    seconds(1000, WHOLE)
    few, many, fine = seconds(32_561, WHOLE), seconds(325_610, WHOLE), seconds(32_561, FINE)
    unit = seconds(32_561, WHOLE, NoiseScale.UNIT)
    figures(
        adult_seconds=few,
        adult_decimals_seconds=fine,
        adult_unit_seconds=unit,
        a_million_seconds=many / 0.32561,
    )
    assert many <= 15 * few
    assert fine <= 2 * few
    assert unit <= 4 * few
