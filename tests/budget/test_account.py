"""A budget bears what fits it exactly, and not a bit more."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.budget import Budget, BudgetError, Spend, check_spend, remaining
from qidguard.core.errors import ExitCode

ONE = Budget(epsilon=Fraction(1))
TENTH = Spend(epsilon=Fraction(1, 10))
MILLIONTH = Fraction(1, 10**6)
REMEDY = "; have it spend less, or have the policy's privacy_budget reviewed"


def refused(budget: Budget, spends: list[Spend], wanted: Spend) -> str:
    """Return what is said against a release on patients."""
    with pytest.raises(BudgetError) as caught:
        check_spend(budget, spends, wanted, of="patients")
    assert caught.value.exit_code is ExitCode.BLOCKED
    said = str(caught.value)
    assert said.endswith(REMEDY)
    return said.removesuffix(REMEDY)


def test_ten_tenths_fit_a_budget_of_one_and_the_eleventh_does_not() -> None:
    """Ten releases of 1/10 pass one after another; in floats their sum would be 0.9999999999999999."""
    spends: list[Spend] = []
    for _ in range(10):
        check_spend(ONE, spends, TENTH, of="patients")
        spends.append(TENTH)
    assert refused(ONE, spends, TENTH) == (
        "a release of ε = 1/10 would bring what is spent of 'patients' to ε = 11/10, above its budget of 1"
    )
    assert 0.1 + 0.1 + 0.1 != 0.3
    assert refused(ONE, spends, Spend(epsilon=Fraction(1, 10**25))).endswith(
        "to ε = 1.0000000000000000000000001, above its budget of 1"
    )


def test_delta_is_counted_beside_epsilon() -> None:
    """Either of the two may be used up first, and the sentence names what is."""
    budget = Budget(epsilon=Fraction(1), delta=MILLIONTH)
    one = Spend(epsilon=Fraction(1, 2), delta=MILLIONTH)
    check_spend(budget, [], one, of="patients")
    check_spend(budget, [one], Spend(epsilon=Fraction(1, 2)), of="patients")
    assert refused(budget, [one], one) == (
        "a release of ε = 1/2, δ = 1/1000000 would bring what is spent of 'patients' to δ = 1/500000,"
        " above its budget of 1/1000000"
    )
    assert refused(budget, [one, TENTH], one) == (
        "a release of ε = 1/2, δ = 1/1000000 would bring what is spent of 'patients' to ε = 11/10, above its"
        " budget of 1, and δ = 1/500000, above its budget of 1/1000000"
    )
    assert "to δ = 1/1000000, above its budget of 0" in refused(ONE, [], one)


def test_what_was_spent_before_the_budget_was_cut_stays_spent() -> None:
    """A smaller budget refuses everything, even what costs nothing."""
    assert "to ε = 11/10, above its budget of 1" in refused(ONE, [TENTH] * 11, Spend())
    assert remaining(ONE, [TENTH] * 11) == Spend()


def test_long_numbers_are_shown_as_decimals() -> None:
    """The float 0.1 is a little more than a tenth, so ten of them do not fit; the digits say why."""
    float_tenth = Spend(epsilon=Fraction(0.1))
    said = refused(ONE, [float_tenth] * 9, float_tenth)
    assert said.endswith("to ε = about 1.000000000000000055511151231, above its budget of 1")
    huge = Spend(epsilon=Fraction(10) ** 400)
    assert refused(ONE, [], huge).startswith("a release of ε = 1E+400 would")


def test_what_remains_is_exact() -> None:
    """Seven tenths of one leave three tenths; all δ that nobody spent is left."""
    assert remaining(ONE, [TENTH] * 7) == Spend(epsilon=Fraction(3, 10))
    budget = Budget(epsilon=Fraction(1), delta=MILLIONTH)
    assert remaining(budget, []) == Spend(epsilon=Fraction(1), delta=MILLIONTH)
    assert remaining(ONE, [TENTH] * 10) == Spend()
    over_delta = Spend(epsilon=Fraction(1, 10), delta=Fraction(1, 10))
    assert remaining(budget, [over_delta]) == Spend()


AMOUNTS = st.fractions(min_value=0, max_value=1, max_denominator=50)
SMALL = st.builds(Spend, epsilon=AMOUNTS, delta=AMOUNTS.map(lambda part: part / 10))
BUDGETS = st.builds(
    Budget, epsilon=AMOUNTS.map(lambda part: part + 1), delta=AMOUNTS.map(lambda part: part / 2)
)


@given(BUDGETS, st.lists(SMALL, max_size=8))
def test_what_remains_may_be_spent_and_nothing_above_it(budget: Budget, spends: list[Spend]) -> None:
    """Told against sums of whole numbers over a common denominator."""
    scale = 50 * 49 * 48 * 47 * 46 * 45 * 44 * 43 * 42 * 41 * 10**9
    denominators = {n.denominator for s in spends for n in (s.epsilon, s.delta)}
    for denominator in denominators | {budget.epsilon.denominator, budget.delta.denominator}:
        scale *= denominator
    fits = sum(int(s.epsilon * scale) for s in spends) <= int(budget.epsilon * scale)
    fits = fits and sum(int(s.delta * scale) for s in spends) <= int(budget.delta * scale)
    left = remaining(budget, spends)
    if not fits:
        assert left == Spend()
        with pytest.raises(BudgetError):
            check_spend(budget, spends, left, of="patients")
        return
    check_spend(budget, spends, left, of="patients")
    step = Fraction(1, scale)
    for more in (Spend(epsilon=left.epsilon + step), Spend(epsilon=left.epsilon, delta=left.delta + step)):
        with pytest.raises(BudgetError):
            check_spend(budget, spends, more, of="patients")
    assert all(type(number) is Fraction for number in (left.epsilon, left.delta, left.rho))
