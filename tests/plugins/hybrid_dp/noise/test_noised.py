"""Numbers with noise: what is clamped, counted and left alone, and that both sources draw the same."""

from fractions import Fraction
from time import sleep

import numpy as np
import pandas as pd
import pytest

from qidguard.sdk import AnonymizationTask, InternalError, ValueType
from qidguard_hybrid_dp.noise.column import NoisedColumn, NoiseScale, noised_column
from qidguard_hybrid_dp.noise.guarantee import noised_part
from qidguard_hybrid_dp.noise.laplace import OPENDP, OpenDPLaplace, SeededLaplace, source_of
from qidguard_hybrid_dp.noise.noised import CHUNK, noised
from qidguard_hybrid_dp.noise.receipt import staying_of

AGE = NoisedColumn(name="age", bounds=(Fraction(17), Fraction(90)), step=Fraction(1))
ONE = {"epsilon": Fraction(1), "scale": NoiseScale.RANGE}


class Shift:
    """A source that adds the same to all values, so that the result can be checked by hand."""

    def __init__(self, by=0):
        self.by, self.calls = by, []

    def draw(self, grid, scale):
        """Return grid points plus the shift."""
        self.calls.append((len(grid), scale))
        return grid + self.by


def done(values, source, column=AGE, scale=NoiseScale.RANGE, epsilon=3):
    """Return values with noise."""
    numbers = np.array(values, dtype=np.float64)
    return noised(numbers, column, epsilon=Fraction(epsilon), scale=scale, source=source)


@pytest.mark.parametrize(
    ("values", "by", "published", "clamped", "missing", "calls"),
    [
        # bounds are kept before and after: 16 and 120 lie outside and are counted; then 5 is added
        ([16, 17, 30.4, 88, 120], 5, [22, 22, 35, 90, 90], 2, 0, [5]),
        # NaN gets no noise; both infinities are clamped and counted
        ([np.nan, np.inf, -np.inf, 40], 0, [np.nan, 90, 17, 40], 2, 1, [3]),
        # where there is no value nothing is drawn, and nothing fails
        ([], 0, [], 0, 0, []),
        ([np.nan, np.nan], 0, [np.nan, np.nan], 0, 2, []),
    ],
)
def test_values_are_clamped_counted_and_left_missing(values, by, published, clamped, missing, calls):
    """And the caller's numbers stay as they were."""
    source, numbers = Shift(by), np.array(values, dtype=np.float64)
    found = done(numbers, source)
    assert np.array_equal(found.numbers, published, equal_nan=True)
    assert (found.clamped, found.missing, [count for count, _ in source.calls]) == (clamped, missing, calls)
    assert np.array_equal(numbers, values, equal_nan=True)


def test_values_are_drawn_in_chunks_that_are_told():
    """Between two calls Ctrl-C is heard, and progress is told."""
    source, told = Shift(), []
    noised(np.full(CHUNK + 5, 40.0), AGE, **ONE, source=source, tell=lambda *now: told.append(now))
    assert source.calls == [(CHUNK, 73.0), (5, 73.0)]
    assert told == [(CHUNK, CHUNK + 5), (CHUNK + 5, CHUNK + 5)]


@pytest.fixture
def small_chunks(monkeypatch):
    """Draw a hundred values in a call, so that few make many calls."""
    monkeypatch.setattr("qidguard_hybrid_dp.noise.noised.CHUNK", 100)


@pytest.mark.usefixtures("small_chunks")
def test_opendp_draws_several_chunks_in_their_order():
    """What several processors draw comes back in its place: at ε = 10^9 a unit nothing moves."""
    numbers = np.arange(207) % 74 + 17.0
    asked = {"epsilon": Fraction(10**9), "scale": NoiseScale.UNIT, "source": OPENDP}
    told = []
    found = noised(numbers, AGE, tell=lambda *now: told.append(now), **asked)
    assert (found.numbers == numbers).all()
    assert [done for done, _ in told] == [100, 200, 207]


@pytest.mark.usefixtures("small_chunks")
def test_an_interruption_waits_for_no_chunk_that_has_not_begun():
    """Ctrl-C after the first of four hundred chunks ends the work."""
    drawn = []

    class Counting(OpenDPLaplace):
        def draw(self, grid, scale):
            drawn.append(len(grid))
            sleep(0.1)  # all of them would take many seconds, whatever else runs
            return grid

    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        noised(np.full(40_000, 40.0), AGE, **ONE, source=Counting(), tell=interrupt)
    assert len(drawn) < 400


@pytest.mark.parametrize("scale", [1e-6, 1 / 3, 24.3, 1e6, 2.0**59], ids=str)
@pytest.mark.parametrize(
    "source",
    [
        pytest.param(OPENDP, id="OpenDPLaplace", marks=pytest.mark.slow),
        pytest.param(SeededLaplace(3, "age", ""), id="rehearsed"),
    ],
)
def test_both_sources_have_the_distribution(source, scale):
    """Mean, mean distance and share of zeros lie within six standard errors of discrete Laplace's.

    At large scales a zero is expected in one of hundreds of runs, and is then far outside of them: three more
    are let pass.
    """
    many = 4000
    noise = source.draw(np.zeros(many, dtype=np.int64), scale).astype(np.float64)
    p, stop = np.exp(-1 / scale), -np.expm1(-1 / scale)
    variance, distance, zeros = 2 * p / stop**2, 2 * p / (stop * (1 + p)), stop / (1 + p)
    assert abs(noise.mean()) <= 6 * np.sqrt(variance / many)
    assert abs(np.abs(noise).mean() - distance) <= 6 * np.sqrt((variance - distance**2) / many)
    assert abs((noise == 0).mean() - zeros) <= 6 * np.sqrt(zeros * (1 - zeros) / many) + 3 / many


def test_opendp_never_draws_the_same_twice():
    """Two runs differ, and so do two attributes of one run."""
    first, second = (done(np.full(64, 40.0), OPENDP).numbers for _ in range(2))
    assert (first != second).any()


def test_a_rehearsal_draws_by_seed_column_and_partition():
    """The same three give the same noise, any other gives other noise."""
    zeros = np.zeros(64, dtype=np.int64)
    keys = ((1, "age", "other"), (2, "age", "other"), (1, "hours", "other"), (1, "age", "violating"))
    drawn, again = ([tuple(SeededLaplace(*key).draw(zeros, 24.3)) for key in keys] for _ in range(2))
    assert (drawn, len(set(drawn))) == (again, 4)


def test_only_a_rehearsal_has_a_seed():
    """A task that is published draws from OpenDP."""
    real = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=1)
    tried = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=1, is_rehearsal=True)
    assert source_of(real, "age", "other") is OPENDP
    assert isinstance(source_of(tried, "age", "other"), SeededLaplace)


def test_a_map_above_the_claim_draws_nothing():
    """OpenDP's map is held against ε before its first call."""

    class Louder(OpenDPLaplace):
        def loss(self, reach, scale):
            return super().loss(reach, scale) + Fraction(1, 10**9)

        def draw(self, grid, scale):
            raise AssertionError

    with pytest.raises(InternalError, match="above the ε"):
        done([40], Louder())


def test_fine_steps_get_noise_too():
    """Tenths at unit scale: with ε = 10^9 a unit nothing moves."""
    tenths = NoisedColumn(name="x", bounds=(Fraction(0), Fraction(1)), step=Fraction(1, 10))
    found = done([0, 0.1, 0.3, 0.7, 1], OPENDP, tenths, NoiseScale.UNIT, epsilon=10**9)
    assert found.numbers.tolist() == [0, 0.1, 0.3, 0.7, 1]


@pytest.fixture(scope="module")
def ages(data):
    """Return the ages of the 32,561 records."""
    return pd.read_csv(data / "adult" / "adult.data", header=None, usecols=[0])[0].to_numpy(dtype=float)


@pytest.mark.slow
@pytest.mark.realdata
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
