"""Wilson's interval against its own equation and by its exact coverage; the excess by its own coverage."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from examples import examples
from qidguard_standard.attacks.finding import excess_over, success_rate

Z = stats.norm.ppf(0.975)


def rate_of(successes, trials):
    """Return the rate of so many successes."""
    return success_rate(np.repeat([1.0, 0.0], [successes, trials - successes]))


@settings(max_examples=examples(40), deadline=None, derandomize=True, database=None)
@given(trials=st.integers(2, 200), data=st.data())
def test_the_ends_solve_the_score_equation(trials, data):
    """Each end p is where (p̂ − p)² = z²·p(1 − p)/n, which Wilson's interval inverts."""
    successes = data.draw(st.integers(1, trials - 1))
    rate, share = rate_of(successes, trials), successes / trials

    def equation(p):
        return (share - p) ** 2 - Z**2 * p * (1 - p) / trials

    assert rate.low == pytest.approx(optimize.brentq(equation, 1e-12, share), abs=1e-9)
    assert rate.high == pytest.approx(optimize.brentq(equation, share, 1 - 1e-12), abs=1e-9)


def test_nobody_tells_nothing():
    """Without a trial the interval is all of 0..1; no success is a rate of 0 with an upper end."""
    nobody, none = success_rate(np.zeros(0)), rate_of(0, 100)
    assert (nobody.share, nobody.low, nobody.high) == (0, 0, 1)
    assert (none.share, none.low) == (0, 0)
    assert none.high == pytest.approx(Z**2 / (100 + Z**2))
    assert rate_of(100, 100).high == 1


@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan])
def test_a_success_is_a_share(value):
    """A success outside 0..1 is an error of who counted it."""
    with pytest.raises(ValueError, match=r"0\.\.1"):
        success_rate(np.array([0.5, value]))


@pytest.mark.parametrize("trials", [50, 1000])
def test_wilsons_interval_covers_what_it_promises(trials):
    """Over all Bernoulli probabilities it covers 95 % on average and never far less, counted exactly."""
    rates = [rate_of(k, trials) for k in range(trials + 1)]
    low, high = (np.array([getattr(rate, end) for rate in rates]) for end in ("low", "high"))
    coverage = [
        stats.binom.pmf(np.arange(trials + 1), trials, p)[(low <= p) & (p <= high)].sum()
        for p in np.linspace(0.02, 0.98, 97)
    ]
    assert np.mean(coverage) == pytest.approx(0.95, abs=0.01)
    assert min(coverage) > 0.91


@pytest.mark.parametrize("values", [(0.0, 0.2), (0.0, 0.5, 1.0), (0.25, 0.25, 0.5)])
def test_chances_vary_less_than_the_interval_allows(values):
    """Successes that are chances, such as 1/s, lie in the interval at least as often as promised."""
    drawn = np.random.default_rng(1).choice(values, (1000, 60))
    rates = [success_rate(row) for row in drawn]
    assert np.mean([rate.low <= np.mean(values) <= rate.high for rate in rates]) >= 0.95


@pytest.mark.parametrize(("p", "c"), [(0.5, 0.2), (0.3, 0.3), (0.9, 0.4), (0.1, 0.05)])
def test_the_excess_is_covered_as_promised(p, c):
    """Its interval holds the true (p − c)/(1 − c) in 93 % or more of all outcomes, counted exactly."""
    trials = 80
    rates = [rate_of(k, trials) for k in range(trials + 1)]
    chance_p, chance_c = (stats.binom.pmf(np.arange(trials + 1), trials, share) for share in (p, c))
    truth, covered = (p - c) / (1 - c), 0.0
    for i in np.flatnonzero(chance_p > 1e-9):
        for j in np.flatnonzero(chance_c > 1e-9):
            _, low, high = excess_over(rates[i], rates[j])
            covered += chance_p[i] * chance_c[j] * (low <= truth <= high)
    assert covered >= 0.93


def test_the_excess_by_hand():
    """(0.6 − 0.2)/(1 − 0.2) = 0.5; without a control it is the rate; a control that always succeeds: 0."""
    rate = rate_of(60, 100)
    assert excess_over(rate, rate_of(20, 100))[0] == pytest.approx(0.5)
    assert excess_over(rate, None) == (rate.share, rate.low, rate.high)
    assert excess_over(rate, success_rate(np.zeros(0))) == (rate.share, rate.low, rate.high)
    assert excess_over(rate, rate_of(9, 9)) == (0, -1, 1)


def test_the_excess_stays_within_its_range():
    """A control that nearly always succeeds would put it far below −1; it is clipped there."""
    excess, low, high = excess_over(rate_of(0, 10), rate_of(999, 1000))
    assert (excess, low) == (-1, -1)
    assert -1 <= high <= 1
