"""Noise on the ages of Adult, drawn by OpenDP."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from qidguard.sdk import ValueType
from qidguard_hybrid_dp.noise.column import NoiseScale, noised_column
from qidguard_hybrid_dp.noise.guarantee import noised_part
from qidguard_hybrid_dp.noise.laplace import OPENDP
from qidguard_hybrid_dp.noise.noised import noised
from qidguard_hybrid_dp.noise.receipt import staying_of

pytestmark = pytest.mark.realdata


@pytest.fixture(scope="module")
def ages(data):
    """Return the ages of the 32,561 records."""
    return pd.read_csv(data / "adult" / "adult.data", header=None, usecols=[0])[0].to_numpy(dtype=float)


@pytest.mark.slow
@pytest.mark.parametrize(("scale", "share"), [(NoiseScale.RANGE, 0.03), (NoiseScale.UNIT, 0.90)])
def test_what_stays_and_what_is_clamped(ages, scale, share):
    """The share that stays is as reckoned, more at the bounds; bounds that exclude ages clamp as many."""
    column = noised_column("age", ValueType.INTEGER, (Fraction(20), Fraction(80)))
    found = noised(ages, column, epsilon=Fraction(3), scale=scale, source=OPENDP)
    inside = (ages > 20) & (ages < 80)
    stays = staying_of(noised_part(column, epsilon=Fraction(3), scale=scale), column)
    spread = np.sqrt(stays * (1 - stays) / inside.sum())
    assert found.clamped == ((ages < 20) | (ages > 80)).sum() > 0
    assert abs((found.numbers == ages)[inside].mean() - stays) <= 6 * spread
    assert stays == pytest.approx(share, abs=0.01)
    assert (found.numbers.min(), found.numbers.max()) == (20, 80)
    assert (found.numbers == np.rint(found.numbers)).all()
