"""Numbers with noise: what is clamped, counted and left alone, and that both sources draw the same."""

from fractions import Fraction
from time import sleep

import numpy as np
import pytest

from qidguard.sdk import AnonymizationTask, InternalError
from qidguard_hybrid_dp.noise.column import NoisedColumn, NoiseScale
from qidguard_hybrid_dp.noise.laplace import OPENDP, OpenDPLaplace, SeededLaplace, source_of
from qidguard_hybrid_dp.noise.noised import CHUNK, noised

AGE = NoisedColumn(name="age", bounds=(Fraction(17), Fraction(90)), step=Fraction(1))


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


def test_bounds_are_kept_before_and_after():
    """16 and 120 lie outside and are counted; then 5 is added, and 90 is the end."""
    found = done([16, 17, 30.4, 88, 120], Shift(5))
    assert found.numbers.tolist() == [22, 22, 35, 90, 90]
    assert (found.clamped, found.missing) == (2, 0)


def test_missing_stays_missing_and_infinities_are_outside():
    """NaN gets no noise; both infinities are clamped and counted."""
    found = done([np.nan, np.inf, -np.inf, 40], Shift())
    assert np.array_equal(found.numbers, [np.nan, 90, 17, 40], equal_nan=True)
    assert (found.clamped, found.missing) == (2, 1)


@pytest.mark.parametrize("values", [[], [np.nan, np.nan]], ids=["no record", "nothing but missing"])
def test_an_empty_partition_draws_nothing(values):
    """Where there is no value nothing is drawn, and nothing fails."""
    source = Shift()
    found = done(values, source)
    assert len(found.numbers) == len(values)
    assert (found.clamped, found.missing, source.calls) == (0, len(values), [])


def test_values_are_drawn_in_chunks_that_are_told():
    """Between two calls Ctrl-C is heard, and progress is told."""
    source, told = Shift(), []
    numbers = np.full(CHUNK + 5, 40.0)
    noised(
        numbers,
        AGE,
        epsilon=Fraction(1),
        scale=NoiseScale.RANGE,
        source=source,
        tell=lambda *now: told.append(now),
    )
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
        noised(
            np.full(40_000, 40.0),
            AGE,
            epsilon=Fraction(1),
            scale=NoiseScale.RANGE,
            source=Counting(),
            tell=interrupt,
        )
    assert len(drawn) < 400


def test_what_is_given_stays_as_it_was():
    """The caller's numbers are not changed."""
    numbers = np.array([16.0, 40.0, np.nan])
    noised(numbers, AGE, epsilon=Fraction(1), scale=NoiseScale.RANGE, source=Shift(3))
    assert np.array_equal(numbers, [16, 40, np.nan], equal_nan=True)


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
    many = np.full(64, 40.0)
    first, second = (done(many, OPENDP).numbers for _ in range(2))
    assert (first != second).any()


def test_a_rehearsal_draws_by_seed_column_and_partition():
    """The same three give the same noise, any other gives other noise."""
    zeros = np.zeros(64, dtype=np.int64)
    drawn = {
        key: tuple(SeededLaplace(*key).draw(zeros, 24.3))
        for key in ((1, "age", "other"), (2, "age", "other"), (1, "hours", "other"), (1, "age", "violating"))
    }
    assert tuple(SeededLaplace(1, "age", "other").draw(zeros, 24.3)) == drawn[1, "age", "other"]
    assert len(set(drawn.values())) == 4


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
