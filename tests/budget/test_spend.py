"""What releases spend together is an exact sum."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.budget import Budget, Spend, SpentTogether, total

PARTS = st.fractions(min_value=0, max_value=100, max_denominator=10**6)
SPENDS = st.builds(
    Spend,
    epsilon=PARTS,
    delta=st.fractions(min_value=0, max_value="999/1000", max_denominator=10**6),
    rho=PARTS,
)


def test_three_tenths() -> None:
    """0.1 + 0.1 + 0.1 is 3/10, where floats give 0.30000000000000004; δ and ρ add up likewise."""
    tenth = Fraction(1, 10)
    spends = [Spend(epsilon=tenth), Spend(epsilon=tenth, delta=Fraction(1, 10**6)), Spend(epsilon=tenth)]
    assert total(spends) == SpentTogether(epsilon=Fraction(3, 10), delta=Fraction(1, 10**6))
    assert total([Spend(rho=tenth), *spends]).rho == tenth
    assert sum([0.1, 0.1, 0.1]) > 0.3
    assert total([]) == SpentTogether()


@given(st.lists(SPENDS, max_size=6).flatmap(lambda s: st.tuples(st.just(s), st.permutations(s))))
def test_the_order_of_releases_does_not_matter(both: tuple[list[Spend], list[Spend]]) -> None:
    """Whichever release came first, the sum is the same number, and no float creeps in."""
    left, right = map(total, both)
    assert left == right
    for number in (left.epsilon, left.delta, left.rho):
        assert type(number) is Fraction


def test_the_delta_of_many_releases_may_reach_one() -> None:
    """A sum of 1 and more protects nobody, and is a number all the same."""
    assert total([Spend(delta=Fraction(2, 3))] * 3).delta == 2


@pytest.mark.parametrize("kind", [Spend, Budget, SpentTogether])
@pytest.mark.parametrize("wrong", [0.1, 1, "1/10", None, True])
def test_what_is_no_fraction_is_no_amount(kind: type, wrong: object) -> None:
    """A float would bring its error along."""
    for field in ("epsilon", "delta"):
        with pytest.raises(TypeError, match=f"{field} must be a Fraction"):
            kind(**{"epsilon": Fraction(1), field: wrong})


def test_amounts_out_of_range_are_refused() -> None:
    """Nothing is spent backwards, δ of one release is a probability below 1, a budget has an ε."""
    for field in ("epsilon", "delta", "rho"):
        with pytest.raises(ValueError, match=f"{field} must be at least 0, not -1/10"):
            Spend(**{field: Fraction(-1, 10)})
    for make in (Spend, Budget):
        with pytest.raises(ValueError, match="delta must be below 1, not 1"):
            make(epsilon=Fraction(1), delta=Fraction(1))
    with pytest.raises(ValueError, match="a budget's epsilon must be above 0"):
        Budget(epsilon=Fraction(0))


@pytest.mark.parametrize(
    ("spend", "text"),
    [
        (Spend(), "ε = 0"),
        (Spend(epsilon=Fraction(1, 10)), "ε = 1/10"),
        (Spend(epsilon=Fraction(2), delta=Fraction(1, 10**6)), "ε = 2, δ = 1/1000000"),
        (Spend(rho=Fraction(1, 3)), "ρ = 1/3"),
    ],
)
def test_a_spend_in_words(spend: Spend, text: str) -> None:
    """What is 0 is left out."""
    assert spend.text == text
