"""What releases spend, one by one and together."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction

from qidguard.core.exact import short_text

_ZERO = Fraction(0)


def _check(value: "Spend | SpentTogether | Budget") -> None:
    for field in fields(value):
        number = getattr(value, field.name)
        if not isinstance(number, Fraction):
            raise TypeError(f"{field.name} must be a Fraction, not {type(number).__name__}")
        if number < 0:
            raise ValueError(f"{field.name} must be at least 0, not {number}")
    if not isinstance(value, SpentTogether) and value.delta >= 1:
        raise ValueError(f"delta must be below 1, not {value.delta}")


@dataclass(frozen=True, kw_only=True)
class Spend:
    """What one release spends: an (ε, δ)-differentially private part and a ρ-zero-concentrated one.

    A mechanism has one of the two as a rule, Laplace noise ε, Gaussian noise ρ; what is 0 is not spent.

    Args:
        epsilon: ε ≥ 0, in nats.
        delta: δ in [0, 1), a probability.
        rho: ρ ≥ 0, of zero-concentrated differential privacy (Bun and Steinke 2016, Definition 1.1).
    """

    epsilon: Fraction = _ZERO
    delta: Fraction = _ZERO
    rho: Fraction = _ZERO

    def __post_init__(self) -> None:
        _check(self)

    @property
    def text(self) -> str:
        """What is spent, such as ``ε = 1/10, δ = 1/1000000``."""
        parts = (("ε", self.epsilon), ("δ", self.delta), ("ρ", self.rho))
        return ", ".join(f"{sign} = {short_text(number)}" for sign, number in parts if number) or "ε = 0"


@dataclass(frozen=True, kw_only=True)
class SpentTogether:
    """What several releases spent together; the sum of their δ may reach 1, which protects nobody.

    Args:
        epsilon: Σε ≥ 0, in nats.
        delta: Σδ ≥ 0.
        rho: Σρ ≥ 0.
    """

    epsilon: Fraction = _ZERO
    delta: Fraction = _ZERO
    rho: Fraction = _ZERO

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What all releases of a data set or population may spend together.

    Args:
        epsilon: ε > 0, in nats.
        delta: δ in [0, 1), a probability.
    """

    epsilon: Fraction
    delta: Fraction = _ZERO

    def __post_init__(self) -> None:
        _check(self)
        if not self.epsilon:
            raise ValueError("a budget's epsilon must be above 0")


def total(spends: Iterable[Spend]) -> SpentTogether:
    """Return what the releases spend together: Σε, Σδ and Σρ, in exact numbers.

    (ε, δ) adds up by basic composition (Dwork and Roth 2014, Theorem 3.16), ρ by that of concentrated
    differential privacy (Bun and Steinke 2016, Lemma 1.7), also where a release depends on what earlier
    ones gave. OpenDP composes by the same sums (``make_composition``), and its privacy filter by floats:
    there 0.1 + 0.1 + 0.1 exceeds 0.3, so that the third of three releases is refused, and one release too
    many exhausts the filter for good. Here the sums are fractions.

    Args:
        spends: One for each release, in any order.

    Returns:
        The sums; zeros where there is no release.

    Units:
        ε in nats; δ a probability; ρ in nats.

    Raises:
        AttributeError: When one of ``spends`` is no Spend.

    Example:
        >>> tenth = Spend(epsilon=Fraction(1, 10))
        >>> total([tenth, tenth, tenth]).epsilon
        Fraction(3, 10)
    """
    each = tuple(spends)
    return SpentTogether(
        epsilon=sum((spend.epsilon for spend in each), _ZERO),
        delta=sum((spend.delta for spend in each), _ZERO),
        rho=sum((spend.rho for spend in each), _ZERO),
    )
